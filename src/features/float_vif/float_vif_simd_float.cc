// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif's passes over binary32 samples on each target.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_vif/float_vif_simd_float.cc"
#include <hwy/foreach_target.h>

#include "features/float_vif/float_vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void FloatVifSumOfFloats(const FloatVifSumArgs& args) { FloatVifSumOnLanes<HighwayLane, float>(args); }
void FloatVifHalveOfFloats(const FloatVifHalveArgs& args) { FloatVifHalveOnLanes<HighwayLane, float>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatVifSum ChooseFloatVifSumOfFloats(CpuTarget target) { return LOCKSTEP_CHOOSE_SIMD(target, FloatVifSumOfFloats); }
FloatVifHalve ChooseFloatVifHalveOfFloats(CpuTarget target) {
  return LOCKSTEP_CHOOSE_SIMD(target, FloatVifHalveOfFloats);
}

}  // namespace lockstep
#endif
