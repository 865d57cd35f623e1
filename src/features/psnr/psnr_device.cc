// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on devices: lanes add squared errors, rows are added on the host.
#include "features/psnr/psnr_device.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "features/psnr/psnr_kernels.h"

namespace lockstep {
namespace {

class PsnrDeviceProgram final : public DeviceProgram {
 public:
  PsnrDeviceProgram(const VideoFormat& format, int planes) : format_(format), planes_(planes) {
    DeviceLayout scratch;
    DeviceLayout results;
    for (int p = 0; p < planes_; ++p) {
      const auto rows = static_cast<std::size_t>(format_.scored_plane_size(p).height);
      parts_[static_cast<std::size_t>(p)] = scratch.Take<u64>(rows * kKernelLanes);
      row_sums_[static_cast<std::size_t>(p)] = results.Take<u64>(rows);
    }
    needs_.scratch = scratch.bytes();
    needs_.results = results.bytes();
  }

  std::string_view module() const override { return "psnr"; }
  DeviceNeeds needs() const override { return needs_; }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const char* const kernel = format_.bytes_per_sample() == 1 ? "squared_error_u8" : "squared_error_u16";
    for (int plane = 0; plane < planes_; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      const PlaneSize size = format_.scored_plane_size(plane);
      if (size.width == 0 || size.height == 0) continue;
      auto* const parts = At<u64>(frame.scratch, parts_[p]);
      steps.AddLanes(kernel, size.height,
                     SquaredErrorArgs{frame.reference[p].data, frame.distorted[p].data, parts, size.width, size.height,
                                      frame.reference[p].stride});
      steps.AddRows("sum_lanes", size.height, LaneSumArgs{parts, At<u64>(frame.results, row_sums_[p]), size.height, 1});
    }
  }

  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    for (int plane = 0; plane < planes_; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      const PlaneSize size = format_.scored_plane_size(plane);
      const u64* const rows = At<u64>(results, row_sums_[p]);
      u64 sum = 0;
      for (int y = 0; size.width > 0 && y < size.height; ++y) sum += rows[y];
      facts[p] = sum;
    }
  }

 private:
  VideoFormat format_;
  int planes_;
  std::array<std::size_t, 3> parts_{};
  std::array<std::size_t, 3> row_sums_{};
  DeviceNeeds needs_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakePsnrDeviceProgram(const VideoFormat& format, int planes) {
  return std::make_unique<PsnrDeviceProgram>(format, planes);
}

}  // namespace lockstep
