// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over the blocks of xpsnr on each target, and their choice by bit depth.
#include "features/xpsnr/xpsnr_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/xpsnr/xpsnr_simd.cc"
#include <hwy/foreach_target.h>

#include "features/xpsnr/xpsnr_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
XpsnrBlockSums XpsnrBlock8(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  return XpsnrBlockOnLanes<HighwayLane, 8, u8>(pictures, block);
}
XpsnrBlockSums XpsnrBlock12(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  return XpsnrBlockOnLanes<HighwayLane, 12, u16>(pictures, block);
}
XpsnrBlockSums XpsnrBlock16(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  return XpsnrBlockOnLanes<HighwayLane, 16, u16>(pictures, block);
}
u64 XpsnrError8(const XpsnrPlane& reference, const XpsnrPlane& distorted, const XpsnrBlock& block) {
  return XpsnrErrorOnLanes<HighwayLane, 8, u8>(reference, distorted, block);
}
u64 XpsnrError12(const XpsnrPlane& reference, const XpsnrPlane& distorted, const XpsnrBlock& block) {
  return XpsnrErrorOnLanes<HighwayLane, 12, u16>(reference, distorted, block);
}
u64 XpsnrError16(const XpsnrPlane& reference, const XpsnrPlane& distorted, const XpsnrBlock& block) {
  return XpsnrErrorOnLanes<HighwayLane, 16, u16>(reference, distorted, block);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

XpsnrSimd ChooseXpsnrSimd(CpuTarget target, int bit_depth) {
  if (bit_depth == 8) return {LOCKSTEP_CHOOSE_SIMD(target, XpsnrBlock8), LOCKSTEP_CHOOSE_SIMD(target, XpsnrError8)};
  if (bit_depth <= 12) {
    return {LOCKSTEP_CHOOSE_SIMD(target, XpsnrBlock12), LOCKSTEP_CHOOSE_SIMD(target, XpsnrError12)};
  }
  return {LOCKSTEP_CHOOSE_SIMD(target, XpsnrBlock16), LOCKSTEP_CHOOSE_SIMD(target, XpsnrError16)};
}

}  // namespace lockstep
#endif
