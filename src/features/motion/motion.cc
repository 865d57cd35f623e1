// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer motion on the host: row passes over line buffers, and the scores of a sequence.
#include "features/motion/motion.h"

#include <array>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/motion/motion_arithmetic.h"
#include "features/motion/motion_chroma.h"
#include "features/motion/motion_cuda.h"
#include "features/motion/motion_device.h"
#include "features/motion/motion_options.h"
#include "features/motion/motion_simd.h"
#include "features/motion/motion_weighting.h"

namespace lockstep {
namespace {

constexpr int kTaps = 5;

/// Rows of 16-bit numbers with room for two mirrored samples on either side.
class MotionWorkspace final : public Workspace {
 public:
  static constexpr std::size_t kMargin = 32;  // elements: 64 bytes keep the rows aligned

  explicit MotionWorkspace(int width)
      : pitch_((static_cast<std::size_t>(width) + 2 * kMargin + 31) / 32 * 32),
        buffer_((2 * kTaps + 2) * pitch_ * sizeof(i16)) {}

  /// Differences of picture row y; the five rows around any row have different places.
  i16* Difference(int y) { return Line(static_cast<std::size_t>(y % kTaps)); }
  /// Odd bits of the differences at 16 bit, where Difference() holds the halves.
  i16* DifferenceOdd(int y) { return Line(static_cast<std::size_t>(kTaps + y % kTaps)); }
  i16* Half() { return Line(2 * kTaps); }
  i16* Odd() { return Line(2 * kTaps + 1); }

 private:
  i16* Line(std::size_t index) { return buffer_.as<i16>() + index * pitch_ + kMargin; }

  std::size_t pitch_;
  AlignedBuffer buffer_;
};

template <class Sample>
void DifferenceRow(const Sample* previous, const Sample* current, int width, i16* __restrict difference) {
  for (int x = 0; x < width; ++x) difference[x] = static_cast<i16>(previous[x] - current[x]);
}

void WideDifferenceRow(const u16* previous, const u16* current, int width, i16* __restrict half, i16* __restrict odd) {
  for (int x = 0; x < width; ++x) {
    const i32 difference = previous[x] - current[x];
    half[x] = static_cast<i16>(difference >> 1);
    odd[x] = static_cast<i16>(difference & 1);
  }
}

void VerticalRow(const std::array<const i16*, kTaps>& rows, int width, int bit_depth, i16* __restrict half,
                 i16* __restrict odd) {
  const i16* d0 = rows[0];
  const i16* d1 = rows[1];
  const i16* d2 = rows[2];
  const i16* d3 = rows[3];
  const i16* d4 = rows[4];
  for (int x = 0; x < width; ++x) {
    const i32 v = MotionRoundNarrow(MotionTapSum(d0[x], d1[x], d2[x], d3[x], d4[x]), bit_depth);
    half[x] = static_cast<i16>(v >> 1);
    odd[x] = static_cast<i16>(v & 1);
  }
}

void WideVerticalRow(const std::array<const i16*, kTaps>& halves, const std::array<const i16*, kTaps>& odds, int width,
                     i16* __restrict half, i16* __restrict odd) {
  const i16* h0 = halves[0];
  const i16* h1 = halves[1];
  const i16* h2 = halves[2];
  const i16* h3 = halves[3];
  const i16* h4 = halves[4];
  const i16* o0 = odds[0];
  const i16* o1 = odds[1];
  const i16* o2 = odds[2];
  const i16* o3 = odds[3];
  const i16* o4 = odds[4];
  for (int x = 0; x < width; ++x) {
    const i32 v = MotionRoundSplit(MotionTapSum(h0[x], h1[x], h2[x], h3[x], h4[x]),
                                   MotionTapSum(o0[x], o1[x], o2[x], o3[x], o4[x]));
    half[x] = static_cast<i16>(v >> 1);
    odd[x] = static_cast<i16>(v & 1);
  }
}

void MirrorEnds(i16* row, int width) {
  row[-1] = row[1];
  row[-2] = row[2];
  row[width] = row[width - 2];
  row[width + 1] = row[width - 3];
}

u32 HorizontalSad(const i16* half, const i16* odd, int width) {
  u32 sad = 0;
  for (int x = 0; x < width; ++x) {
    sad += MotionMagnitude(MotionRoundSplit(MotionTapSum(half[x - 2], half[x - 1], half[x], half[x + 1], half[x + 2]),
                                            MotionTapSum(odd[x - 2], odd[x - 1], odd[x], odd[x + 1], odd[x + 2])));
  }
  return sad;
}

template <class Sample, bool kWide>
u64 PlaneSad(const PlaneView& previous, const PlaneView& current, int bit_depth, MotionWorkspace& lines) {
  const int width = current.width;
  const int height = current.height;
  const auto load = [&](int y) {
    if constexpr (kWide) {
      WideDifferenceRow(previous.row<u16>(y), current.row<u16>(y), width, lines.Difference(y), lines.DifferenceOdd(y));
    } else {
      DifferenceRow(previous.row<Sample>(y), current.row<Sample>(y), width, lines.Difference(y));
    }
  };
  i16* half = lines.Half();
  i16* odd = lines.Odd();
  u64 sad = 0;
  load(0);
  load(1);
  for (int y = 0; y < height; ++y) {
    if (y + 2 < height) load(y + 2);
    std::array<const i16*, kTaps> rows;
    std::array<const i16*, kTaps> odd_rows;
    for (int k = 0; k < kTaps; ++k) {
      const int source = Mirror(y - kTaps / 2 + k, height);
      rows[static_cast<std::size_t>(k)] = lines.Difference(source);
      odd_rows[static_cast<std::size_t>(k)] = lines.DifferenceOdd(source);
    }
    if constexpr (kWide) {
      WideVerticalRow(rows, odd_rows, width, half, odd);
    } else {
      VerticalRow(rows, width, bit_depth, half, odd);
    }
    MirrorEnds(half, width);
    MirrorEnds(odd, width);
    sad += HorizontalSad(half, odd, width);
  }
  return sad;
}

class MotionSimdWorkspace final : public Workspace {
 public:
  explicit MotionSimdWorkspace(int width) : buffer_(MotionSimdSizes(width).bytes()) {}
  std::byte* lines() { return buffer_.data(); }

