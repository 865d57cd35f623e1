// SPDX-License-Identifier: BSD-2-Clause-Patent
// Detection of instruction sets, by the compiler's run-time library; it also asks whether the system saves the
// registers.
#include "lanes/cpu_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lockstep {
namespace {

struct TargetName {
  CpuTarget target;
  std::string_view name;
};

constexpr std::array<TargetName, 6> kNames = {{{CpuTarget::kScalar, "scalar"},
                                               {CpuTarget::kSse4, "sse4"},
                                               {CpuTarget::kAvx2, "avx2"},
                                               {CpuTarget::kAvx512, "avx512"},
                                               {CpuTarget::kAvx512Vnni, "vnni"},
                                               {CpuTarget::kNeon, "neon"}}};

// The features that Highway's target of the same name lets the compiler use.
std::vector<CpuTarget> Detect() {
  std::vector<CpuTarget> targets = {CpuTarget::kScalar};
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul")) {
    return targets;
  }
  targets.push_back(CpuTarget::kSse4);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c")) {
    return targets;
  }
  targets.push_back(CpuTarget::kAvx2);
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl")) {
    return targets;
  }
  targets.push_back(CpuTarget::kAvx512);
  if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("avx512vbmi") ||
      !__builtin_cpu_supports("avx512vbmi2") || !__builtin_cpu_supports("avx512bitalg") ||
      !__builtin_cpu_supports("avx512vpopcntdq") || !__builtin_cpu_supports("gfni") ||
      !__builtin_cpu_supports("vaes") || !__builtin_cpu_supports("vpclmulqdq")) {
    return targets;
  }
  targets.push_back(CpuTarget::kAvx512Vnni);
#elif defined(__aarch64__)
  targets.push_back(CpuTarget::kNeon);
#endif
  return targets;
}

std::string Join(std::span<const CpuTarget> targets) {
  std::string text;
  for (const CpuTarget target : targets) text += (text.empty() ? "" : ", ") + std::string(CpuTargetName(target));
  return text;
}

// The bits of --cpumask that switch a target off.
std::uint64_t MaskOf(CpuTarget target) {
  switch (target) {
    case CpuTarget::kScalar:
      return 0;
    case CpuTarget::kNeon:
      return 1;
    case CpuTarget::kSse4:
      return 7;
    case CpuTarget::kAvx2:
      return 15;
    case CpuTarget::kAvx512:
      return 31;
    case CpuTarget::kAvx512Vnni:
      return 63;
  }
  return 0;
}

}  // namespace

std::string_view CpuTargetName(CpuTarget target) {
  for (const TargetName& entry : kNames) {
    if (entry.target == target) return entry.name;
  }
  return "";
}

std::span<const CpuTarget> AvailableCpuTargets() {
  static const std::vector<CpuTarget> targets = Detect();
  return targets;
}

Result<CpuTarget> ParseCpuTarget(std::string_view name) {
  const std::span<const CpuTarget> available = AvailableCpuTargets();
  std::string known;
  for (const TargetName& entry : kNames) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
    if (entry.name != name) continue;
    if (std::find(available.begin(), available.end(), entry.target) != available.end()) return entry.target;
    return Error{ErrorCode::kUnsupported,
                 fmt::format("this machine cannot run '{}'; it can run {}", name, Join(available)),
                 {},
                 {},
                 "cpu target"};
  }
  return Error{
      ErrorCode::kInvalidArgument, fmt::format("unknown name '{}'; there are {}", name, known), {}, {}, "cpu target"};
}

CpuTarget ChooseCpuTarget(std::uint64_t cpu_mask) {
  CpuTarget chosen = CpuTarget::kScalar;
  for (const CpuTarget target : AvailableCpuTargets()) {
    if ((MaskOf(target) & cpu_mask) == 0) chosen = target;
  }
  return chosen;
}

}  // namespace lockstep
