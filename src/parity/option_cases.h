// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sets of options of a metric, made from its option table: new metrics and options enter the gate by themselves.
#pragma once

#include <string>
#include <vector>

#include "features/feature.h"
#include "lockstep/score.h"

namespace lockstep {

/// The defaults; each bool turned over; each number at its limits, near the lower one and in the middle, or some of
/// what it can be; each choice of a text; then all bools, and all numbers, at once; and what the built-in models ask
/// for. With `only_defaults` the first one.
[[nodiscard]] std::vector<OptionList> OptionCases(const FeatureDescription& feature, bool only_defaults);

/// "name=value:name=value"; empty for the defaults.
[[nodiscard]] std::string OptionText(const OptionList& options);

}  // namespace lockstep
