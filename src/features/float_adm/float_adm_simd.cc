// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm's passes on each target, and their choice.
#include "features/float_adm/float_adm_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/float_adm/float_adm_simd.cc"
#include <hwy/foreach_target.h>

#include "features/float_adm/float_adm_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void FloatAdmWaveletOfBytes(const FloatAdmWaveletArgs& args) { FloatAdmWaveletOnLanes<HighwayLane, u8>(args); }
void FloatAdmWaveletOfWords(const FloatAdmWaveletArgs& args) { FloatAdmWaveletOnLanes<HighwayLane, u16>(args); }
void FloatAdmWaveletOfFloats(const FloatAdmWaveletArgs& args) { FloatAdmWaveletOnLanes<HighwayLane, float>(args); }
void FloatAdmDecoupleNarrow(const FloatAdmDecoupleArgs& args) { FloatAdmDecoupleOnLanes<HighwayLane, true>(args); }
void FloatAdmDecoupleWide(const FloatAdmDecoupleArgs& args) { FloatAdmDecoupleOnLanes<HighwayLane, false>(args); }
void FloatAdmPowerRow(float* terms, AdmRange columns, float exponent) {
  FloatAdmPowerPass<HighwayLane>(terms, columns, exponent);
}
void FloatAdmMaskRows(const FloatAdmMaskArgs& args) { FloatAdmMaskOnLanes<HighwayLane>(args); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

FloatAdmPasses ChooseFloatAdmPasses(CpuTarget target, double gain_limit) {
  const FloatAdmMask mask = LOCKSTEP_CHOOSE_SIMD(target, FloatAdmMaskRows);
  if (mask == nullptr) return ScalarFloatAdmPasses();
  const bool narrow = static_cast<double>(static_cast<float>(gain_limit)) == gain_limit;
  return {LOCKSTEP_CHOOSE_SIMD(target, FloatAdmWaveletOfBytes),
          LOCKSTEP_CHOOSE_SIMD(target, FloatAdmWaveletOfWords),
          LOCKSTEP_CHOOSE_SIMD(target, FloatAdmWaveletOfFloats),
          narrow ? LOCKSTEP_CHOOSE_SIMD(target, FloatAdmDecoupleNarrow)
                 : LOCKSTEP_CHOOSE_SIMD(target, FloatAdmDecoupleWide),
          mask,
          LOCKSTEP_CHOOSE_SIMD(target, FloatAdmPowerRow)};
}

}  // namespace lockstep
#endif
