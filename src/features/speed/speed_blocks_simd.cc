// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's algebra on each target.
#include "features/speed/speed_blocks_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/speed/speed_blocks_simd.cc"
#include <hwy/foreach_target.h>

#include "features/speed/speed_blocks_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
bool SpeedBlocksSimd(const SpeedBlocksArgs& args) { return SpeedBlocksOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SpeedBlocksFunction ChooseSpeedBlocks(CpuTarget target) {
  const SpeedBlocksFunction simd = LOCKSTEP_CHOOSE_SIMD(target, SpeedBlocksSimd);
  return simd == nullptr ? &SpeedBlocks : simd;
}

}  // namespace lockstep
#endif
