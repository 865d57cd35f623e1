// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only list of kernels, with bodies that the host can run.
#pragma once

#include <cstddef>
#include <span>

#include "features/device/device_kernel.h"

namespace lockstep {

struct KernelDescription {
  const char* module;
  const char* name;
  std::size_t argument_bytes;  // of one frame
  void (*run)(const KernelLaunch& launch, i32 work_item);
};

[[nodiscard]] std::span<const KernelDescription> KernelList();

}  // namespace lockstep
