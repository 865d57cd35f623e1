// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif on the host: filters over line buffers, sums of rows, and scores.
#include "features/float_vif/float_vif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_motion/float_motion_arithmetic.h"
#include "features/float_vif/float_vif_arithmetic.h"
#include "features/float_vif/float_vif_filter.h"
#include "features/float_vif/float_vif_options.h"
#include "features/float_vif/float_vif_simd.h"
#include "features/resize/gaussian_filter.h"
#include "features/resize/plane_pair.h"
#include "features/resize/resize.h"

namespace lockstep {
namespace {

constexpr int kFactsPerScale = 2;

// A band starts with the rows above it that its filter reads, 8 of them at scale 0.
constexpr int kMinimumBandRows = 32;

// libvmaf's bilinear scaling has row buffers of this size.
constexpr int kBilinearColumns = 7680;

using Filters = std::array<std::vector<float>, kFloatVifScales>;

/// Both pictures of one scale.
struct Planes {
  const void* reference;
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 width;
  i32 height;
};

/// Vector code for the pictures of a scale; nullptr: there is none.
struct Passes {
  FloatVifSum sum = nullptr;
  FloatVifHalve halve = nullptr;
};

/// Line buffers of one band.
class Lines final : public Workspace {
 public:
  Lines(int width, bool for_simd) {
    if (for_simd) {
      memory_.Resize(kFloatVifSimdBytes + FloatVifHalveLine(width) * sizeof(float));
      return;
    }
    stride_ = FloatRowStride(width + 2 * kMargin);
    memory_.Resize(5 * static_cast<std::size_t>(stride_) * sizeof(float));
  }

  /// Of the scalar code: column 0 of one of five rows, which have mirrored columns on either side.
  [[nodiscard]] float* Row(int index) { return memory_.as<float>() + index * stride_ + kMargin; }

  [[nodiscard]] float* simd_lines() { return memory_.as<float>(); }
  [[nodiscard]] float* halve_line() { return memory_.as<float>() + kFloatVifSimdBytes / sizeof(float); }

 private:
  static constexpr int kMargin = kFloatVifMaximumTaps / 2;

  i64 stride_ = 0;
  AlignedBuffer memory_;
};

class FloatVifWorkspace final : public Workspace {
 public:
  /// in      converts: scale 0 is converted to floats
  FloatVifWorkspace(PlaneSize source, PlaneSize scaled, bool prescaled, bool converts, bool for_simd)
      : lines(scaled.width, for_simd), row_sums(2 * static_cast<std::size_t>(scaled.height) * sizeof(float)) {
    if (prescaled)
      unscaled.Resize(static_cast<std::size_t>(FloatRowStride(source.width)) * static_cast<std::size_t>(source.height) *
                      sizeof(float));
    for (int scale = converts ? 0 : 1; scale < kFloatVifScales; ++scale) {
      scales[static_cast<std::size_t>(scale)].Reset(scaled.width >> scale, scaled.height >> scale);
    }
  }

