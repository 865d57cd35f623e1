// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of float_adm.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kFloatAdmOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write numerators and denominators, in total and by scale"},
    {"adm_enhn_gain_limit", "egl", OptionType::kDouble, OptionEffect::kInName, 100.0, 1.0, 100.0,
     "how far enhanced detail counts as restored; 1 gives no credit for enhancement"},
    {"adm_norm_view_dist", "nvd", OptionType::kDouble, OptionEffect::kInName, 3.0, 0.75, 24.0,
     "viewing distance in display heights"},
    {"adm_noise_weight", "nw", OptionType::kDouble, OptionEffect::kInName, 0.03125, 0.0, 1500.0,
     "weight of the additive noise that keeps flat pictures defined"},
    {"adm_csf_scale", "scf", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 50.0,
     "factor on the contrast sensitivity of horizontal and vertical detail; used by adm_csf_mode=1 only"},
    {"adm_csf_diag_scale", "scfd", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 50.0,
     "factor on the contrast sensitivity of diagonal detail; used by adm_csf_mode=1 only"},
    {"adm_ref_display_height", "rdf", OptionType::kInt, OptionEffect::kInName, 1080, 1, 4320,
     "display height in pixels"},
    {"adm_csf_mode", "csf", OptionType::kInt, OptionEffect::kInName, 0, 0, 9,
     "contrast sensitivity function: 1 Barten, 2 that of the DLM paper, every other number Watson 1997"},
    {"adm_bypass_cm", "bcm", OptionType::kInt, OptionEffect::kInName, 0, 0, 1, "1: no contrast masking"},
    {"adm_adm3_apply_hm", "aah", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "adm3 is the harmonic mean of adm2 and aim instead of their weighted sum"},
    {"adm_p_norm", "apn", OptionType::kDouble, OptionEffect::kInName, 3.0, 1.0, 20.0, "exponent of the pooling"},
    {"adm_dlm_weight", "dlmw", OptionType::kDouble, OptionEffect::kInName, 0.5, 0.0, 1.0, "weight of adm2 in adm3"},
    {"adm_min_val", "min", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0, "lower bound of adm3"},
    {"adm_f1s0", "f1s0", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0,
     "factor of horizontal and vertical detail at scale 0; negative: by adm_csf_mode"},
    {"adm_f1s1", "f1s1", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 1"},
    {"adm_f1s2", "f1s2", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 2"},
    {"adm_f1s3", "f1s3", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 3"},
    {"adm_f2s0", "f2s0", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0,
     "factor of diagonal detail at scale 0; negative: by adm_csf_mode"},
    {"adm_f2s1", "f2s1", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 1"},
    {"adm_f2s2", "f2s2", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 2"},
    {"adm_f2s3", "f2s3", OptionType::kDouble, OptionEffect::kInName, -1.0, -1.0, 10.0, "the same at scale 3"},
    {"adm_skip_aim_scale", "sasc", OptionType::kInt, OptionEffect::kInName, -1, 0, 3,
     "a scale that aim leaves out; without the option none"},
    {"adm_skip_scale0", "ssz", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "leave the finest scale out"},
};

}  // namespace lockstep
