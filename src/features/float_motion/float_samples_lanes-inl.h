// SPDX-License-Identifier: BSD-2-Clause-Patent
// Samples as the metrics in binary32 take them, on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_SAMPLES_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_SAMPLES_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_SAMPLES_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_MOTION_FLOAT_SAMPLES_LANES_INL_H_
#endif

#include <type_traits>

#include "base/kernel_prelude.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// FloatMotionSample(), or the floats that are there.
template <class L, class Sample>
LOCKSTEP_LANE_INLINE typename L::F32 FloatSamples(const Sample* samples, float inverse_scaler) {
  if constexpr (std::is_same_v<Sample, float>) {
    return L::Load(samples);
  } else {
    auto values = L::ToF(L::Load32(samples));
    if constexpr (!std::is_same_v<Sample, u8>) values = L::MulF(values, L::SetF(inverse_scaler));
    return L::AddF(values, L::SetF(-128.0f));
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
