// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede on the host: rows are brought to 4:4:4, differences of a strip are computed in bands and added in raster order.
#include "features/ciede/ciede.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "base/aligned_buffer.h"
#include "exact/elementary.h"
#include "features/ciede/ciede_arithmetic.h"
#include "features/ciede/ciede_simd.h"

namespace lockstep {
namespace {

/// Rows whose differences are kept until they are added: enough for two rows a band, few enough for the cache.
constexpr int kStripRows = 2 * kMaximumBands;
constexpr int kMinimumBandRows = 2;

std::size_t PaddedWidth(int width) {
  return static_cast<std::size_t>((width + kCiedeChunk - 1) / kCiedeChunk * kCiedeChunk);
}

/// Samples of one row of both pictures.
class CiedeLines final : public Workspace {
 public:
  explicit CiedeLines(int width) : pitch_(PaddedWidth(width)), buffer_(6 * pitch_ * sizeof(u16)) {}

  u16* Row(int picture, int plane) {
    return buffer_.as<u16>() + static_cast<std::size_t>(picture * 3 + plane) * pitch_;
  }

 private:
  std::size_t pitch_;
  AlignedBuffer buffer_;
};

class CiedeWorkspace final : public Workspace {
 public:
  CiedeWorkspace(int width, int height)
      : lines(width),
        pitch_(PaddedWidth(width)),
        differences_(static_cast<std::size_t>(std::min(height, kStripRows)) * pitch_ * sizeof(float)) {}

  float* Differences(int strip_row) { return differences_.as<float>() + static_cast<std::size_t>(strip_row) * pitch_; }

  CiedeLines lines;

 private:
  std::size_t pitch_;
  AlignedBuffer differences_;
};

template <class Sample>
void CopyRow(const Sample* __restrict samples, int width, u16* __restrict out) {
  for (int x = 0; x < width; ++x) out[x] = samples[x];
}

template <class Sample>
void DoubleRow(const Sample* __restrict samples, int width, u16* __restrict out) {
  for (int x = 0; x < width / 2; ++x) {
    out[2 * x] = samples[x];
    out[2 * x + 1] = samples[x];
  }
  if (width % 2 != 0) out[width - 1] = samples[width / 2];
}

/// Chroma of 4:2:2. The reference takes it for rows that are halved in number and not in length: pixel row y reads
/// chroma row y / 2, one sample a pixel, and beyond the row goes on in its memory, where rows are padded with zeros to
/// a multiple of 32 samples and the next row follows.
/// edge    the last column of an odd width is left out, as the reference has no sample for it; rows below the plane are
///         its last one; a picture of one column has one chroma column
template <class Sample>
void ReadOnRow(const PlaneView& plane, int y, const VideoFormat& format, u16* out) {
  constexpr int kRowMultiple = 32;
  const PlaneSize size = format.scored_plane_size(1);
  const int width = std::max(size.width, 1);
  const int stride = (width + kRowMultiple - 1) / kRowMultiple * kRowMultiple;
  int row = y / 2;
  for (int x = 0; x < format.width; x += stride) {
    const int left = format.width - x;
    const int copied = std::min(width, left);
    CopyRow(plane.row<Sample>(std::min(row, size.height - 1)), copied, out + x);
    std::fill(out + x + copied, out + x + std::min(stride, left), u16{0});
    ++row;
  }
}

void ScalarRow(const CiedeRowArgs& args) {
  for (int x = 0; x < args.width; ++x) args.differences[x] = CiedePixelDifference(args, x);
}

class CiedeFeature final : public Feature {
 public:
  CiedeFeature(const VideoFormat& format, CpuTarget target)
      : format_(format), scale_(MakeCiedeScale(format.bit_depth)), simd_(ChooseCiedeSimd(target)) {
    if (simd_ == nullptr) simd_ = ScalarRow;
  }

