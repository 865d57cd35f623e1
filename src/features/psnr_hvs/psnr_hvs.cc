// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs on the host: blocks of each plane in raster order, one binary32 chain of additions a plane.
#include "features/psnr_hvs/psnr_hvs.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "base/aligned_buffer.h"
#include "exact/elementary.h"
#include "features/psnr_hvs/psnr_hvs_arithmetic.h"
#include "features/psnr_hvs/psnr_hvs_simd.h"

namespace lockstep {
namespace {

constexpr int kPlanes = 3;
constexpr std::array<const char*, 4> kNames = {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};

template <class Sample>
void LoadBlock(const PlaneView& plane, int x, int y, i32* block) {
  for (int row = 0; row < kPsnrHvsSide; ++row) {
    const Sample* samples = plane.row<Sample>(y + row) + x;
    for (int column = 0; column < kPsnrHvsSide; ++column) block[row * kPsnrHvsSide + column] = samples[column];
  }
}

template <class Sample>
float SumOfPlane(const PlaneView& reference, const PlaneView& distorted, PlaneSize size,
                 const PsnrHvsWeights& weights) {
  i32 reference_block[kPsnrHvsCoefficients];
  i32 distorted_block[kPsnrHvsCoefficients];
  float sum = 0.0f;
  for (int y = 0; y < size.height - kPsnrHvsStep; y += kPsnrHvsStep) {
    for (int x = 0; x < size.width - kPsnrHvsStep; x += kPsnrHvsStep) {
      LoadBlock<Sample>(reference, x, y, reference_block);
      LoadBlock<Sample>(distorted, x, y, distorted_block);
      sum = PsnrHvsAddBlock(sum, reference_block, distorted_block, weights);
    }
  }
  return sum;
}

double Decibels(double error) { return 10 * (-1 * exact::Log10(error)); }

class PsnrHvsWorkspace final : public Workspace {
 public:
  PsnrHvsScratch* scratch() { return buffer_.as<PsnrHvsScratch>(); }

 private:
  AlignedBuffer buffer_{sizeof(PsnrHvsScratch)};
};

class PsnrHvsFeature final : public Feature {
 public:
  PsnrHvsFeature(const VideoFormat& format, CpuTarget target)
      : format_(format), simd_(ChoosePsnrHvsSimd(target, format.bit_depth)) {}

  bool needs_chroma() const override { return true; }
  int fact_count() const override { return kPlanes; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (const char* name : kNames) columns.push_back({name, ColumnPhase::kFrame, false});
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    if (simd_ == nullptr) return nullptr;
    return std::make_unique<PsnrHvsWorkspace>();
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    for (int p = 0; p < kPlanes; ++p) {
      const PlaneSize size = format_.scored_plane_size(p);
      if (!HasBlock(p)) {
        facts[static_cast<std::size_t>(p)] = FactOf(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const PlaneView reference = window.reference->plane(p);
      const PlaneView distorted = window.distorted->plane(p);
      const float sum = simd_ == nullptr
                            ? SumOfPlane(reference, distorted, size, p)
                            : SimdSumOfPlane(reference, distorted, size, p, static_cast<PsnrHvsWorkspace&>(*workspace));
      const int blocks = PsnrHvsBlockCount(size.width) * PsnrHvsBlockCount(size.height);
      facts[static_cast<std::size_t>(p)] = FactOf(static_cast<double>(PsnrHvsError(sum, blocks, format_.bit_depth)));
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    bool has_warned = HasBlock(0) && HasBlock(1);
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      if (!has_warned) {
        sink.Warn(frame, fmt::format("no block of {}x{} samples fits into {}: they have no score, nor has psnr_hvs",
                                     kPsnrHvsSide, kPsnrHvsSide, HasBlock(0) ? "the chroma planes" : "the planes"));
        has_warned = true;
      }
      std::array<double, kPlanes> errors;
      for (int p = 0; p < kPlanes; ++p) {
        errors[static_cast<std::size_t>(p)] = DoubleOf(facts.Row(frame)[static_cast<std::size_t>(p)]);
        sink.Put(p, frame, Decibels(errors[static_cast<std::size_t>(p)]));
      }
      sink.Put(kPlanes, frame, Decibels(errors[0] * 0.8 + 0.1 * (errors[1] + errors[2])));
    }
  }

 private:
  [[nodiscard]] bool HasBlock(int plane) const {
    const PlaneSize size = format_.scored_plane_size(plane);
    return size.width >= kPsnrHvsSide && size.height >= kPsnrHvsSide;
  }

  float SumOfPlane(const PlaneView& reference, const PlaneView& distorted, PlaneSize size, int plane) const {
    const PsnrHvsWeights& weights = kPsnrHvsWeights[plane];
    if (format_.bit_depth == 8) return lockstep::SumOfPlane<u8>(reference, distorted, size, weights);
    return lockstep::SumOfPlane<u16>(reference, distorted, size, weights);
  }

  float SimdSumOfPlane(const PlaneView& reference, const PlaneView& distorted, PlaneSize size, int plane,
                       PsnrHvsWorkspace& workspace) const {
    const int sample_bytes = format_.bytes_per_sample();
    return simd_({reference.data, distorted.data, reference.stride_bytes / sample_bytes,
                  distorted.stride_bytes / sample_bytes, PsnrHvsBlockCount(size.width), PsnrHvsBlockCount(size.height),
                  &kPsnrHvsWeights[plane], workspace.scratch()});
  }

  VideoFormat format_;
  PsnrHvsSimd simd_;  // nullptr: the scalar code
};

Status CheckFormat(const VideoFormat& format) {
  const auto refuse = [](std::string message) {
    return Error{ErrorCode::kUnsupported, std::move(message), {}, {}, {}};
  };
  if (format.pixel_format == PixelFormat::kYuv400) {
    return refuse("pictures have no chroma (4:0:0), but this metric needs 4:2:0, 4:2:2 or 4:4:4");
  }
  if (format.bit_depth > kPsnrHvsMaximumDepth) {
    return refuse(
        fmt::format("samples have {} bits, but this metric takes 8 to {}", format.bit_depth, kPsnrHvsMaximumDepth));
  }
  return {};
}

constexpr std::array<const char*, 4> kProvided = kNames;

}  // namespace

constinit const FeatureDescription kPsnrHvs = {
    .name = "psnr_hvs",
    .summary = "peak signal-to-noise ratio of DCT differences weighted by their visibility",
    .options = {},
    .provided = kProvided,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& /*options*/, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      if (Status checked = CheckFormat(format); !checked) return std::move(checked).error();
      return std::unique_ptr<Feature>(std::make_unique<PsnrHvsFeature>(format, target));
    },
};

}  // namespace lockstep
