// SPDX-License-Identifier: BSD-2-Clause-Patent
// One number for a sequence, from the scores of its frames.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "features/score_table.h"
#include "lockstep/report.h"

namespace lockstep {

/// Minimum, maximum, mean and harmonic mean of a column over the frames that `subsample` keeps.
/// out     absent when a kept frame has no score, or no frame is kept
/// edge    frame i is kept when subsample <= 1 or i is a multiple of it. Minimum and maximum start from the first kept
///         frame; libvmaf starts them from 0 when subsampling skips the first frame of an interval.
/// exact   sums in frame order, both from 0.0: sum / n, and n / sum(1 / (score + 1)) - 1
[[nodiscard]] std::optional<PooledScore> PoolScores(const ScoreTable& table, std::size_t column, int subsample);

/// The value below which `percent` of the values lie: linear interpolation between the two closest ranks, where the
/// smallest value has rank 0 and the largest rank 100.
/// percent  clamped to 0 … 100
/// out      NaN without values or with a NaN among them or for `percent`
[[nodiscard]] double Percentile(std::vector<double> values, double percent);

/// The same for values that are sorted already, as bootstrap intervals use it.
/// sorted   not empty; NaN may stand at the end
/// percent  0 … 100
/// exact    low * (above - rank) + high * (rank - below), where rank = percent * (n - 1) / 100
[[nodiscard]] double PercentileOfSorted(std::span<const double> sorted, double percent);

}  // namespace lockstep