 private:
  AlignedBuffer buffer_;
};

struct MotionNames {
  const char* sad;
  const char* motion;
  const char* motion2;
  const char* motion3;
};

constexpr MotionNames kNames = {"VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion_score",
                                "VMAF_integer_feature_motion2_score", "VMAF_integer_feature_motion3_score"};
constexpr MotionNames kNamesV2 = {"motion_v2_sad", "motion_v2", "motion2_v2", "motion3_v2"};

class MotionFeature final : public Feature {
 public:
  MotionFeature(const MotionNames& names, const OptionValues& options, const VideoFormat& format, CpuTarget target)
      : names_(names),
        format_(format),
        weighting_(options),
        debug_(options.GetBool("debug")),
        force_zero_(options.GetBool("motion_force_zero")),
        moving_average_(options.GetBool("motion_moving_average")),
        distance_(options.GetBool("motion_five_frame_window") ? 2 : 1),
        planes_(options.GetBool("motion_add_uv") ? 3 : 1),
        simd_(ChooseMotionSimd(target, format.bit_depth)) {}

  // motion2 looks one frame ahead and, with the wide window, one back; motion3 of the first frames looks at the first
  // frame that has a score, and its moving average at motion2 of the frame before.
  TemporalReach reach() const override { return {distance_, (distance_ - 1) + (moving_average_ ? 1 : 0), distance_}; }
  bool every_frame() const override { return true; }
  bool needs_distorted() const override { return false; }
  bool needs_chroma() const override { return planes_ > 1; }
  int fact_count() const override { return planes_; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    columns.push_back({names_.sad, ColumnPhase::kFrame});
    if (debug_) columns.push_back({names_.motion, ColumnPhase::kFrame});
    columns.push_back({names_.motion2, ColumnPhase::kFlush});
    columns.push_back({names_.motion3, ColumnPhase::kFlush});
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override {
    if (simd_ != nullptr) return std::make_unique<MotionSimdWorkspace>(format_.width);
    return std::make_unique<MotionWorkspace>(format_.width);
  }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    const Frame* earlier = window.earlier_reference[static_cast<std::size_t>(distance_)];
    for (int p = 0; p < planes_; ++p) {
      Fact& fact = facts[static_cast<std::size_t>(p)];
      fact = 0;
      if (earlier == nullptr || force_zero_) continue;
      const PlaneView previous = earlier->plane(p);
      const PlaneView current = window.reference->plane(p);
      fact = Sad(previous, current, *workspace);
    }
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    const int planes = force_zero_ ? 0 : planes_;
    std::unique_ptr<DeviceProgram> tuned = MakeMotionCudaProgram(format_, planes, distance_, traits);
    return tuned != nullptr ? std::move(tuned) : MakeMotionDeviceProgram(format_, planes, distance_);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    const int motion2_column = debug_ ? 2 : 1;
    const std::int64_t begin = facts.first();
    std::vector<double> scores;  // [frame - begin]
    for (std::int64_t frame = begin; facts.Has(frame); ++frame) scores.push_back(FrameScore(frame, facts.Row(frame)));
    const std::int64_t end = begin + static_cast<std::int64_t>(scores.size());
    const auto score = [&](std::int64_t frame) { return scores[static_cast<std::size_t>(frame - begin)]; };

    const bool has_stamp = begin <= distance_ && distance_ < end;
    const double stamp = has_stamp ? weighting_.Clip(weighting_.Blend(score(distance_))) : 0.0;
    double previous = 0.0;
    for (std::int64_t frame = begin; frame < end; ++frame) {
      sink.Put(0, frame, score(frame));
      if (debug_) sink.Put(1, frame, score(frame));
      double motion2 = 0.0;
      double motion3 = stamp;
      if (frame < distance_) {
        previous = stamp;
      } else {
        motion2 = score(frame);
        if (frame + 1 < end) {
          const std::int64_t low = frame - (distance_ - 1);
          motion2 = score(frame + 1);
          // A frame whose lower neighbour is missing from the table is lead-in, and its score is dropped.
          if (low >= distance_ && low >= begin) motion2 = MotionWeighting::Minimum(score(low), motion2);
        }
        const double blended = weighting_.Clip(weighting_.Blend(motion2));
        motion3 = moving_average_ ? (blended + previous) / 2.0 : blended;
        previous = blended;
      }
      sink.Put(motion2_column, frame, motion2);
      sink.Put(motion2_column + 1, frame, motion3);
    }
  }

