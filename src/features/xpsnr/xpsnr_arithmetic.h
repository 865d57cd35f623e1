// SPDX-License-Identifier: BSD-2-Clause-Patent
// Activities and squared errors of xpsnr: the integers that the weights and errors of its blocks are sums of.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// What a block of luma sums up.
struct XpsnrBlockSums {
  u64 squared_error = 0;
  u64 spatial = 0;   // absolute values of the high-pass filtered reference
  u64 temporal = 0;  // absolute changes of the reference over time
};

LOCKSTEP_KERNEL u32 XpsnrMagnitude(i32 value) { return static_cast<u32>(value < 0 ? -value : value); }

/// Square of the difference of two samples.
/// exact   at most 65535^2 < 2^32
LOCKSTEP_KERNEL u32 XpsnrSquaredError(i32 reference, i32 distorted) {
  const u32 magnitude = XpsnrMagnitude(reference - distorted);
  return magnitude * magnitude;
}

/// High-pass of the sample in column x of the middle of three rows.
/// exact   at most 12 * 65535 < 2^20
template <class Sample>
LOCKSTEP_KERNEL u32 XpsnrSpatial(const Sample* above, const Sample* row, const Sample* below, i32 x) {
  const i32 sides = row[x - 1] + row[x + 1] + above[x] + below[x];
  const i32 corners = above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1];
  return XpsnrMagnitude(12 * row[x] - 2 * sides - corners);
}

/// High-pass of the sum of four samples, those of rows 2 and 3 in columns 2 and 3.
/// in      six rows and the six columns to read of them
/// exact   at most 48 * 65535 < 2^22
template <class Sample>
LOCKSTEP_KERNEL u32 XpsnrSpatialOfFour(const Sample* const* rows, const i32* columns) {
  const auto at = [&](i32 row, i32 column) __attribute__((always_inline)) {
    return static_cast<i32>(rows[row][columns[column]]);
  };
  const auto middle = [&](i32 row) __attribute__((always_inline)) { return at(row, 2) + at(row, 3); };
  const auto beside = [&](i32 row) __attribute__((always_inline)) { return at(row, 1) + at(row, 4); };
  const auto outside = [&](i32 row) __attribute__((always_inline)) { return at(row, 0) + at(row, 5); };
  const i32 centre = middle(2) + middle(3);
  const i32 near = middle(1) + middle(4) + beside(2) + beside(3);
  const i32 diagonal = beside(1) + beside(4);
  const i32 far = middle(0) + middle(5) + beside(0) + beside(5) + outside(1) + outside(2) + outside(3) + outside(4);
  return XpsnrMagnitude(12 * centre - 3 * near - 2 * diagonal - far);
}

/// Change between two pictures.
LOCKSTEP_KERNEL u32 XpsnrFirstDifference(i32 current, i32 previous) { return XpsnrMagnitude(current - previous); }

/// Change of the change between three pictures.
LOCKSTEP_KERNEL u32 XpsnrSecondDifference(i32 current, i32 previous, i32 earlier) {
  return XpsnrMagnitude(current - 2 * previous + earlier);
}

/// Sum of four samples that stand for one of a picture of half the size.
template <class Sample>
LOCKSTEP_KERNEL i32 XpsnrFour(const Sample* row, const Sample* next, i32 x, i32 beside) {
  return row[x] + row[beside] + next[x] + next[beside];
}

}  // namespace lockstep
