// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim's sum on each target, and its choice by bit depth.
#include "features/ssim/ssim_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ssim/ssim_simd.cc"
#include <hwy/foreach_target.h>

#include "features/ssim/ssim_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
double IntegerSsimOf8Bits(const IntegerSsimSimdArgs& args) { return IntegerSsimOnLanes<HighwayLane, u8, i32>(args); }
double IntegerSsimOf12Bits(const IntegerSsimSimdArgs& args) { return IntegerSsimOnLanes<HighwayLane, u16, i32>(args); }
double IntegerSsimOf16Bits(const IntegerSsimSimdArgs& args) {
  return IntegerSsimOnLanes<HighwayLane, u16, double>(args);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

std::size_t IntegerSsimSimdBytes(i32 width) {
  constexpr i64 kDoubles = 2 + 1 + kIntegerSsimMoments * kIntegerSsimTaps;
  constexpr i64 kWords = kIntegerSsimMoments;
  const i64 bytes = kDoubles * static_cast<i64>(sizeof(double)) + kWords * static_cast<i64>(sizeof(i32));
  return static_cast<std::size_t>(bytes * IntegerSsimSimdPitch(width));
}

IntegerSsimSimd ChooseIntegerSsimSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return LOCKSTEP_CHOOSE_SIMD(target, IntegerSsimOf8Bits);
  if (bit_depth <= 12) return LOCKSTEP_CHOOSE_SIMD(target, IntegerSsimOf12Bits);
  return LOCKSTEP_CHOOSE_SIMD(target, IntegerSsimOf16Bits);
}

}  // namespace lockstep
#endif
