// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fast host sum of squared differences, shared by the PSNR metrics.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Sum of SquaredError() over `width` samples of at most 12 bits.
/// exact   a block of 128 samples fits 32 bits: 128 * 4095^2 < 2^31
template <class Sample>
u64 NarrowSquaredErrorSum(const Sample* reference, const Sample* distorted, i32 width) {
  constexpr i32 kBlock = 128;
  u64 sum = 0;
  for (i32 start = 0; start < width; start += kBlock) {
    const i32 end = width - start < kBlock ? width : start + kBlock;
    u32 block = 0;
    for (i32 x = start; x < end; ++x) {
      // 16-bit factors let a compiler use multiply-and-add of pairs.
      const i16 difference = static_cast<i16>(reference[x] - distorted[x]);
      block += static_cast<u32>(difference * difference);
    }
    sum += block;
  }
  return sum;
}

}  // namespace lockstep
