// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs: peak signal-to-noise ratio of DCT differences as far as an eye sees them (PSNR-HVS-M).
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   of each plane the weighted mean squared error relative to the squared peak, a binary32 number as double
/// scores  psnr_hvs_y, psnr_hvs_cb, psnr_hvs_cr = -10 log10 of it; psnr_hvs = the same of 0.8 Y + 0.1 (Cb + Cr).
///         Planes without a visible difference score +infinity; those without a block of 8x8 samples, and psnr_hvs with
///         them, NaN, which a warning says.
/// depth   8 … 12
/// errors  kUnsupported: more than 12 bits, 4:0:0
extern const FeatureDescription kPsnrHvs;

}  // namespace lockstep
