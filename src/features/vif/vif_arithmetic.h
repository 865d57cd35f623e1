// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer VIF: taps, rounding, the statistic of a pixel, and the kernel bodies that every backend runs.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

// A scale takes five steps: vertical and horizontal filter, statistic; vertical and horizontal down-sampling to the
// next scale. Each has a body for one row, `…Row(args, row, first, step)`: it does columns first, first + step, …, so
// that the lanes of a device can share a row; idle rows redo the last one and store the same values again. A backend
// that takes one row after the other sets the row_stride of the planes in between to 0, which turns them into line
// buffers.

inline constexpr i32 kVifScales = 4;

/// Variance 2 of the visual noise, Q16. A pixel whose reference varies less stays out of the logarithms.
inline constexpr i32 kVifNoise = 131072;
/// VifLog() of kVifNoise.
inline constexpr u32 kVifLogNoise = 2048 * 17;

/// Mirrored samples that a row of vertically filtered samples has on either side; no filter reads further.
inline constexpr i32 kVifPadding = 8;

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
  [[nodiscard]] LOCKSTEP_KERNEL u32 Round(i32 shift) const {
    return (high << (16 - shift)) + ((low + ((u32{1} << shift) >> 1)) >> shift);
  }
};

/// The pictures of one scale.
struct VifPictures {
  const void* reference;  // u8 at scale 0 of 8-bit video, else u16
  const void* distorted;
  i64 reference_stride;  // samples
  i64 distorted_stride;
  i32 width;
  i32 height;
  i32 bit_depth;  // of the video; matters at scale 0 only
};

/// A pair of planes of 16-bit samples; pointers to column 0 of row 0.
struct VifSamplePlanes {
  u16* reference;
  u16* distorted;
  i64 row_stride;

  [[nodiscard]] LOCKSTEP_KERNEL VifSamplePlanes Row(i32 row) const {
    const i64 offset = row * row_stride;
    return {reference + offset, distorted + offset, row_stride};
  }
};

/// Vertically filtered means and second moments, kVifPadding columns on either side included; pointers to column 0 of
/// row 0.
struct VifMomentPlanes {
  u16* mean_reference;
  u16* mean_distorted;
  u32* square_reference;
  u32* square_distorted;
  u32* product;
  i64 row_stride;

  [[nodiscard]] LOCKSTEP_KERNEL VifMomentPlanes Row(i32 row) const {
    const i64 offset = row * row_stride;
    return {mean_reference + offset,   mean_distorted + offset, square_reference + offset,
            square_distorted + offset, product + offset,        row_stride};
  }
};

/// Local variances and covariance, Q16.
struct VifVariancePlanes {
  i32* reference;
  i32* distorted;
  i32* covariance;
  i64 row_stride;

  [[nodiscard]] LOCKSTEP_KERNEL VifVariancePlanes Row(i32 row) const {
    const i64 offset = row * row_stride;
    return {reference + offset, distorted + offset, covariance + offset, row_stride};
  }
};

struct VifVerticalArgs {
  VifPictures pictures;
  VifMomentPlanes moments;
};

/// Means and second moments of the column segment around (x, row), stored at column `out`.
/// in      samples of 8–16 bit
/// edge    mirror, border sample not repeated
/// exact   every sum of taps times samples, with its rounding constant, is below 2^32; rounded means fit 16 bits and
///         rounded moments 32
template <int kScale, class Sample, class Sum>
LOCKSTEP_KERNEL void VifVerticalPixel(const VifPictures& pictures, i32 row, i32 x, const VifMomentPlanes& line,
                                      i32 out) {
  const i32 bit_depth = sizeof(Sample) == 1 ? 8 : pictures.bit_depth;
  const i32 mean_shift = kScale == 0 ? bit_depth : 16;
  const i32 square_shift = kScale == 0 ? 2 * (bit_depth - 8) : 16;
  const Sample* const reference = static_cast<const Sample*>(pictures.reference);
  const Sample* const distorted = static_cast<const Sample*>(pictures.distorted);
  u32 mean_reference = u32{1} << (mean_shift - 1);
  u32 mean_distorted = u32{1} << (mean_shift - 1);
  Sum square_reference;
  Sum square_distorted;
  Sum product;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    const u16 tap = VifFilter<kScale>::Tap(k);
    const i64 y = Mirror(row + k, pictures.height);
    const u32 u = reference[y * pictures.reference_stride + x];
    const u32 v = distorted[y * pictures.distorted_stride + x];
    mean_reference += tap * u;
    mean_distorted += tap * v;
    square_reference.Add(tap, u * u);
    square_distorted.Add(tap, v * v);
    product.Add(tap, u * v);
  }
  line.mean_reference[out] = static_cast<u16>(mean_reference >> mean_shift);
  line.mean_distorted[out] = static_cast<u16>(mean_distorted >> mean_shift);
  line.square_reference[out] = square_reference.Round(square_shift);
  line.square_distorted[out] = square_distorted.Round(square_shift);
  line.product[out] = product.Round(square_shift);
}

