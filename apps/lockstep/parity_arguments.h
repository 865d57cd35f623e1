// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arguments of `lockstep parity`, and what it prints.
#pragma once

#include <string>
#include <vector>

#include "apps/lockstep/score_arguments.h"
#include "lockstep/parity.h"
#include "lockstep/result.h"

namespace lockstep {

/// As the user wrote them. Of `inputs` only the two files and what describes raw video are read.
struct ParityTexts {
  ScoreTexts inputs;
  std::string backends = "cpu";
  ScoreTexts::Text device;   // one or several, as in DeviceRequest
  ScoreTexts::Text targets;  // absent: all
  std::vector<std::string> features;
  ScoreTexts::Text frame_limit;
  ScoreTexts::Text threads;
  ScoreTexts::Text json;
  bool default_options_only = false;
  bool all_sizes = false;
};

/// errors  kInvalidArgument
[[nodiscard]] Result<ParityRequest> ParseParityArguments(const ParityTexts& texts);

/// A table of metrics and ways of computing, every difference and hole, and a last line that says it all.
[[nodiscard]] std::string ParityText(const ParityReport& report);

}  // namespace lockstep
