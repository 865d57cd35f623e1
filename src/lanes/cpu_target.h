// SPDX-License-Identifier: BSD-2-Clause-Patent
// Instruction sets that metrics have code for, and which of them to use. The choice never changes a score.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/result.h"

namespace lockstep {

enum class CpuTarget { kScalar, kSse4, kAvx2, kAvx512, kAvx512Vnni, kNeon };

/// "scalar", "sse4", "avx2", "avx512", "vnni", "neon"
[[nodiscard]] std::string_view CpuTargetName(CpuTarget target);

/// What this build has code for and this machine can run, slowest first; the scalar code is always there.
[[nodiscard]] std::span<const CpuTarget> AvailableCpuTargets();

/// The best available target that `cpu_mask` leaves over. Bits switch sets off as libvmaf's --cpumask does:
/// 1 SSE2 (NEON on Arm), 2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512, 32 AVX-512 with VNNI; a set needs all those before it.
[[nodiscard]] CpuTarget ChooseCpuTarget(std::uint64_t cpu_mask);

/// The target called `name`, or the best one where it is empty; `cpu_mask` as above.
/// errors  kInvalidArgument: no such name (the message lists the names), or the mask switches it off
///         kUnsupported: this machine or build cannot run it (the message lists what it can)
[[nodiscard]] Result<CpuTarget> ChooseCpuTarget(std::string_view name, std::uint64_t cpu_mask);

/// Every target's name, with the reason why it cannot run here; the reason is empty where it can.
struct CpuTargetState {
  CpuTarget target;
  std::string missing;
};
[[nodiscard]] std::vector<CpuTargetState> DescribeCpuTargets();

/// The processor's own name, e.g. "AMD EPYC 9654 96-Core Processor"; the architecture's where it has none.
[[nodiscard]] std::string CpuModelName();

}  // namespace lockstep
