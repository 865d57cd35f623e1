// SPDX-License-Identifier: BSD-2-Clause-Patent
// Intel's OpenCL runtime for processors, when it lies beside libsycl, as it does in PyPI's packages.
#pragma once

#include <string>

namespace lockstep {

/// Makes SYCL look for its drivers, that runtime among them, which no file of the system names. To be called before
/// any other SYCL call. Thread safe.
void LoadDrivers();

/// Why there may be no CPU device: the runtime's path, and the loader's words when it cannot be loaded. Empty where it
/// does not lie beside libsycl.
[[nodiscard]] std::string CpuRuntimeState();

}  // namespace lockstep
