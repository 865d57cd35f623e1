// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of xpsnr.
#pragma once

#include "features/option_table.h"

namespace lockstep {

/// From this number of frames a second on, changes over time are second differences.
inline constexpr double kXpsnrSecondOrderRate = 32.0;

inline constexpr OptionSpec kXpsnrOptions[] = {
    {"enable_chroma", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 1, 0, 1,
     "also score Cb and Cr (4:0:0 has none)"},
    {"fps", nullptr, OptionType::kDouble, OptionEffect::kInName, 0.0, 1.0, 1000.0,
     "frames a second; without it the input's, and below 32 where that is unknown: from 32 on, changes over time are "
     "measured over three pictures instead of two",
     "", "", true},
};

}  // namespace lockstep
