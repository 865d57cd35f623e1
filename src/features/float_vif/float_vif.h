// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif: Visual Information Fidelity of luma at four dyadic scales, in binary32.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   numerator and denominator of each scale: binary32 sums as binary64, rows added in order
/// planes  luma, from 16x16 on, also after vif_prescale; wider filters need more
/// scores  VMAF_feature_vif_scale0_score … scale3_score: numerator / denominator of a scale in binary64, scales 1 … 3
///         not below their vif_scale*_min_val; debug=true: vif, vif_num, vif_den over all scales and both of each
///         scale; vif_skip_scale0=true: scale 0 scores 0, and the sums over scales leave it out
/// depth   8 … 16
/// edge    vif_sigma_nsq=0 where the reference is flat: the denominator of 0 / 0 counts 128 + log2(1.5), as in libvmaf
/// errors  kInvalidArgument: vif_kernelscale or vif_prescale_method that libvmaf does not know either
///         kUnsupported: a scale is smaller than its filter can mirror; bilinear beyond 7680 columns
/// source  spec float_vif.md (libvmaf 3.2.0, scalar code)
extern const FeatureDescription kFloatVif;

}  // namespace lockstep
