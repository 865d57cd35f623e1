// SPDX-License-Identifier: BSD-2-Clause-Patent
// CSV in libvmaf's layout: a comma after every field, also the last; a missing value is an empty field.
#include "report/number_text.h"
#include "report/report_layout.h"
#include "report/text_escapes.h"

namespace lockstep {

std::string FormatCsv(const Report& report, const NumberFormat& numbers) {
  std::string out = "Frame,";
  for (const std::string& name : ColumnNames(report)) {
    AppendCsvField(name, out);
    out += ',';
  }
  out += '\n';
  for (const std::int64_t frame : RowFrames(report)) {
    out += std::to_string(frame);
    out += ',';
    for (const ReportColumn& column : report.columns) {
      const std::optional<double> value = ValueAt(report, column, frame);
      if (value) AppendNumber(*value, numbers, out);
      out += ',';
    }
    out += '\n';
  }
  return out;
}

}  // namespace lockstep
