// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs of planes on each target, and their choice by bit depth.
#include "features/psnr_hvs/psnr_hvs_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/psnr_hvs/psnr_hvs_simd.cc"
#include <hwy/foreach_target.h>

#include "features/psnr_hvs/psnr_hvs_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
float PsnrHvsOf8Bits(const PsnrHvsSimdArgs& args) { return PsnrHvsOnLanes<HighwayLane, u8>(args); }
float PsnrHvsOf16Bits(const PsnrHvsSimdArgs& args) { return PsnrHvsOnLanes<HighwayLane, u16>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

PsnrHvsSimd ChoosePsnrHvsSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return LOCKSTEP_CHOOSE_SIMD(target, PsnrHvsOf8Bits);
  return LOCKSTEP_CHOOSE_SIMD(target, PsnrHvsOf16Bits);
}

}  // namespace lockstep
#endif
