// SPDX-License-Identifier: BSD-2-Clause-Patent
// One number for a whole clip, in the ways that the programs can print it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/report.h"
#include "lockstep/result.h"

namespace lockstep {

enum class PoolMethod { kMean, kHarmonicMean, kMin, kMax, kMedian, kPercentile1, kPercentile5, kPercentile10 };

/// "mean", "harmonic_mean", "min", "max", "median", "p1", "p5" or "p10".
[[nodiscard]] std::string_view PoolMethodName(PoolMethod method);

/// Names separated by commas.
/// errors  kInvalidArgument: an unknown name; the message lists the valid ones
[[nodiscard]] Result<std::vector<PoolMethod>> ParsePoolMethods(std::string_view text, std::string_view option);

/// Scores of a column at the frames that a report shows, with their frame numbers.
[[nodiscard]] std::vector<std::pair<std::int64_t, double>> UsedScores(const Report& report, const ReportColumn& column);

/// nullptr when there is none of that name.
[[nodiscard]] const ReportColumn* FindColumn(const Report& report, std::string_view name);

/// The value below which `percent` of the scores lie, linear between neighbours.
/// in      ascending, not empty; percent 0 … 100
/// exact   position percent * (n - 1) / 100 in integers; u[l] * (r - p) + u[r] * (p - l) where it lies between l and r
[[nodiscard]] double Percentile(std::span<const double> ascending, int percent);

/// Pools the column of a model; absent where there are no scores.
[[nodiscard]] std::optional<double> Pool(const Report& report, const ReportModel& model, PoolMethod method);

/// Whether the column holds predictions of a model: its scores, its members' or its interval.
[[nodiscard]] bool IsPrediction(const ReportModel& model, std::string_view column_name);

}  // namespace lockstep
