// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer VIF: taps, rounding, and the statistic of a pixel.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

// A scale takes five steps: vertical and horizontal filter, statistic; vertical and horizontal down-sampling to the
// next scale. How rows and lanes share them is the business of vif_rows.h, vif_lanes-inl.h and vif_kernels.h.

inline constexpr i32 kVifScales = 4;

/// Variance 2 of the visual noise, Q16. A pixel whose reference varies less stays out of the logarithms.
inline constexpr i32 kVifNoise = 131072;
/// VifLog() of kVifNoise.
inline constexpr u32 kVifLogNoise = 2048 * 17;

/// The low-pass filter of a scale's statistic and of the down-sampling to that scale. The taps add up to 65536.
template <int kScale>
struct VifFilter;

template <>
struct VifFilter<0> {
  static constexpr i32 kRadius = 8;
  static constexpr LOCKSTEP_KERNEL u16 Tap(i32 k) {
    constexpr u16 kTaps[] = {489,  935,  1640, 2640, 3896, 5274, 6547, 7455, 7784,
                             7455, 6547, 5274, 3896, 2640, 1640, 935,  489};
    return kTaps[k + kRadius];
  }
};

template <>
struct VifFilter<1> {
  static constexpr i32 kRadius = 4;
  static constexpr LOCKSTEP_KERNEL u16 Tap(i32 k) {
    constexpr u16 kTaps[] = {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244};
    return kTaps[k + kRadius];
  }
};

template <>
struct VifFilter<2> {
  static constexpr i32 kRadius = 2;
  static constexpr LOCKSTEP_KERNEL u16 Tap(i32 k) {
    constexpr u16 kTaps[] = {3571, 16004, 26386, 16004, 3571};
    return kTaps[k + kRadius];
  }
};

template <>
struct VifFilter<3> {
  static constexpr i32 kRadius = 1;
  static constexpr LOCKSTEP_KERNEL u16 Tap(i32 k) {
    constexpr u16 kTaps[] = {10904, 43728, 10904};
    return kTaps[k + kRadius];
  }
};

/// Sum of taps times second moments.
/// exact   below 2^48
struct VifWideSum {
  u64 sum = 0;

  LOCKSTEP_KERNEL void Add(u16 tap, u32 moment) { sum += static_cast<u64>(tap) * moment; }
  /// floor(sum / 2^shift + 1/2) modulo 2^32, 0 <= shift <= 16.
  [[nodiscard]] LOCKSTEP_KERNEL u32 Round(i32 shift) const {
    return static_cast<u32>((sum + ((u64{1} << shift) >> 1)) >> shift);
  }
};

/// VifWideSum for devices where 64-bit products are slow: the moments' 16-bit halves are summed apart.
/// exact   each half is at most 65536 * 65535, which leaves room for a rounding constant of 32768; the high half counts
///         multiples of 2^16, so only the low one rounds
struct VifSplitSum {
  u32 high = 0;
  u32 low = 0;

  LOCKSTEP_KERNEL void Add(u16 tap, u32 moment) {
    high += tap * (moment >> 16);
    low += tap * (moment & 0xffffu);
  }
  /// Both moments that a symmetric filter gives one tap.
  LOCKSTEP_KERNEL void AddPair(u16 tap, u32 moment, u32 other) {
    high += tap * ((moment >> 16) + (other >> 16));
    low += tap * ((moment & 0xffffu) + (other & 0xffffu));
  }
  [[nodiscard]] LOCKSTEP_KERNEL u32 Round(i32 shift) const {
    return (high << (16 - shift)) + ((low + ((u32{1} << shift) >> 1)) >> shift);
  }
};

/// Means and second moments of a pair of samples, or filtered ones.
struct VifMoments {
  u32 mean_reference;
  u32 mean_distorted;
  u32 square_reference;
  u32 square_distorted;
  u32 product;
};

LOCKSTEP_KERNEL VifMoments VifMomentsOf(u32 reference, u32 distorted) {
  return {reference, distorted, reference * reference, distorted * distorted, reference * distorted};
}

/// Product of two means: floor(a * b / 2^32 + 1/2).
LOCKSTEP_KERNEL u32 VifMeanProduct(u32 a, u32 b) {
  return static_cast<u32>((static_cast<u64>(a) * b + (u64{1} << 31)) >> 32);
}

/// Local variances and covariance of a pixel, Q16.
struct VifVariances {
  i32 reference;
  i32 distorted;
  i32 covariance;
};

/// Sums of taps times moments.
/// in      means of at most 16 bits
/// exact   sums of means, with a rounding constant of 32768, are below 2^32
template <class Sum>
struct VifMomentSums {
  u32 mean_reference = 0;
  u32 mean_distorted = 0;
  Sum square_reference;
  Sum square_distorted;
  Sum product;

