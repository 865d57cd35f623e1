// SPDX-License-Identifier: BSD-2-Clause-Patent
// Float VIF: local moments, and the information that a pixel of the reference holds and the distorted one keeps, in
// binary32 and binary64 steps whose order is fixed.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

inline constexpr i32 kFloatVifScales = 4;

/// The largest filter, of vif_kernelscale 360/97 at scale 0.
inline constexpr i32 kFloatVifMaximumTaps = 65;

/// Filtered samples, squares and products around a position.
struct FloatVifMoments {
  float mean_reference = 0.0f;
  float mean_distorted = 0.0f;
  float square_reference = 0.0f;
  float square_distorted = 0.0f;
  float product = 0.0f;
};

/// One step down a column. Squares are rounded before they are weighted.
LOCKSTEP_KERNEL void FloatVifAddSamples(FloatVifMoments& sums, float tap, float reference, float distorted) {
  sums.mean_reference = sums.mean_reference + tap * reference;
  sums.mean_distorted = sums.mean_distorted + tap * distorted;
  sums.square_reference = sums.square_reference + tap * (reference * reference);
  sums.square_distorted = sums.square_distorted + tap * (distorted * distorted);
  sums.product = sums.product + tap * (reference * distorted);
}

/// One step along a row of vertically filtered moments.
LOCKSTEP_KERNEL void FloatVifAddMoments(FloatVifMoments& sums, float tap, const FloatVifMoments& column) {
  sums.mean_reference = sums.mean_reference + tap * column.mean_reference;
  sums.mean_distorted = sums.mean_distorted + tap * column.mean_distorted;
  sums.square_reference = sums.square_reference + tap * column.square_reference;
  sums.square_distorted = sums.square_distorted + tap * column.square_distorted;
  sums.product = sums.product + tap * column.product;
}

/// The reference's polynomial of log2(1 + t), 0 <= t < 1, from the highest power down. It also begins with a product
/// with zero and ends with adding zero; both could only change the sign of a zero, which no sum shows.
inline constexpr float kFloatVifLogCoefficients[8] = {-0.012671635276421f, 0.064841182402670f,  -0.157048836463065f,
                                                      0.257167726303123f,  -0.353800560300520f, 0.480131410397451f,
                                                      -0.721314327952201f, 1.442694803896991f};

/// The reference's substitute for log2.
/// in      x >= 1, infinity, or NaN: that of 0 / 0, whose bits count like those of a number
LOCKSTEP_KERNEL float FloatVifLog2(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  // Devices have other bits for it.
  if (x != x) bits = 0x7fc00000u;
  const i32 exponent = static_cast<i32>((bits >> 23) & 0xffu) - 127;
  const u32 mantissa_bits = (bits & 0x7fffffu) | 0x3f800000u;
  float mantissa;
  __builtin_memcpy(&mantissa, &mantissa_bits, sizeof(mantissa));
  const float t = mantissa - 1.0f;
  float value = kFloatVifLogCoefficients[0];
  LOCKSTEP_UNROLL
  for (i32 i = 1; i < 8; ++i) value = value * t + kFloatVifLogCoefficients[i];
  return static_cast<float>(exponent) + value * t;
}

struct FloatVifSettings {
  double noise;      // vif_sigma_nsq
  float flat_slope;  // of the numerator where the reference is flat, per squared step of the distorted picture
  float gain_limit;
};

/// in      noise: vif_sigma_nsq
LOCKSTEP_KERNEL float FloatVifFlatSlope(double noise) {
  const float rounded = static_cast<float>(noise);
  return static_cast<float>(static_cast<double>(rounded * rounded) / 65025.0);
}

struct FloatVifTerms {
  float numerator;
  float denominator;
};

inline constexpr float kFloatVifEpsilon = 1.0e-10f;

/// What one pixel adds to the sums of its scale.
/// exact   binary32, and binary64 where the noise takes part
/// source  spec float_vif.md, Per-pixel statistic
LOCKSTEP_KERNEL FloatVifTerms FloatVifPixel(const FloatVifMoments& moments, const FloatVifSettings& settings) {
  const float reference_mean = moments.mean_reference;
  const float distorted_mean = moments.mean_distorted;
  float reference = moments.square_reference - reference_mean * reference_mean;
  float distorted = moments.square_distorted - distorted_mean * distorted_mean;
  const float covariance = moments.product - reference_mean * distorted_mean;
  reference = reference > 0.0f ? reference : 0.0f;
  distorted = distorted > 0.0f ? distorted : 0.0f;
  float gain = covariance / (reference + kFloatVifEpsilon);
  float residual = distorted - gain * covariance;
  if (reference < kFloatVifEpsilon) {
    gain = 0.0f;
    residual = distorted;
    reference = 0.0f;
  }
  if (distorted < kFloatVifEpsilon) {
    gain = 0.0f;
    residual = 0.0f;
  }
  if (gain < 0.0f) {
    residual = distorted;
    gain = 0.0f;
  }
  residual = residual > kFloatVifEpsilon ? residual : kFloatVifEpsilon;
  gain = gain < settings.gain_limit ? gain : settings.gain_limit;
  // Below the noise the logarithms are not used.
  if (static_cast<double>(reference) < settings.noise) return {1.0f - distorted * settings.flat_slope, 1.0f};
  const double kept = static_cast<double>((gain * gain) * reference) / (static_cast<double>(residual) + settings.noise);
  const double held = static_cast<double>(reference) / settings.noise;
  const float numerator = covariance < 0.0f ? 0.0f : FloatVifLog2(static_cast<float>(1.0 + kept));
  return {numerator, FloatVifLog2(static_cast<float>(1.0 + held))};
}

}  // namespace lockstep
