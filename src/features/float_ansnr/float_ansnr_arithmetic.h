// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr: the two low-pass filters, their edge rule, and the order in which a filter's products are added.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Square filters by their distinct taps: [row][column] of the quarter that ends in the centre.
inline constexpr i32 kAnsnrReferenceRadius = 1;
inline constexpr i32 kAnsnrDistortedRadius = 2;
inline constexpr float kAnsnrReferenceTaps[2][2] = {
    {static_cast<float>(1.0 / 16.0), static_cast<float>(2.0 / 16.0)},
    {static_cast<float>(2.0 / 16.0), static_cast<float>(4.0 / 16.0)},
};
inline constexpr float kAnsnrDistortedTaps[3][3] = {
    {static_cast<float>(2.0 / 571.0), static_cast<float>(7.0 / 571.0), static_cast<float>(12.0 / 571.0)},
    {static_cast<float>(7.0 / 571.0), static_cast<float>(31.0 / 571.0), static_cast<float>(52.0 / 571.0)},
    {static_cast<float>(12.0 / 571.0), static_cast<float>(52.0 / 571.0), static_cast<float>(127.0 / 571.0)},
};

/// Index of a border sample: before the first one reflected without repeating it, after the last one repeating it.
/// in      -length < index < 2 * length
LOCKSTEP_KERNEL i32 AnsnrMirror(i32 index, i32 length) {
  const i32 below = index < 0 ? -index : index;
  return below < length ? below : 2 * length - 1 - below;
}

/// One row of the 3x3 filter, left to right; row and products are rounded to binary32.
/// in      samples: the middle one; taps: kAnsnrReferenceTaps[0] for the outer rows, [1] for the middle one
/// exact   The reference starts from zero, which could only turn -0 into +0; squares do not show that.
LOCKSTEP_KERNEL float AnsnrReferenceRow(const float* samples, const float* taps) {
  return taps[0] * samples[-1] + taps[1] * samples[0] + taps[0] * samples[1];
}

/// One row of the 5x5 filter, as AnsnrReferenceRow().
LOCKSTEP_KERNEL float AnsnrDistortedRow(const float* samples, const float* taps) {
  return taps[0] * samples[-2] + taps[1] * samples[-1] + taps[2] * samples[0] + taps[1] * samples[1] +
         taps[0] * samples[2];
}

}  // namespace lockstep
