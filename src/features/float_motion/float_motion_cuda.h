// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on CUDA devices that have kernels of their own.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// The facts of MakeFloatMotionDeviceProgram() without half resolutions, which need stored planes.
/// in      planes 0: all facts are 0 (motion_force_zero); taps_count 1, 3 or 5; rows of pictures start at multiples of
///         64 bytes
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeFloatMotionCudaProgram(const VideoFormat& format, int planes,
                                                                        int taps_count);

}  // namespace lockstep