/// One row of moments, with the mirrored columns that the horizontal filter reads.
template <int kScale, class Sample, class Sum>
LOCKSTEP_KERNEL void VifVerticalRow(const VifVerticalArgs& args, i32 row, i32 first = 0, i32 step = 1) {
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  static_assert(kRadius <= kVifPadding);
  const VifPictures pictures = args.pictures;
  const i32 y = LiveRow(row, pictures.height);
  const VifMomentPlanes line = args.moments.Row(y);
  LOCKSTEP_INDEPENDENT
  for (i32 x = first; x < pictures.width; x += step) {
    VifVerticalPixel<kScale, Sample, Sum>(pictures, y, x, line, x);
  }
  for (i32 i = first; i < 2 * kRadius; i += step) {
    const i32 out = i < kRadius ? i - kRadius : pictures.width + i - kRadius;
    VifVerticalPixel<kScale, Sample, Sum>(pictures, y, Mirror(out, pictures.width), line, out);
  }
}

struct VifHorizontalArgs {
  VifMomentPlanes moments;
  VifVariancePlanes variances;
  i32 width;
  i32 height;
};

/// exact   below 2^32; not rounded
template <int kScale>
LOCKSTEP_KERNEL u32 VifHorizontalMean(const u16* line, i32 x) {
  u32 sum = 0;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    sum += static_cast<u32>(VifFilter<kScale>::Tap(k)) * line[x + k];
  }
  return sum;
}

template <int kScale, class Sum>
LOCKSTEP_KERNEL u32 VifHorizontalMoment(const u32* line, i32 x) {
  Sum sum;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    sum.Add(VifFilter<kScale>::Tap(k), line[x + k]);
  }
  return sum.Round(16);
}

/// Product of two means: floor(a * b / 2^32 + 1/2).
LOCKSTEP_KERNEL u32 VifMeanProduct(u32 a, u32 b) {
  return static_cast<u32>((static_cast<u64>(a) * b + (u64{1} << 31)) >> 32);
}

/// One row of variances. Rounding can make the reference's variance negative, which stays so; the distorted picture's
/// is at least 0.
template <int kScale, class Sum>
LOCKSTEP_KERNEL void VifHorizontalRow(const VifHorizontalArgs& args, i32 row, i32 first = 0, i32 step = 1) {
  const i32 width = args.width;
  const i32 y = LiveRow(row, args.height);
  const VifMomentPlanes line = args.moments.Row(y);
  const VifVariancePlanes out = args.variances.Row(y);
  for (i32 x = first; x < width; x += step) {
    const u32 mean_reference = VifHorizontalMean<kScale>(line.mean_reference, x);
    const u32 mean_distorted = VifHorizontalMean<kScale>(line.mean_distorted, x);
    const u32 square_reference = VifHorizontalMoment<kScale, Sum>(line.square_reference, x);
    const u32 square_distorted = VifHorizontalMoment<kScale, Sum>(line.square_distorted, x);
    const u32 product = VifHorizontalMoment<kScale, Sum>(line.product, x);
    const i32 distorted = static_cast<i32>(square_distorted - VifMeanProduct(mean_distorted, mean_distorted));
    out.reference[x] = static_cast<i32>(square_reference - VifMeanProduct(mean_reference, mean_reference));
    out.distorted[x] = distorted > 0 ? distorted : 0;
    out.covariance[x] = static_cast<i32>(product - VifMeanProduct(mean_reference, mean_distorted));
  }
}

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

/// Adds one pixel.
/// in      Gain: a policy with a type Limit and Terms(s1, s2, s12, limit), defined for s1 >= kVifNoise, s2 > 0, s12 > 0
///         and equal to binary64 arithmetic, each operation rounded once:
///         g = s12 / (s1 + 65536e-10), residual and signal as in VifGainTerms, products from left to right
template <class Gain>
LOCKSTEP_KERNEL void VifAddPixel(VifSums& sums, i32 s1, i32 s2, i32 s12, const u16* log_table,
                                 typename Gain::Limit gain_limit) {
  if (s1 >= kVifNoise) {
    sums.den_log += VifLog(log_table, static_cast<u32>(s1) + kVifNoise) - kVifLogNoise;
    if (s12 > 0 && s2 > 0) {
      const VifGainTerms terms = Gain::Terms(s1, s2, s12, gain_limit);
      const u64 noise = static_cast<u64>(terms.residual) + kVifNoise;
      sums.num_log += VifLog(log_table, terms.signal + noise) - VifLog(log_table, noise);
    }
  } else {
    sums.non_log_num += static_cast<u32>(s2);
    sums.non_log_count += 1;
  }
}

