// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr on devices.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Squared errors of the first `planes` planes, one fact each.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakePsnrDeviceProgram(const VideoFormat& format, int planes);

}  // namespace lockstep
