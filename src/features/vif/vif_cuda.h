// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on NVIDIA devices from compute capability 8.0 on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/vif/vif_cuda_arguments.h"
#include "features/vif/vif_device.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// The sums of the four scales, in the order of vif's facts; nullptr where the device is none for these kernels.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeVifCudaProgram(const VideoFormat& format,
                                                                const VifDeviceSettings& settings,
                                                                const DeviceTraits& traits);

// For tests of the parts.

/// One scale's picture as the plan sees it.
struct VifCudaScaleShape {
  int width = 0;
  int height = 0;
  int sample_bytes = 0;
  bool scored = true;
};

/// How the multiprocessors share the strips of some frames.
/// in      a device that these kernels run on
[[nodiscard]] GroupPlan PlanVifCuda(const VifCudaScaleShape& shape, int frames, const DeviceTraits& traits);

/// Taps of the lanes for a scale whose samples have so many bytes.
[[nodiscard]] std::array<VifCudaTaps, kVifCudaWarpLanes> MakeVifCudaTaps(int scale, int sample_bytes);

/// Table of the logarithms: [kVifCudaLogEntries].
[[nodiscard]] std::vector<std::int16_t> MakeVifCudaLogs();

}  // namespace lockstep