  AlignedBuffer unscaled;  // one picture before it is resized
  std::array<FloatPlanePair, kFloatVifScales> scales;
  Lines lines;
  AlignedBuffer row_sums;  // numerators of the rows of a scale, then denominators
};

template <class Sample>
void ConvertRows(const PlaneView& picture, float inverse_scaler, RowBand band, float* out, i64 stride) {
  for (int y = band.begin; y < band.end; ++y) {
    const auto* const samples = picture.row<Sample>(y);
    float* const row = out + y * stride;
    for (int x = 0; x < picture.width; ++x) row[x] = FloatMotionSample(samples[x], inverse_scaler);
  }
}

// Mirrored columns beside a row.
void MirrorEnds(float* row, int width, int radius) {
  for (int i = 1; i <= radius; ++i) {
    row[-i] = row[i];
    row[width - 1 + i] = row[width - 1 - i];
  }
}

void FilterRowVertically(const Planes& planes, const std::vector<float>& taps, int y, Lines& lines) {
  const int radius = static_cast<int>(taps.size()) / 2;
  for (int row = 0; row < 5; ++row) std::fill_n(lines.Row(row), planes.width, 0.0f);
  for (int k = 0; k < static_cast<int>(taps.size()); ++k) {
    const i64 row = Mirror(y - radius + k, planes.height);
    const float* const reference = static_cast<const float*>(planes.reference) + row * planes.reference_stride;
    const float* const distorted = static_cast<const float*>(planes.distorted) + row * planes.distorted_stride;
    const float tap = taps[static_cast<std::size_t>(k)];
    float* const rows[5] = {lines.Row(0), lines.Row(1), lines.Row(2), lines.Row(3), lines.Row(4)};
    LOCKSTEP_INDEPENDENT
    for (int x = 0; x < planes.width; ++x) {
      FloatVifMoments sums = {rows[0][x], rows[1][x], rows[2][x], rows[3][x], rows[4][x]};
      FloatVifAddSamples(sums, tap, reference[x], distorted[x]);
      rows[0][x] = sums.mean_reference;
      rows[1][x] = sums.mean_distorted;
      rows[2][x] = sums.square_reference;
      rows[3][x] = sums.square_distorted;
      rows[4][x] = sums.product;
    }
  }
  for (int row = 0; row < 5; ++row) MirrorEnds(lines.Row(row), planes.width, radius);
}

// Sums of a row, left to right.
FloatVifTerms SumRow(const std::vector<float>& taps, int width, const FloatVifSettings& settings, Lines& lines) {
  const int size = static_cast<int>(taps.size());
  const int radius = size / 2;
  FloatVifTerms sums = {0.0f, 0.0f};
  for (int x = 0; x < width; ++x) {
    FloatVifMoments moments;
    for (int k = 0; k < size; ++k) {
      const int at = x - radius + k;
      FloatVifAddMoments(moments, taps[static_cast<std::size_t>(k)],
                         {lines.Row(0)[at], lines.Row(1)[at], lines.Row(2)[at], lines.Row(3)[at], lines.Row(4)[at]});
    }
    const FloatVifTerms terms = FloatVifPixel(moments, settings);
    sums.numerator = sums.numerator + terms.numerator;
    sums.denominator = sums.denominator + terms.denominator;
  }
  return sums;
}

// Row `y` of a plane of the next scale: every second column of every second row of the filtered plane.
void HalveRow(const FloatVifHalveArgs& args, const std::vector<float>& taps, int y, float* line) {
  const auto* const plane = static_cast<const float*>(args.plane);
  float* const out = args.target + y * args.target_stride;
  const int size = static_cast<int>(taps.size());
  const int radius = size / 2;
  std::fill_n(line, args.width, 0.0f);
  for (int k = 0; k < size; ++k) {
    const float* const row = plane + Mirror(2 * y - radius + k, args.height) * args.stride;
    const float tap = taps[static_cast<std::size_t>(k)];
    LOCKSTEP_INDEPENDENT
    for (int x = 0; x < args.width; ++x) line[x] = line[x] + tap * row[x];
  }
  MirrorEnds(line, args.width, radius);
  for (int x = 0; x < args.width / 2; ++x) {
    float sum = 0.0f;
    for (int k = 0; k < size; ++k) sum = sum + taps[static_cast<std::size_t>(k)] * line[2 * x - radius + k];
    out[x] = sum;
  }
}

class FloatVifFeature final : public Feature {
 public:
  FloatVifFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target, PlaneSize scaled,
                  Filters filters, ResizeMethod method)
      : format_(format),
        scaled_(scaled),
        filters_(std::move(filters)),
        debug_(options.GetBool("debug")),
        skip_scale0_(options.GetBool("vif_skip_scale0")),
        minimum_{0.0, options.GetDouble("vif_scale1_min_val"), options.GetDouble("vif_scale2_min_val"),
                 options.GetDouble("vif_scale3_min_val")},
        settings_{options.GetDouble("vif_sigma_nsq"), FloatVifFlatSlope(options.GetDouble("vif_sigma_nsq")),
                  static_cast<float>(options.GetDouble("vif_enhn_gain_limit"))} {
    if (scaled != format.plane_size(0)) resize_.emplace(method, format.plane_size(0), scaled);
    passes_ = {ChooseFloatVifSumOfFloats(target), ChooseFloatVifHalveOfFloats(target)};
    if (resize_) {
      first_passes_ = passes_;
    } else if (format.bit_depth == 8) {
      first_passes_ = {ChooseFloatVifSumOfBytes(target), ChooseFloatVifHalveOfBytes(target)};
    } else {
      first_passes_ = {ChooseFloatVifSumOfWords(target), ChooseFloatVifHalveOfWords(target)};
    }
  }