  bool needs_chroma() const override { return true; }
  int fact_count() const override { return 1; }
  std::vector<FeatureColumn> columns() const override { return {{"ciede2000", ColumnPhase::kFrame, false}}; }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    return std::make_unique<CiedeWorkspace>(format_.width, format_.height);
  }
  std::unique_ptr<Workspace> MakeLineBuffers() const override { return std::make_unique<CiedeLines>(format_.width); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    auto& strip = static_cast<CiedeWorkspace&>(*workspace);
    double sum = 0.0;
    for (int first = 0; first < format_.height; first += kStripRows) {
      const int rows = std::min(kStripRows, format_.height - first);
      const int bands = window.BandCount(rows, kMinimumBandRows);
      window.RunBands(bands, &strip.lines, [&](int index, Workspace* lines) {
        const RowBand band = CutBand(rows, kMinimumBandRows, bands, index);
        if (format_.bit_depth == 8) {
          BandDifferences<u8>(window, first, band, static_cast<CiedeLines&>(*lines), strip);
        } else {
          BandDifferences<u16>(window, first, band, static_cast<CiedeLines&>(*lines), strip);
        }
      });
      for (int y = 0; y < rows; ++y) {
        const float* differences = strip.Differences(y);
        for (int x = 0; x < format_.width; ++x) sum += static_cast<double>(differences[x]);
      }
    }
    facts[0] = FactOf(sum);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    const double pixels = static_cast<double>(static_cast<std::int64_t>(format_.width) * format_.height);
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      sink.Put(0, frame, 45.0 - 20.0 * exact::Log10(DoubleOf(facts.Row(frame)[0]) / pixels));
    }
  }

 private:
  template <class Sample>
  void BandDifferences(const FrameWindow& window, int first, RowBand band, CiedeLines& lines,
                       CiedeWorkspace& strip) const {
    for (int y = band.begin; y < band.end; ++y) {
      // Two rows of 4:2:0 share their chroma; bands begin at even rows.
      const bool chroma = y == band.begin || y % 2 == 0 || format_.pixel_format != PixelFormat::kYuv420;
      const CiedeRow reference = FullRow<Sample>(*window.reference, first + y, chroma, lines, 0);
      const CiedeRow distorted = FullRow<Sample>(*window.distorted, first + y, chroma, lines, 1);
      simd_({reference, distorted, scale_, format_.width, strip.Differences(y)});
    }
  }

  /// Row y of a picture; without `chroma`, that of the row before is still in the lines.
  template <class Sample>
  CiedeRow FullRow(const Frame& frame, int y, bool chroma, CiedeLines& lines, int picture) const {
    CopyRow(frame.plane(0).row<Sample>(y), format_.width, lines.Row(picture, 0));
    for (int p = 1; chroma && p < 3; ++p) {
      const PlaneView plane = frame.plane(p);
      u16* const out = lines.Row(picture, p);
      if (format_.pixel_format == PixelFormat::kYuv420) {
        DoubleRow(plane.row<Sample>(y / 2), format_.width, out);
      } else if (format_.pixel_format == PixelFormat::kYuv422) {
        ReadOnRow<Sample>(plane, y, format_, out);
      } else {
        CopyRow(plane.row<Sample>(y), format_.width, out);
      }
    }
    return {lines.Row(picture, 0), lines.Row(picture, 1), lines.Row(picture, 2)};
  }

  VideoFormat format_;
  CiedeScale scale_;
  CiedeSimd simd_;
};

constexpr std::array<const char*, 1> kProvided = {"ciede2000"};

}  // namespace

float CiedePixelDifference(const CiedeRowArgs& args, i32 x) {
  const CiedeRow& r = args.reference;
  const CiedeRow& d = args.distorted;
  return CiedeDifference(CiedeLabOf(args.scale, r.luma[x], r.cb[x], r.cr[x]),
                         CiedeLabOf(args.scale, d.luma[x], d.cb[x], d.cr[x]));
}

constinit const FeatureDescription kCiede = {
    "ciede",
    "mean CIEDE2000 colour difference",
    {},
    kProvided,
    {1, 1},
    [](const OptionValues& /*options*/, const VideoFormat& format,
       CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      if (format.pixel_format == PixelFormat::kYuv400) {
        return Error{ErrorCode::kUnsupported,
                     "pictures have no chroma (4:0:0), but this metric needs 4:2:0, 4:2:2 or 4:4:4",
                     {},
                     {},
                     {}};
      }
      return std::unique_ptr<Feature>(std::make_unique<CiedeFeature>(format, target));
    },
};

}  // namespace lockstep
