// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on devices.
#pragma once

#include <memory>

#include "features/cambi/cambi_settings.h"
#include "features/device/device_program.h"

namespace lockstep {

/// The facts of `feature`: sums of the greatest contrasts of each scale. The rare frame in which the order of additions
/// matters is extracted on the host, by `feature`, which outlives the program.
/// edge    nullptr for pictures of more than 2^26 pixels, whose sums may not fit 64 bits
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeCambiDeviceProgram(const CambiSettings& settings,
                                                                    const Feature& feature);

}  // namespace lockstep
