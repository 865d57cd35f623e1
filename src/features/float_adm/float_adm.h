// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm: detail loss and additive impairment over four wavelet scales, in binary32.
#pragma once

#include "features/feature.h"

namespace lockstep {

/// facts   FloatAdmSum of each scale: binary32 sums as binary64, rows added in order
/// planes  luma, at least 17x17: below, libvmaf reads outside its planes or what an earlier scale left there
/// scores  VMAF_feature_adm2_score (restored detail over reference detail), …aim… (additive impairment over reference
///         detail, at most 1), …adm3… (their blend), VMAF_feature_adm_scale0_score … 3; with debug the totals and the
///         numerators and denominators by scale
/// depth   8 … 16
/// edge    no reference detail and adm_noise_weight=0: adm2 is 1, aim is 0 (libvmaf writes an unset variable), the
///         ratios of scales are NaN (0/0)
/// source  spec float_adm.md (libvmaf 3.2.0 on an Intel processor)
extern const FeatureDescription kFloatAdm;

}  // namespace lockstep
