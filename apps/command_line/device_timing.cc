// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where a device spent its time, as both programs print it.
#include "apps/command_line/device_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/command_line/terminal_text.h"

namespace lockstep {

std::string DeviceTimingText(const Report& report) {
  if (report.device_timings.empty()) return {};
  std::vector<DeviceTimingRow> rows = report.device_timings;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const DeviceTimingRow& a, const DeviceTimingRow& b) { return a.milliseconds > b.milliseconds; });
  const auto frames = static_cast<double>(std::max<std::int64_t>(report.frame_count, 1));
  std::string out = fmt::format("{:<36}{:>10}{:>14}{:>14}\n", "device time", "count", "total ms", "ms a frame");
  DeviceTimingRow total{"all"};
  for (const DeviceTimingRow& row : rows) {
    out += fmt::format("  {:<34}{:>10}{:>14.3f}{:>14.4f}\n", TerminalText(row.name), row.count, row.milliseconds,
                       row.milliseconds / frames);
    total.count += row.count;
    total.milliseconds += row.milliseconds;
  }
  out += fmt::format("  {:<34}{:>10}{:>14.3f}{:>14.4f}\n", total.name, total.count, total.milliseconds,
                     total.milliseconds / frames);
  return out;
}

}  // namespace lockstep
