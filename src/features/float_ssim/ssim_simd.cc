// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim's vector code on each target.
#include "features/float_ssim/ssim_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_ssim/ssim_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_ssim/ssim_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
SsimSums SsimStatisticTarget(const SsimStatisticArgs& args) { return SsimStatisticOnLanes<HighwayLane>(args); }
void SsimBoxDecimateTarget(const SsimDecimateArgs& args) { SsimBoxDecimateOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SsimStatisticFunction ChooseSsimStatistic(CpuTarget target) {
  const SsimStatisticFunction function = LOCKSTEP_CHOOSE_SIMD(target, SsimStatisticTarget);
  return function != nullptr ? function : SsimStatistic;
}

SsimDecimateFunction ChooseSsimBoxDecimate(CpuTarget target, i32 factor) {
  const SsimDecimateFunction function = LOCKSTEP_CHOOSE_SIMD(target, SsimBoxDecimateTarget);
  return function != nullptr && factor <= kSsimExactFactor ? function : SsimDecimate;
}

}  // namespace lockstep
#endif
