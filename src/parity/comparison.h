// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a run of one metric makes, and how two of them are compared.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "features/feature.h"
#include "features/score_table.h"
#include "lockstep/parity.h"

namespace lockstep {

/// Everything that one run makes of one metric.
struct Outcome {
  FactTable facts{0, 0};
  ScoreTable scores{0, 0};
  std::vector<std::pair<std::string, double>> aggregates;
};

/// Counts values and differences of bits into the cell: a NaN equals itself and the two zeros differ. What only one of
/// the two has is a difference.
void CompareOutcomes(const Outcome& expected, const Outcome& actual, ParityCell& cell);

}  // namespace lockstep
