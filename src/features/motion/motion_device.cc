// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2 on devices: one kernel a plane, rows are added on the host.
#include "features/motion/motion_device.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "features/motion/motion_kernels.h"

namespace lockstep {
namespace {

class MotionDeviceProgram final : public DeviceProgram {
 public:
  MotionDeviceProgram(const VideoFormat& format, int planes, int distance)
      : format_(format), planes_(planes), distance_(static_cast<std::size_t>(distance)) {
    DeviceLayout scratch;
    DeviceLayout results;
    for (int p = 0; p < planes_; ++p) {
      const auto rows = static_cast<std::size_t>(format_.plane_size(p).height);
      parts_[static_cast<std::size_t>(p)] = scratch.Take<u64>(rows * kKernelLanes);
      row_sads_[static_cast<std::size_t>(p)] = results.Take<u64>(rows);
    }
    needs_.scratch = scratch.bytes();
    needs_.results = results.bytes();
  }

  std::string_view module() const override { return "motion"; }
  DeviceNeeds needs() const override { return needs_; }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const char* kernel = "motion_wide";
    if (format_.bit_depth < 16) kernel = format_.bit_depth == 8 ? "motion_u8" : "motion_u16";
    for (int plane = 0; plane < planes_; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      const PlaneSize size = format_.plane_size(plane);
      auto* const parts = At<u64>(frame.scratch, parts_[p]);
      const DevicePlane& current = frame.reference[p];
      steps.AddLanes(kernel, size.height,
                     MotionArgs{frame.earlier_reference[distance_][p].data, current.data, parts, size.width,
                                size.height, current.stride, format_.bit_depth});
      steps.AddRows("sum_lanes", size.height, LaneSumArgs{parts, At<u64>(frame.results, row_sads_[p]), size.height, 1});
    }
  }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    std::fill(facts.begin(), facts.end(), 0);
    if (window.earlier_reference[distance_] == nullptr) return;
    for (int plane = 0; plane < planes_; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      const u64* const rows = At<u64>(results, row_sads_[p]);
      u64 sad = 0;
      for (int y = 0; y < format_.plane_size(plane).height; ++y) sad += rows[y];
      facts[p] = sad;
    }
  }

 private:
  VideoFormat format_;
  int planes_;
  std::size_t distance_;
  std::array<std::size_t, 3> parts_{};
  std::array<std::size_t, 3> row_sads_{};
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeMotionDeviceProgram(const VideoFormat& format, int planes, int distance) {
  return std::make_unique<MotionDeviceProgram>(format, planes, distance);
}

}  // namespace lockstep
