// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif: Visual Information Fidelity of luma at four dyadic scales, in fixed point.
#pragma once

#include <cstdint>
#include <span>

#include "features/feature.h"

namespace lockstep {

/// facts   for each scale num_log, den_log, non_log_num, non_log_count (VifSums): exact integers
/// scores  VMAF_integer_feature_vif_scale0_score … scale3_score: numerator / denominator of a scale, a binary32
/// quotient;
///         debug=true: integer_vif, integer_vif_num, integer_vif_den over all scales and both of each scale
///         vif_skip_scale0=true: scale 0 scores 0, and the sums over scales leave it out
/// size    from 16x16 on, for the mirrored filter at scale 3; skipping scale 0 does not change that
/// depth   8 … 16
extern const FeatureDescription kVif;

/// The table of VifLog(): entry m - 32768 is log2(m) in units of 1/2048, rounded to binary32 and then to the nearest
/// integer, halves up. Made on the first call.
/// thread  safe
[[nodiscard]] std::span<const std::uint16_t> VifLogTable();

}  // namespace lockstep
