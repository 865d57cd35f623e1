// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim on the host: decimation, means of the terms, decibels.
#include "features/float_ssim/float_ssim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_ssim/float_ssim_options.h"
#include "features/float_ssim/ssim_simd.h"
#include "features/float_ssim/ssim_statistic.h"

namespace lockstep {
namespace {

/// Two decimated planes, and line buffers that decimation and statistic share.
class FloatSsimWorkspace final : public Workspace {
 public:
  FloatSsimWorkspace(const VideoFormat& format, i32 factor)
      : width_(SsimDecimatedLength(format.width, factor)), height_(SsimDecimatedLength(format.height, factor)) {
    const std::size_t statistic = SsimStatisticBytes(factor > 1 ? width_ : format.width);
    const std::size_t decimation = factor > 1 ? SsimDecimateBytes(format.width, factor) : 0;
    lines_.Resize(statistic > decimation ? statistic : decimation);
    if (factor > 1) planes_.Resize(2 * static_cast<std::size_t>(SsimPitch(width_) * height_) * sizeof(float));
  }

  void* lines() { return lines_.data(); }
  float* plane(int index) { return planes_.as<float>() + index * SsimPitch(width_) * height_; }

 private:
  i32 width_;
  i32 height_;
  AlignedBuffer lines_;
  AlignedBuffer planes_;
};

class FloatSsimFeature final : public Feature {
 public:
  FloatSsimFeature(const OptionValues& options, const VideoFormat& format, i32 factor, CpuTarget target)
      : format_(format),
        factor_(factor),
        size_{factor > 1 ? SsimDecimatedLength(format.width, factor) : format.width,
              factor > 1 ? SsimDecimatedLength(format.height, factor) : format.height},
        writes_terms_(options.GetBool("enable_lcs")),
        in_decibels_(options.GetBool("enable_db")),
        limit_(SsimDecibelLimit(format, options.GetBool("clip_db"))),
        kernel_(static_cast<std::size_t>(factor) * static_cast<std::size_t>(factor),
                1.0f / static_cast<float>(factor * factor)),
        statistic_(ChooseSsimStatistic(target)),
        decimate_(ChooseSsimBoxDecimate(target, factor)) {}

  int fact_count() const override { return writes_terms_ ? 4 : 1; }

  std::vector<FeatureColumn> columns() const override {
    if (!writes_terms_) return {{"float_ssim"}};
    return {{"float_ssim"}, {"float_ssim_l"}, {"float_ssim_c"}, {"float_ssim_s"}};
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    if (!has_window()) return nullptr;
    return std::make_unique<FloatSsimWorkspace>(format_, factor_);
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    if (!has_window()) {
      std::fill(facts.begin(), facts.end(), FactOf(ScoreWithoutWindow()));
      return;
    }
    auto& buffers = static_cast<FloatSsimWorkspace&>(*workspace);
    const SsimPlane reference = Decimated(*window.reference, 0, buffers);
    const SsimPlane distorted = Decimated(*window.distorted, 1, buffers);
    const SsimWanted wanted = writes_terms_ ? SsimWanted::kProductAndTerms : SsimWanted::kProduct;
    const SsimSums sums = statistic_({reference, distorted, wanted, buffers.lines()});
    facts[0] = FactOf(SsimMean(sums.product, reference));
    if (!writes_terms_) return;
    facts[1] = FactOf(SsimMean(sums.luminance, reference));
    facts[2] = FactOf(SsimMean(sums.contrast, reference));
    facts[3] = FactOf(SsimMean(sums.structure, reference));
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    bool has_warned = false;
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      if (!has_window() && !has_warned) {
        sink.Warn(frame, fmt::format("no window of {}x{} fits into {}x{} samples: the scores say nothing", kSsimTaps,
                                     kSsimTaps, size_.width, size_.height));
        has_warned = true;
      }
      const std::span<const Fact> row = facts.Row(frame);
      const double score = DoubleOf(row[0]);
      sink.Put(0, frame, in_decibels_ ? SsimDecibels(score, limit_) : score);
      for (int term = 1; term < fact_count(); ++term) {
        sink.Put(term, frame, DoubleOf(row[static_cast<std::size_t>(term)]));
      }
    }
  }

 private:
  [[nodiscard]] bool has_window() const { return size_.width >= kSsimTaps && size_.height >= kSsimTaps; }
  /// A mean over no window as the reference counts them: 0 / ((width - 10) (height - 10)).
  [[nodiscard]] double ScoreWithoutWindow() const {
    const bool is_zero_by_zero = size_.width == kSsimTaps - 1 || size_.height == kSsimTaps - 1;
    return is_zero_by_zero ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  }

  SsimPlane Decimated(const Frame& frame, int index, FloatSsimWorkspace& buffers) const {
    const SsimPlane plane = SsimPlaneOf(frame.plane(0), format_.bit_depth);
    if (factor_ == 1) return plane;
    const i32 width = SsimDecimatedLength(plane.width, factor_);
    const i32 height = SsimDecimatedLength(plane.height, factor_);
    float* const out = buffers.plane(index);
    decimate_({plane, factor_, factor_, kernel_.data(), out, SsimPitch(width), buffers.lines()});
    return SsimPlaneOf(out, SsimPitch(width), width, height);
  }

  VideoFormat format_;
  i32 factor_;
  PlaneSize size_;  // after decimation
  bool writes_terms_;
  bool in_decibels_;
  double limit_;
  std::vector<float> kernel_;
  SsimStatisticFunction statistic_;
  SsimDecimateFunction decimate_;
};

constexpr std::array<const char*, 1> kProvided = {"float_ssim"};

Result<std::unique_ptr<Feature>> CreateFloatSsim(const OptionValues& options, const VideoFormat& format,
                                                 CpuTarget target) {
  const int scale = options.GetInt("scale");
  const i32 factor = scale > 0 ? scale : SsimAutomaticFactor(format.width, format.height);
  return std::unique_ptr<Feature>(std::make_unique<FloatSsimFeature>(options, format, factor, target));
}

}  // namespace

constinit const FeatureDescription kFloatSsim = {
    .name = "float_ssim",
    .summary = "structural similarity of luma, in binary32 and binary64",
    .options = kFloatSsimOptions,
    .provided = kProvided,
    .minimum_size = {1, 1},
    .create = CreateFloatSsim,
};

}  // namespace lockstep
