// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi: how visible banding (false contours) is in the luma of the distorted picture.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the sum of the greatest contrasts of each of five scales, as the bits of a double; with full_ref those of
///         the reference follow
/// scores  Cambi_feature_cambi_score; full_ref=true: cambi_source (of the reference) and cambi_full_reference (by how
///         much the distorted picture is worse). 0 is no banding.
/// size    a width or a height of at least 216, of the encode and of the source
/// depth   8 … 16
extern const FeatureDescription kCambi;

}  // namespace lockstep
