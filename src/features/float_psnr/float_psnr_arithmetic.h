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

}  // namespace lockstep
