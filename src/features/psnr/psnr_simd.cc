// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of squared differences on each target, and their choice by bit depth.
#include "features/psnr/psnr_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr/psnr_simd.cc"
#include <hwy/foreach_target.h>

#include "features/psnr/psnr_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
u64 SquaredErrorOf8Bits(const SquaredErrorSimdArgs& args) { return SquaredErrorOnLanes<HighwayLane, 8, u8>(args); }
u64 SquaredErrorOf12Bits(const SquaredErrorSimdArgs& args) { return SquaredErrorOnLanes<HighwayLane, 12, u16>(args); }
u64 SquaredErrorOf16Bits(const SquaredErrorSimdArgs& args) { return SquaredErrorOnLanes<HighwayLane, 16, u16>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SquaredErrorSimd ChooseSquaredErrorSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return LOCKSTEP_CHOOSE_SIMD(target, SquaredErrorOf8Bits);
  if (bit_depth <= 12) return LOCKSTEP_CHOOSE_SIMD(target, SquaredErrorOf12Bits);
  return LOCKSTEP_CHOOSE_SIMD(target, SquaredErrorOf16Bits);
}

}  // namespace lockstep
#endif
