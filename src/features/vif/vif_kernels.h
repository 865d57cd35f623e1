// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of vif, each for all scales.
#pragma once

#include "features/device/device_kernel.h"
#include "features/vif/vif_arithmetic.h"
#include "features/vif/vif_gain_integer.h"

namespace lockstep {

// Filters are arguments, so that a kernel serves all scales: a template for each would save no work, but be four times
// the code that a driver compiles at start. Loops over taps stay loops, because the unrolled ones spill registers.

/// A symmetric filter in device memory.
struct VifKernelFilter {
  const u16* taps;  // [radius + 1]; [k] is the one at distance k from the middle
  i32 radius;
};

/// Vertically filtered means and second moments of a scale; rows of `width` pixels without padding.
struct VifKernelMoments {
  u32* means;  // VifPackMeans()
  u32* square_reference;
  u32* square_distorted;
  u32* product;
};

/// Samples of both pictures in one word, as VifKernelMoments::means has them.
/// exact   means fit 16 bits; samples beyond the bit depth leave what a conversion to u16 would
LOCKSTEP_KERNEL u32 VifPackMeans(u32 reference, u32 distorted) { return (reference & 0xffffu) | distorted << 16; }

struct VifMomentsArgs {
  const void* reference;
  const void* distorted;
  VifKernelFilter filter;
  VifKernelMoments moments;
  i32 width;
  i32 height;
  i32 reference_stride;  // in samples
  i32 distorted_stride;
  i32 mean_shift;
  i32 square_shift;
};

/// One row of moments.
/// in      pictures of less than 2^32 samples, so that an index fits 32 bits
/// exact   as VifMomentSums
template <class Sample>
LOCKSTEP_KERNEL void VifMomentsKernel(const VifMomentsArgs& args, KernelItem item) {
  const Sample* const reference = static_cast<const Sample*>(args.reference);
  const Sample* const distorted = static_cast<const Sample*>(args.distorted);
  const u16* const taps = args.filter.taps;
  const VifKernelMoments out = args.moments;
  const i32 width = args.width;
  const i32 height = args.height;
  const i32 radius = args.filter.radius;
  const u32 reference_stride = static_cast<u32>(args.reference_stride);
  const u32 distorted_stride = static_cast<u32>(args.distorted_stride);
  const i32 mean_shift = args.mean_shift;
  const i32 square_shift = args.square_shift;
  const i32 y = LiveRow(item.row, height);
  const u32 row = static_cast<u32>(y);
  for (i32 column = item.lane; column < width; column += item.lanes) {
    const u32 x = static_cast<u32>(column);
    VifMomentSums<VifSplitSum> sums;
    sums.Add(taps[0], VifMomentsOf(reference[row * reference_stride + x], distorted[row * distorted_stride + x]));
    for (i32 k = 1; k <= radius; ++k) {
      const u32 above = static_cast<u32>(Mirror(y - k, height));
      const u32 below = static_cast<u32>(Mirror(y + k, height));
      sums.AddPair(taps[k],
                   VifMomentsOf(reference[above * reference_stride + x], distorted[above * distorted_stride + x]),
                   VifMomentsOf(reference[below * reference_stride + x], distorted[below * distorted_stride + x]));
    }
    const VifMoments moments = sums.Round(mean_shift, square_shift);
    if (item.row < height) {
      const u32 at = row * static_cast<u32>(width) + x;
      out.means[at] = VifPackMeans(moments.mean_reference, moments.mean_distorted);
      out.square_reference[at] = moments.square_reference;
      out.square_distorted[at] = moments.square_distorted;
      out.product[at] = moments.product;
    }
  }
}

struct VifSumsArgs {
  VifKernelMoments moments;
  VifKernelFilter filter;
  const u16* log_table;
  u64* parts;      // [height][kKernelLanes][4], in the order of VifSums
  u32* undecided;  // [height][kKernelLanes]: pixels that VifSumsKernel left to VifUndecidedSumsKernel
  Binary64Bits limit;
  VifIntegerLimit integer_limit;
  i32 width;
  i32 height;
  u32 forced;  // of 8 pixels, how many count as undecided although they are not: 0, more in tests
};

LOCKSTEP_KERNEL VifMoments VifLoadMoments(const VifKernelMoments& moments, u32 at) {
  const u32 means = moments.means[at];
  return {means & 0xffffu, means >> 16, moments.square_reference[at], moments.square_distorted[at],
          moments.product[at]};
}

/// Variances around (x, row), where `row_begin` is the place of the row's first pixel.
LOCKSTEP_KERNEL VifVariances VifKernelVariances(const VifKernelMoments& moments, const VifKernelFilter& filter,
                                                i32 width, u32 row_begin, i32 x) {
  VifMomentSums<VifSplitSum> sums;
  sums.Add(filter.taps[0], VifLoadMoments(moments, row_begin + static_cast<u32>(x)));
  for (i32 k = 1; k <= filter.radius; ++k) {
    sums.AddPair(filter.taps[k], VifLoadMoments(moments, row_begin + static_cast<u32>(Mirror(x - k, width))),
                 VifLoadMoments(moments, row_begin + static_cast<u32>(Mirror(x + k, width))));
  }
  return sums.Variances();
}

/// Whether VifSumsKernel leaves a pixel whose integer terms are these to VifUndecidedSumsKernel.
LOCKSTEP_KERNEL bool VifIsLeft(const VifIntegerTerms& terms, i32 x, i32 y, u32 forced) {
  return !terms.decided || (static_cast<u32>(x ^ y) & 7u) < forced;
}

/// Sums of every lane's columns, by integer arithmetic. Pixels that it cannot decide are counted and left out, so that
/// the code that can is not in everybody's way.
LOCKSTEP_KERNEL void VifSumsKernel(const VifSumsArgs& args, KernelItem item) {
  const VifKernelMoments moments = args.moments;
  const VifKernelFilter filter = args.filter;
  const u16* const log_table = args.log_table;
  const VifIntegerLimit limit = args.integer_limit;
  const i32 width = args.width;
  const u32 forced = args.forced;
  const i32 y = LiveRow(item.row, args.height);
  const u32 row_begin = static_cast<u32>(y) * static_cast<u32>(width);
  // A lane has at most 2^10 pixels of a row; what one adds is below 2^17.
  u32 num_log = 0;
  u32 den_log = 0;
  u64 non_log_num = 0;
  u32 non_log_count = 0;
  u32 undecided = 0;
  for (i32 x = item.lane; x < width; x += item.lanes) {
    const VifVariances variances = VifKernelVariances(moments, filter, width, row_begin, x);
    if (variances.reference >= kVifNoise) {
      den_log += VifDenominatorLog(log_table, variances.reference);
      if (variances.covariance > 0 && variances.distorted > 0) {
        const VifIntegerTerms terms =
            VifIntegerGain(variances.reference, variances.distorted, variances.covariance, limit);
        if (VifIsLeft(terms, x, y, forced)) {
          undecided += 1;
        } else {
          num_log += VifNumeratorLog(log_table, terms.terms);
        }
      }
    } else {
      non_log_num += static_cast<u32>(variances.distorted);
      non_log_count += 1;
    }
  }
  if (item.row < args.height) {
    const i64 at = i64{y} * item.lanes + item.lane;
    u64* const parts = args.parts + 4 * at;
    parts[0] = num_log;
    parts[1] = den_log;
    parts[2] = non_log_num;
    parts[3] = non_log_count;
    args.undecided[at] = undecided;
  }
}

/// Adds the pixels that VifSumsKernel left out, by software binary64. Lanes without any do nothing.
LOCKSTEP_KERNEL void VifUndecidedSumsKernel(const VifSumsArgs& args, KernelItem item) {
  const VifKernelMoments moments = args.moments;
  const VifKernelFilter filter = args.filter;
  const i32 width = args.width;
  const i32 y = LiveRow(item.row, args.height);
  const u32 row_begin = static_cast<u32>(y) * static_cast<u32>(width);
  const i64 at = i64{y} * item.lanes + item.lane;
  const i32 end = args.undecided[at] != 0 ? width : 0;
  u32 num_log = 0;
  for (i32 x = item.lane; x < end; x += item.lanes) {
    const VifVariances variances = VifKernelVariances(moments, filter, width, row_begin, x);
    if (variances.reference >= kVifNoise && variances.covariance > 0 && variances.distorted > 0) {
      const VifIntegerTerms terms =
          VifIntegerGain(variances.reference, variances.distorted, variances.covariance, args.integer_limit);
      if (VifIsLeft(terms, x, y, args.forced)) {
        num_log += VifNumeratorLog(args.log_table, VifGainSoftBinary64::Terms(variances.reference, variances.distorted,
                                                                              variances.covariance, args.limit));
      }
    }
  }
  if (item.row < args.height) args.parts[4 * at] += num_log;
}

struct VifHalveRowsArgs {
  const void* reference;
  const void* distorted;
  VifKernelFilter filter;
  u32* filtered;  // [height / 2][width], VifPackMeans()
  i32 width;
  i32 height;
  i32 reference_stride;  // in samples
  i32 distorted_stride;
  i32 shift;
};

/// Row 2 * item.row of the pictures, filtered vertically for the next scale.
/// exact   as VifMomentSums
template <class Sample>
LOCKSTEP_KERNEL void VifHalveRowsKernel(const VifHalveRowsArgs& args, KernelItem item) {
  const Sample* const reference = static_cast<const Sample*>(args.reference);
  const Sample* const distorted = static_cast<const Sample*>(args.distorted);
  const u16* const taps = args.filter.taps;
  u32* const filtered = args.filtered;
  const i32 width = args.width;
  const i32 height = args.height;
  const i32 radius = args.filter.radius;
  const u32 reference_stride = static_cast<u32>(args.reference_stride);
  const u32 distorted_stride = static_cast<u32>(args.distorted_stride);
  const i32 shift = args.shift;
  const u32 half = u32{1} << (shift - 1);
  const i32 out_y = LiveRow(item.row, height / 2);
  const i32 y = 2 * out_y;
  for (i32 column = item.lane; column < width; column += item.lanes) {
    const u32 x = static_cast<u32>(column);
    u32 mean_reference = half + u32{taps[0]} * reference[static_cast<u32>(y) * reference_stride + x];
    u32 mean_distorted = half + u32{taps[0]} * distorted[static_cast<u32>(y) * distorted_stride + x];
    for (i32 k = 1; k <= radius; ++k) {
      const u32 tap = taps[k];
      const u32 above = static_cast<u32>(Mirror(y - k, height));
      const u32 below = static_cast<u32>(Mirror(y + k, height));
      mean_reference += tap * (u32{reference[above * reference_stride + x]} + reference[below * reference_stride + x]);
      mean_distorted += tap * (u32{distorted[above * distorted_stride + x]} + distorted[below * distorted_stride + x]);
    }
    if (item.row < height / 2) {
      filtered[static_cast<u32>(out_y) * static_cast<u32>(width) + x] =
          VifPackMeans(mean_reference >> shift, mean_distorted >> shift);
    }
  }
}

struct VifHalveColumnsArgs {
  const u32* filtered;  // what VifHalveRowsKernel left
  VifKernelFilter filter;
  u16* reference;  // [height][width / 2]
  u16* distorted;
  i32 width;   // of `filtered`
  i32 height;  // of `filtered`
};

/// A row of the next scale's pictures.
LOCKSTEP_KERNEL void VifHalveColumnsKernel(const VifHalveColumnsArgs& args, KernelItem item) {
  const u16* const taps = args.filter.taps;
  u16* const reference = args.reference;
  u16* const distorted = args.distorted;
  const i32 width = args.width;
  const i32 height = args.height;
  const i32 radius = args.filter.radius;
  const i32 y = LiveRow(item.row, height);
  const u32* const filtered = args.filtered + i64{y} * width;
  const i32 out_width = width / 2;
  for (i32 out_x = item.lane; out_x < out_width; out_x += item.lanes) {
    const i32 x = 2 * out_x;
    const u32 middle = filtered[x];
    u32 mean_reference = 32768u + u32{taps[0]} * (middle & 0xffffu);
    u32 mean_distorted = 32768u + u32{taps[0]} * (middle >> 16);
    for (i32 k = 1; k <= radius; ++k) {
      const u32 tap = taps[k];
      const u32 left = filtered[Mirror(x - k, width)];
      const u32 right = filtered[Mirror(x + k, width)];
      mean_reference += tap * ((left & 0xffffu) + (right & 0xffffu));
      mean_distorted += tap * ((left >> 16) + (right >> 16));
    }
    if (item.row < height) {
      const i64 at = i64{y} * out_width + out_x;
      reference[at] = static_cast<u16>(mean_reference >> 16);
      distorted[at] = static_cast<u16>(mean_distorted >> 16);
    }
  }
}

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_VIF_KERNELS(X)                                          \
  X(moments_u8, VifMomentsArgs, VifMomentsKernel<lockstep::u8>)          \
  X(moments_u16, VifMomentsArgs, VifMomentsKernel<lockstep::u16>)        \
  X(sums, VifSumsArgs, VifSumsKernel)                                    \
  X(undecided_sums, VifSumsArgs, VifUndecidedSumsKernel)                 \
  X(halve_rows_u8, VifHalveRowsArgs, VifHalveRowsKernel<lockstep::u8>)   \
  X(halve_rows_u16, VifHalveRowsArgs, VifHalveRowsKernel<lockstep::u16>) \
  X(halve_columns, VifHalveColumnsArgs, VifHalveColumnsKernel)           \
  X(sum_lanes, LaneSumArgs, SumLanes)
