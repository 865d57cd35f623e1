// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr on devices: lanes add integers, rows are added on the host.
#include "features/float_psnr/float_psnr_device.h"

#include <cstddef>
#include <memory>
#include <span>

#include "features/float_psnr/float_psnr.h"
#include "features/float_psnr/float_psnr_kernels.h"

namespace lockstep {
namespace {

class FloatPsnrDeviceProgram final : public DeviceProgram {
 public:
  explicit FloatPsnrDeviceProgram(const VideoFormat& format) : format_(format) {}

  std::string_view module() const override { return "float_psnr"; }

  DeviceNeeds needs() const override {
    const std::size_t row_bytes = static_cast<std::size_t>(format_.height) * sizeof(u64);
    DeviceNeeds needs;
    needs.scratch = row_bytes * kKernelLanes;
    needs.results = row_bytes;
    return needs;
  }

  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    const char* const kernel = format_.bytes_per_sample() == 1 ? "float_psnr_u8" : "float_psnr_u16";
    auto* const parts = At<u64>(frame.scratch, 0);
    steps.AddLanes(kernel, format_.height,
                   FloatPsnrArgs{frame.reference[0].data, frame.distorted[0].data, parts, format_.width, format_.height,
                                 frame.reference[0].stride});
    steps.AddRows("sum_lanes", format_.height, LaneSumArgs{parts, At<u64>(frame.results, 0), format_.height, 1});
  }

  bool NeedsPictures(const std::byte* results) const override { return Sum(results) > kFloatPsnrExactSum; }

  void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const override {
    const u64 sum = Sum(results);
    facts[0] = FactOf(FloatPsnrNoise(sum, window.reference->plane(0), window.distorted->plane(0), format_.bit_depth));
  }

 private:
  u64 Sum(const std::byte* results) const {
    u64 sum = 0;
    for (int y = 0; y < format_.height; ++y) sum += At<u64>(results, 0)[y];
    return sum;
  }

  VideoFormat format_;
};

}  // namespace

std::unique_ptr<DeviceProgram> MakeFloatPsnrDeviceProgram(const VideoFormat& format) {
  return std::make_unique<FloatPsnrDeviceProgram>(format);
}

}  // namespace lockstep
