// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr on devices.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// The noise of luma. The rare frame in which the reference itself rounds is added up on the host, in its order.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeFloatPsnrDeviceProgram(const VideoFormat& format);

}  // namespace lockstep
