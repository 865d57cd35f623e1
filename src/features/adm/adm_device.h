// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on devices.
#pragma once

#include <memory>

#include "features/adm/adm_frame.h"
#include "features/device/device_program.h"

namespace lockstep {

/// The facts of AdmFrame.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeAdmDeviceProgram(const AdmPlan& plan);

}  // namespace lockstep
