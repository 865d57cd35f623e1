// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif's passes over 9- to 16-bit samples on each target.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_vif/float_vif_simd_16.cc"
#include <hwy/foreach_target.h>

#include "features/float_vif/float_vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void FloatVifSumOfWords(const FloatVifSumArgs& args) { FloatVifSumOnLanes<HighwayLane, u16>(args); }
void FloatVifHalveOfWords(const FloatVifHalveArgs& args) { FloatVifHalveOnLanes<HighwayLane, u16>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatVifSum ChooseFloatVifSumOfWords(CpuTarget target) { return LOCKSTEP_CHOOSE_SIMD(target, FloatVifSumOfWords); }
FloatVifHalve ChooseFloatVifHalveOfWords(CpuTarget target) {
  return LOCKSTEP_CHOOSE_SIMD(target, FloatVifHalveOfWords);
}

}  // namespace lockstep
#endif
