// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SYCL devices of this machine: what can be said about them, which one a request means.
#pragma once

#include <cstddef>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// Every device in the runtime's order; one entry without a name says why there is none. ONEAPI_DEVICE_SELECTOR hides
/// devices as it does for every SYCL program. Thread safe.
[[nodiscard]] std::vector<DeviceInfo> ListSyclDevices();

/// Of kSubGroupSizes, the best that the device has; 0: none. Throws SYCL's exceptions.
[[nodiscard]] std::size_t BestSubGroupSize(const sycl::device& device);

/// in      text a number as listed, or a part of the name in any case, of several the best; empty: the best of all
/// errors  kNotFound: no such device; kUnsupported: it cannot be used
[[nodiscard]] Result<sycl::device> ChooseSyclDevice(const std::string& text);

}  // namespace lockstep
