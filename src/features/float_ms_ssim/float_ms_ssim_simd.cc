// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ms_ssim's halving on each target.
#include "features/float_ms_ssim/float_ms_ssim_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_ms_ssim/float_ms_ssim_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_ms_ssim/float_ms_ssim_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void MsSsimHalve(const SsimDecimateArgs& args) { MsSsimHalveOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

SsimDecimateFunction ChooseMsSsimHalve(CpuTarget target) {
  const SsimDecimateFunction function = LOCKSTEP_CHOOSE_SIMD(target, MsSsimHalve);
  return function != nullptr ? function : SsimDecimate;
}

}  // namespace lockstep
#endif
