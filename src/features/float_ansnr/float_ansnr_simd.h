// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr's row chains by vector instructions: the bits of float_ansnr_arithmetic.h.
#pragma once

#include <cstddef>

#include "base/kernel_prelude.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Rows that are computed together; the widest register has as many values.
inline constexpr i32 kFloatAnsnrSimdRows = 16;

/// Columns of them whose squares are kept before they are added: few enough for the first cache.
inline constexpr i32 kFloatAnsnrSimdStrip = 128;

/// Floats before a row's first sample: keeps rows aligned.
inline constexpr i32 kFloatAnsnrSimdMargin = 16;

/// Floats from one converted row to the next.
[[nodiscard]] inline i64 FloatAnsnrSimdPitch(i32 width) {
  return kFloatAnsnrSimdMargin + (static_cast<i64>(width) + 15) / 16 * 16 + 16;
}

struct FloatAnsnrSimdArgs {
  const void* reference;  // first sample of the plane; 63 bytes after each row may be read
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 width;   // >= 3
  i32 height;  // >= 3
  float inverse_scaler;
  void* lines;  // FloatAnsnrSimdBytes(), at a multiple of 64
};

/// Sums of the squares of the filtered reference, and of the differences to the filtered distorted picture.
struct FloatAnsnrSums {
  float signal;
  float noise;
};

[[nodiscard]] std::size_t FloatAnsnrSimdBytes(i32 width);

using FloatAnsnrSimd = FloatAnsnrSums (*)(const FloatAnsnrSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] FloatAnsnrSimd ChooseFloatAnsnrSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
