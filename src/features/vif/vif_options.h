// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of vif.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kVifOptions[] = {
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the score over all scales and the numerators and denominators"},
    {"vif_enhn_gain_limit", "egl", OptionType::kDouble, OptionEffect::kInName, 100.0, 1.0, 100.0,
     "largest gain of the distorted picture that counts; 1 rewards no enhancement"},
    {"vif_skip_scale0", "ssclz", OptionType::kBool, OptionEffect::kInName, 0, 0, 1,
     "leave the full-size scale out: its score is 0"},
};

}  // namespace lockstep
