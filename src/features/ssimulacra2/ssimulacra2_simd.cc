// SPDX-License-Identifier: BSD-2-Clause-Patent
// The strips of ssimulacra2 on each target, and their choice by bit depth.
#include "features/ssimulacra2/ssimulacra2_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ssimulacra2/ssimulacra2_simd.cc"
#include <hwy/foreach_target.h>

#include "features/ssimulacra2/ssimulacra2_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void Ssimulacra2First8(const Ssimulacra2StripArgs& args, Ssimulacra2StripSums& sums) {
  Ssimulacra2StripRun<Ssimulacra2LaneRows<HighwayLane, u8>>(args, true).Run(sums);
}
void Ssimulacra2First16(const Ssimulacra2StripArgs& args, Ssimulacra2StripSums& sums) {
  Ssimulacra2StripRun<Ssimulacra2LaneRows<HighwayLane, u16>>(args, true).Run(sums);
}
void Ssimulacra2Other(const Ssimulacra2StripArgs& args, Ssimulacra2StripSums& sums) {
  Ssimulacra2StripRun<Ssimulacra2LaneRows<HighwayLane, u8>>(args, false).Run(sums);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

Ssimulacra2Functions ChooseSsimulacra2Simd(CpuTarget target, int bit_depth) {
  const Ssimulacra2StripFunction first = bit_depth == 8 ? LOCKSTEP_CHOOSE_SIMD(target, Ssimulacra2First8)
                                                        : LOCKSTEP_CHOOSE_SIMD(target, Ssimulacra2First16);
  return {first, LOCKSTEP_CHOOSE_SIMD(target, Ssimulacra2Other)};
}

}  // namespace lockstep
#endif
