// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim's sum by vector instructions: the bits of ssim_arithmetic.h.
#pragma once

#include <cstddef>

#include "base/kernel_prelude.h"
#include "features/ssim/ssim_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Elements before a row's first sample: keeps rows aligned.
inline constexpr i32 kIntegerSsimSimdMargin = 16;

/// Elements from one line to the next; those beside the row are 0.
[[nodiscard]] inline i64 IntegerSsimSimdPitch(i32 width) {
  return kIntegerSsimSimdMargin + (static_cast<i64>(width) + 15) / 16 * 16 + 16;
}

struct IntegerSsimSimdArgs {
  const void* reference;  // first sample of the plane; 63 bytes after each row may be read
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 width;
  i32 height;
  const IntegerSsimConstants* constants;
  void* lines;  // IntegerSsimSimdBytes(), at a multiple of 64; zeroed, then left as the call before left them
};

[[nodiscard]] std::size_t IntegerSsimSimdBytes(i32 width);

/// The sum of IntegerSsimTerm() row by row, left to right.
using IntegerSsimSimd = double (*)(const IntegerSsimSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] IntegerSsimSimd ChooseIntegerSsimSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
