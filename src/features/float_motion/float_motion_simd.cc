// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's row chains on each target, and their choice by bit depth and filter.
#include "features/float_motion/float_motion_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_motion/float_motion_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_motion/float_motion_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void FloatMotion8Taps5(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u8, 5>(args); }
void FloatMotion8Taps3(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u8, 3>(args); }
void FloatMotion8Taps1(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u8, 1>(args); }
void FloatMotion16Taps5(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u16, 5>(args); }
void FloatMotion16Taps3(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u16, 3>(args); }
void FloatMotion16Taps1(const FloatMotionSimdArgs& args) { FloatMotionOnLanes<HighwayLane, u16, 1>(args); }
void FloatMotionStored(const FloatMotionStoredArgs& args) { FloatMotionStoredOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatMotionSimd ChooseFloatMotionSimd(CpuTarget target, int bit_depth, int tap_count, i64 samples) {
  const bool four_lanes = target == CpuTarget::kSse4 || target == CpuTarget::kNeon;
  if (four_lanes && samples < kFloatMotionStoredSamples) return nullptr;
  if (bit_depth == 8) {
    if (tap_count == 1) return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion8Taps1);
    if (tap_count == 3) return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion8Taps3);
    return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion8Taps5);
  }
  if (tap_count == 1) return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion16Taps1);
  if (tap_count == 3) return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion16Taps3);
  return LOCKSTEP_CHOOSE_SIMD(target, FloatMotion16Taps5);
}

FloatMotionStoredSimd ChooseFloatMotionStoredSimd(CpuTarget target) {
  return LOCKSTEP_CHOOSE_SIMD(target, FloatMotionStored);
}

}  // namespace lockstep
#endif