  int fact_count() const override { return kFactsPerScale * kFloatVifScales; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      columns.push_back({fmt::format("VMAF_feature_vif_scale{}_score", scale)});
    }
    if (debug_) {
      columns.insert(columns.end(), {{"vif"}, {"vif_num"}, {"vif_den"}});
      for (int scale = 0; scale < kFloatVifScales; ++scale) {
        columns.push_back({fmt::format("vif_num_scale{}", scale)});
        columns.push_back({fmt::format("vif_den_scale{}", scale)});
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    return std::make_unique<FloatVifWorkspace>(format_.plane_size(0), scaled_, resize_.has_value(), converts(),
                                               passes_.sum != nullptr);
  }

  std::unique_ptr<Workspace> MakeLineBuffers() const override {
    return std::make_unique<Lines>(scaled_.width, passes_.sum != nullptr);
  }

  void Extract(const FrameWindow& window, Workspace* scratch, std::span<Fact> facts) const override {
    auto& workspace = static_cast<FloatVifWorkspace&>(*scratch);
    if (converts()) {
      FloatPlanePair& first = workspace.scales[0];
      PreparePlane(window, window.reference->plane(0), workspace, first.plane(0), first.stride());
      PreparePlane(window, window.distorted->plane(0), workspace, first.plane(1), first.stride());
    }
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      const auto s = static_cast<std::size_t>(scale);
      const FloatVifTerms sums = ScaleSums(window, scale, workspace);
      facts[s * kFactsPerScale] = FactOf(static_cast<double>(sums.numerator));
      facts[s * kFactsPerScale + 1] = FactOf(static_cast<double>(sums.denominator));
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (facts.Has(frame)) FinishFrame(frame, facts.Row(frame), sink);
    }
  }

 private:
  // Vector code reads the samples of a frame as they are.
  bool converts() const { return resize_.has_value() || passes_.sum == nullptr; }

  float inverse_scaler() const { return 1.0f / static_cast<float>(1 << (format_.bit_depth - 8)); }

  // A picture as floats in the size that is scored.
  void PreparePlane(const FrameWindow& window, const PlaneView& plane, FloatVifWorkspace& workspace, float* out,
                    i64 out_stride) const {
    float* const converted = resize_ ? workspace.unscaled.as<float>() : out;
    const i64 stride = resize_ ? FloatRowStride(plane.width) : out_stride;
    const int bands = window.BandCount(plane.height, kMinimumBandRows);
    window.RunBands(bands, &workspace.lines, [&](int band, Workspace*) {
      const RowBand rows = CutBand(plane.height, 1, bands, band);
      if (format_.bit_depth == 8) {
        ConvertRows<u8>(plane, inverse_scaler(), rows, converted, stride);
      } else {
        ConvertRows<u16>(plane, inverse_scaler(), rows, converted, stride);
      }
    });
    if (!resize_) return;
    const int scaled_bands = window.BandCount(scaled_.height, kMinimumBandRows);
    window.RunBands(scaled_bands, &workspace.lines, [&](int band, Workspace*) {
      const RowBand rows = CutBand(scaled_.height, 1, scaled_bands, band);
      resize_->Rows(converted, stride, rows.begin, rows.end, out, out_stride);
    });
  }

