// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernel modules that the build embedded in a plugin.
#include "backend/kernel_module.h"

// The linker gives every section with such a name its bounds; weak, because a build may have no module.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern const lockstep::KernelModule __start_lockstep_kernel_modules[];
[[gnu::weak, gnu::visibility("hidden")]] extern const lockstep::KernelModule __stop_lockstep_kernel_modules[];
}

namespace lockstep {

std::span<const KernelModule> KernelModules() {
  return {__start_lockstep_kernel_modules, __stop_lockstep_kernel_modules};
}

}  // namespace lockstep
