// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scalar code's passes over one row of vif: filters, statistic, down-sampling.
#pragma once

#include "features/vif/vif_arithmetic.h"

namespace lockstep {

/// Mirrored samples that a row of vertically filtered samples has on either side; no filter reads further.
inline constexpr i32 kVifPadding = 8;

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

/// A row of vertically filtered means and second moments, kVifPadding columns on either side included; pointers to
/// column 0.
struct VifMomentRow {
  u16* mean_reference;
  u16* mean_distorted;
  u32* square_reference;
  u32* square_distorted;
  u32* product;
};

/// A row of local variances and covariances, Q16.
struct VifVarianceRow {
  i32* reference;
  i32* distorted;
  i32* covariance;
};

/// Moments of the column segment around (x, y), stored at column `out`.
/// in      samples of 8–16 bit
/// edge    mirror, border sample not repeated
template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifVerticalPixel(const VifPictures& pictures, i32 y, i32 x, const VifMomentRow& row, i32 out) {
  const i32 bit_depth = sizeof(Sample) == 1 ? 8 : pictures.bit_depth;
  const Sample* const reference = static_cast<const Sample*>(pictures.reference);
  const Sample* const distorted = static_cast<const Sample*>(pictures.distorted);
  VifMomentSums<VifWideSum> sums;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    const i64 source = Mirror(y + k, pictures.height);
    sums.Add(VifFilter<kScale>::Tap(k), VifMomentsOf(reference[source * pictures.reference_stride + x],
                                                     distorted[source * pictures.distorted_stride + x]));
  }
  const VifMoments moments = sums.Round(kScale == 0 ? bit_depth : 16, kScale == 0 ? 2 * (bit_depth - 8) : 16);
  row.mean_reference[out] = static_cast<u16>(moments.mean_reference);
  row.mean_distorted[out] = static_cast<u16>(moments.mean_distorted);
  row.square_reference[out] = moments.square_reference;
  row.square_distorted[out] = moments.square_distorted;
  row.product[out] = moments.product;
}

/// Moments of row y, with the mirrored columns that the horizontal filter reads.
template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifVerticalRow(const VifPictures& source, i32 y, const VifMomentRow& out) {
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  static_assert(kRadius <= kVifPadding);
  // Copies, which no store can change.
  const VifPictures pictures = source;
  const VifMomentRow row = out;
  LOCKSTEP_INDEPENDENT
  for (i32 x = 0; x < pictures.width; ++x) VifVerticalPixel<kScale, Sample>(pictures, y, x, row, x);
  for (i32 i = 0; i < 2 * kRadius; ++i) {
    const i32 x = i < kRadius ? i - kRadius : pictures.width + i - kRadius;
    VifVerticalPixel<kScale, Sample>(pictures, y, Mirror(x, pictures.width), row, x);
  }
}

/// exact   below 2^32; not rounded
template <int kScale>
LOCKSTEP_KERNEL u32 VifHorizontalMean(const u16* row, i32 x) {
  u32 sum = 0;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    sum += static_cast<u32>(VifFilter<kScale>::Tap(k)) * row[x + k];
  }
  return sum;
}

template <int kScale>
LOCKSTEP_KERNEL VifWideSum VifHorizontalMoment(const u32* row, i32 x) {
  VifWideSum sum;
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    sum.Add(VifFilter<kScale>::Tap(k), row[x + k]);
  }
  return sum;
}

/// A row of variances.
template <int kScale>
LOCKSTEP_KERNEL void VifHorizontalRow(const VifMomentRow& moments, i32 width, const VifVarianceRow& variances) {
  const VifMomentRow row = moments;
  const VifVarianceRow out = variances;
  for (i32 x = 0; x < width; ++x) {
    const VifMomentSums<VifWideSum> sums = {
        VifHorizontalMean<kScale>(row.mean_reference, x), VifHorizontalMean<kScale>(row.mean_distorted, x),
        VifHorizontalMoment<kScale>(row.square_reference, x), VifHorizontalMoment<kScale>(row.square_distorted, x),
        VifHorizontalMoment<kScale>(row.product, x)};
    const VifVariances pixel = sums.Variances();
    out.reference[x] = pixel.reference;
    out.distorted[x] = pixel.distorted;
    out.covariance[x] = pixel.covariance;
  }
}

/// Sums of a row.
template <class Gain>
LOCKSTEP_KERNEL VifSums VifStatisticRow(const VifVarianceRow& row, i32 width, const u16* log_table,
                                        typename Gain::Limit gain_limit) {
  VifSums sums = {0, 0, 0, 0};
  for (i32 x = 0; x < width; ++x) {
    VifAddPixel<Gain>(sums, row.reference[x], row.distorted[x], row.covariance[x], log_table, gain_limit);
  }
  return sums;
}

/// in      pictures of scale kScale - 1
template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifDownsampleVerticalPixel(const VifPictures& pictures, i32 y, i32 x, const VifSamplePlanes& row,
                                                i32 out) {
  const i32 bit_depth = sizeof(Sample) == 1 ? 8 : pictures.bit_depth;
  const i32 shift = kScale == 1 ? bit_depth : 16;
  const Sample* const reference = static_cast<const Sample*>(pictures.reference);
  const Sample* const distorted = static_cast<const Sample*>(pictures.distorted);
  u32 mean_reference = u32{1} << (shift - 1);
  u32 mean_distorted = u32{1} << (shift - 1);
  LOCKSTEP_UNROLL
  for (i32 k = -VifFilter<kScale>::kRadius; k <= VifFilter<kScale>::kRadius; ++k) {
    const u32 tap = VifFilter<kScale>::Tap(k);
    const i64 source = Mirror(y + k, pictures.height);
    mean_reference += tap * reference[source * pictures.reference_stride + x];
    mean_distorted += tap * distorted[source * pictures.distorted_stride + x];
  }
  row.reference[out] = static_cast<u16>(mean_reference >> shift);
  row.distorted[out] = static_cast<u16>(mean_distorted >> shift);
}

/// Row y of the pictures, which is even, filtered vertically, with the mirrored columns that the horizontal filter
/// reads.
/// exact   as VifMomentSums
template <int kScale, class Sample>
LOCKSTEP_KERNEL void VifDownsampleVerticalRow(const VifPictures& source, i32 y, const VifSamplePlanes& out) {
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  const VifPictures pictures = source;
  const VifSamplePlanes row = out;
  LOCKSTEP_INDEPENDENT
  for (i32 x = 0; x < pictures.width; ++x) VifDownsampleVerticalPixel<kScale, Sample>(pictures, y, x, row, x);
  for (i32 i = 0; i < 2 * kRadius; ++i) {
    const i32 x = i < kRadius ? i - kRadius : pictures.width + i - kRadius;
    VifDownsampleVerticalPixel<kScale, Sample>(pictures, y, Mirror(x, pictures.width), row, x);
  }
}

/// A row of the next scale's pictures: every second column, filtered horizontally.
/// in      width of the output
template <int kScale>
LOCKSTEP_KERNEL void VifDownsampleHorizontalRow(const VifSamplePlanes& row, i32 width, const VifSamplePlanes& out) {
  for (i32 x = 0; x < width; ++x) {
    out.reference[x] = static_cast<u16>((VifHorizontalMean<kScale>(row.reference, 2 * x) + 32768) >> 16);
    out.distorted[x] = static_cast<u16>((VifHorizontalMean<kScale>(row.distorted, 2 * x) + 32768) >> 16);
  }
}

}  // namespace lockstep
