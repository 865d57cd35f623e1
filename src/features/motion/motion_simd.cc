// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion's sums on each target, and their choice by bit depth.
#include "features/motion/motion_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/motion/motion_simd.cc"
#include <hwy/foreach_target.h>

#include "features/motion/motion_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
u64 MotionOf8Bits(const MotionSimdArgs& args) { return MotionOnLanes<HighwayLane, u8, false>(args); }
u64 MotionOf15Bits(const MotionSimdArgs& args) { return MotionOnLanes<HighwayLane, u16, false>(args); }
u64 MotionOf16Bits(const MotionSimdArgs& args) { return MotionOnLanes<HighwayLane, u16, true>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

MotionSimd ChooseMotionSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return LOCKSTEP_CHOOSE_SIMD(target, MotionOf8Bits);
  if (bit_depth < 16) return LOCKSTEP_CHOOSE_SIMD(target, MotionOf15Bits);
  return LOCKSTEP_CHOOSE_SIMD(target, MotionOf16Bits);
}

}  // namespace lockstep
#endif
