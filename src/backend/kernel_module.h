// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel modules that the build embedded in a plugin.
#pragma once

#include <cstddef>
#include <span>

namespace lockstep {

/// As kernel_module.S.in lays it out.
struct KernelModule {
  const char* name;
  const std::byte* begin;
  const std::byte* end;
};

/// Those of the plugin that links this file.
[[nodiscard]] std::span<const KernelModule> KernelModules();

}  // namespace lockstep
