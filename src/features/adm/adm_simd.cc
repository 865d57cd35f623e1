// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's sums on each target, the domain of the vector code, and its line buffers.
#include "features/adm/adm_simd.h"

#include <algorithm>

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/adm/adm_simd.cc"
#include <hwy/foreach_target.h>

#include "features/adm/adm_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
void AdmSums(const AdmSimdArgs& args) { AdmWalk<HighwayLane>(args).Run(); }
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {

template <class T>
T* AdmSimdBuffers::Take(i64 stride, i64 rows) {
  constexpr std::size_t kMargin = 256;
  const std::size_t start = used_ + kMargin;
  used_ = start + static_cast<std::size_t>(stride * rows) * sizeof(T) + kMargin;
  return memory_.size() == 0 ? nullptr : reinterpret_cast<T*>(memory_.data() + start);
}

void AdmSimdBuffers::Lay(const std::array<AdmAxis, kAdmScales>& columns) {
  for (std::size_t s = 0; s < kAdmScales; ++s) {
    AdmSimdLines& lines = scales_[s];
    // A pass may start anywhere and ends with a whole register, whose coefficients read twice as many columns. Strides
    // that are no multiple of a large power of two keep rows from competing for the same lines of the cache.
    const auto padded = [](i64 values) { return (values + 96 + 63) / 64 * 64 + 32; };
    lines.input_stride = padded(columns[s].inputs + 64);
    lines.stride = padded(columns[s].outputs);
    if (s < kAdmScales - 1) lines.low = Take<i16>(lines.stride, AdmSimdLines::kLowRows * 4);
    lines.vertical = Take<i16>(lines.input_stride, 8);
    if (s == 0) {
      lines.bands = Take<i16>(lines.stride, 6);
      lines.parts = Take<i16>(lines.stride, AdmSimdLines::kSubjectRows * 6);
    } else {
      lines.bands = Take<i32>(lines.stride, 6);
      lines.parts = Take<i32>(lines.stride, AdmSimdLines::kSubjectRows * 6);
      lines.weighted = Take<i32>(lines.stride, AdmSimdLines::kSubjectRows * 6);
    }
    lines.visible = Take<i32>(lines.stride, 3);
    lines.neighbours = Take<i32>(lines.stride, 2);
    lines.triples = Take<i32>(lines.stride, AdmSimdLines::kTripleRows * 2);
    lines.centres = Take<i32>(lines.stride, AdmSimdLines::kSubjectRows * 2);
  }
}

AdmSimdBuffers::AdmSimdBuffers(const std::array<AdmAxis, kAdmScales>& columns) {
  // The first pass adds up sizes, the second hands out addresses.
  Lay(columns);
  memory_.Resize(used_);
  used_ = 0;
  Lay(columns);
}

bool AdmSimdHolds(const AdmCsf& csf) {
  // Scale 0, with coefficients of at most 22930: a weighted magnitude stays below 30720, so that its neighbour term
  // does not wrap; a centre term wraps to -2^15 at least. What is visible is then below 2^30, and below 2^30.5 for d.
  if (csf.scales[0].fixed.hv > 43899 || csf.scales[0].fixed.d > 54516) return false;
  // Scales 1 … 3, with coefficients below 2^30.5 (the filters of all scales in a row add up to 1.45e9): weighted
  // magnitudes are not larger.
  return std::all_of(csf.scales.begin() + 1, csf.scales.end(),
                     [](const AdmCsf::Scale& scale) { return scale.fixed.hv < 1u << 28 && scale.fixed.d < 1u << 28; });
}

AdmSimd ChooseAdmSimd(CpuTarget target, const AdmPlan& plan) {
  return AdmSimdHolds(plan.csf) ? LOCKSTEP_CHOOSE_SIMD(target, AdmSums) : nullptr;
}

}  // namespace lockstep
#endif
