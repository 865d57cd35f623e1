// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm: detail loss and additive impairment over four wavelet scales, in fixed point.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   36 integers a frame, see AdmSum
/// planes  luma, at least 33x33: below, libvmaf reads outside its buffers
/// scores  VMAF_integer_feature_adm2_score (restored detail over reference detail), …aim… (additive impairment over
///         reference detail), …adm3… (their blend), integer_adm_scale0 … 3; with debug the totals and the numerators
///         and denominators by scale
/// edge    no reference detail and adm_noise_weight=0: adm2 is 1, aim is 0 (libvmaf writes an unset variable), the
///         ratios of scales are NaN (0/0)
/// errors  kInvalidArgument: viewing conditions that libvmaf fails on at the first frame, or scores as NaN
/// source  spec adm.md (libvmaf 3.2.0, scalar code)
extern const FeatureDescription kAdm;

}  // namespace lockstep
