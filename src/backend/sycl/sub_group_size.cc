// SPDX-License-Identifier: BSD-2-Clause-Patent
// SPIR-V modules made to fit a device.
#include "backend/sycl/sub_group_size.h"

#include <cstring>

namespace lockstep {

std::vector<std::byte> WithSubGroupSize(const KernelModule& module, std::uint32_t size) {
  constexpr std::size_t kHeaderWords = 5;
  constexpr std::uint32_t kExecutionMode = 16;  // OpExecutionMode: entry point, mode, operands
  constexpr std::uint32_t kModeSubgroupSize = 35;
  std::vector<std::byte> changed(module.begin, module.end);
  const std::size_t words = changed.size() / sizeof(std::uint32_t);
  const auto word = [&](std::size_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, changed.data() + i * sizeof(value), sizeof(value));
    return value;
  };
  std::size_t i = kHeaderWords;
  while (i < words) {
    const std::size_t length = word(i) >> 16;
    if (length == 0 || length > words - i) break;
    if ((word(i) & 0xffffu) == kExecutionMode && length == 4 && word(i + 2) == kModeSubgroupSize) {
      std::memcpy(changed.data() + (i + 3) * sizeof(size), &size, sizeof(size));
    }
    i += length;
  }
  return changed;
}

}  // namespace lockstep
