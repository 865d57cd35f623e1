// SPDX-License-Identifier: BSD-2-Clause-Patent
// The structural similarity of float_ssim and float_ms_ssim: window, decimation, and what one pixel adds to the means.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Taps of the window, in either direction, and by how much it makes a picture smaller.
inline constexpr i32 kSsimTaps = 11;
inline constexpr i32 kSsimBorder = kSsimTaps - 1;
inline constexpr float kSsimWindow[kSsimTaps] = {0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
                                                 0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f};

/// Planes that are filtered: reference, distorted, their squares, their product.
inline constexpr i32 kSsimPlanes = 5;

inline constexpr float kSsimC1 = (0.01f * 255) * (0.01f * 255);
inline constexpr float kSsimC2 = (0.03f * 255) * (0.03f * 255);
inline constexpr float kSsimC3 = kSsimC2 / 2;

/// A sample on the 8-bit scale.
/// in      inverse_scaler = 2^(8 - depth)
/// exact   always: a power of two
LOCKSTEP_KERNEL float SsimSample(i32 sample, float inverse_scaler) {
  return static_cast<float>(sample) * inverse_scaler;
}

/// Filtered value of kSsimTaps samples that are `stride` apart. Products are rounded to binary32, their sum is
/// binary64 in the order of the taps and is rounded once at the end.
LOCKSTEP_KERNEL float SsimWindowed(const float* samples, i64 stride) {
  double sum = 0.0;
  for (i32 k = 0; k < kSsimTaps; ++k) {
    const float product = samples[k * stride] * kSsimWindow[k];
    sum += static_cast<double>(product);
  }
  return static_cast<float>(sum);
}

/// Windowed values of one pixel, in the order of the planes.
struct SsimMoments {
  float reference;
  float distorted;
  float reference_square;
  float distorted_square;
  float product;
};

struct SsimVariances {
  float reference;
  float distorted;
  float covariance;
};

/// Variances that rounding made negative are 0; the covariance keeps its sign.
LOCKSTEP_KERNEL SsimVariances SsimVariancesOf(const SsimMoments& m) {
  const float reference = m.reference_square - m.reference * m.reference;
  const float distorted = m.distorted_square - m.distorted * m.distorted;
  return {reference > 0.0f ? reference : 0.0f, distorted > 0.0f ? distorted : 0.0f,
          m.product - m.reference * m.distorted};
}

/// Luminance term.
/// exact   2 * reference * distorted has at most 48 bits; the denominator is binary32, the quotient binary64
LOCKSTEP_KERNEL double SsimLuminance(float reference, float distorted) {
  const double numerator = 2.0 * static_cast<double>(reference) * static_cast<double>(distorted) + kSsimC1;
  const float denominator = reference * reference + distorted * distorted + kSsimC1;
  return numerator / static_cast<double>(denominator);
}

/// Contrast term.
/// in      deviations: the square root of the product of both variances, in binary32
LOCKSTEP_KERNEL double SsimContrast(const SsimVariances& v, float deviations) {
  const double numerator = 2.0 * static_cast<double>(deviations) + kSsimC2;
  const float denominator = v.reference + v.distorted + kSsimC2;
  return numerator / static_cast<double>(denominator);
}

/// Structure term. Without deviations a negative covariance is rounding, and counts as 0.
LOCKSTEP_KERNEL float SsimStructure(const SsimVariances& v, float deviations) {
  const float covariance = v.covariance < 0.0f && deviations <= 0.0f ? 0.0f : v.covariance;
  return (covariance + kSsimC3) / (deviations + kSsimC3);
}

/// Samples of a row or column after decimation. The one of an odd length may lie beyond the last sample.
LOCKSTEP_KERNEL i32 SsimDecimatedLength(i32 length, i32 factor) { return length / factor + (length & 1); }

/// Index of a border sample of a decimated picture: reflected, the edge sample repeated.
/// in      -length <= index < 2 * length
LOCKSTEP_KERNEL i32 SsimMirror(i32 index, i32 length) {
  const i32 below = index < 0 ? -1 - index : index;
  return below < length ? below : 2 * length - 1 - below;
}

/// The decimation factor for pictures of this size: the smaller side / 256, halves upwards.
LOCKSTEP_KERNEL i32 SsimAutomaticFactor(i32 width, i32 height) {
  const i32 factor = ((width < height ? width : height) + 128) / 256;
  return factor > 1 ? factor : 1;
}

}  // namespace lockstep
