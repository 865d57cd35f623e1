// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2 on NVIDIA devices from compute capability 8.0 on: one kernel a plane.
#include "features/motion/motion_cuda.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "features/motion/motion_cuda_arguments.h"

namespace lockstep {
namespace {

constexpr int kMostPlanes = 3;

class MotionCudaProgram final : public DeviceProgram {
 public:
  MotionCudaProgram(const VideoFormat& format, int planes, int distance, int multiprocessors)
      : format_(format),
        planes_(planes),
        distance_(static_cast<std::size_t>(distance)),
        multiprocessors_(multiprocessors) {}

  std::string_view module() const override { return "motion"; }

  DeviceNeeds needs() const override {
    DeviceNeeds needs;
    needs.results = kMostPlanes * sizeof(u64);
    needs.zero_results = true;
    return needs;
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const int sample_bytes = format_.bytes_per_sample();
    for (int plane = 0; plane < planes_; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      const PlaneSize size = format_.plane_size(plane);
      const DevicePlane& previous = frame.earlier_reference[distance_][p];
      const DevicePlane& current = frame.reference[p];
      steps.AddGroups(
          {sample_bytes == 1 ? "strips_u8" : "strips_u16"},
          [size, multiprocessors = multiprocessors_](int frames) {
            return PlanMotionCuda(size, frames, multiprocessors);
          },
          MotionCudaArguments{static_cast<const u8*>(previous.data), static_cast<const u8*>(current.data),
                              At<u64>(frame.results, 0) + plane, size.width, size.height,
                              previous.stride * sample_bytes, current.stride * sample_bytes, format_.bit_depth});
    }
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    std::fill(facts.begin(), facts.end(), 0);
    if (window.earlier_reference[distance_] == nullptr) return;
    std::copy_n(At<u64>(results, 0), planes_, facts.begin());
  }

 private:
  VideoFormat format_;
  int planes_;
  std::size_t distance_;
  int multiprocessors_;
};

}  // namespace

GroupPlan PlanMotionCuda(PlaneSize size, int frames, int multiprocessors) {
  // Each strip reads 4 rows that it does not own, so strips are long where there are enough of them for every
  // multiprocessor to have two rounds of its 24 warps.
  constexpr int kLongRows = 30;
  constexpr int kShortRows = 10;
  constexpr int kEnoughWarps = 48;
  static_assert(kLongRows % kMotionCudaLoadRows == 0 && kShortRows % kMotionCudaLoadRows == 0);
  static_assert(kLongRows <= kMotionCudaMostRows);
  const i64 strips = i64{MotionCudaColumnStrips(size.width)} * frames;
  const bool enough = strips * MotionCudaRowStrips(size.height, kLongRows) >= i64{multiprocessors} * kEnoughWarps;
  const int rows = enough ? kLongRows : kShortRows;
  const i64 warps = strips * MotionCudaRowStrips(size.height, rows);
  return {0, static_cast<std::uint64_t>((warps + kMotionCudaWarps - 1) / kMotionCudaWarps),
          kMotionCudaWarps * kMotionCudaWarpLanes, 0, rows};
}

std::unique_ptr<DeviceProgram> MakeMotionCudaProgram(const VideoFormat& format, int planes, int distance,
                                                     const DeviceTraits& traits) {
  if (traits.tuned != "cuda80") return nullptr;
  return std::make_unique<MotionCudaProgram>(format, planes, distance, traits.multiprocessors);
}

}  // namespace lockstep
