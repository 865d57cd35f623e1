// SPDX-License-Identifier: BSD-2-Clause-Patent
// MicroDVD subtitles in libvmaf's layout, to show scores while a player runs.
#include <fmt/format.h>

#include <cstddef>
#include <iterator>

#include "report/number_text.h"
#include "report/report_layout.h"
#include "report/text_escapes.h"

namespace lockstep {

std::string FormatSub(const Report& report, const NumberFormat& numbers) {
  std::vector<std::string> names;
  for (const std::string& name : ColumnNames(report)) names.push_back(SubtitleName(name));
  std::string out;
  for (const std::int64_t frame : RowFrames(report)) {
    fmt::format_to(std::back_inserter(out), "{{{}}}{{{}}}frame: {}|", frame, frame + 1, frame);
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::optional<double> value = ValueAt(report, report.columns[i], frame);
      if (!value) continue;
      out += names[i];
      out += ": ";
      AppendNumber(*value, numbers, out);
      out += '|';
    }
    out += '\n';
  }
  return out;
}

}  // namespace lockstep
