// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr: signal-to-noise ratio of low-pass filtered luma.
#pragma once

#include <cstdint>

#include "features/feature.h"

namespace lockstep {

/// facts   signal and noise (binary32, stored as doubles): sums of squares over each row, then over the rows
/// scores  float_ansnr = 10 log10(signal / noise), or 6 * depth + 12 where there is no noise; -inf without a signal.
///         float_anpsnr = min(10 log10(peak^2 * pixels / max(noise, 1e-10)), 6 * depth + 12), peak = (2^depth - 1) /
///         2^(depth - 8)
/// depth   8 … 16; 9, 11, 13, 14 and 15, which libvmaf refuses, follow the same formulas
extern const FeatureDescription kFloatAnsnr;

[[nodiscard]] double FloatAnsnrScore(float signal, float noise, int bit_depth);
[[nodiscard]] double FloatAnpsnrScore(float noise, int width, int height, int bit_depth);

}  // namespace lockstep
