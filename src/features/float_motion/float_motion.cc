// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on the host: every picture is filtered once, then row chains; and the scores of a sequence.
#include "features/float_motion/float_motion.h"

#include <array>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "base/aligned_buffer.h"
#include "features/float_motion/float_motion_arithmetic.h"
#include "features/float_motion/float_motion_cuda.h"
#include "features/float_motion/float_motion_device.h"
#include "features/float_motion/float_motion_options.h"
#include "features/float_motion/float_motion_planes.h"
#include "features/float_motion/float_motion_simd.h"
#include "features/motion/motion_chroma.h"
#include "features/motion/motion_weighting.h"

namespace lockstep {
namespace {

constexpr int kLines = 5;

class FloatMotionWorkspace final : public Workspace {
 public:
  static constexpr std::size_t kMargin = 16;  // elements: 64 bytes keep the rows aligned

  FloatMotionWorkspace(int width, int height)
      : pitch_(FloatMotionPitch(width) + 2 * kMargin),
        buffer_(((kLines + 1) * pitch_ + static_cast<std::size_t>(height)) * sizeof(float)) {}

  /// Converted samples of picture row y; the five rows around any row have different places.
  float* Samples(int y) { return Line(static_cast<std::size_t>(y % kLines)); }
  float* Vertical() { return Line(kLines); }
  float* RowSads() { return buffer_.as<float>() + (kLines + 1) * pitch_; }

 private:
  float* Line(std::size_t index) { return buffer_.as<float>() + index * pitch_ + kMargin; }

  std::size_t pitch_;
  AlignedBuffer buffer_;
};

class FloatMotionSimdWorkspace final : public Workspace {
 public:
  explicit FloatMotionSimdWorkspace(int height)
      : buffer_(kFloatMotionSimdBytes + static_cast<std::size_t>(height) * sizeof(float)) {}

  std::byte* lines() { return buffer_.data(); }
  float* RowSads() { return reinterpret_cast<float*>(buffer_.data() + kFloatMotionSimdBytes); }

