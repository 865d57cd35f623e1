// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment's sums on each target, and their choice by bit depth.
#include "features/float_moment/float_moment_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_moment/float_moment_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_moment/float_moment_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
FloatMomentSums FloatMomentOf8Bits(const FloatMomentSimdArgs& args) {
  return FloatMomentOnLanes<HighwayLane, 8, u8>(args);
}
FloatMomentSums FloatMomentOf12Bits(const FloatMomentSimdArgs& args) {
  return FloatMomentOnLanes<HighwayLane, 12, u16>(args);
}
FloatMomentSums FloatMomentOf16Bits(const FloatMomentSimdArgs& args) {
  return FloatMomentOnLanes<HighwayLane, 16, u16>(args);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatMomentSimd ChooseFloatMomentSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return LOCKSTEP_CHOOSE_SIMD(target, FloatMomentOf8Bits);
  if (bit_depth <= 12) return LOCKSTEP_CHOOSE_SIMD(target, FloatMomentOf12Bits);
  return LOCKSTEP_CHOOSE_SIMD(target, FloatMomentOf16Bits);
}

}  // namespace lockstep
#endif
