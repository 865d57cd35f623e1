// SPDX-License-Identifier: BSD-2-Clause-Patent
// Rows and column names of a report, and the choice of its writer.
#include "report/report_layout.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "report/text_escapes.h"

namespace lockstep {
namespace {

void MakeDistinct(std::vector<std::string>& names) {
  std::unordered_set<std::string> used;
  for (std::string& name : names) {
    const std::string wanted = name;
    for (int copy = 2; !used.insert(name).second; ++copy) name = wanted + "#" + std::to_string(copy);
  }
}

}  // namespace

std::optional<double> ValueAt(const Report& report, const ReportColumn& column, std::int64_t frame) {
  const auto row = static_cast<std::size_t>(frame - report.first_frame);
  if (row >= column.values.size()) return std::nullopt;
  return column.values[row];
}

std::vector<std::int64_t> RowFrames(const Report& report) {
  std::vector<std::int64_t> frames;
  for (std::int64_t frame = report.first_frame; frame < report.first_frame + report.frame_count; ++frame) {
    if (report.subsample > 1 && frame % report.subsample != 0) continue;
    const bool has_value = std::any_of(report.columns.begin(), report.columns.end(), [&](const ReportColumn& column) {
      return ValueAt(report, column, frame).has_value();
    });
    if (has_value) frames.push_back(frame);
  }
  return frames;
}

std::vector<std::string> ColumnNames(const Report& report) {
  std::vector<std::string> names;
  for (const ReportColumn& column : report.columns) names.push_back(ValidUtf8(column.name));
  MakeDistinct(names);
  return names;
}

std::vector<std::string> AggregateNames(const Report& report) {
  std::vector<std::string> names;
  for (const auto& aggregate : report.aggregates) names.push_back(ValidUtf8(aggregate.first));
  MakeDistinct(names);
  return names;
}

std::string FormatReport(const Report& report, ReportFormat format, const NumberFormat& numbers) {
  switch (format) {
    case ReportFormat::kXml:
      return FormatXml(report, numbers);
    case ReportFormat::kJson:
      return FormatJson(report, numbers);
    case ReportFormat::kCsv:
      return FormatCsv(report, numbers);
    case ReportFormat::kSub:
      return FormatSub(report, numbers);
  }
  return {};
}

}  // namespace lockstep
