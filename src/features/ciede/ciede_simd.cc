// SPDX-License-Identifier: BSD-2-Clause-Patent
// CIEDE2000 of rows on each target.
#include "features/ciede/ciede_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ciede/ciede_simd.cc"
#include <hwy/foreach_target.h>

#include "features/ciede/ciede_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void CiedeRowDifferences(const CiedeRowArgs& args) { CiedeOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

CiedeSimd ChooseCiedeSimd(CpuTarget target) { return LOCKSTEP_CHOOSE_SIMD(target, CiedeRowDifferences); }

}  // namespace lockstep
#endif
