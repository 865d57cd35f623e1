// SPDX-License-Identifier: BSD-2-Clause-Patent
// One device through HIP's runtime.
#pragma once

#include <hip/hip_runtime_api.h>

#include <memory>
#include <string>

#include "backend/driver/driver_api.h"

namespace lockstep {

/// "hipErrorOutOfMemory: out of memory"
[[nodiscard]] std::string DescribeHip(hipError_t code);

/// in    device as hipSetDevice() counts them
[[nodiscard]] std::unique_ptr<DriverApi> MakeHipApi(int device);

}  // namespace lockstep
