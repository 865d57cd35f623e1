// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr's sums on each target, and their choice by bit depth.
#include "features/float_psnr/float_psnr_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_psnr/float_psnr_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_psnr/float_psnr_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
u64 FloatPsnrOf16Bits(const SquaredErrorSimdArgs& args) { return FloatPsnrOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SquaredErrorSimd ChooseFloatPsnrSimd(CpuTarget target, int bit_depth) {
  // Up to 12 bits binary32 does not round the square.
  if (bit_depth <= 12) return ChooseSquaredErrorSimd(target, bit_depth);
  return LOCKSTEP_CHOOSE_SIMD(target, FloatPsnrOf16Bits);
}

}  // namespace lockstep
#endif
