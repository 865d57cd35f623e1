// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of float_vif.
#pragma once

#include "features/option_table.h"
#include "features/resize/gaussian_filter.h"
#include "features/resize/resize.h"

namespace lockstep {

inline constexpr OptionSpec kFloatVifOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the score over all scales and the numerators and denominators"},
    {"vif_enhn_gain_limit", "egl", OptionType::kDouble, OptionEffect::kInName, 100.0, 1.0, 100.0,
     "largest gain of the distorted picture that counts; 1 rewards no enhancement"},
    {"vif_kernelscale", "ks", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.1, 4.0,
     "factor on the size of the Gaussian filters", "", kKernelScales},
    {"vif_prescale", "ps", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.1, 4.0,
     "factor by which both pictures are resized first"},
    {"vif_prescale_method", "pm", OptionType::kString, OptionEffect::kInName, 0, 0, 0, "how they are resized",
     "nearest", kResizeMethods},
    {"vif_scale1_min_val", "s1miv", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0,
     "lower bound of the score of scale 1"},
    {"vif_scale2_min_val", "s2miv", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0,
     "lower bound of the score of scale 2"},
    {"vif_scale3_min_val", "s3miv", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 1.0,
     "lower bound of the score of scale 3"},
    {"vif_sigma_nsq", "snsq", OptionType::kDouble, OptionEffect::kInName, 2.0, 0.0, 5.0,
     "variance of the neural noise, in squared 8-bit steps"},
    {"vif_skip_scale0", "ssclz", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "leave the full-size scale out: its score is 0"},
};

}  // namespace lockstep
