// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SPIR-V modules that the build embedded in the plugin.
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

/// One for each lockstep_kernel_module() of the build.
[[nodiscard]] std::span<const KernelModule> KernelModules();

}  // namespace lockstep
