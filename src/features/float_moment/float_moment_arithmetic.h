// SPDX-License-Identifier: BSD-2-Clause-Patent
// The terms of float_moment as integers, so that sums of them are exact in any order.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// The square of a sample, in units of 1/scaler^2 with scaler = 2^(depth - 8).
/// in      8–16 bit
/// exact   The reference squares float(sample) / scaler in binary32. The sample has the same significand, so its square
///         rounds to the same 24 bits: exact up to 12 bit; at 16 bit at most 65535^2 rounded, 4294836224 < 2^32
LOCKSTEP_KERNEL u64 FloatMomentSquare(u32 sample) {
  const float value = static_cast<float>(sample);
  const float square = value * value;
  return static_cast<u32>(square);
}

}  // namespace lockstep
