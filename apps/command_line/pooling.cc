// SPDX-License-Identifier: BSD-2-Clause-Patent
// Means come pooled from the engine; order statistics are taken from the frames of the report.
#include "apps/command_line/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace lockstep {
namespace {

constexpr std::array<PoolMethod, 8> kPoolMethods = {
    PoolMethod::kMean,   PoolMethod::kHarmonicMean, PoolMethod::kMin,         PoolMethod::kMax,
    PoolMethod::kMedian, PoolMethod::kPercentile1,  PoolMethod::kPercentile5, PoolMethod::kPercentile10};

int Percent(PoolMethod method) {
  switch (method) {
    case PoolMethod::kPercentile1:
      return 1;
    case PoolMethod::kPercentile5:
      return 5;
    case PoolMethod::kPercentile10:
      return 10;
    default:
      return 50;
  }
}

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view PoolMethodName(PoolMethod method) {
  switch (method) {
    case PoolMethod::kMean:
      return "mean";
    case PoolMethod::kHarmonicMean:
      return "harmonic_mean";
    case PoolMethod::kMin:
      return "min";
    case PoolMethod::kMax:
      return "max";
    case PoolMethod::kMedian:
      return "median";
    case PoolMethod::kPercentile1:
      return "p1";
    case PoolMethod::kPercentile5:
      return "p5";
    case PoolMethod::kPercentile10:
      return "p10";
  }
  return {};
}

Result<std::vector<PoolMethod>> ParsePoolMethods(std::string_view text, std::string_view option) {
  std::vector<PoolMethod> methods;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    const auto* const found = std::find_if(kPoolMethods.begin(), kPoolMethods.end(),
                                           [&](PoolMethod method) { return PoolMethodName(method) == name; });
    if (found == kPoolMethods.end()) {
      std::string names;
      for (const PoolMethod method : kPoolMethods) {
        if (!names.empty()) names += ", ";
        names += PoolMethodName(method);
      }
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("unknown method \"{}\"; expected {}", name, names),
                   {},
                   std::nullopt,
                   std::string(option)};
    }
    if (std::find(methods.begin(), methods.end(), *found) == methods.end()) methods.push_back(*found);
    if (comma == std::string_view::npos) return methods;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::pair<std::int64_t, double>> UsedScores(const Report& report, const ReportColumn& column) {
  std::vector<std::pair<std::int64_t, double>> scores;
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    const std::int64_t frame = report.first_frame + static_cast<std::int64_t>(row);
    if (report.subsample > 1 && frame % report.subsample != 0) continue;
    if (column.values[row]) scores.emplace_back(frame, *column.values[row]);
  }
  return scores;
}

const ReportColumn* FindColumn(const Report& report, std::string_view name) {
  for (const ReportColumn& column : report.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

double Percentile(std::span<const double> ascending, int percent) {
  const std::size_t scaled = static_cast<std::size_t>(percent) * (ascending.size() - 1);
  const std::size_t left = scaled / 100;
  const std::size_t hundredths = scaled % 100;
  if (hundredths == 0) return ascending[left];
  const double right_weight = static_cast<double>(hundredths) / 100.0;
  return ascending[left] * (1.0 - right_weight) + ascending[left + 1] * right_weight;
}

std::optional<double> Pool(const Report& report, const ReportModel& model, PoolMethod method) {
  switch (method) {
    case PoolMethod::kMean:
      return model.pooled ? std::optional(model.pooled->mean) : std::nullopt;
    case PoolMethod::kHarmonicMean:
      return model.pooled ? std::optional(model.pooled->harmonic_mean) : std::nullopt;
    case PoolMethod::kMin:
      return model.pooled ? std::optional(model.pooled->min) : std::nullopt;
    case PoolMethod::kMax:
      return model.pooled ? std::optional(model.pooled->max) : std::nullopt;
    default:
      break;
  }
  const ReportColumn* const column = FindColumn(report, model.name);
  if (column == nullptr) return std::nullopt;
  std::vector<double> scores;
  for (const auto& [frame, score] : UsedScores(report, *column)) {
    // NaN has no place in an order.
    if (!std::isnan(score)) scores.push_back(score);
  }
  if (scores.empty()) return std::nullopt;
  std::sort(scores.begin(), scores.end());
  return Percentile(scores, Percent(method));
}

bool IsPrediction(const ReportModel& model, std::string_view column_name) {
  if (!column_name.starts_with(model.name)) return false;
  const std::string_view rest = column_name.substr(model.name.size());
  if (rest.empty()) return true;
  if (!model.is_collection) return false;
  if (rest == "_bagging" || rest == "_stddev" || rest == "_ci_p95_lo" || rest == "_ci_p95_hi") return true;
  return rest.front() == '_' && rest.size() >= 5 && IsDigits(rest.substr(1));
}

}  // namespace lockstep
