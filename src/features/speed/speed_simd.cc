// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's filters and covariances on each target, and their choice by bit depth.
#include "features/speed/speed_simd.h"

#include "features/speed/speed_blocks_simd.h"
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/speed/speed_simd.cc"
#include <hwy/foreach_target.h>

#include "features/speed/speed_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void SpeedLowPass8(const SpeedLowPassArgs& args) { SpeedLowPassOnLanes<HighwayLane, u8>(args); }
void SpeedLowPass16(const SpeedLowPassArgs& args) { SpeedLowPassOnLanes<HighwayLane, u16>(args); }
void SpeedResize(const SpeedResizeArgs& args) { SpeedResizeOnLanes<HighwayLane>(args); }
void SpeedLocalMean(const SpeedLocalMeanArgs& args) { SpeedLocalMeanOnLanes<HighwayLane>(args); }
void SpeedCovariancesSimd(const SpeedCovarianceArgs& args) { SpeedCovariancesOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SpeedSimd ChooseSpeedSimd(CpuTarget target, int bit_depth) {
  SpeedSimd simd;
  simd.low_pass = bit_depth == 8 ? LOCKSTEP_CHOOSE_SIMD(target, SpeedLowPass8)  //
                                 : LOCKSTEP_CHOOSE_SIMD(target, SpeedLowPass16);
  simd.resize = LOCKSTEP_CHOOSE_SIMD(target, SpeedResize);
  simd.local_mean = LOCKSTEP_CHOOSE_SIMD(target, SpeedLocalMean);
  simd.covariances = LOCKSTEP_CHOOSE_SIMD(target, SpeedCovariancesSimd);
  simd.blocks = ChooseSpeedBlocks(target);
  return simd;
}

}  // namespace lockstep
#endif