 private:
  u64 Sad(const PlaneView& previous, const PlaneView& current, Workspace& workspace) const {
    if (simd_ != nullptr) {
      const int sample_bytes = format_.bytes_per_sample();
      return simd_({previous.data, current.data, previous.stride_bytes / sample_bytes,
                    current.stride_bytes / sample_bytes, current.width, current.height, format_.bit_depth, 0,
                    current.height, static_cast<MotionSimdWorkspace&>(workspace).lines()});
    }
    auto& lines = static_cast<MotionWorkspace&>(workspace);
    if (format_.bit_depth == 8) return PlaneSad<u8, false>(previous, current, format_.bit_depth, lines);
    if (format_.bit_depth < 16) return PlaneSad<u16, false>(previous, current, format_.bit_depth, lines);
    return PlaneSad<u16, true>(previous, current, format_.bit_depth, lines);
  }

  double FrameScore(std::int64_t frame, std::span<const Fact> sads) const {
    if (frame < distance_ || force_zero_) return 0.0;
    double sum = 0.0;
    for (int p = 0; p < planes_; ++p) {
      const PlaneSize size = format_.plane_size(p);
      const double normalised = static_cast<double>(sads[static_cast<std::size_t>(p)]) / 256.0 /
                                static_cast<double>(static_cast<std::int64_t>(size.width) * size.height);
      sum = p == 0 ? normalised : sum + normalised;
    }
    return weighting_.Clip(weighting_.Weigh(sum));
  }

  const MotionNames& names_;
  VideoFormat format_;
  MotionWeighting weighting_;
  bool debug_;
  bool force_zero_;
  bool moving_average_;
  int distance_;  // frames between the pictures that are compared; frames before it have no score of their own
  int planes_;
  MotionSimd simd_;  // nullptr: the scalar code
};

Result<std::unique_ptr<Feature>> CreateMotion(const MotionNames& names, const OptionValues& options,
                                              const VideoFormat& format, CpuTarget target) {
  if (options.GetBool("motion_add_uv")) {
    if (Status chroma = CheckMotionChroma(format, format.plane_size(1)); !chroma) return std::move(chroma).error();
  }
  return std::unique_ptr<Feature>(std::make_unique<MotionFeature>(names, options, format, target));
}

constexpr std::array<const char*, 4> kProvided = {kNames.sad, kNames.motion, kNames.motion2, kNames.motion3};
constexpr std::array<const char*, 4> kProvidedV2 = {kNamesV2.sad, kNamesV2.motion, kNamesV2.motion2, kNamesV2.motion3};

}  // namespace

constinit const FeatureDescription kMotion = {
    .name = "motion",
    .summary = "temporal difference of the low-pass filtered reference",
    .options = kMotionOptions,
    .provided = kProvided,
    .minimum_size = kMinimumMotionSize,
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) { return CreateMotion(kNames, options, format, target); },
    .on_devices = true,
};

constinit const FeatureDescription kMotionV2 = {
    .name = "motion_v2",
    .summary = "motion under its motion_v2 score names",
    .options = kMotionOptions,
    .provided = kProvidedV2,
    .minimum_size = kMinimumMotionSize,
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) { return CreateMotion(kNamesV2, options, format, target); },
    .on_devices = true,
};

}  // namespace lockstep
