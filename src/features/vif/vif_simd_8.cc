// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's scale 0 of 8-bit video on each target.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/vif/vif_simd_8.cc"
#include <hwy/foreach_target.h>

#include "features/vif/vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
VifSums VifScale0Of8Bits(const VifSimdArgs& args) {
  return VifScaleOnLanes<HighwayLane, VifSource::kBytes, 0, u8>(args);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

VifSimdScale ChooseVifSimdScale0Of8Bits(CpuTarget target) { return LOCKSTEP_CHOOSE_SIMD(target, VifScale0Of8Bits); }

}  // namespace lockstep
#endif
