// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on devices.
#pragma once

#include <memory>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/speed/speed_pair.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Prepared planes, means and sums of products on the device; everything else, which is small, on the host.
/// in    planes of both chroma planes; outlives the program
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeSpeedChromaDeviceProgram(const VideoFormat& format,
                                                                          const SpeedPlanes& planes,
                                                                          const DeviceTraits& traits);

}  // namespace lockstep
