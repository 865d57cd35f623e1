// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where a device spent its time, as both programs print it.
#pragma once

#include <string>

#include "lockstep/report.h"

namespace lockstep {

/// A table with one line for each kernel and kind of copy, the slowest first, times in milliseconds for the whole run
/// and for each frame; empty without timings.
[[nodiscard]] std::string DeviceTimingText(const Report& report);

}  // namespace lockstep
