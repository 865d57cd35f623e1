// SPDX-License-Identifier: BSD-2-Clause-Patent
// XML in libvmaf's layout; decisions and warnings follow in elements of their own when there are any.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "report/number_text.h"
#include "report/report_layout.h"
#include "report/text_escapes.h"

namespace lockstep {
namespace {

// Every attribute is followed by one blank: libvmaf's elements end in " />".
void AppendNumberAttribute(std::string_view name, double value, const NumberFormat& numbers, std::string& out) {
  out += name;
  out += "=\"";
  AppendNumber(value, numbers, out);
  out += "\" ";
}

void AppendTextAttribute(std::string_view name, std::string_view text, std::string& out) {
  out += name;
  out += "=\"";
  AppendXmlText(text, out);
  out += "\" ";
}

void AppendDecisions(const Report& report, std::string& out) {
  if (report.decisions.empty()) return;
  out += "  <decisions>\n";
  for (const ReportDecision& decision : report.decisions) {
    out += "    <decision ";
    AppendTextAttribute("subject", decision.subject, out);
    AppendTextAttribute("text", decision.text, out);
    out += "/>\n";
  }
  out += "  </decisions>\n";
}

void AppendWarnings(const Report& report, std::string& out) {
  if (report.warnings.empty()) return;
  out += "  <warnings>\n";
  for (const ReportWarning& warning : report.warnings) {
    out += "    <warning ";
    if (!warning.file.empty()) AppendTextAttribute("file", warning.file, out);
    if (warning.frame) AppendTextAttribute("frame", std::to_string(*warning.frame), out);
    AppendTextAttribute("text", warning.text, out);
    out += "/>\n";
  }
  out += "  </warnings>\n";
}

}  // namespace

std::string FormatXml(const Report& report, const NumberFormat& numbers) {
  const std::vector<std::string> names = ColumnNames(report);
  std::vector<std::string> attribute_names;
  for (const std::string& name : names) {
    // The frame's own attribute has this name; a second one would make the file ill-formed.
    attribute_names.push_back(name == "frameNum" ? "_x0066_rameNum" : XmlName(name));
  }

  std::string out = "<VMAF version=\"";
  AppendXmlText(report.tool_version, out);
  out += "\">\n";
  fmt::format_to(std::back_inserter(out), "  <params qualityWidth=\"{}\" qualityHeight=\"{}\" />\n",
                 report.format.width, report.format.height);
  out += "  <fyi fps=\"";
  if (std::isfinite(report.frames_per_second)) {
    fmt::format_to(std::back_inserter(out), "{:.2f}", report.frames_per_second);
  } else {
    AppendNumber(report.frames_per_second, numbers, out);
  }
  out += "\" />\n";

  out += "  <frames>\n";
  for (const std::int64_t frame : RowFrames(report)) {
    fmt::format_to(std::back_inserter(out), "    <frame frameNum=\"{}\" ", frame);
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::optional<double> value = ValueAt(report, report.columns[i], frame);
      if (value) AppendNumberAttribute(attribute_names[i], *value, numbers, out);
    }
    out += "/>\n";
  }
  out += "  </frames>\n";

  out += "  <pooled_metrics>\n";
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    out += "    <metric ";
    AppendTextAttribute("name", names[i], out);
    if (const std::optional<PooledScore>& pooled = report.columns[i].pooled) {
      AppendNumberAttribute("min", pooled->min, numbers, out);
      AppendNumberAttribute("max", pooled->max, numbers, out);
      AppendNumberAttribute("mean", pooled->mean, numbers, out);
      AppendNumberAttribute("harmonic_mean", pooled->harmonic_mean, numbers, out);
    }
    out += "/>\n";
  }
  out += "  </pooled_metrics>\n";

  out += "  <aggregate_metrics ";
  const std::vector<std::string> aggregate_names = AggregateNames(report);
  for (std::size_t i = 0; i < report.aggregates.size(); ++i) {
    AppendNumberAttribute(XmlName(aggregate_names[i]), report.aggregates[i].second, numbers, out);
  }
  out += "/>\n";

  AppendDecisions(report, out);
  AppendWarnings(report, out);
  out += "</VMAF>\n";
  return out;
}

}  // namespace lockstep
