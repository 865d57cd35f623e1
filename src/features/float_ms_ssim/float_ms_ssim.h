// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ms_ssim: structural similarity of luma at five scales.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   of each scale the means of luminance, contrast and structure, each rounded to binary32. Without enable_lcs
///         the luminance of all but the last scale, which no score depends on, is 0
/// scores  float_ms_ssim; with enable_lcs float_ms_ssim_l_scale0 … 4, float_ms_ssim_c_scale0 … 4,
///         float_ms_ssim_s_scale0 … 4. A negative mean has no real power: the score of such a frame is NaN, and a
///         warning names the scale; in decibels it is the limit
/// depth   8 … 16, all on the 8-bit scale; libvmaf takes samples of 9, 11, 13, 14 and 15 bit for bytes
extern const FeatureDescription kFloatMsSsim;

}  // namespace lockstep
