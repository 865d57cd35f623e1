// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes on each target.
#include "features/cambi/cambi_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/cambi/cambi_simd.cc"
#include <hwy/foreach_target.h>

#include "features/cambi/cambi_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void CambiFirstScale(const CambiFirstScaleArgs& args) {
  if (args.bit_depth == 8) {
    CambiFirstScaleOnLanes<HighwayLane, u8>(args);
  } else {
    CambiFirstScaleOnLanes<HighwayLane, u16>(args);
  }
}
void CambiNextScale(const CambiNextScaleArgs& args) { CambiNextScaleOnLanes<HighwayLane>(args); }
CambiTotal CambiContrasts(const CambiContrastArgs& args) { return CambiContrastsOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

CambiSimd ChooseCambiSimd(CpuTarget target) {
  return {LOCKSTEP_CHOOSE_SIMD(target, CambiFirstScale), LOCKSTEP_CHOOSE_SIMD(target, CambiNextScale),
          LOCKSTEP_CHOOSE_SIMD(target, CambiContrasts)};
}

}  // namespace lockstep
#endif
