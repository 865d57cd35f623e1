// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr: peak signal-to-noise ratio of luma from squares rounded to binary32.
#pragma once

#include <cstdint>

#include "base/frame.h"
#include "features/feature.h"

namespace lockstep {

/// facts   noise (double): the sum of all squares on the 8-bit scale
/// scores  float_psnr = min(10 log10(peak^2 / max(noise / pixels, 1e-10)), 6 * depth + 12), peak = (2^depth - 1) /
///         2^(depth - 8). With uncapped=true there is no minimum, and equal pictures score 10 log10(peak^2 / 1e-10).
/// depth   8 … 16; 9, 11, 13, 14 and 15, which libvmaf refuses, follow the same formulas
extern const FeatureDescription kFloatPsnr;

/// Noise from a sum of FloatPsnrSquare() over all samples.
/// exact   The noise of FloatPsnrNoiseInRasterOrder() while the sum is at most kFloatPsnrExactSum, because then no
///         partial sum of that function rounds. Beyond it that function rounds each further addition to 53 bits and
///         this one the exact sum once.
[[nodiscard]] double FloatPsnrNoiseFromIntegerSum(std::uint64_t sum, int bit_depth);

/// Largest sum for which FloatPsnrNoiseFromIntegerSum() is the reference's noise.
inline constexpr std::uint64_t kFloatPsnrExactSum = std::uint64_t{1} << 53;

/// The reference: squares of binary32 differences added in binary64, row by row, left to right.
[[nodiscard]] double FloatPsnrNoiseInRasterOrder(const PlaneView& reference, const PlaneView& distorted, int bit_depth);

/// The reference's noise from the exact sum, whoever computed it: where the reference rounds, the pictures are added in
/// its order.
[[nodiscard]] double FloatPsnrNoise(std::uint64_t sum, const PlaneView& reference, const PlaneView& distorted,
                                    int bit_depth);

/// The score of a frame.
[[nodiscard]] double FloatPsnrScore(double noise, std::int64_t pixels, int bit_depth, bool uncapped);

}  // namespace lockstep
