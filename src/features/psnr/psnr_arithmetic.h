// SPDX-License-Identifier: BSD-2-Clause-Patent
// Squared error of two pictures: the integers that psnr's scores are made of.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Square of the difference of two samples.
/// in      8–16 bit samples
/// exact   at most 65535^2 < 2^32
LOCKSTEP_KERNEL u32 SquaredError(i32 reference, i32 distorted) {
  const i32 difference = reference - distorted;
  const u32 magnitude = static_cast<u32>(difference < 0 ? -difference : difference);
  return magnitude * magnitude;
}

struct SquaredErrorRowArgs {
  const void* reference;  // first sample of the plane
  const void* distorted;
  u64* row_sums;  // [height]
  i32 width;
  i32 height;
  i32 reference_stride;  // in samples
  i32 distorted_stride;
};

/// Squared error of one row.
/// in      Sample is u8 for 8 bit, u16 above
/// out     u64, unit one code value squared
/// exact   row sum < 2^47 up to width 32768; the rows may be added in any order
template <class Sample>
LOCKSTEP_KERNEL void SquaredErrorRow(const SquaredErrorRowArgs& args, i32 row) {
  const i32 y = LiveRow(row, args.height);
  const Sample* reference = static_cast<const Sample*>(args.reference) + static_cast<i64>(y) * args.reference_stride;
  const Sample* distorted = static_cast<const Sample*>(args.distorted) + static_cast<i64>(y) * args.distorted_stride;
  u64 sum = 0;
  for (i32 x = 0; x < args.width; ++x) sum += SquaredError(reference[x], distorted[x]);
  if (row < args.height) args.row_sums[y] = sum;
}

}  // namespace lockstep
