// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SPIR-V modules that the build embedded in the plugin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

/// As kernel_module.S.in lays it out.
struct KernelModule {
  const char* name;
  const std::byte* begin;
  const std::byte* end;
};

/// One for each lockstep_kernel_module() of the build.
[[nodiscard]] std::span<const KernelModule> KernelModules();

/// Sub-group sizes that the kernels may have, the best first: they use no operation of sub-groups, and narrow ones put
/// more hardware threads on a row chain. Modules ask for the first.
inline constexpr std::array<std::size_t, 2> kSubGroupSizes = {8, 16};

/// The SPIR-V of a module with another sub-group size for every kernel that asks for one.
/// in    well-formed SPIR-V in the machine's byte order, as the build embeds it
[[nodiscard]] std::vector<std::byte> WithSubGroupSize(const KernelModule& module, std::uint32_t size);

}  // namespace lockstep