 private:
  AlignedBuffer buffer_;
};

template <class Sample>
void ConvertRow(const Sample* samples, int width, float inverse_scaler, float* __restrict out) {
  for (int x = 0; x < width; ++x) out[x] = FloatMotionSample(samples[x], inverse_scaler);
}

void VerticalRow5(const FloatMotionTaps& taps, const std::array<const float*, kLines>& rows, int width,
                  float* __restrict out) {
  const float* r0 = rows[0];
  const float* r1 = rows[1];
  const float* r2 = rows[2];
  const float* r3 = rows[3];
  const float* r4 = rows[4];
  for (int x = 0; x < width; ++x) out[x] = FloatMotionFilter5(taps, r0[x], r1[x], r2[x], r3[x], r4[x]);
}

void VerticalRow3(const FloatMotionTaps& taps, const std::array<const float*, kLines>& rows, int width,
                  float* __restrict out) {
  const float* r1 = rows[1];
  const float* r2 = rows[2];
  const float* r3 = rows[3];
  for (int x = 0; x < width; ++x) out[x] = FloatMotionFilter3(taps, r1[x], r2[x], r3[x]);
}

void HorizontalRow5(const FloatMotionTaps& taps, const float* v, int width, float* __restrict out) {
  for (int x = 0; x < width; ++x) out[x] = FloatMotionFilter5(taps, v[x - 2], v[x - 1], v[x], v[x + 1], v[x + 2]);
}

void HorizontalRow3(const FloatMotionTaps& taps, const float* v, int width, float* __restrict out) {
  for (int x = 0; x < width; ++x) out[x] = FloatMotionFilter3(taps, v[x - 1], v[x], v[x + 1]);
}

void MirrorEnds(float* row, int width) {
  row[-1] = row[1];
  row[-2] = row[2];
  row[width] = row[width - 2];
  row[width + 1] = row[width - 3];
}

template <class Sample>
void BlurPlane(const PlaneView& picture, PlaneSize size, int taps_count, float inverse_scaler,
               FloatMotionWorkspace& lines, float* blurred, std::size_t pitch) {
  if (taps_count == 1) {
    for (int y = 0; y < size.height; ++y) {
      ConvertRow(picture.row<Sample>(y), size.width, inverse_scaler, blurred + static_cast<std::size_t>(y) * pitch);
    }
    return;
  }
  const FloatMotionTaps& taps = taps_count == 3 ? kFloatMotionTaps3 : kFloatMotionTaps5;
  const auto load = [&](int y) { ConvertRow(picture.row<Sample>(y), size.width, inverse_scaler, lines.Samples(y)); };
  float* vertical = lines.Vertical();
  load(0);
  load(1);
  for (int y = 0; y < size.height; ++y) {
    if (y + 2 < size.height) load(y + 2);
    std::array<const float*, kLines> rows;
    for (int k = 0; k < kLines; ++k) {
      rows[static_cast<std::size_t>(k)] = lines.Samples(Mirror(y - kLines / 2 + k, size.height));
    }
    float* out = blurred + static_cast<std::size_t>(y) * pitch;
    if (taps_count == 3) {
      VerticalRow3(taps, rows, size.width, vertical);
      MirrorEnds(vertical, size.width);
      HorizontalRow3(taps, vertical, size.width, out);
    } else {
      VerticalRow5(taps, rows, size.width, vertical);
      MirrorEnds(vertical, size.width);
      HorizontalRow5(taps, vertical, size.width, out);
    }
  }
}

/// FloatMotionSadRow() for every row. Four chains at a time, because each waits for its own additions.
void SadRows(const FloatMotionSadRowArgs& args) {
  const auto stride = static_cast<std::ptrdiff_t>(args.stride);
  int y = 0;
  for (; y + 4 <= args.height; y += 4) {
    const float* previous = args.previous + y * stride;
    const float* current = args.current + y * stride;
    float sum0 = 0.0f;
    float sum1 = 0.0f;
    float sum2 = 0.0f;
    float sum3 = 0.0f;
    for (int x = 0; x < args.width; ++x) {
      sum0 = FloatMotionAddDifference(sum0, previous[x], current[x]);
      sum1 = FloatMotionAddDifference(sum1, previous[x + stride], current[x + stride]);
      sum2 = FloatMotionAddDifference(sum2, previous[x + 2 * stride], current[x + 2 * stride]);
      sum3 = FloatMotionAddDifference(sum3, previous[x + 3 * stride], current[x + 3 * stride]);
    }
    args.row_sads[y] = sum0;
    args.row_sads[y + 1] = sum1;
    args.row_sads[y + 2] = sum2;
    args.row_sads[y + 3] = sum3;
  }
  for (; y < args.height; ++y) FloatMotionSadRow(args, y);
}

class FloatMotionFeature final : public Feature {
 public:
  FloatMotionFeature(const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : format_(format),
        weighting_(options),
        debug_(options.GetBool("debug")),
        force_zero_(options.GetBool("motion_force_zero")),
        halves_(options.GetBool("motion_add_scale1")),
        taps_count_(options.GetInt("motion_filter_size")),
        planes_(options.GetBool("motion_add_uv") ? 3 : 1) {
    if (taps_count_ != 1 && taps_count_ != 3) taps_count_ = 5;
    // The half resolution is made from stored planes.
    if (!halves_) {
      const i64 samples = static_cast<i64>(format.width) * format.height;
      simd_ = ChooseFloatMotionSimd(target, format.bit_depth, taps_count_, samples);
    }
    stored_simd_ = ChooseFloatMotionStoredSimd(target);
    prepared_planes_ = MakeFloatMotionPlanes(format, planes_, halves_);
    const FloatMotionPlane& last = prepared_planes_.back();
    prepared_bytes_ = force_zero_ || simd_ != nullptr ? 0 : last.end() * sizeof(float);
  }

  // motion2 and motion3 look one frame ahead.
  TemporalReach reach() const override { return {1, 0, 1}; }
  bool every_frame() const override { return true; }
  bool needs_distorted() const override { return false; }
  bool needs_chroma() const override { return planes_ > 1; }
  int fact_count() const override { return planes_; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (const Output output : Outputs()) {
      switch (output) {
        case Output::kMotion:
          columns.push_back({"VMAF_feature_motion_score"});
          break;
        case Output::kMotion2:
          columns.push_back({"VMAF_feature_motion2_score"});
          break;
        case Output::kMotion3:
          columns.push_back({"VMAF_feature_motion3_score"});
          break;
      }
    }
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    if (simd_ != nullptr) return std::make_unique<FloatMotionSimdWorkspace>(format_.height);
    return std::make_unique<FloatMotionWorkspace>(format_.width, format_.height);
  }

  std::size_t prepared_bytes() const override { return prepared_bytes_; }

  void Prepare(const Frame& reference, Workspace* workspace, std::byte* prepared) const override {
    if (prepared_bytes_ == 0) return;
    auto& lines = static_cast<FloatMotionWorkspace&>(*workspace);
    auto* floats = reinterpret_cast<float*>(prepared);
    for (int p = 0; p < planes_; ++p) {
      const FloatMotionPlane& plane = prepared_planes_[static_cast<std::size_t>(p)];
      float* blurred = floats + plane.offset;
      if (format_.bit_depth == 8) {
        BlurPlane<u8>(reference.plane(p), plane.size, taps_count_, InverseScaler(), lines, blurred, plane.pitch);
      } else {
        BlurPlane<u16>(reference.plane(p), plane.size, taps_count_, InverseScaler(), lines, blurred, plane.pitch);
      }
      if (!halves_) continue;
      const FloatMotionHalveRowArgs args = {blurred,
                                            floats + plane.half_offset,
                                            plane.half_columns.data(),
                                            plane.half_rows.data(),
                                            plane.half_size.width,
                                            plane.half_size.height,
                                            static_cast<i32>(plane.pitch),
                                            static_cast<i32>(plane.half_pitch)};
      for (int y = 0; y < plane.half_size.height; ++y) FloatMotionHalveRow(args, y);
    }
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    if (simd_ != nullptr) {
      ExtractSimd(window, static_cast<FloatMotionSimdWorkspace&>(*workspace), facts);
      return;
    }
    const auto* previous = reinterpret_cast<const float*>(window.prepared[1]);
    const auto* current = reinterpret_cast<const float*>(window.prepared[0]);
    float* row_sads = static_cast<FloatMotionWorkspace&>(*workspace).RowSads();
    for (int p = 0; p < planes_; ++p) {
      float score = 0.0f;
      if (previous != nullptr && !force_zero_) {
        const FloatMotionPlane& plane = prepared_planes_[static_cast<std::size_t>(p)];
        score = PlaneScore(previous + plane.offset, current + plane.offset, plane.size, plane.pitch, row_sads);
        if (halves_) {
          score = score + PlaneScore(previous + plane.half_offset, current + plane.half_offset, plane.half_size,
                                     plane.half_pitch, row_sads);
        }
      }
      facts[static_cast<std::size_t>(p)] = FactOf(static_cast<double>(score));
    }
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    const int planes = force_zero_ ? 0 : planes_;
    if (traits.tuned == "cuda80" && !halves_) return MakeFloatMotionCudaProgram(format_, planes, taps_count_);
    return MakeFloatMotionDeviceProgram(format_, planes, taps_count_, halves_);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    const auto put = [&](std::int64_t frame, double motion, double motion2, double motion3) {
      int column = 0;
      for (const Output output : Outputs()) {
        sink.Put(column++, frame,
                 output == Output::kMotion ? motion : (output == Output::kMotion2 ? motion2 : motion3));
      }
    };
    for (std::int64_t frame = facts.first(); facts.Has(frame); ++frame) {
      const bool has_next = facts.Has(frame + 1);
      const double next = has_next ? FrameScore(facts.Row(frame + 1)) : 0.0;
      if (force_zero_) {
        put(frame, 0.0, 0.0, 0.0);
      } else if (frame == 0) {
        put(frame, 0.0, 0.0, has_next ? Blended(next) : 0.0);
      } else {
        const double score = FrameScore(facts.Row(frame));
        const double smaller = has_next ? MotionWeighting::Minimum(score, next) : score;
        put(frame, weighting_.Clip(weighting_.Weigh(score)), weighting_.Clip(weighting_.Weigh(smaller)),
            Blended(smaller));
      }
    }
  }

 private:
  float InverseScaler() const { return 1.0f / static_cast<float>(1 << (format_.bit_depth - 8)); }

  void ExtractSimd(const FrameWindow& window, FloatMotionSimdWorkspace& workspace, std::span<Fact> facts) const {
    const Frame* earlier = window.earlier_reference[1];
    const int sample_bytes = format_.bytes_per_sample();
    for (int p = 0; p < planes_; ++p) {
      float score = 0.0f;
      if (earlier != nullptr && !force_zero_) {
        const PlaneSize size = prepared_planes_[static_cast<std::size_t>(p)].size;
        const PlaneView previous = earlier->plane(p);
        const PlaneView current = window.reference->plane(p);
        simd_({previous.data, current.data, previous.stride_bytes / sample_bytes, current.stride_bytes / sample_bytes,
               size.width, size.height, InverseScaler(), 0, size.height, workspace.RowSads(), workspace.lines()});
        score = FloatMotionScoreFromRowSads(workspace.RowSads(), size.width, size.height);
      }
      facts[static_cast<std::size_t>(p)] = FactOf(static_cast<double>(score));
    }
  }

  float PlaneScore(const float* previous, const float* current, PlaneSize size, std::size_t pitch,
                   float* row_sads) const {
    if (stored_simd_ != nullptr) {
      stored_simd_({previous, current, static_cast<i64>(pitch), size.width, 0, size.height, row_sads});
    } else {
      SadRows({previous, current, row_sads, size.width, size.height, static_cast<i32>(pitch)});
    }
    return FloatMotionScoreFromRowSads(row_sads, size.width, size.height);
  }

  enum class Output { kMotion, kMotion2, kMotion3 };

  /// In the order in which libvmaf creates them.
  std::span<const Output> Outputs() const {
    static constexpr std::array kPlain = {Output::kMotion2, Output::kMotion, Output::kMotion3};
    static constexpr std::array kZero = {Output::kMotion2, Output::kMotion3, Output::kMotion};
    static constexpr std::array kWithoutMotion = {Output::kMotion2, Output::kMotion3};
    if (!debug_) return kWithoutMotion;
    return force_zero_ ? std::span<const Output>(kZero) : std::span<const Output>(kPlain);
  }

  double FrameScore(std::span<const Fact> facts) const {
    double sum = DoubleOf(facts[0]);
    for (std::size_t p = 1; p < facts.size(); ++p) sum += DoubleOf(facts[p]);
    return sum;
  }

  double Blended(double score) const { return weighting_.Clip(weighting_.Blend(weighting_.Weigh(score))); }

  VideoFormat format_;
  MotionWeighting weighting_;
  bool debug_;
  bool force_zero_;
  bool halves_;
  int taps_count_;
  int planes_;
  FloatMotionSimd simd_ = nullptr;  // nullptr: blurred planes are stored
  FloatMotionStoredSimd stored_simd_ = nullptr;
  std::vector<FloatMotionPlane> prepared_planes_;
  std::size_t prepared_bytes_ = 0;
};

constexpr std::array<const char*, 3> kProvided = {"VMAF_feature_motion_score", "VMAF_feature_motion2_score",
                                                  "VMAF_feature_motion3_score"};

}  // namespace

constinit const FeatureDescription kFloatMotion = {
    .name = "float_motion",
    .summary = "temporal difference of the low-pass filtered reference, in binary32",
    .options = kFloatMotionOptions,
    .provided = kProvided,
    .minimum_size = kMinimumMotionSize,
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      if (options.GetBool("motion_add_uv")) {
        if (Status chroma = CheckMotionChroma(format, format.scored_plane_size(1)); !chroma) {
          return std::move(chroma).error();
        }
      }
      return std::unique_ptr<Feature>(std::make_unique<FloatMotionFeature>(options, format, target));
    },
    .on_devices = true,
};

}  // namespace lockstep
