// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer motion of two pictures: difference first, then a separable five-tap low-pass filter, then magnitudes.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

// The outer three of five symmetric taps; all five add up to 65536.
inline constexpr i32 kMotionTap0 = 3571;
inline constexpr i32 kMotionTap1 = 16004;
inline constexpr i32 kMotionTap2 = 26386;

/// Taps times five neighbouring values.
/// in      -2^15 <= value < 2^15
/// exact   |sum| <= 2^31, reached only at -2^31
LOCKSTEP_KERNEL i32 MotionTapSum(i32 a, i32 b, i32 c, i32 d, i32 e) {
  return kMotionTap0 * a + kMotionTap1 * b + kMotionTap2 * c + kMotionTap1 * d + kMotionTap0 * e;
}

/// Vertical filter up to 15 bit: floor(sum / 2^depth + 1/2).
/// in      tap sum of differences, |difference| < 2^depth, depth <= 15
/// exact   the sum plus 2^(depth - 1) is below 2^31
LOCKSTEP_KERNEL i32 MotionRoundNarrow(i32 sum, i32 bit_depth) { return (sum + (1 << (bit_depth - 1))) >> bit_depth; }

/// The 17-bit filter step: floor((sum of taps * v) / 65536 + 1/2) where each v is 2 * half + odd.
/// in      tap sums of the halves (floor(v / 2), so -2^15 <= half < 2^15) and of the odd bits (0 or 1), |v| < 2^16
/// exact   sum of taps * v needs 33 bits and more; kept in two halves it fits 32: floors nest, and
///         65536 * 32767 + 49152 < 2^31
LOCKSTEP_KERNEL i32 MotionRoundSplit(i32 half_sum, i32 odd_sum) { return (half_sum + ((odd_sum + 32768) >> 1)) >> 15; }

LOCKSTEP_KERNEL u32 MotionMagnitude(i32 value) { return static_cast<u32>(value < 0 ? -value : value); }

struct MotionRowArgs {
  const void* previous;  // first sample of the plane
  const void* current;
  u32* row_sads;        // [height]
  i32 width;            // >= 3
  i32 height;           // >= 3
  i32 previous_stride;  // in samples
  i32 current_stride;
  i32 bit_depth;
};

/// Vertically filtered difference at column x.
/// in      p0 … p4, c0 … c4: the five mirrored rows around the output row, of the previous and the current plane
///         kWide for 16 bit, whose differences need 17 bits
template <class Sample, bool kWide>
LOCKSTEP_KERNEL i32 MotionVertical(const Sample* p0, const Sample* p1, const Sample* p2, const Sample* p3,
                                   const Sample* p4, const Sample* c0, const Sample* c1, const Sample* c2,
                                   const Sample* c3, const Sample* c4, i32 x, i32 bit_depth) {
  const i32 d0 = static_cast<i32>(p0[x]) - static_cast<i32>(c0[x]);
  const i32 d1 = static_cast<i32>(p1[x]) - static_cast<i32>(c1[x]);
  const i32 d2 = static_cast<i32>(p2[x]) - static_cast<i32>(c2[x]);
  const i32 d3 = static_cast<i32>(p3[x]) - static_cast<i32>(c3[x]);
  const i32 d4 = static_cast<i32>(p4[x]) - static_cast<i32>(c4[x]);
  if constexpr (kWide) {
    return MotionRoundSplit(MotionTapSum(d0 >> 1, d1 >> 1, d2 >> 1, d3 >> 1, d4 >> 1),
                            MotionTapSum(d0 & 1, d1 & 1, d2 & 1, d3 & 1, d4 & 1));
  } else {
    return MotionRoundNarrow(MotionTapSum(d0, d1, d2, d3, d4), bit_depth);
  }
}

/// Sum of absolute values of the columns [begin, end) of one row of the filtered difference previous - current.
/// in      Sample u8 for 8 bit, u16 above; kWide for 16 bit; 0 <= begin <= end <= width
/// out     u32, unit 1/256 of an 8-bit code value
/// edge    mirror, border sample not repeated
/// exact   |v| <= 65535, so the sum of a row fits 32 bits up to width 65536; columns and rows may be added in any
/// order.
///         Both filter steps round half up, so exchanging the pictures can change the sum.
/// source  libvmaf 3.2.0, integer_motion.c
template <class Sample, bool kWide>
LOCKSTEP_KERNEL u32 MotionColumnsSad(const MotionRowArgs& args, i32 y, i32 begin, i32 end) {
  const i32 w = args.width;
  const i32 h = args.height;
  const Sample* p = static_cast<const Sample*>(args.previous);
  const Sample* c = static_cast<const Sample*>(args.current);
  const i64 ps = args.previous_stride;
  const i64 cs = args.current_stride;
  const i32 m0 = Mirror(y - 2, h);
  const i32 m1 = Mirror(y - 1, h);
  const i32 m3 = Mirror(y + 1, h);
  const i32 m4 = Mirror(y + 2, h);
  const Sample* p0 = p + m0 * ps;
  const Sample* p1 = p + m1 * ps;
  const Sample* p2 = p + y * ps;
  const Sample* p3 = p + m3 * ps;
  const Sample* p4 = p + m4 * ps;
  const Sample* c0 = c + m0 * cs;
  const Sample* c1 = c + m1 * cs;
  const Sample* c2 = c + y * cs;
  const Sample* c3 = c + m3 * cs;
  const Sample* c4 = c + m4 * cs;
  const i32 depth = args.bit_depth;
  // A window of five vertical results slides along the row.
  i32 v0 = MotionVertical<Sample, kWide>(p0, p1, p2, p3, p4, c0, c1, c2, c3, c4, Mirror(begin - 2, w), depth);
  i32 v1 = MotionVertical<Sample, kWide>(p0, p1, p2, p3, p4, c0, c1, c2, c3, c4, Mirror(begin - 1, w), depth);
  i32 v2 = MotionVertical<Sample, kWide>(p0, p1, p2, p3, p4, c0, c1, c2, c3, c4, Mirror(begin, w), depth);
  i32 v3 = MotionVertical<Sample, kWide>(p0, p1, p2, p3, p4, c0, c1, c2, c3, c4, Mirror(begin + 1, w), depth);
  u32 sad = 0;
  for (i32 x = begin; x < end; ++x) {
    const i32 v4 = MotionVertical<Sample, kWide>(p0, p1, p2, p3, p4, c0, c1, c2, c3, c4, Mirror(x + 2, w), depth);
    sad += MotionMagnitude(MotionRoundSplit(MotionTapSum(v0 >> 1, v1 >> 1, v2 >> 1, v3 >> 1, v4 >> 1),
                                            MotionTapSum(v0 & 1, v1 & 1, v2 & 1, v3 & 1, v4 & 1)));
    v0 = v1;
    v1 = v2;
    v2 = v3;
    v3 = v4;
  }
  return sad;
}

/// MotionColumnsSad() of one whole row.
template <class Sample, bool kWide>
LOCKSTEP_KERNEL void MotionRow(const MotionRowArgs& args, i32 row) {
  const i32 y = LiveRow(row, args.height);
  const u32 sad = MotionColumnsSad<Sample, kWide>(args, y, 0, args.width);
  if (row < args.height) args.row_sads[y] = sad;
}

}  // namespace lockstep
