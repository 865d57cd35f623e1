// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the writers of all formats share: which frames have a row and under which names columns appear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/report.h"

namespace lockstep {

/// The value of a column at a frame of the report; absent also where the column is shorter than the report.
[[nodiscard]] std::optional<double> ValueAt(const Report& report, const ReportColumn& column, std::int64_t frame);

/// Frames that have a row, ascending: multiples of the subsampling at which some column has a value.
[[nodiscard]] std::vector<std::int64_t> RowFrames(const Report& report);

/// Names of the columns and aggregates as well-formed UTF-8, made distinct: the second "vmaf" becomes "vmaf#2". A name
/// twice in one JSON object loses a value in most parsers, and in one XML element it makes the file ill-formed.
[[nodiscard]] std::vector<std::string> ColumnNames(const Report& report);
[[nodiscard]] std::vector<std::string> AggregateNames(const Report& report);

[[nodiscard]] std::string FormatXml(const Report& report, const NumberFormat& numbers);
[[nodiscard]] std::string FormatJson(const Report& report, const NumberFormat& numbers);
[[nodiscard]] std::string FormatCsv(const Report& report, const NumberFormat& numbers);
[[nodiscard]] std::string FormatSub(const Report& report, const NumberFormat& numbers);

}  // namespace lockstep
