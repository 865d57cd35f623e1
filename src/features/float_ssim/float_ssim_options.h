// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of float_ssim.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kFloatSsimOptions[] = {
    {"enable_lcs", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the means of luminance, contrast and structure"},
    {"enable_db", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1,
     "write the score in decibels, -10 log10(1 - score)"},
    {"clip_db", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1,
     "limit the decibels to those of half a squared code value in the whole picture"},
    {"scale", nullptr, OptionType::kInt, OptionEffect::kValueOnly, 0, 0, 10,
     "decimation factor; 0: the smaller side / 256, rounded; 1: full size"},
};

}  // namespace lockstep
