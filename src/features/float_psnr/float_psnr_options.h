// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of float_psnr.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kFloatPsnrOptions[] = {
    {"uncapped", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1,
     "do not limit the score to 6 * depth + 12 dB"},
};

}  // namespace lockstep
