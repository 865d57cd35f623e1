// SPDX-License-Identifier: BSD-2-Clause-Patent
// The score of ssimulacra2 from the sums of its error maps.
#pragma once

#include <span>

#include "features/ssimulacra2/ssimulacra2_strip.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Sizes of the scales of a picture: each has half the width and height of the one before, rounded up. There are six,
/// or fewer where the one before is less than 8 samples wide or high.
struct Ssimulacra2Scales {
  PlaneSize sizes[kSsimulacra2Scales];
  i32 count = 0;
};
[[nodiscard]] Ssimulacra2Scales MakeSsimulacra2Scales(PlaneSize size);

/// in      sums: [scale][colour plane][kSsimulacra2Sums]
/// exact   binary64, additions in the order of the public definition
/// source  libjxl, the 108 weights of version 2.1. With fewer than six scales they are used up in the same order,
///         so that planes and scales get weights that were not made for them.
[[nodiscard]] double Ssimulacra2Score(const Ssimulacra2Scales& scales, std::span<const double> sums);

}  // namespace lockstep
