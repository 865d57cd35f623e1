// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ms_ssim on the host: means of the terms at every scale, and their weighted product.
#include "features/float_ms_ssim/float_ms_ssim.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "exact/elementary.h"
#include "features/float_ms_ssim/float_ms_ssim_arithmetic.h"
#include "features/float_ms_ssim/float_ms_ssim_options.h"
#include "features/float_ms_ssim/float_ms_ssim_simd.h"
#include "features/float_ssim/ssim_simd.h"
#include "features/float_ssim/ssim_statistic.h"

namespace lockstep {
namespace {

constexpr int kTerms = 3;

/// The smaller scales of both pictures, and line buffers that halving and statistic share.
class FloatMsSsimWorkspace final : public Workspace {
 public:
  explicit FloatMsSsimWorkspace(const VideoFormat& format) {
    const std::size_t statistic = SsimStatisticBytes(format.width);
    const std::size_t halving = SsimDecimateBytes(format.width, kMsSsimTaps);
    lines_.Resize(statistic > halving ? statistic : halving);
    i32 width = format.width;
    i32 height = format.height;
    std::size_t floats = 0;
    for (std::size_t scale = 1; scale < kMsSsimScales; ++scale) {
      width = SsimDecimatedLength(width, 2);
      height = SsimDecimatedLength(height, 2);
      for (std::size_t picture = 0; picture < 2; ++picture) {
        offsets_[picture][scale] = floats;
        floats += static_cast<std::size_t>(SsimPitch(width) * height);
      }
    }
    planes_.Resize(floats * sizeof(float));
  }

  void* lines() { return lines_.data(); }
  /// in    scale >= 1
  float* plane(int picture, int scale) {
    return planes_.as<float>() + offsets_[static_cast<std::size_t>(picture)][static_cast<std::size_t>(scale)];
  }

 private:
  std::array<std::array<std::size_t, kMsSsimScales>, 2> offsets_{};
  AlignedBuffer lines_;
  AlignedBuffer planes_;
};

class FloatMsSsimFeature final : public Feature {
 public:
  FloatMsSsimFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format),
        writes_terms_(options.GetBool("enable_lcs")),
        in_decibels_(options.GetBool("enable_db")),
        limit_(SsimDecibelLimit(format, options.GetBool("clip_db"))),
        statistic_(ChooseSsimStatistic(target)),
        halve_(ChooseMsSsimHalve(target)) {}

  int fact_count() const override { return kMsSsimScales * kTerms; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns = {{"float_ms_ssim"}};
    if (!writes_terms_) return columns;
    for (const char term : {'l', 'c', 's'}) {
      for (int scale = 0; scale < kMsSsimScales; ++scale) {
        columns.push_back({fmt::format("float_ms_ssim_{}_scale{}", term, scale)});
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return std::make_unique<FloatMsSsimWorkspace>(format_); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    auto& buffers = static_cast<FloatMsSsimWorkspace&>(*workspace);
    SsimPlane reference = SsimPlaneOf(window.reference->plane(0), format_.bit_depth);
    SsimPlane distorted = SsimPlaneOf(window.distorted->plane(0), format_.bit_depth);
    for (int scale = 0; scale < kMsSsimScales; ++scale) {
      if (scale > 0) {
        reference = Halved(reference, buffers.plane(0, scale), buffers.lines());
        distorted = Halved(distorted, buffers.plane(1, scale), buffers.lines());
      }
      const bool all = writes_terms_ || scale == kMsSsimScales - 1;
      const SsimWanted wanted = all ? SsimWanted::kTerms : SsimWanted::kContrastAndStructure;
      const SsimSums sums = statistic_({reference, distorted, wanted, buffers.lines()});
      const std::size_t first = static_cast<std::size_t>(scale) * kTerms;
      facts[first] = FactOf(SsimMean(sums.luminance, reference));
      facts[first + 1] = FactOf(SsimMean(sums.contrast, reference));
      facts[first + 2] = FactOf(SsimMean(sums.structure, reference));
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      const std::span<const Fact> row = facts.Row(frame);
      double score = 1.0;
      std::string negative;
      for (std::size_t scale = 0; scale < kMsSsimScales; ++scale) {
        const MsSsimExponents& exponents = kMsSsimExponents[scale];
        const double luminance = DoubleOf(row[scale * kTerms]);
        const double contrast = DoubleOf(row[scale * kTerms + 1]);
        const double structure = DoubleOf(row[scale * kTerms + 2]);
        const bool has_powers =
            contrast >= 0.0 && structure >= 0.0 && (exponents.luminance == 0.0f || luminance >= 0.0);
        if (!has_powers) negative += fmt::format("{}{}", negative.empty() ? "" : ", ", scale);
        score = score * (exact::Pow(luminance, exponents.luminance) * exact::Pow(contrast, exponents.contrast) *
                         exact::Pow(structure, exponents.structure));
      }
      sink.Put(0, frame, in_decibels_ ? SsimDecibels(score, limit_) : score);
      if (!negative.empty()) {
        sink.Warn(frame, fmt::format("the pictures contradict each other: a mean of scale {} is negative and has no "
                                     "power; float_ms_ssim is {}",
                                     negative, in_decibels_ ? "the limit of its decibels" : "not a number"));
      }
      if (writes_terms_) PutTerms(row, frame, sink);
    }
  }

 private:
  SsimPlane Halved(const SsimPlane& plane, float* out, void* lines) const {
    const i32 width = SsimDecimatedLength(plane.width, 2);
    const i32 height = SsimDecimatedLength(plane.height, 2);
    halve_({plane, 2, kMsSsimTaps, kMsSsimKernel.values, out, SsimPitch(width), lines});
    return SsimPlaneOf(out, SsimPitch(width), width, height);
  }

  static void PutTerms(std::span<const Fact> row, std::int64_t frame, ScoreSink& sink) {
    int column = 1;
    for (std::size_t term = 0; term < kTerms; ++term) {
      for (std::size_t scale = 0; scale < kMsSsimScales; ++scale) {
        sink.Put(column++, frame, DoubleOf(row[scale * kTerms + term]));
      }
    }
  }

  VideoFormat format_;
  bool writes_terms_;
  bool in_decibels_;
  double limit_;
  SsimStatisticFunction statistic_;
  SsimDecimateFunction halve_;
};

constexpr std::array<const char*, 1> kProvided = {"float_ms_ssim"};

}  // namespace

constinit const FeatureDescription kFloatMsSsim = {
    "float_ms_ssim",
    "multi-scale structural similarity of luma",
    kFloatMsSsimOptions,
    kProvided,
    {kMsSsimMinimumSide, kMsSsimMinimumSide},
    [](const OptionValues& options, const VideoFormat& format, CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<FloatMsSsimFeature>(options, format, target));
    },
};

}  // namespace lockstep