template <class Gain>
struct VifStatisticArgs {
  VifVariancePlanes variances;
  i32 width;
  i32 height;
  const u16* log_table;
  typename Gain::Limit gain_limit;
};

/// Sums of the columns first, first + step, … of a row. An idle row returns the last row's sums, which the caller
/// drops.
template <class Gain>
LOCKSTEP_KERNEL VifSums VifStatisticRow(const VifStatisticArgs<Gain>& args, i32 row, i32 first = 0, i32 step = 1) {
  const VifVariancePlanes line = args.variances.Row(LiveRow(row, args.height));
  VifSums sums = {0, 0, 0, 0};
  for (i32 x = first; x < args.width; x += step) {
    VifAddPixel<Gain>(sums, line.reference[x], line.distorted[x], line.covariance[x], args.log_table, args.gain_limit);
  }
  return sums;
}

struct VifDownsampleVerticalArgs {
  VifPictures pictures;  // of scale kScale - 1
  VifSamplePlanes filtered;
};

template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifDownsampleVerticalPixel(const VifPictures& pictures, i32 row, i32 x,
                                                const VifSamplePlanes& line, i32 out) {
  const i32 bit_depth = sizeof(Sample) == 1 ? 8 : pictures.bit_depth;
  const i32 shift = kScale == 1 ? bit_depth : 16;
  const Sample* const reference = static_cast<const Sample*>(pictures.reference);
  const Sample* const distorted = static_cast<const Sample*>(pictures.distorted);
  u32 mean_reference = u32{1} << (shift - 1);
  u32 mean_distorted = u32{1} << (shift - 1);
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    const u32 tap = VifFilter<kScale>::Tap(k);
    const i64 y = Mirror(row + k, pictures.height);
    mean_reference += tap * reference[y * pictures.reference_stride + x];
    mean_distorted += tap * distorted[y * pictures.distorted_stride + x];
  }
  line.reference[out] = static_cast<u16>(mean_reference >> shift);
  line.distorted[out] = static_cast<u16>(mean_distorted >> shift);
}

/// Row 2 * row of the pictures, filtered vertically, with the mirrored columns that the horizontal filter reads.
/// exact   as VifVerticalPixel
template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifDownsampleVerticalRow(const VifDownsampleVerticalArgs& args, i32 row, i32 first = 0,
                                              i32 step = 1) {
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  const VifPictures pictures = args.pictures;
  const i32 y = LiveRow(row, pictures.height / 2);
  const VifSamplePlanes line = args.filtered.Row(y);
  LOCKSTEP_INDEPENDENT
  for (i32 x = first; x < pictures.width; x += step) {
    VifDownsampleVerticalPixel<kScale, Sample>(pictures, 2 * y, x, line, x);
  }
  for (i32 i = first; i < 2 * kRadius; i += step) {
    const i32 out = i < kRadius ? i - kRadius : pictures.width + i - kRadius;
    VifDownsampleVerticalPixel<kScale, Sample>(pictures, 2 * y, Mirror(out, pictures.width), line, out);
  }
}

struct VifDownsampleHorizontalArgs {
  VifSamplePlanes filtered;
  VifSamplePlanes output;
  i32 width;  // of the output
  i32 height;
};

/// One row of the next scale's pictures: every second column, filtered horizontally.
template <int kScale>
LOCKSTEP_KERNEL void VifDownsampleHorizontalRow(const VifDownsampleHorizontalArgs& args, i32 row, i32 first = 0,
                                                i32 step = 1) {
  const i32 y = LiveRow(row, args.height);
  const VifSamplePlanes line = args.filtered.Row(y);
  const VifSamplePlanes out = args.output.Row(y);
  for (i32 x = first; x < args.width; x += step) {
    out.reference[x] = static_cast<u16>((VifHorizontalMean<kScale>(line.reference, 2 * x) + 32768) >> 16);
    out.distorted[x] = static_cast<u16>((VifHorizontalMean<kScale>(line.distorted, 2 * x) + 32768) >> 16);
  }
}

}  // namespace lockstep