  Planes PlanesOf(const FrameWindow& window, int scale, FloatVifWorkspace& workspace) const {
    if (scale == 0 && !converts()) {
      const PlaneView reference = window.reference->plane(0);
      const PlaneView distorted = window.distorted->plane(0);
      const int bytes = format_.bytes_per_sample();
      return {reference.data, distorted.data, reference.stride_bytes / bytes, distorted.stride_bytes / bytes,
              scaled_.width,  scaled_.height};
    }
    FloatPlanePair& planes = workspace.scales[static_cast<std::size_t>(scale)];
    return {planes.plane(0), planes.plane(1),        planes.stride(),
            planes.stride(), scaled_.width >> scale, scaled_.height >> scale};
  }

  // The sums of a scale, and the pictures of the next one.
  FloatVifTerms ScaleSums(const FrameWindow& window, int scale, FloatVifWorkspace& workspace) const {
    const Planes planes = PlanesOf(window, scale, workspace);
    FloatPlanePair* const next =
        scale + 1 < kFloatVifScales ? &workspace.scales[static_cast<std::size_t>(scale) + 1] : nullptr;
    float* const numerators = workspace.row_sums.as<float>();
    float* const denominators = numerators + planes.height;
    const int bands = window.BandCount(planes.height, kMinimumBandRows);
    window.RunBands(bands, &workspace.lines, [&](int band, Workspace* own) {
      auto& lines = static_cast<Lines&>(*own);
      const RowBand rows = CutBand(planes.height, kFloatVifSimdLanes, bands, band);
      if (next != nullptr) MakeNextScale(planes, scale, rows, lines, *next);
      if (scale > 0 || !skip_scale0_) SumRows(planes, scale, rows, lines, numerators, denominators);
    });
    FloatVifTerms sums = {0.0f, 0.0f};
    if (scale == 0 && skip_scale0_) return sums;
    for (int y = 0; y < planes.height; ++y) {
      sums.numerator = sums.numerator + numerators[y];
      sums.denominator = sums.denominator + denominators[y];
    }
    return sums;
  }

  const Passes& PassesOf(int scale) const { return scale == 0 ? first_passes_ : passes_; }

  void SumRows(const Planes& planes, int scale, RowBand rows, Lines& lines, float* numerators,
               float* denominators) const {
    const std::vector<float>& taps = filters_[static_cast<std::size_t>(scale)];
    if (const FloatVifSum sum = PassesOf(scale).sum; sum != nullptr) {
      sum({planes.reference, planes.distorted, planes.reference_stride, planes.distorted_stride, planes.width,
           planes.height, inverse_scaler(), taps.data(), static_cast<i32>(taps.size()), settings_, rows.begin, rows.end,
           numerators, denominators, lines.simd_lines()});
      return;
    }
    for (int y = rows.begin; y < rows.end; ++y) {
      FilterRowVertically(planes, taps, y, lines);
      const FloatVifTerms sums = SumRow(taps, planes.width, settings_, lines);
      numerators[y] = sums.numerator;
      denominators[y] = sums.denominator;
    }
  }

  // The rows of the next scale that lie in a band.
  void MakeNextScale(const Planes& planes, int scale, RowBand rows, Lines& lines, FloatPlanePair& next) const {
    const std::vector<float>& taps = filters_[static_cast<std::size_t>(scale) + 1];
    const FloatVifHalve halve = PassesOf(scale).halve;
    const int begin = rows.begin / 2;
    // An odd last row has no successor.
    const int end = rows.end / 2;
    for (const int picture : {0, 1}) {
      const FloatVifHalveArgs args = {picture == 0 ? planes.reference : planes.distorted,
                                      picture == 0 ? planes.reference_stride : planes.distorted_stride,
                                      planes.width,
                                      planes.height,
                                      inverse_scaler(),
                                      taps.data(),
                                      static_cast<i32>(taps.size()),
                                      begin,
                                      end,
                                      next.plane(picture),
                                      next.stride(),
                                      halve == nullptr ? nullptr : lines.halve_line()};
      if (halve != nullptr) {
        halve(args);
      } else {
        for (int y = begin; y < end; ++y) HalveRow(args, taps, y, lines.Row(0));
      }
    }
  }

