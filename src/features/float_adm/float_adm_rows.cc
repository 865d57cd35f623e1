// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm's passes in scalar code.
#include "features/float_adm/float_adm_rows.h"

#include <algorithm>
#include <type_traits>

#include "exact/elementary.h"
#include "features/float_motion/float_motion_arithmetic.h"

namespace lockstep {
namespace {

template <class Sample>
float InputOf(Sample sample, float inverse_scaler) {
  if constexpr (std::is_same_v<Sample, float>) {
    return sample;
  } else {
    return FloatMotionSample(sample, inverse_scaler);
  }
}

template <class Sample>
void WaveletRow(const FloatAdmWaveletArgs& args) {
  const auto row = [&](int tap) { return static_cast<const Sample*>(args.rows[tap]); };
  const auto split = [](const FloatAdmSplitRow& r, i32 x) {
    float* const half = x % 2 == 0 ? r.even : r.odd;
    return half + x / 2;
  };
  const i32 first = std::max(2 * args.columns.begin - 1, 0);
  const i32 last = std::min(2 * args.columns.end + 1, args.inputs);
  for (i32 x = first; x < last; ++x) {
    float samples[4];
    for (int tap = 0; tap < 4; ++tap) samples[tap] = InputOf(row(tap)[x], args.inverse_scaler);
    *split(args.low, x) = FloatAdmFilter(kFloatAdmLow, samples[0], samples[1], samples[2], samples[3]);
    *split(args.high, x) = FloatAdmFilter(kFloatAdmHigh, samples[0], samples[1], samples[2], samples[3]);
  }
  FloatAdmMirrorSplitRow(args.low, args.inputs, args.outputs);
  FloatAdmMirrorSplitRow(args.high, args.inputs, args.outputs);
  const auto filter = [](const float(&taps)[4], const FloatAdmSplitRow& r, i32 x) {
    return FloatAdmFilter(taps, r.odd[x - 1], r.even[x], r.odd[x], r.even[x + 1]);
  };
  for (i32 x = args.columns.begin; x < args.columns.end; ++x) {
    if (args.low_band != nullptr) args.low_band[x] = filter(kFloatAdmLow, args.low, x);
    if (args.details[0] == nullptr) continue;
    args.details[0][x] = filter(kFloatAdmLow, args.high, x);
    args.details[1][x] = filter(kFloatAdmHigh, args.low, x);
    args.details[2][x] = filter(kFloatAdmHigh, args.high, x);
  }
}

float Weighted(float factor, float coefficient) { return __builtin_fabsf(factor * coefficient); }

void DecoupleRow(const FloatAdmDecoupleArgs& args) {
  for (i32 x = args.columns.begin; x < args.columns.end; ++x) {
    const bool aligned =
        FloatAdmAligned(args.reference[0][x], args.reference[1][x], args.distorted[0][x], args.distorted[1][x]);
    for (int band = 0; band < kFloatAdmBands; ++band) {
      const float reference = args.reference[band][x];
      const float distorted = args.distorted[band][x];
      const float factor = args.factors[band];
      const float restored = FloatAdmRestored(reference, distorted, aligned, args.gain_limit);
      const float kept = Weighted(factor, restored);
      const float added = Weighted(factor, distorted - restored);
      args.restored.magnitude[band][x] = kept;
      args.restored.mask[band][x] = FloatAdmNeighbourMask(kept);
      args.impaired.magnitude[band][x] = added;
      args.impaired.mask[band][x] = FloatAdmNeighbourMask(added);
      const float whole = Weighted(factor, reference);
      args.terms[band][x] = args.cubed ? FloatAdmCube(whole) : whole;
    }
  }
}

void MaskRow(const FloatAdmMaskArgs& args) {
  for (const FloatAdmMasking& pass : args.passes) {
    for (i32 x = args.columns.begin; x < args.columns.end; ++x) {
      float threshold = 0.0f;
      for (int band = 0; band < kFloatAdmBands && !args.bypass; ++band) {
        const float* const* masks = pass.masks[band];
        threshold = threshold + FloatAdmBandMask(masks[0], masks[1], masks[2], pass.maskers[band][x], x);
      }
      for (int band = 0; band < kFloatAdmBands; ++band) {
        const float left = FloatAdmUnmasked(pass.masked[band][x], threshold);
        pass.terms[band][x] = args.cubed ? FloatAdmCube(left) : left;
      }
    }
  }
}

void PowerRow(float* terms, AdmRange columns, float exponent) {
  for (i32 x = columns.begin; x < columns.end; ++x) terms[x] = exact::Powf(terms[x], exponent);
}

}  // namespace

FloatAdmPasses ScalarFloatAdmPasses() {
  return {WaveletRow<u8>, WaveletRow<u16>, WaveletRow<float>, DecoupleRow, MaskRow, PowerRow};
}

}  // namespace lockstep
