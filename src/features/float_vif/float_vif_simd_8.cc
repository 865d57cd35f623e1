// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif's passes over 8-bit samples on each target.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_vif/float_vif_simd_8.cc"
#include <hwy/foreach_target.h>

#include "features/float_vif/float_vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void FloatVifSumOfBytes(const FloatVifSumArgs& args) { FloatVifSumOnLanes<HighwayLane, u8>(args); }
void FloatVifHalveOfBytes(const FloatVifHalveArgs& args) { FloatVifHalveOnLanes<HighwayLane, u8>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatVifSum ChooseFloatVifSumOfBytes(CpuTarget target) { return LOCKSTEP_CHOOSE_SIMD(target, FloatVifSumOfBytes); }
FloatVifHalve ChooseFloatVifHalveOfBytes(CpuTarget target) {
  return LOCKSTEP_CHOOSE_SIMD(target, FloatVifHalveOfBytes);
}

}  // namespace lockstep
#endif
