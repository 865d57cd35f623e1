// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment: mean and mean square of luma, of either picture.
#pragma once

#include "base/frame.h"
#include "base/kernel_prelude.h"
#include "features/feature.h"

namespace lockstep {

/// facts   sums of the samples and of their squares on the 8-bit scale (doubles): reference, distorted, then squares
/// scores  float_moment_ref1st, float_moment_dis1st, float_moment_ref2nd, float_moment_dis2nd
/// depth   8 … 16, all on the 8-bit scale; libvmaf takes samples of 9, 11, 13, 14 and 15 bit for bytes
extern const FeatureDescription kFloatMoment;

/// Sums of one picture in units of 1/scaler and 1/scaler^2, scaler = 2^(depth - 8).
struct FloatMomentSums {
  u64 first;
  u64 second;
};

/// While the second sum is at most this, no addition of the reference rounds, and any order gives its sum. The first
/// sum of a picture never gets there.
inline constexpr u64 kFloatMomentExactSum = u64{1} << 53;

/// The reference's second sum, squares rounded to binary32 and added in binary64 row by row, left to right.
[[nodiscard]] double FloatMomentSquaresInRasterOrder(const PlaneView& plane, int bit_depth);

}  // namespace lockstep
