// SPDX-License-Identifier: BSD-2-Clause-Patent
// The terms of float_psnr as integers, so that a sum of them is exact in any order.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// One term of float_psnr's noise, in units of 1/scaler^2 with scaler = 2^(depth - 8).
/// in      difference of two samples, 8–16 bit
/// exact   The reference squares float(r)/scaler - float(s)/scaler in binary32. The raw difference has the same
///         significand, so its square rounds to the same 24 bits: exact up to 12 bit, and at 16 bit a multiple of 256
///         from 2^24 on. At most 65535^2 rounded, 4294836224 < 2^32. Through u32, because a direct conversion to u64
///         becomes floating-point arithmetic on some devices.
LOCKSTEP_KERNEL u64 FloatPsnrSquare(i32 difference) {
  const float value = static_cast<float>(difference);
  const float square = value * value;
  return static_cast<u32>(square);
}

struct FloatPsnrRowArgs {
  const void* reference;  // first sample of the plane
  const void* distorted;
  u64* row_sums;  // [height]
  i32 width;
  i32 height;
  i32 reference_stride;  // in samples
  i32 distorted_stride;
};

/// Noise of one row.
/// in      Sample is u8 for 8 bit, u16 above
/// out     u64, unit 1/scaler^2
/// exact   row sum < 2^47 up to width 32768; the rows may be added in any order
template <class Sample>
LOCKSTEP_KERNEL void FloatPsnrRow(const FloatPsnrRowArgs& args, i32 row) {
  const i32 y = LiveRow(row, args.height);
  const Sample* reference = static_cast<const Sample*>(args.reference) + static_cast<i64>(y) * args.reference_stride;
  const Sample* distorted = static_cast<const Sample*>(args.distorted) + static_cast<i64>(y) * args.distorted_stride;
  u64 sum = 0;
  for (i32 x = 0; x < args.width; ++x) {
    sum += FloatPsnrSquare(static_cast<i32>(reference[x]) - static_cast<i32>(distorted[x]));
  }
  if (row < args.height) args.row_sums[y] = sum;
}

}  // namespace lockstep
