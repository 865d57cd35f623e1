// SPDX-License-Identifier: BSD-2-Clause-Patent
// One CUDA device through NVIDIA's driver.
#pragma once

#include <memory>

#include "backend/cuda/cuda_driver.h"
#include "backend/driver/driver_api.h"

namespace lockstep {

/// Uses the device's primary context, the one that CUDA's runtime uses too: addresses of an application are valid in
/// it. It is kept to the end of the process. errors  kUnsupported: the driver gives no context, with its words
[[nodiscard]] Result<std::unique_ptr<DriverApi>> MakeCudaApi(const CudaDriver& driver, CUdevice device);

}  // namespace lockstep
