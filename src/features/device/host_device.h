// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that is the host: kernels run work-item by work-item, and only when somebody waits for them.
#pragma once

#include <memory>

#include "backend/device.h"

namespace lockstep {

enum class HostOrder {
  kLate,         // a command runs when the host waits for it: a copy's source must not change before
  kEarlyCopies,  // a copy runs at once unless a kernel is before it in its stream: its target must be free
};

/// A command that fails, counted over the device from 1; 0: none.
struct HostFault {
  int copy = 0;
  int launch = 0;
};

/// For tests, where it needs no driver, runs under sanitizers, and shows memory that is overwritten too early.
[[nodiscard]] std::unique_ptr<Device> MakeHostDevice(HostOrder order, HostFault fault = {});

}  // namespace lockstep
