// SPDX-License-Identifier: BSD-2-Clause-Patent
// Float ADM, coefficient by coefficient: wavelet, decoupling, contrast sensitivity and masking, in binary32 and
// binary64 steps whose order is fixed.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

inline constexpr i32 kFloatAdmBands = 3;  // h, v, d

/// Daubechies' filters of four taps.
inline constexpr float kFloatAdmLow[4] = {0.482962913144690f, 0.836516303737469f, 0.224143868041857f,
                                          -0.129409522550921f};
inline constexpr float kFloatAdmHigh[4] = {-0.129409522550921f, -0.224143868041857f, 0.836516303737469f,
                                           -0.482962913144690f};

/// exact   Products rounded, sums left to right. The reference begins with adding zero, which could only turn -0 into
///         +0; no later step tells these apart.
LOCKSTEP_KERNEL float FloatAdmFilter(const float (&taps)[4], float a, float b, float c, float d) {
  return taps[0] * a + taps[1] * b + taps[2] * c + taps[3] * d;
}

/// 1 / x as the reference has it on the processors of its goldens: an estimate of 12 bits and one Newton step. The
/// estimate is round(8192 / m) / 8192 for the middle m of the 2^-11 wide interval in which x's mantissa lies, computed
/// here in integers, so that it is the same everywhere.
/// in      2^-126 <= |x| < 2^126
/// source  spec float_adm.md, Division
LOCKSTEP_KERNEL float FloatAdmReciprocal(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const u32 divisor = 4097u + 2u * ((bits >> 12) & 0x7ffu);
  const u32 quotient = ((1u << 26) + divisor) / (2u * divisor);
  const float mantissa = static_cast<float>(quotient);
  // Its exponent less 13 and that of x. No carry or borrow: the result's exponent is between -126 and 126.
  u32 estimate_bits;
  __builtin_memcpy(&estimate_bits, &mantissa, sizeof(estimate_bits));
  estimate_bits = (estimate_bits - ((((bits >> 23) & 0xffu) - 127u + 13u) << 23)) | (bits & 0x80000000u);
  float estimate;
  __builtin_memcpy(&estimate, &estimate_bits, sizeof(estimate));
  return estimate + estimate * (1.0f - x * estimate);
}

/// The squared cosine of one degree.
inline constexpr float kFloatAdmSquaredCosine = 0x1.ffd814p-1f;

/// Whether gradients of reference and distorted picture point the same way to within a degree.
LOCKSTEP_KERNEL bool FloatAdmAligned(float reference_h, float reference_v, float distorted_h, float distorted_v) {
  const float dot = reference_h * distorted_h + reference_v * distorted_v;
  const float reference = reference_h * reference_h + reference_v * reference_v;
  const float distorted = distorted_h * distorted_h + distorted_v * distorted_v;
  return dot >= 0.0f && dot * dot >= (kFloatAdmSquaredCosine * reference) * distorted;
}

/// What the distorted picture keeps of a coefficient.
/// in      gain_limit: adm_enhn_gain_limit
LOCKSTEP_KERNEL float FloatAdmRestored(float reference, float distorted, bool aligned, double gain_limit) {
  float share = distorted * FloatAdmReciprocal(reference + 1e-30f);
  share = share < 0.0f ? 0.0f : share;
  share = share > 1.0f ? 1.0f : share;
  const float restored = share * reference;
  if (!aligned || restored == 0.0f) return restored;
  const double enhanced = static_cast<double>(restored) * gain_limit;
  const auto limit = static_cast<double>(distorted);
  const bool below = restored > 0.0f ? enhanced < limit : enhanced > limit;
  return static_cast<float>(below ? enhanced : limit);
}

/// A neighbour's share of the masking threshold.
/// in      magnitude of a weighted coefficient
LOCKSTEP_KERNEL float FloatAdmNeighbourMask(float magnitude) {
  return static_cast<float>(0.0333333351 * static_cast<double>(magnitude));
}

/// Adds the masked coefficient's own share.
LOCKSTEP_KERNEL float FloatAdmAddCentre(float sum, float magnitude) {
  return static_cast<float>(static_cast<double>(sum) + 0.0666666701 * static_cast<double>(magnitude));
}

/// A band's share of the threshold at column x.
/// in      upper, middle, lower: rows of FloatAdmNeighbourMask(); magnitude: of the coefficient itself
LOCKSTEP_KERNEL float FloatAdmBandMask(const float* upper, const float* middle, const float* lower, float magnitude,
                                       i32 x) {
  float sum = ((upper[x - 1] + upper[x]) + upper[x + 1]) + middle[x - 1];
  sum = FloatAdmAddCentre(sum, magnitude);
  return (((sum + middle[x + 1]) + lower[x - 1]) + lower[x]) + lower[x + 1];
}

LOCKSTEP_KERNEL float FloatAdmCube(float value) { return (value * value) * value; }

/// What masking leaves of a magnitude.
LOCKSTEP_KERNEL float FloatAdmUnmasked(float magnitude, float threshold) {
  const float above = magnitude - threshold;
  return above < 0.0f ? 0.0f : above;
}

}  // namespace lockstep
