// SPDX-License-Identifier: BSD-2-Clause-Patent
// What `lockstep score` shows when it is done.
#pragma once

#include <string>

#include "lockstep/report.h"

namespace lockstep {

/// Several lines: inputs, every model with its pooled scores and worst frames, other scores, decisions.
[[nodiscard]] std::string SummaryText(const Report& report, const NumberFormat& numbers);

/// One line a model, for --quiet: "vmaf_v0.6.1 93.412345".
[[nodiscard]] std::string BriefText(const Report& report, const NumberFormat& numbers);

}  // namespace lockstep
