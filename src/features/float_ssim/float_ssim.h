// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim: structural similarity of luma, of decimated pictures where they are large.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the mean of the product of all terms; with enable_lcs those of luminance, contrast and structure after it.
///         Each is rounded to binary32
/// scores  float_ssim; with enable_lcs float_ssim_l, float_ssim_c, float_ssim_s
/// depth   8 … 16, all on the 8-bit scale; libvmaf takes samples of 9, 11, 13, 14 and 15 bit for bytes
/// edge    where no window fits after decimation, scores are 0, or NaN where a side has 10 samples, as the reference's
///         mean over nothing; a warning says so
extern const FeatureDescription kFloatSsim;

}  // namespace lockstep
