// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on devices.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Score of each of the first `planes` planes as the bits of a double; 0 for the first frame.
/// in      planes 0: all facts are 0 (motion_force_zero); taps_count 1, 3 or 5
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeFloatMotionDeviceProgram(const VideoFormat& format, int planes,
                                                                          int taps_count, bool halves);

}  // namespace lockstep
