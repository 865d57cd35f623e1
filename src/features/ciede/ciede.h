// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede: mean CIEDE2000 colour difference of all pixels, written like a PSNR.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the sum (double) of the pixels' differences (binary32) in raster order
/// scores  ciede2000 = 45 - 20 log10(sum / pixels); equal pictures score +infinity
/// depth   8 … 16; 9, 11, 13, 14 and 15, which libvmaf refuses, follow the same formulas
/// edge    4:2:0 of odd size: the last column and row have chroma samples of their own. 4:2:2 as libvmaf reads it,
///         which is not where it is: pixel row y takes chroma row y / 2, a sample a pixel, and what follows in memory.
/// errors  kUnsupported: 4:0:0
extern const FeatureDescription kCiede;

}  // namespace lockstep
