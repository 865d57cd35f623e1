// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim on the host: moments along rows, then down columns, and the weighted mean.
#include "features/ssim/ssim.h"

#include <array>
#include <memory>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/ssim/ssim_arithmetic.h"
#include "features/ssim/ssim_simd.h"

namespace lockstep {
namespace {

/// The moments of a window's part in one row.
using RowMoments = std::array<i64, kIntegerSsimMoments>;

class SsimWorkspace final : public Workspace {
 public:
  SsimWorkspace(int width, bool simd) : width_(static_cast<std::size_t>(width)) {
    buffer_.Resize(simd ? IntegerSsimSimdBytes(width) : kIntegerSsimTaps * width_ * sizeof(RowMoments));
  }
  /// Moments along row y; the rows of one window have different places.
  RowMoments* Row(int y) { return buffer_.as<RowMoments>() + static_cast<std::size_t>(y % kIntegerSsimTaps) * width_; }
  std::byte* lines() { return buffer_.data(); }

 private:
  std::size_t width_;
  AlignedBuffer buffer_;
};

template <class Sample>
void MomentsAlong(const Sample* reference, const Sample* distorted, int width, RowMoments* out) {
  for (int x = 0; x < width; ++x) {
    RowMoments sums = {};
    for (int k = 0; k < kIntegerSsimTaps; ++k) {
      const int index = x + k - kIntegerSsimRadius;
      if (index < 0 || index >= width) continue;
      const i32 tap = kIntegerSsimWindow[k];
      const i32 s = reference[index];
      const i32 d = distorted[index];
      sums[0] += tap * s;
      sums[1] += tap * d;
      sums[2] += IntegerSsimProduct(tap, s, s);
      sums[3] += IntegerSsimProduct(tap, s, d);
      sums[4] += IntegerSsimProduct(tap, d, d);
    }
    out[x] = sums;
  }
}

template <class Sample>
double Sum(const PlaneView& reference, const PlaneView& distorted, const IntegerSsimConstants& constants,
           SsimWorkspace& lines) {
  const int width = reference.width;
  const int height = reference.height;
  double sum = 0.0;
  int loaded = 0;
  for (int y = 0; y < height; ++y) {
    for (; loaded < height && loaded <= y + kIntegerSsimRadius; ++loaded) {
      MomentsAlong(reference.row<Sample>(loaded), distorted.row<Sample>(loaded), width, lines.Row(loaded));
    }
    const int row_weight = IntegerSsimWeight(y, height);
    for (int x = 0; x < width; ++x) {
      RowMoments moments = {};
      for (int k = 0; k < kIntegerSsimTaps; ++k) {
        const int row = y + k - kIntegerSsimRadius;
        if (row < 0 || row >= height) continue;
        for (std::size_t i = 0; i < kIntegerSsimMoments; ++i)
          moments[i] += kIntegerSsimWindow[k] * lines.Row(row)[x][i];
      }
      const auto weight = static_cast<double>(row_weight * IntegerSsimWeight(x, width));
      sum += IntegerSsimTerm(
          {static_cast<double>(moments[0]), static_cast<double>(moments[1]), static_cast<double>(moments[2]),
           static_cast<double>(moments[3]), static_cast<double>(moments[4])},
          weight, constants);
    }
  }
  return sum;
}

class SsimFeature final : public Feature {
 public:
  SsimFeature(const VideoFormat& format, CpuTarget target)
      : format_(format),
        constants_(IntegerSsimConstantsOf(format.bit_depth)),
        simd_(ChooseIntegerSsimSimd(target, format.bit_depth)) {
    i64 columns = 0;
    i64 rows = 0;
    for (int x = 0; x < format.width; ++x) columns += IntegerSsimWeight(x, format.width);
    for (int y = 0; y < format.height; ++y) rows += IntegerSsimWeight(y, format.height);
    // The reference adds the pixels' weights in binary64, which does not round below 2^53.
    weight_ = static_cast<double>(columns) * static_cast<double>(rows);
  }

  int fact_count() const override { return 1; }
  std::vector<FeatureColumn> columns() const override { return {{"ssim"}}; }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    return std::make_unique<SsimWorkspace>(format_.width, simd_ != nullptr);
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    const PlaneView reference = window.reference->plane(0);
    const PlaneView distorted = window.distorted->plane(0);
    facts[0] = FactOf(SumOf(reference, distorted, static_cast<SsimWorkspace&>(*workspace)));
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    bool warned = format_.bit_depth <= 12;
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      sink.Put(0, frame, DoubleOf(facts.Row(frame)[0]) / weight_);
      if (!warned) {
        sink.Warn(frame,
                  "above 12 bit the products of bright samples wrap, as in the definition of ssim; float_ssim has "
                  "no such limit");
        warned = true;
      }
    }
  }

 private:
  double SumOf(const PlaneView& reference, const PlaneView& distorted, SsimWorkspace& workspace) const {
    if (simd_ != nullptr) {
      const int sample_bytes = format_.bytes_per_sample();
      return simd_({reference.data, distorted.data, reference.stride_bytes / sample_bytes,
                    distorted.stride_bytes / sample_bytes, reference.width, reference.height, &constants_,
                    workspace.lines()});
    }
    return format_.bit_depth == 8 ? Sum<u8>(reference, distorted, constants_, workspace)
                                  : Sum<u16>(reference, distorted, constants_, workspace);
  }

  VideoFormat format_;
  IntegerSsimConstants constants_;
  IntegerSsimSimd simd_;  // nullptr: the scalar code
  double weight_ = 0.0;
};

constexpr std::array<const char*, 1> kProvided = {"ssim"};

}  // namespace

constinit const FeatureDescription kSsim = {
    "ssim",
    "structural similarity of luma from integer moments",
    {},
    kProvided,
    {1, 1},
    [](const OptionValues& /*options*/, const VideoFormat& format,
       CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<SsimFeature>(format, target));
    },
};

}  // namespace lockstep
