// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssim: structural similarity of luma from integer moments.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   the weighted sum of the pixels' similarities (double)
/// scores  ssim: that sum divided by the sum of the weights. Near the border the window is cut, and weighs less
/// depth   8 … 16, unscaled. Above 12 bit products wrap as in the reference: scores lose their meaning where pictures
///         are bright, and a warning says so
/// source  libvmaf 3.2.0 has the file integer_ssim.c, but neither builds nor lists it
extern const FeatureDescription kSsim;

}  // namespace lockstep
