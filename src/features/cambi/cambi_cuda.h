// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on NVIDIA devices from compute capability 8.0 on.
#pragma once

#include <memory>

#include "backend/device.h"
#include "features/cambi/cambi_settings.h"
#include "features/device/device_program.h"

namespace lockstep {

/// The facts of `feature`, which outlives the program; nullptr where the device is none for these kernels, where a
/// picture is resampled or has more than 2^26 pixels, or where the codes have no room in shared memory.
[[nodiscard]] std::unique_ptr<DeviceProgram> MakeCambiCudaProgram(const CambiSettings& settings,
                                                                  const DeviceTraits& traits, const Feature& feature);

/// For tests: columns of a block that looks for contrasts; 0 where none has room.
[[nodiscard]] int CambiCudaColumns(int radius, int code_count, int local_bytes);

}  // namespace lockstep