  LOCKSTEP_KERNEL void Add(u16 tap, const VifMoments& moments) {
    mean_reference += tap * moments.mean_reference;
    mean_distorted += tap * moments.mean_distorted;
    square_reference.Add(tap, moments.square_reference);
    square_distorted.Add(tap, moments.square_distorted);
    product.Add(tap, moments.product);
  }
  LOCKSTEP_KERNEL void AddPair(u16 tap, const VifMoments& moments, const VifMoments& others) {
    mean_reference += tap * (moments.mean_reference + others.mean_reference);
    mean_distorted += tap * (moments.mean_distorted + others.mean_distorted);
    square_reference.AddPair(tap, moments.square_reference, others.square_reference);
    square_distorted.AddPair(tap, moments.square_distorted, others.square_distorted);
    product.AddPair(tap, moments.product, others.product);
  }

  /// After the vertical filter.
  /// in      1 <= mean_shift <= 16, 0 <= square_shift <= 16
  /// exact   for samples of the shifts' bit depth means fit 16 bits and moments 32
  [[nodiscard]] LOCKSTEP_KERNEL VifMoments Round(i32 mean_shift, i32 square_shift) const {
    const u32 half = u32{1} << (mean_shift - 1);
    return {(mean_reference + half) >> mean_shift, (mean_distorted + half) >> mean_shift,
            square_reference.Round(square_shift), square_distorted.Round(square_shift), product.Round(square_shift)};
  }

  /// After the horizontal filter. Rounding can make the reference's variance negative, which stays so; the distorted
  /// picture's is at least 0.
  [[nodiscard]] LOCKSTEP_KERNEL VifVariances Variances() const {
    const i32 reference = static_cast<i32>(square_reference.Round(16) - VifMeanProduct(mean_reference, mean_reference));
    const i32 distorted = static_cast<i32>(square_distorted.Round(16) - VifMeanProduct(mean_distorted, mean_distorted));
    const i32 covariance = static_cast<i32>(product.Round(16) - VifMeanProduct(mean_reference, mean_distorted));
    return {reference, distorted > 0 ? distorted : 0, covariance};
  }
};

/// What a scale's score is made of.
/// exact   integers of at least 0, so pixels may be added in any order; over a row of up to 32768 pixels num_log,
///         den_log and non_log_count stay below 2^31
struct VifSums {
  u64 num_log;
  u64 den_log;
  u64 non_log_num;
  u64 non_log_count;
};

LOCKSTEP_KERNEL void VifAddSums(VifSums& sums, const VifSums& more) {
  sums.num_log += more.num_log;
  sums.den_log += more.den_log;
  sums.non_log_num += more.non_log_num;
  sums.non_log_count += more.non_log_count;
}

/// Gain of the distorted picture over the reference, applied to a pixel; what a Gain policy's Terms() returns.
struct VifGainTerms {
  u32 residual;  // max(0, trunc(s2 - g * s12)): the part of the distorted variance that the reference does not explain
  u64 signal;    // trunc(min(g, limit)^2 * s1)
};

/// log2(value), unit 1/2048, from the 16 highest bits; the others are cut off.
/// in      value >= 32768; table[m - 32768] for m = 32768 … 65535
LOCKSTEP_KERNEL u32 VifLog(const u16* table, u64 value) {
  const i32 shift = 48 - CountLeadingZeros(value);
  return table[(value >> shift) - 32768] + 2048u * static_cast<u32>(shift);
}

/// What a pixel of the logarithms adds to den_log.
/// in      s1 >= kVifNoise
LOCKSTEP_KERNEL u32 VifDenominatorLog(const u16* log_table, i32 s1) {
  return VifLog(log_table, static_cast<u32>(s1) + kVifNoise) - kVifLogNoise;
}

/// What a pixel adds to num_log.
LOCKSTEP_KERNEL u32 VifNumeratorLog(const u16* log_table, const VifGainTerms& terms) {
  const u64 noise = static_cast<u64>(terms.residual) + kVifNoise;
  return VifLog(log_table, terms.signal + noise) - VifLog(log_table, noise);
}

/// Adds one pixel.
/// in      Gain: a policy with a type Limit and Terms(s1, s2, s12, limit), defined for s1 >= kVifNoise, s2 > 0, s12 > 0
///         and equal to binary64 arithmetic, each operation rounded once:
///         g = s12 / (s1 + 65536e-10), residual and signal as in VifGainTerms, products from left to right
template <class Gain>
LOCKSTEP_KERNEL void VifAddPixel(VifSums& sums, i32 s1, i32 s2, i32 s12, const u16* log_table,
                                 typename Gain::Limit gain_limit) {
  if (s1 >= kVifNoise) {
    sums.den_log += VifDenominatorLog(log_table, s1);
    if (s12 > 0 && s2 > 0) {
      sums.num_log += VifNumeratorLog(log_table, Gain::Terms(s1, s2, s12, gain_limit));
    }
  } else {
    sums.non_log_num += static_cast<u32>(s2);
    sums.non_log_count += 1;
  }
}

}  // namespace lockstep
