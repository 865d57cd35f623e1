// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a metric does unless it says otherwise.
#include "features/feature.h"

#include "features/device/device_program.h"

namespace lockstep {

std::unique_ptr<DeviceProgram> Feature::MakeDeviceProgram(const DeviceTraits& /*traits*/) const { return nullptr; }

}  // namespace lockstep
