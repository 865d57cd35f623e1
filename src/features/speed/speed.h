// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED: how far the entropies of small blocks differ, of chroma planes and of changes from picture to picture.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the scores of Cb and Cr, binary32 values in doubles; then which covariance matrices were singular: bit 0 the
///         reference's of Cb, 1 the distorted picture's, 2 and 3 those of Cr
/// planes  without an odd last column or row, as libvmaf has them; at least 80x80 after the resize
/// scores  Speed_chroma_feature_speed_chroma_{u,v,uv}_score. uv is the mean, or the other one where one plane has a
///         singular matrix
/// depth   8 … 16. libvmaf takes 9, 11, 13, 14 and 15 bit for bytes; here they are scaled by 2^(depth - 8) as the
///         others.
/// errors  kUnsupported: no chroma, or planes too small; kInvalidArgument: kernel scale or resize method
extern const FeatureDescription kSpeedChroma;

/// facts   the score, a binary32 value in a double, 0 for the first frame; then bits as above
/// scores  Speed_temporal_feature_speed_temporal_score
/// depth   as above
/// errors  as above, but for chroma
extern const FeatureDescription kSpeedTemporal;

}  // namespace lockstep
