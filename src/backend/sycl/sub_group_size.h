// SPDX-License-Identifier: BSD-2-Clause-Patent
// SPIR-V modules made to fit a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/kernel_module.h"

namespace lockstep {

/// Sub-group sizes that the kernels may have, the best first: they use no operation of sub-groups, and narrow ones put
/// more hardware threads on a row chain. Modules ask for the first.
inline constexpr std::array<std::size_t, 2> kSubGroupSizes = {8, 16};

/// The SPIR-V of a module with another sub-group size for every kernel that asks for one.
/// in    well-formed SPIR-V in the machine's byte order, as the build embeds it
[[nodiscard]] std::vector<std::byte> WithSubGroupSize(const KernelModule& module, std::uint32_t size);

}  // namespace lockstep
