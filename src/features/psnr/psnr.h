// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr: peak signal-to-noise ratio of each plane, per frame and of the whole sequence.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   squared error of each scored plane (u64)
/// planes  luma, and Cb and Cr unless enable_chroma=false or 4:0:0. Of chroma planes with an odd last column or row the
///         region of libvmaf and FFmpeg is scored, that is, without it. A chroma plane left without samples (pictures
///         one sample wide or high) has no error: it scores the cap, and 0 as its mse.
/// scores  psnr_y, psnr_cb, psnr_cr; mse_*; aggregates apsnr_* of the scored planes that have samples
/// depth   8 … 16; 9, 11, 13, 14 and 15, which libvmaf refuses, follow the same formulas
///
/// Two requests that differ only in outputs are merged to the union of their outputs: enable_chroma=false beside a
/// request with chroma keeps chroma.
extern const FeatureDescription kPsnr;

}  // namespace lockstep
