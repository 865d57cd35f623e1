// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on NVIDIA devices from compute capability 8.0 on: one kernel a scale.
#include "features/vif/vif_cuda.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "features/vif/vif.h"
#include "features/vif/vif_arithmetic.h"

namespace lockstep {
namespace {

constexpr int kFilterTaps = 2 * kVifCudaReach + 1;

// How many warps a block may have, and what a step of that many on a multiprocessor takes, measured.
struct WarpCost {
  int warps;
  double cost;
};
constexpr WarpCost kWarpCosts[] = {{4, 0.58}, {8, 1.0}, {kVifCudaMostWarps, 1.3}};

using FilterTaps = std::array<u16, kFilterTaps>;

// The filter in the middle of as many taps as the widest has, the others being 0.
template <int kScale>
FilterTaps PadFilter() {
  FilterTaps taps{};
  constexpr int kRadius = VifFilter<kScale>::kRadius;
  for (int k = -kRadius; k <= kRadius; ++k) {
    taps[static_cast<std::size_t>(kVifCudaReach + k)] = VifFilter<kScale>::Tap(k);
  }
  return taps;
}

FilterTaps FilterOf(int scale) {
  switch (scale) {
    case 0:
      return PadFilter<0>();
    case 1:
      return PadFilter<1>();
    case 2:
      return PadFilter<2>();
    case 3:
      return PadFilter<3>();
    default:
      return {};  // to no scale
  }
}

u32 TapAt(const FilterTaps& taps, int k) { return k < 0 || k >= kFilterTaps ? 0 : taps[static_cast<std::size_t>(k)]; }

struct Kernel {
  const char* scored;
  const char* unscored;
};

// 16-bit samples are what scales 1 … 3 have at any depth.
Kernel KernelOf(int scale, int bit_depth) {
  if (scale > 0 || bit_depth == 16) return {"scale_16_bit", "down_16_bit"};
  if (bit_depth > 12) return {"scale_15_bit", "down_15_bit"};
  if (bit_depth > 8) return {"scale_12_bit", "down_12_bit"};
  return {"scale_8_bit", "down_8_bit"};
}

class VifCudaProgram final : public DeviceProgram {
 public:
  VifCudaProgram(const VideoFormat& format, const VifDeviceSettings& settings, const DeviceTraits& traits)
      : format_(format), settings_(settings), traits_(traits) {
    DeviceLayout table;
    logs_ = table.Take<i16>(kVifCudaLogEntries);
    taps_ = table.Take<VifCudaTaps>(static_cast<std::size_t>(kVifScales * kVifCudaWarpLanes));
    DeviceLayout scratch;
    for (int scale = 1; scale < kVifScales; ++scale) {
      const auto samples = static_cast<std::size_t>(Stride(scale)) * static_cast<std::size_t>(Height(scale));
      pictures_[static_cast<std::size_t>(scale)] = {scratch.Take<u16>(samples), scratch.Take<u16>(samples)};
    }
    needs_.table = table.bytes();
    needs_.scratch = scratch.bytes();
    needs_.results = std::size_t{kVifScales * kVifCudaSums} * sizeof(u64);
    needs_.zero_results = true;
  }

  std::string_view module() const override { return "vif"; }
  DeviceNeeds needs() const override { return needs_; }

  void FillTable(std::byte* table) const override {
    const std::vector<std::int16_t> logs = MakeVifCudaLogs();
    std::copy(logs.begin(), logs.end(), At<i16>(table, logs_));
    for (int scale = 0; scale < kVifScales; ++scale) {
      const auto taps = MakeVifCudaTaps(scale, SampleBytes(scale));
      std::copy(taps.begin(), taps.end(), At<VifCudaTaps>(table, taps_) + scale * kVifCudaWarpLanes);
    }
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    for (int scale = 0; scale < kVifScales; ++scale) {
      const VifCudaScaleShape shape = {Width(scale), Height(scale), SampleBytes(scale), IsScored(scale)};
      const Kernel kernel = KernelOf(scale, format_.bit_depth);
      steps.AddGroups(
          {shape.scored ? kernel.scored : kernel.unscored},
          [shape, traits = traits_](int frames) { return PlanVifCuda(shape, frames, traits); },
          ArgumentsOf(frame, scale));
    }
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    std::size_t fact = 0;
    for (int scale = 0; scale < kVifScales; ++scale) {
      const u64* const sums = At<u64>(results, 0) + scale * kVifCudaSums;
      const u64 pixels = static_cast<u64>(Width(scale)) * static_cast<u64>(Height(scale));
      facts[fact++] = sums[kVifCudaNumLog];
      facts[fact++] = sums[kVifCudaDenLog];
      facts[fact++] = sums[kVifCudaNonLogNum];
      facts[fact++] = IsScored(scale) ? pixels - sums[kVifCudaLogCount] : 0;
    }
  }

 private:
  struct PictureOffsets {
    std::size_t reference = 0;
    std::size_t distorted = 0;
  };

  int Width(int scale) const { return format_.width >> scale; }
  int Height(int scale) const { return format_.height >> scale; }
  int SampleBytes(int scale) const { return scale == 0 ? format_.bytes_per_sample() : 2; }
  bool IsScored(int scale) const { return scale > 0 || !settings_.skip_scale0; }

  // Rows of whole cache lines.
  int Stride(int scale) const {
    constexpr int kSamples = 64;
    return (Width(scale) + kSamples - 1) / kSamples * kSamples;
  }

