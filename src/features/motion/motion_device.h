// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2 on devices.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Sums of absolute values of the filtered difference to the picture `distance` frames earlier, one fact for each of
/// the first `planes` planes; 0 where there is no such picture.
/// in      planes 0: no fact is computed, all `facts` are 0 (motion_force_zero)
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeMotionDeviceProgram(const VideoFormat& format, int planes,
                                                                     int distance);

}  // namespace lockstep