  void FinishFrame(std::int64_t frame, std::span<const Fact> facts, ScoreSink& sink) const {
    double num_sum = 0.0;
    double den_sum = 0.0;
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      const auto s = static_cast<std::size_t>(scale);
      // The values that libvmaf gives a skipped scale.
      double score = 0.0;
      double num = 0.0;
      double den = -1.0;
      if (scale > 0 || !skip_scale0_) {
        num = DoubleOf(facts[s * kFactsPerScale]);
        den = DoubleOf(facts[s * kFactsPerScale + 1]);
        num_sum += num;
        den_sum += den;
        score = num / den;
        if (scale > 0 && !(score > minimum_[s])) score = minimum_[s];
      }
      sink.Put(scale, frame, score);
      if (debug_) {
        sink.Put(kFloatVifScales + 3 + 2 * scale, frame, num);
        sink.Put(kFloatVifScales + 4 + 2 * scale, frame, den);
      }
    }
    if (debug_) {
      // Every pixel adds at least 1 to a denominator, or 128 where vif_sigma_nsq is 0.
      sink.Put(kFloatVifScales, frame, num_sum / den_sum);
      sink.Put(kFloatVifScales + 1, frame, num_sum);
      sink.Put(kFloatVifScales + 2, frame, den_sum);
    }
  }

  VideoFormat format_;
  PlaneSize scaled_;
  Filters filters_;
  std::optional<PlaneResize> resize_;
  bool debug_;
  bool skip_scale0_;
  std::array<double, kFloatVifScales> minimum_;
  FloatVifSettings settings_;
  Passes first_passes_;  // of scale 0
  Passes passes_;
};

Error Refuse(ErrorCode code, std::string message) { return {code, std::move(message), {}, {}, {}}; }

Result<std::unique_ptr<Feature>> CreateFloatVif(const OptionValues& options, const VideoFormat& format,
                                                CpuTarget target) {
  const double kernel_scale = options.GetDouble("vif_kernelscale");
  if (!IsKernelScale(kernel_scale)) {
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("vif_kernelscale is {:g}, but it must be one of {}", kernel_scale, kKernelScales));
  }
  const ResizeMethod method = *ParseResizeMethod(options.GetString("vif_prescale_method"));  // one of the choices
  const double prescale = options.GetDouble("vif_prescale");
  const PlaneSize scaled = {ResizedLength(format.width, prescale), ResizedLength(format.height, prescale)};
  if (method == ResizeMethod::kBilinear && scaled.width > kBilinearColumns) {
    return Refuse(ErrorCode::kUnsupported,
                  fmt::format("the resized pictures are {} columns wide, but vif_prescale_method=bilinear takes at "
                              "most {}",
                              scaled.width, kBilinearColumns));
  }
  Filters filters;
  for (int scale = 0; scale < kFloatVifScales; ++scale) {
    std::vector<float>& taps = filters[static_cast<std::size_t>(scale)] = MakeFloatVifFilter(scale, kernel_scale);
    const int needed = static_cast<int>(taps.size()) / 2 + 1;
    const int width = scaled.width >> scale;
    const int height = scaled.height >> scale;
    if (width < needed || height < needed) {
      return Refuse(ErrorCode::kUnsupported,
                    fmt::format("scale {} is {}x{}, but its filter of {} taps needs at least {}x{}", scale, width,
                                height, taps.size(), needed, needed));
    }
  }
  return std::unique_ptr<Feature>(
      std::make_unique<FloatVifFeature>(options, format, target, scaled, std::move(filters), method));
}

constexpr std::array<const char*, kFloatVifScales> kProvided = {
    "VMAF_feature_vif_scale0_score", "VMAF_feature_vif_scale1_score", "VMAF_feature_vif_scale2_score",
    "VMAF_feature_vif_scale3_score"};

}  // namespace

const FeatureDescription kFloatVif = {
    .name = "float_vif",
    .summary = "visual information fidelity of luma at four scales, binary32",
    .options = kFloatVifOptions,
    .provided = kProvided,
    .minimum_size = {16, 16},
    .create = CreateFloatVif,
};

}  // namespace lockstep
