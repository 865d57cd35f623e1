// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's scales 1 … 3 on each target, and the choice of all four.
#include "features/vif/vif_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/vif/vif_simd.cc"
#include <hwy/foreach_target.h>

#include "features/vif/vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
VifSums VifScale1(const VifSimdArgs& args) { return VifScaleOnLanes<HighwayLane, VifSource::kScaled, 1, u16>(args); }
VifSums VifScale2(const VifSimdArgs& args) { return VifScaleOnLanes<HighwayLane, VifSource::kScaled, 2, u16>(args); }
VifSums VifScale3(const VifSimdArgs& args) { return VifScaleOnLanes<HighwayLane, VifSource::kScaled, 3, u16>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

VifSimd ChooseVifSimd(CpuTarget target, int bit_depth) {
  return {{bit_depth == 8 ? ChooseVifSimdScale0Of8Bits(target) : ChooseVifSimdScale0Of16Bits(target),
           LOCKSTEP_CHOOSE_SIMD(target, VifScale1), LOCKSTEP_CHOOSE_SIMD(target, VifScale2),
           LOCKSTEP_CHOOSE_SIMD(target, VifScale3)}};
}

}  // namespace lockstep
#endif
