// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2: structural similarity, ringing and blur at six scales of an opponent colour space, as one score.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   six sums (f64) for each colour plane of each scale, see ssimulacra2_strip.h
/// scores  ssimulacra2: 100 for equal pictures, about 90 where no difference is visible, below 0 for very bad ones
/// inputs  all planes, chroma interpolated linearly (see ssimulacra2_arithmetic.h); 4:0:0 is grey
/// depth   8 … 16
/// size    from 8x8 on
/// source  version 2.1 of the metric as libjxl defines it; what differs from libjxl is only how sums are rounded
extern const FeatureDescription kSsimulacra2;

}  // namespace lockstep
