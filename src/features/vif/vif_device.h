// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on devices.
#pragma once

#include <memory>

#include "features/device/device_program.h"
#include "lockstep/video_format.h"

namespace lockstep {

struct VifDeviceSettings {
  bool skip_scale0 = false;
  double gain_limit = 100.0;
  /// Of 8 pixels, how many take the path of those that integers cannot decide. More than 0 only in tests: pictures lead
  /// hardly a pixel there, so that a fault would not show.
  int forced_undecided = 0;
};

/// The sums of the four scales, in the order of vif's facts.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeVifDeviceProgram(const VideoFormat& format,
                                                                  const VifDeviceSettings& settings);

}  // namespace lockstep
