// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which of the devices that a backend lists a user means.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

struct ListedDevice {
  DeviceInfo info;
  int rank = 0;  // larger is better
};

/// in      text a number as listed, or a part of a name; empty: the usable one of highest rank
///         backend as a user reads it, "SYCL"; listed not empty
/// errors  kNotFound: no such device (those there are are named); kUnsupported: it cannot be used, with the reason
[[nodiscard]] Result<std::size_t> ChooseListedDevice(std::span<const ListedDevice> listed, const std::string& text,
                                                     std::string_view backend);

/// What a backend lists where it has no device.
[[nodiscard]] DeviceInfo NoDevice(std::string backend, std::string reason);

}  // namespace lockstep