  VifCudaArguments ArgumentsOf(const DeviceFrame& frame, int scale) const {
    const auto s = static_cast<std::size_t>(scale);
    VifCudaArguments args{};
    if (scale == 0) {
      args.reference = static_cast<const u8*>(frame.reference[0].data);
      args.distorted = static_cast<const u8*>(frame.distorted[0].data);
      args.reference_pitch = frame.reference[0].stride * SampleBytes(0);
      args.distorted_pitch = frame.distorted[0].stride * SampleBytes(0);
    } else {
      args.reference = At<u8>(frame.scratch, pictures_[s].reference);
      args.distorted = At<u8>(frame.scratch, pictures_[s].distorted);
      args.reference_pitch = Stride(scale) * SampleBytes(scale);
      args.distorted_pitch = args.reference_pitch;
    }
    if (scale + 1 < kVifScales) {
      args.next_reference = At<u16>(frame.scratch, pictures_[s + 1].reference);
      args.next_distorted = At<u16>(frame.scratch, pictures_[s + 1].distorted);
      args.next_columns = VifCudaStoredColumns(Width(scale + 1));
      args.next_height = Height(scale + 1);
      args.next_stride = Stride(scale + 1);
    } else {
      // Nothing is stored there, but places are computed from it.
      args.next_reference = At<u16>(frame.scratch, pictures_[s].reference);
      args.next_distorted = At<u16>(frame.scratch, pictures_[s].distorted);
    }
    args.sums = At<u64>(frame.results, 0) + scale * kVifCudaSums;
    args.logs = At<i16>(frame.table, logs_);
    args.taps = At<VifCudaTaps>(frame.table, taps_) + scale * kVifCudaWarpLanes;
    args.gain_limit = settings_.gain_limit;
    args.width = Width(scale);
    args.height = Height(scale);
    args.bit_depth = scale == 0 ? format_.bit_depth : 16;
    return args;
  }

  VideoFormat format_;
  VifDeviceSettings settings_;
  DeviceTraits traits_;
  std::size_t logs_ = 0;
  std::size_t taps_ = 0;
  std::array<PictureOffsets, kVifScales> pictures_{};  // [0] is unused: the frames themselves
  DeviceNeeds needs_;
};

}  // namespace

GroupPlan PlanVifCuda(const VifCudaScaleShape& shape, int frames, const DeviceTraits& traits) {
  // A segment starts with a step that only leaves its columns, without the horizontal pass and the statistic, and whose
  // rows are waited for.
  constexpr double kStartCost = 0.7;
  const int steps = VifCudaSteps(shape.width);
  const int strips = VifCudaStrips(shape.height) * frames;
  double best_cost = std::numeric_limits<double>::infinity();
  GroupPlan best;
  for (const WarpCost& warp_cost : kWarpCosts) {
    const int local_bytes = VifCudaSharedBytes(warp_cost.warps, shape.sample_bytes, shape.scored);
    if (local_bytes > traits.local_bytes) continue;
    for (int segment = 1; segment <= std::min(steps, kVifCudaLongestSegment); ++segment) {
      const int items = (steps + segment - 1) / segment * ((strips + warp_cost.warps - 1) / warp_cost.warps);
      const int rounds = (items + traits.multiprocessors - 1) / traits.multiprocessors;
      const double cost = rounds * (segment + kStartCost) * warp_cost.cost;
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = {0, static_cast<std::uint64_t>(std::min(items, traits.multiprocessors)),
              warp_cost.warps * kVifCudaWarpLanes, local_bytes, segment};
    }
  }
  return best;
}

std::array<VifCudaTaps, kVifCudaWarpLanes> MakeVifCudaTaps(int scale, int sample_bytes) {
  const FilterTaps filter = FilterOf(scale);
  const FilterTaps next_filter = FilterOf(scale + 1);
  std::array<VifCudaTaps, kVifCudaWarpLanes> lanes{};
  for (int lane = 0; lane < kVifCudaWarpLanes; ++lane) {
    const int group = lane / 4;
    const int member = lane % 4;
    for (int word = 0; word < 4; ++word) {
      VifCudaTaps& taps = lanes[static_cast<std::size_t>(lane)];
      const int row = group + (word % 2) * 8;
      for (int byte = 0; byte < 4; ++byte) {
        // As the stages order what they hold: see VifCudaStagePlace().
        const int within = sample_bytes == 1 ? 4 * member + byte : 8 * (byte / 2) + 2 * member + byte % 2;
        const int column = (word / 2) * 16 + within;
        const u32 tap = TapAt(filter, column - row);
        const u32 next_tap = TapAt(next_filter, column - 2 * group);
        taps.low[word] |= (tap & 0xffu) << (8 * byte);
        taps.high[word] |= (tap >> 8) << (8 * byte);
        taps.down[word] |= (word % 2 == 0 ? next_tap & 0xffu : next_tap >> 8) << (8 * byte);
      }
    }
  }
  return lanes;
}

std::vector<std::int16_t> MakeVifCudaLogs() {
  const std::span<const std::uint16_t> table = VifLogTable();
  std::vector<std::int16_t> logs(kVifCudaLogEntries);
  for (int m = 0; m < kVifCudaLogEntries; ++m) {
    constexpr int kLogOf32768 = 30720;
    const int entry = table[static_cast<std::size_t>(m)];
    logs[static_cast<std::size_t>(m)] = static_cast<std::int16_t>(16 * (entry - kLogOf32768) - m);
  }
  return logs;
}

std::unique_ptr<DeviceProgram> MakeVifCudaProgram(const VideoFormat& format, const VifDeviceSettings& settings,
                                                  const DeviceTraits& traits) {
  const bool runs = traits.tuned == "cuda80" && traits.local_bytes >= VifCudaSharedBytes(kWarpCosts[0].warps, 2, true);
  if (!runs) return nullptr;
  return std::make_unique<VifCudaProgram>(format, settings, traits);
}

}  // namespace lockstep
