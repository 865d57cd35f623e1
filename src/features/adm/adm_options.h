// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of adm.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kAdmOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write numerators and denominators, in total and by scale"},
    {"adm_csf_scale", "scf", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 50.0,
     "factor on the contrast sensitivity of horizontal and vertical detail; used by adm_csf_mode=1 only"},
    {"adm_csf_diag_scale", "scfd", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 50.0,
     "factor on the contrast sensitivity of diagonal detail; used by adm_csf_mode=1 only"},
    {"adm_dlm_weight", "dlmw", OptionType::kDouble, OptionEffect::kInName, 0.5, 0.0, 1.0, "weight of adm2 in adm3"},
    {"adm_enhn_gain_limit", "egl", OptionType::kDouble, OptionEffect::kInName, 100.0, 1.0, 100.0,
     "how far enhanced detail counts as restored; 1 gives no credit for enhancement"},
    {"adm_norm_view_dist", "nvd", OptionType::kDouble, OptionEffect::kInName, 3.0, 0.75, 24.0,
     "viewing distance in display heights; times adm_ref_display_height it must be at least 3240"},
    {"adm_ref_display_height", "rdh", OptionType::kInt, OptionEffect::kInName, 1080, 1, 4320,
     "display height in pixels"},
    {"adm_csf_mode", "csf", OptionType::kInt, OptionEffect::kInName, 0, 0, 3,
     "contrast sensitivity function: 0 Watson 1997, 1 Barten, 2 blended table, 3 blended table fitted for mean "
     "absolute "
     "error; the tables know only some pairs of viewing distance and display height"},
    {"adm_noise_weight", "nw", OptionType::kDouble, OptionEffect::kInName, 0.03125, 0.0, 1500.0,
     "weight of the additive noise that keeps flat pictures defined"},
    {"adm_skip_aim", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1,
     "leave additive impairment out: aim is 0, adm3 depends on adm2 only"},
    {"adm_skip_scale0", "ssz", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "leave the finest scale out"},
    {"adm_min_val", "min", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0, "lower bound of adm3"},
};

}  // namespace lockstep
