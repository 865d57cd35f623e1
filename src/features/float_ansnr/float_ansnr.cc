// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr on the host: both filters row by row, row chains, and decibels.
#include "features/float_ansnr/float_ansnr.h"

#include <array>
#include <memory>
#include <vector>

#include "base/aligned_buffer.h"
#include "exact/elementary.h"
#include "features/float_ansnr/float_ansnr_arithmetic.h"
#include "features/float_ansnr/float_ansnr_simd.h"
#include "features/float_motion/float_motion_arithmetic.h"

namespace lockstep {
namespace {

constexpr int kRadius = kAnsnrDistortedRadius;
constexpr int kLines = 2 * kRadius + 1;

double Peak(int bit_depth) { return static_cast<double>((1 << bit_depth) - 1) / (1 << (bit_depth - 8)); }
double Cap(int bit_depth) { return 6 * bit_depth + 12; }

/// Rows around one row of the picture, converted, with mirrored samples on either side.
class FloatAnsnrWorkspace final : public Workspace {
 public:
  explicit FloatAnsnrWorkspace(int width) : pitch_(static_cast<std::size_t>(width) + 2 * kRadius) {
    buffer_.Resize(2 * kLines * pitch_ * sizeof(float));
  }
  /// First sample of the row `offset` rows below the middle one.
  float* Line(int picture, int offset) {
    const int index = picture * kLines + kRadius + offset;
    return buffer_.as<float>() + static_cast<std::size_t>(index) * pitch_ + kRadius;
  }

 private:
  std::size_t pitch_;
  AlignedBuffer buffer_;
};

class FloatAnsnrSimdWorkspace final : public Workspace {
 public:
  explicit FloatAnsnrSimdWorkspace(int width) : buffer_(FloatAnsnrSimdBytes(width)) {}
  std::byte* lines() { return buffer_.data(); }

 private:
  AlignedBuffer buffer_;
};

template <class Sample>
void LoadRow(const PlaneView& plane, int y, float inverse_scaler, float* out) {
  const Sample* row = plane.row<Sample>(AnsnrMirror(y, plane.height));
  for (int x = -kRadius; x < plane.width + kRadius; ++x) {
    out[x] = FloatMotionSample(row[AnsnrMirror(x, plane.width)], inverse_scaler);
  }
}

template <class Sample>
FloatAnsnrSums Sums(const PlaneView& reference, const PlaneView& distorted, float inverse_scaler,
                    FloatAnsnrWorkspace& lines) {
  FloatAnsnrSums sums = {0.0f, 0.0f};
  for (int y = 0; y < reference.height; ++y) {
    for (int k = -kRadius; k <= kRadius; ++k) {
      LoadRow<Sample>(reference, y + k, inverse_scaler, lines.Line(0, k));
      LoadRow<Sample>(distorted, y + k, inverse_scaler, lines.Line(1, k));
    }
    float signal = 0.0f;
    float noise = 0.0f;
    for (int x = 0; x < reference.width; ++x) {
      float a = 0.0f;
      for (int k = -kAnsnrReferenceRadius; k <= kAnsnrReferenceRadius; ++k) {
        a += AnsnrReferenceRow(lines.Line(0, k) + x, kAnsnrReferenceTaps[k == 0 ? 1 : 0]);
      }
      float b = 0.0f;
      for (int k = -kAnsnrDistortedRadius; k <= kAnsnrDistortedRadius; ++k) {
        b += AnsnrDistortedRow(lines.Line(1, k) + x, kAnsnrDistortedTaps[kRadius - (k < 0 ? -k : k)]);
      }
      signal += a * a;
      noise += (a - b) * (a - b);
    }
    sums.signal += signal;
    sums.noise += noise;
  }
  return sums;
}

class FloatAnsnrFeature final : public Feature {
 public:
  FloatAnsnrFeature(const VideoFormat& format, CpuTarget target)
      : format_(format), simd_(ChooseFloatAnsnrSimd(target, format.bit_depth)) {}

  int fact_count() const override { return 2; }
  std::vector<FeatureColumn> columns() const override { return {{"float_ansnr"}, {"float_anpsnr"}}; }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    if (simd_ != nullptr) return std::make_unique<FloatAnsnrSimdWorkspace>(format_.width);
    return std::make_unique<FloatAnsnrWorkspace>(format_.width);
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    const FloatAnsnrSums sums = SumsOf(window.reference->plane(0), window.distorted->plane(0), workspace);
    facts[0] = FactOf(static_cast<double>(sums.signal));
    facts[1] = FactOf(static_cast<double>(sums.noise));
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      const auto signal = static_cast<float>(DoubleOf(facts.Row(frame)[0]));
      const auto noise = static_cast<float>(DoubleOf(facts.Row(frame)[1]));
      sink.Put(0, frame, FloatAnsnrScore(signal, noise, format_.bit_depth));
      sink.Put(1, frame, FloatAnpsnrScore(noise, format_.width, format_.height, format_.bit_depth));
    }
  }

 private:
  FloatAnsnrSums SumsOf(const PlaneView& reference, const PlaneView& distorted, Workspace* workspace) const {
    const float inverse_scaler = 1.0f / static_cast<float>(1 << (format_.bit_depth - 8));
    if (simd_ != nullptr) {
      const int sample_bytes = format_.bytes_per_sample();
      return simd_({reference.data, distorted.data, reference.stride_bytes / sample_bytes,
                    distorted.stride_bytes / sample_bytes, reference.width, reference.height, inverse_scaler,
                    static_cast<FloatAnsnrSimdWorkspace&>(*workspace).lines()});
    }
    auto& lines = static_cast<FloatAnsnrWorkspace&>(*workspace);
    return format_.bit_depth == 8 ? Sums<u8>(reference, distorted, inverse_scaler, lines)
                                  : Sums<u16>(reference, distorted, inverse_scaler, lines);
  }

  VideoFormat format_;
  FloatAnsnrSimd simd_;  // nullptr: the scalar code
};

// libvmaf lists the first name only.
constexpr std::array<const char*, 2> kProvided = {"float_ansnr", "float_anpsnr"};

}  // namespace

double FloatAnsnrScore(float signal, float noise, int bit_depth) {
  if (noise == 0.0f) return Cap(bit_depth);
  const float ratio = signal / noise;
  return 10.0 * exact::Log10(static_cast<double>(ratio));
}

double FloatAnpsnrScore(float noise, int width, int height, int bit_depth) {
  const double peak = Peak(bit_depth);
  const double most = peak * peak * width * height;
  const auto least = static_cast<double>(noise);
  const double value = 10.0 * exact::Log10(most / (least > 1e-10 ? least : 1e-10));
  return value < Cap(bit_depth) ? value : Cap(bit_depth);
}

constinit const FeatureDescription kFloatAnsnr = {
    "float_ansnr",
    "signal-to-noise ratio of low-pass filtered luma",
    {},
    kProvided,
    {3, 3},
    [](const OptionValues& /*options*/, const VideoFormat& format,
       CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return std::unique_ptr<Feature>(std::make_unique<FloatAnsnrFeature>(format, target));
    },
};

}  // namespace lockstep
