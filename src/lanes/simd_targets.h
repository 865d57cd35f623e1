// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which Highway targets are compiled, and the table from CpuTarget to a target's function. Include it before Highway.
#pragma once

#include "lanes/cpu_target.h"

// Five targets are enough: others would add code that only differs in instructions that are not used. Highway's own
// run-time dispatch is not used either, nor the assertions of its debug builds, so its library is not needed.
//
// LOCKSTEP_FEW_TARGETS: two of them on x86, for tools that read the texts and do not run them.
#define HWY_IS_DEBUG_BUILD 0
#ifndef LOCKSTEP_FEW_TARGETS
#define HWY_WANT_SSE4 1
#define HWY_WANT_AVX3_DL 1
#define LOCKSTEP_LEFT_OUT_TARGETS 0
#else
#define LOCKSTEP_LEFT_OUT_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
#endif
#define HWY_DISABLED_TARGETS                                                                                    \
  (LOCKSTEP_LEFT_OUT_TARGETS | HWY_SSE2 | HWY_SSSE3 | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_NEON | HWY_NEON_BF16 | \
   HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// What is always part of its caller, so that it is compiled for the caller's target; and a pass over rows that is not,
// because GCC spills where several passes share a loop nest.
#define LOCKSTEP_LANE_INLINE inline __attribute__((always_inline))
#define LOCKSTEP_LANE_PASS __attribute__((noinline))

// LOCKSTEP_CHOOSE_SIMD(target, Function): a pointer to N_<target>::Function, or nullptr for the scalar code. For use in
// the HWY_ONCE part of a file, inside the namespace that holds the targets' namespaces.
#if defined(__x86_64__) && defined(LOCKSTEP_FEW_TARGETS)
#define LOCKSTEP_CHOOSE_SIMD(target, Function)                        \
  ((target) == ::lockstep::CpuTarget::kAvx512Vnni ? &N_AVX3::Function \
   : (target) == ::lockstep::CpuTarget::kAvx512   ? &N_AVX3::Function \
   : (target) == ::lockstep::CpuTarget::kAvx2     ? &N_AVX2::Function \
                                                  : nullptr)
#elif defined(__x86_64__)
#define LOCKSTEP_CHOOSE_SIMD(target, Function)                           \
  ((target) == ::lockstep::CpuTarget::kAvx512Vnni ? &N_AVX3_DL::Function \
   : (target) == ::lockstep::CpuTarget::kAvx512   ? &N_AVX3::Function    \
   : (target) == ::lockstep::CpuTarget::kAvx2     ? &N_AVX2::Function    \
   : (target) == ::lockstep::CpuTarget::kSse4     ? &N_SSE4::Function    \
                                                  : nullptr)
#elif defined(__aarch64__)
#define LOCKSTEP_CHOOSE_SIMD(target, Function) \
  ((target) == ::lockstep::CpuTarget::kNeon ? &N_NEON_WITHOUT_AES::Function : nullptr)
#else
#define LOCKSTEP_CHOOSE_SIMD(target, Function) nullptr
#endif
