// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr's row chains on each target, and their choice by bit depth.
#include "features/float_ansnr/float_ansnr_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_ansnr/float_ansnr_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_ansnr/float_ansnr_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
FloatAnsnrSums FloatAnsnrOf8Bits(const FloatAnsnrSimdArgs& args) { return FloatAnsnrOnLanes<HighwayLane, u8>(args); }
FloatAnsnrSums FloatAnsnrOf16Bits(const FloatAnsnrSimdArgs& args) { return FloatAnsnrOnLanes<HighwayLane, u16>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

std::size_t FloatAnsnrSimdBytes(i32 width) {
  constexpr i64 kTerms = 2 * kFloatAnsnrSimdRows * kFloatAnsnrSimdStrip;
  constexpr i64 kRows = 2 * (kFloatAnsnrSimdRows + 4);
  return static_cast<std::size_t>(kTerms + kRows * FloatAnsnrSimdPitch(width)) * sizeof(float);
}

FloatAnsnrSimd ChooseFloatAnsnrSimd(CpuTarget target, int bit_depth) {
  return bit_depth == 8 ? LOCKSTEP_CHOOSE_SIMD(target, FloatAnsnrOf8Bits)
                        : LOCKSTEP_CHOOSE_SIMD(target, FloatAnsnrOf16Bits);
}

}  // namespace lockstep
#endif
