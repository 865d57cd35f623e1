// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of ssimulacra2: how samples become light, which pictures of samples alone do not say.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kSsimulacra2Options[] = {
    {"matrix", nullptr, OptionType::kString, OptionEffect::kInName, 0, 0, 0,
     "how Y'CbCr becomes R'G'B': bt601, bt709, bt2020, or auto, which is bt601 for pictures narrower than 1280 and not "
     "higher than 576, else bt709",
     "auto", "auto bt601 bt709 bt2020"},
    {"range", nullptr, OptionType::kString, OptionEffect::kInName, 0, 0, 0,
     "code values of black and white: limited (16 and 235 at 8 bit) or full (0 and 255)", "limited", "limited full"},
    {"transfer", nullptr, OptionType::kString, OptionEffect::kInName, 0, 0, 0,
     "how R'G'B' becomes light: srgb, or bt709, the inverse of that standard's camera curve", "srgb", "srgb bt709"},
};

}  // namespace lockstep
