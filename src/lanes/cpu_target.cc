// SPDX-License-Identifier: BSD-2-Clause-Patent
// Detection of instruction sets, by the compiler's run-time library; it also asks whether the system saves the
// registers.
#include "lanes/cpu_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

// What the compiler may use in the code of one target, as its run-time library calls it.
struct Requirement {
  CpuTarget target;
  bool present;
  const char* name;
};

#if defined(__x86_64__)
// For features that Clang 14's __builtin_cpu_supports does not know. Whether the system saves their registers is the
// answer for AVX2 and AVX-512, which the same targets need.
bool HasBitOfEcx(unsigned leaf, int bit) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> bit & 1) != 0;
}
#endif

// Every feature that Highway's target of the same name switches on; a target also needs those before it.
std::vector<Requirement> Requirements() {
#if defined(__x86_64__)
#define LOCKSTEP_NEEDS(target, feature) \
  Requirement { CpuTarget::target, __builtin_cpu_supports(feature) != 0, feature }
  return {LOCKSTEP_NEEDS(kSse4, "sse4.2"),
          LOCKSTEP_NEEDS(kSse4, "aes"),
          LOCKSTEP_NEEDS(kSse4, "pclmul"),
          LOCKSTEP_NEEDS(kAvx2, "avx2"),
          LOCKSTEP_NEEDS(kAvx2, "bmi"),
          LOCKSTEP_NEEDS(kAvx2, "bmi2"),
          LOCKSTEP_NEEDS(kAvx2, "fma"),
          {CpuTarget::kAvx2, HasBitOfEcx(1, 29), "f16c"},
          LOCKSTEP_NEEDS(kAvx512, "avx512f"),
          LOCKSTEP_NEEDS(kAvx512, "avx512bw"),
          LOCKSTEP_NEEDS(kAvx512, "avx512cd"),
          LOCKSTEP_NEEDS(kAvx512, "avx512dq"),
          LOCKSTEP_NEEDS(kAvx512, "avx512vl"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "avx512vnni"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "avx512vbmi"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "avx512vbmi2"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "avx512bitalg"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "avx512vpopcntdq"),
          LOCKSTEP_NEEDS(kAvx512Vnni, "gfni"),
          {CpuTarget::kAvx512Vnni, HasBitOfEcx(7, 9), "vaes"},
          LOCKSTEP_NEEDS(kAvx512Vnni, "vpclmulqdq")};
#undef LOCKSTEP_NEEDS
#elif defined(__aarch64__)
  return {{CpuTarget::kNeon, true, "neon"}};
#else
  return {};
#endif
}

bool IsOfThisArchitecture(CpuTarget target) {
#if defined(__x86_64__)
  return target != CpuTarget::kNeon;
#elif defined(__aarch64__)
  return target == CpuTarget::kScalar || target == CpuTarget::kNeon;
#else
  return target == CpuTarget::kScalar;
#endif
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

std::vector<CpuTargetState> DescribeCpuTargets() {
  const std::vector<Requirement> requirements = Requirements();
  std::vector<CpuTargetState> states;
  std::string missing;  // what this target and all before it lack
  for (const TargetName& entry : kNames) {
    if (!IsOfThisArchitecture(entry.target)) {
      states.push_back({entry.target, "another processor architecture"});
      continue;
    }
    for (const Requirement& requirement : requirements) {
      if (requirement.target != entry.target || requirement.present) continue;
      missing += (missing.empty() ? "the processor or the system lacks " : ", ") + std::string(requirement.name);
    }
    states.push_back({entry.target, missing});
  }
  return states;
}

std::span<const CpuTarget> AvailableCpuTargets() {
  static const std::vector<CpuTarget> targets = [] {
    std::vector<CpuTarget> available;
    for (const CpuTargetState& state : DescribeCpuTargets()) {
      if (state.missing.empty()) available.push_back(state.target);
    }
    return available;
  }();
  return targets;
}

CpuTarget ChooseCpuTarget(std::uint64_t cpu_mask) {
  CpuTarget chosen = CpuTarget::kScalar;
  for (const CpuTarget target : AvailableCpuTargets()) {
    if ((MaskOf(target) & cpu_mask) == 0) chosen = target;
  }
  return chosen;
}

Result<CpuTarget> ChooseCpuTarget(std::string_view name, std::uint64_t cpu_mask) {
  if (name.empty()) return ChooseCpuTarget(cpu_mask);
  constexpr const char* kField = "instruction set (LOCKSTEP_CPU)";
  const std::span<const CpuTarget> available = AvailableCpuTargets();
  std::string known;
  for (const TargetName& entry : kNames) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
    if (entry.name != name) continue;
    if (std::find(available.begin(), available.end(), entry.target) == available.end()) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("this machine cannot run '{}'; it can run {}", name, Join(available)),
                   {},
                   {},
                   kField};
    }
    if ((MaskOf(entry.target) & cpu_mask) != 0) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is switched off by --cpumask", name), {}, {}, kField};
    }
    return entry.target;
  }
  return Error{
      ErrorCode::kInvalidArgument, fmt::format("unknown name '{}'; there are {}", name, known), {}, {}, kField};
}

std::string CpuModelName() {
#if defined(__x86_64__)
  // Three leaves of 16 characters each.
  constexpr unsigned kFirstBrandLeaf = 0x80000002U;
  constexpr unsigned kBrandLeaves = 3;
  std::array<unsigned, 4 * kBrandLeaves + 1> words{};
  for (unsigned leaf = 0; leaf < kBrandLeaves; ++leaf) {
    unsigned* const w = &words[std::size_t{4} * leaf];
    if (__get_cpuid(kFirstBrandLeaf + leaf, &w[0], &w[1], &w[2], &w[3]) == 0) return "x86-64";
  }
  std::array<char, sizeof(words)> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  const std::string_view name(text.data());
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string_view::npos) return "x86-64";
  return std::string(name.substr(first, name.find_last_not_of(' ') - first + 1));
#elif defined(__aarch64__)
  return "Arm, 64 bit";
#else
  return "unknown architecture";
#endif
}

}  // namespace lockstep
