// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion's sums by vector instructions: the integers of motion_arithmetic.h, in another order.
#pragma once

#include <cstddef>

#include "base/kernel_prelude.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Wider planes are filtered in strips of up to so many columns, whose lines fit the first cache …
inline constexpr i32 kMotionSimdStrip = 2048;
/// … with columns on either side: at least the two that the filter reads, and a multiple that keeps loads aligned.
inline constexpr i32 kMotionSimdBeside = 32;

/// Sizes of the line buffers for planes up to `width`; they do not depend on the target.
struct MotionSimdSizes {
  explicit MotionSimdSizes(i32 width)
      // The widest register has 32 values of 16 bits.
      : columns(((width < kWidest ? width : kWidest) + 31) / 32 * 32),
        // An odd multiple of 16 keeps planes from competing for the same lines of the cache.
        ring_stride(columns + 16),
        row_stride(kLead + columns + 32) {}

  static constexpr i32 kWidest = kMotionSimdStrip + 2 * kMotionSimdBeside;
  static constexpr i64 kLead = 32;  // values before column 0: mirrored ones, and room that keeps it aligned

  i64 columns;
  i64 ring_stride;  // of 3 slots of 2 planes of i32
  i64 row_stride;   // of 2 rows of 2 planes of i16

  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(ring_stride * 3 * 2 * 4 + row_stride * 8); }
};

struct MotionSimdArgs {
  const void* previous;  // first sample of the plane; 63 bytes after each row may be read
  const void* current;
  i64 previous_stride;  // in samples
  i64 current_stride;
  i32 width;   // >= 3
  i32 height;  // >= 3
  i32 bit_depth;
  i32 begin;    // first row of the filtered difference that is summed; rows beyond are read as the filter needs them
  i32 end;      // and the row after the last one
  void* lines;  // MotionSimdSizes::bytes(), at a multiple of 64
};

/// Sum of MotionRow() over the rows begin … end - 1.
using MotionSimd = u64 (*)(const MotionSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] MotionSimd ChooseMotionSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
