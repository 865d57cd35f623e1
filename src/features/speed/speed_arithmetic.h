// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's way from samples to the prepared plane and its means, in binary32. What follows is in speed_algebra.h.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Side of a block, and positions in it: position p = 5 * row + column.
inline constexpr i32 kSpeedBlock = 5;
inline constexpr i32 kSpeedPositions = kSpeedBlock * kSpeedBlock;
/// Pairs (p, q) with q <= p, the lower half of the covariance matrix; pair p * (p + 1) / 2 + q.
inline constexpr i32 kSpeedPairs = kSpeedPositions * (kSpeedPositions + 1) / 2;
/// The prepared plane has every 16th row and column.
inline constexpr i32 kSpeedDecimation = 16;
/// Taps of the widest anti-alias and local-mean filter.
inline constexpr i32 kSpeedMaximumLowPass = 35;
inline constexpr i32 kSpeedMaximumLocalMean = 9;

LOCKSTEP_KERNEL constexpr i32 SpeedPair(i32 p, i32 q) { return p * (p + 1) / 2 + q; }

/// A sample on the 8-bit scale, centred.
/// in      inverse_scaler = 2^(8 - depth)
/// exact   nothing is rounded up to 16 bit
LOCKSTEP_KERNEL float SpeedSample(i32 sample, float inverse_scaler) {
  return static_cast<float>(sample) * inverse_scaler + -128.0f;
}

/// Difference of two samples of SpeedSample().
/// exact   nothing is rounded, so the offset need not be added
LOCKSTEP_KERNEL float SpeedDifference(i32 earlier, i32 later, float inverse_scaler) {
  return static_cast<float>(earlier - later) * inverse_scaler;
}

/// One tap of a filter; the chain begins at 0 and takes the taps in order.
LOCKSTEP_KERNEL float SpeedFilterStep(float sum, float tap, float value) { return sum + tap * value; }

/// Filtered value at `centre` of an axis: the anti-alias filter down the columns, then along the rows, at rows and
/// columns that are multiples of 16; then the local mean of the plane that is left, in the same way.
/// in      value(index) for 0 <= index < length; count odd, count / 2 < length
/// edge    mirror, border sample not repeated
/// source  libvmaf 3.2.0, feature/speed.c and feature/common/convolution.c
template <class Value>
LOCKSTEP_KERNEL float SpeedFilter(const float* taps, i32 count, i32 centre, i32 length, const Value& value) {
  float sum = 0.0f;
  for (i32 k = 0; k < count; ++k) {
    sum = SpeedFilterStep(sum, taps[k], value(Mirror(centre - count / 2 + k, length)));
  }
  return sum;
}

/// What is left of a decimated sample.
LOCKSTEP_KERNEL float SpeedPrepared(float decimated, float local_mean) { return decimated - local_mean; }

/// The window over which means and covariances are taken: position (r, c) of all blocks that fit, wherever they start.
struct SpeedWindow {
  i32 width;
  i32 height;
};

/// Mean at one position: a binary32 chain, row by row, over the window that starts there.
/// in      start: the prepared sample at row r, column c; stride in samples
LOCKSTEP_KERNEL float SpeedMean(const float* start, i64 stride, SpeedWindow window) {
  float sum = 0.0f;
  for (i32 y = 0; y < window.height; ++y) {
    const float* row = start + y * stride;
    for (i32 x = 0; x < window.width; ++x) sum = sum + row[x];
  }
  return sum / static_cast<float>(window.width * window.height);
}

}  // namespace lockstep
