// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooling in the order of additions that libvmaf uses.
#include "model/pooling.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace lockstep {

std::optional<PooledScore> PoolScores(const ScoreTable& table, std::size_t column, int subsample) {
  PooledScore pooled;
  double sum = 0.0;
  double inverse_sum = 0.0;
  std::int64_t used = 0;
  for (std::int64_t frame = table.first(); frame < table.first() + table.count(); ++frame) {
    if (subsample > 1 && frame % subsample != 0) continue;
    const std::optional<double> score = table.Get(column, frame);
    if (!score) return std::nullopt;
    sum += *score;
    inverse_sum += 1.0 / (*score + 1.0);
    if (used == 0 || *score < pooled.min) pooled.min = *score;
    if (used == 0 || *score > pooled.max) pooled.max = *score;
    ++used;
  }
  if (used == 0) return std::nullopt;
  const auto count = static_cast<double>(used);
  pooled.mean = sum / count;
  pooled.harmonic_mean = count / inverse_sum - 1.0;
  return pooled;
}

double Percentile(std::vector<double> values, double percent) {
  const auto is_nan = [](double value) { return value != value; };
  if (values.empty() || is_nan(percent) || std::any_of(values.begin(), values.end(), is_nan)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(values.begin(), values.end());
  return PercentileOfSorted(values, std::clamp(percent, 0.0, 100.0));
}

double PercentileOfSorted(std::span<const double> sorted, double percent) {
  const double rank = (percent * static_cast<double>(sorted.size() - 1)) / 100.0;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = below + (static_cast<double>(below) < rank ? 1 : 0);
  if (below == above) return sorted[below];
  return sorted[below] * (static_cast<double>(above) - rank) + sorted[above] * (rank - static_cast<double>(below));
}

}  // namespace lockstep
