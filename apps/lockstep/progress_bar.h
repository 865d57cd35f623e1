// SPDX-License-Identifier: BSD-2-Clause-Patent
// One line that says how far a run has come.
#pragma once

#include <string>

#include "lockstep/score.h"

namespace lockstep {

/// "[######          ]  37 %   88/240 frames   35.2 frames/s   0:04 left", or only the count where the end is unknown.
[[nodiscard]] std::string ProgressText(const Progress& progress, double seconds);

}  // namespace lockstep
