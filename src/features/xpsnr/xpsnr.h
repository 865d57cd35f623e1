// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr: peak signal-to-noise ratio whose squared errors are weighted block by block by the reference's activity.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   weighted squared error of each scored plane (u64), see xpsnr_weights.h
/// planes  luma, and Cb and Cr unless enable_chroma=false or 4:0:0; chroma as it is stored, with an odd last column or
///         row
/// scores  xpsnr_y, xpsnr_cb, xpsnr_cr; infinity where the weighted error is 0. Aggregates axpsnr_*: the PSNR of the
///         squared mean of the frames' root errors; axpsnr_min: the least of them
/// window  the reference picture before, and from 32 frames a second on the one before that as well; pictures before
///         the first one count as black
/// depth   8 … 16
/// source  Helmrich et al., "XPSNR", ICASSP 2020 and ITU Journal 2020; FFmpeg's filter of that name for the order of
///         arithmetic
extern const FeatureDescription kXpsnr;

}  // namespace lockstep
