// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2 on NVIDIA devices from compute capability 8.0 on.
#pragma once

#include <memory>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Sums of as many planes, against the reference picture `distance` frames earlier; nullptr where the device is none
/// for these kernels.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeMotionCudaProgram(const VideoFormat& format, int planes, int distance,
                                                                   const DeviceTraits& traits);

/// For tests: how warps share the planes of some frames.
[[nodiscard]] GroupPlan PlanMotionCuda(PlaneSize size, int frames, int multiprocessors);

}  // namespace lockstep
