// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim: window, moments in integers, and what one pixel adds to the weighted mean.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// A Gaussian of sigma 1.5 in 1/256, cut where a tap rounds to 0.
inline constexpr i32 kIntegerSsimRadius = 4;
inline constexpr i32 kIntegerSsimTaps = 2 * kIntegerSsimRadius + 1;
inline constexpr i32 kIntegerSsimWindow[kIntegerSsimTaps] = {2, 9, 28, 55, 68, 55, 28, 9, 2};

/// tap * a * b in 32 signed bits.
/// exact   up to 12 bit; above, products beyond 2^31 wrap, as two's complement arithmetic leaves them
LOCKSTEP_KERNEL i32 IntegerSsimProduct(i32 tap, i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(tap) * static_cast<u32>(a) * static_cast<u32>(b));
}

/// Sum of the taps that lie inside, for a window around `position`.
LOCKSTEP_KERNEL i32 IntegerSsimWeight(i32 position, i32 length) {
  i32 weight = 0;
  for (i32 k = 0; k < kIntegerSsimTaps; ++k) {
    const i32 index = position + k - kIntegerSsimRadius;
    if (index >= 0 && index < length) weight += kIntegerSsimWindow[k];
  }
  return weight;
}

/// Moments that are summed: reference, distorted, reference squared, product, distorted squared.
inline constexpr i32 kIntegerSsimMoments = 5;

/// Windowed moments of one pixel as binary64.
/// exact   a row's sum is below 2^35, a window's below 2^43: integers that binary64 holds
struct IntegerSsimMoments {
  double reference;
  double distorted;
  double reference_square;
  double product;
  double distorted_square;
};

struct IntegerSsimConstants {
  double c1;
  double c2;
};

/// For a window of weight 1.
/// exact   at 16 bit the squared peak wraps to -131071
LOCKSTEP_KERNEL IntegerSsimConstants IntegerSsimConstantsOf(i32 bit_depth) {
  const u32 peak = (1u << bit_depth) - 1;
  const auto squared_peak = static_cast<double>(static_cast<i32>(peak * peak));
  return {squared_peak * (0.01 * 0.01), squared_peak * (0.03 * 0.03)};
}

/// A pixel's similarity times its weight: the taps of the window that lie inside the picture, multiplied.
/// source  daala, tools/dump_ssim.c, by way of libvmaf's integer_ssim.c
LOCKSTEP_KERNEL double IntegerSsimTerm(const IntegerSsimMoments& m, double weight,
                                       const IntegerSsimConstants& constants) {
  const double c1 = constants.c1 * weight * weight;
  const double c2 = constants.c2 * weight * weight;
  const double a = m.reference * m.reference;
  const double b = m.reference * m.distorted;
  const double c = m.distorted * m.distorted;
  const double numerator = (weight * (2.0 * b + c1)) * (c2 + 2.0 * (m.product * weight - b));
  const double variances = m.reference_square * weight - a + m.distorted_square * weight - c + c2;
  return numerator / ((a + c + c1) * variances);
}

}  // namespace lockstep
