// SPDX-License-Identifier: BSD-2-Clause-Patent
// JSON: libvmaf's keys first and in its layout, then what a program wants to know about how the scores came about.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "report/number_text.h"
#include "report/report_layout.h"
#include "report/text_escapes.h"

namespace lockstep {
namespace {

// Raised whenever a key is removed or changes its meaning; new keys do not raise it.
constexpr std::string_view kSchema = "lockstep-report-1";

/// Appends JSON text, one item a line, two blanks a level. Numbers that JSON cannot hold become null, and the reason
/// is kept until the caller writes it beside them.
class JsonWriter {
 public:
  explicit JsonWriter(const NumberFormat& numbers) : numbers_(numbers) {}

  void BeginObject(std::string_view key = {}) { Begin('{', key); }
  void BeginArray(std::string_view key = {}) { Begin('[', key); }
  void EndObject() { End('}'); }
  void EndArray() { End(']'); }

  void Number(std::string_view key, double value) {
    Item(key);
    const std::string_view reason = NonFiniteReason(value);
    if (reason.empty()) {
      AppendNumber(value, numbers_, out_);
    } else {
      out_ += "null";
      reasons_.emplace_back(key, reason);
    }
  }
  void Speed(std::string_view key, double frames_per_second) {
    Item(key);
    const std::string_view reason = NonFiniteReason(frames_per_second);
    if (reason.empty()) {
      fmt::format_to(std::back_inserter(out_), "{:.2f}", frames_per_second);
    } else {
      out_ += "null";
      reasons_.emplace_back(key, reason);
    }
  }
  void Integer(std::string_view key, std::int64_t value) {
    Item(key);
    out_ += std::to_string(value);
  }
  void Bool(std::string_view key, bool value) {
    Item(key);
    out_ += value ? "true" : "false";
  }
  void Text(std::string_view key, std::string_view text) {
    Item(key);
    AppendJsonString(text, out_);
  }
  void Null(std::string_view key) {
    Item(key);
    out_ += "null";
  }
  /// Shortest text that reads back to the same value; null for what is not a positive number.
  void PositiveOrNull(std::string_view key, double value) {
    if (!std::isfinite(value) || value <= 0.0) return Null(key);
    Item(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void TextOrNull(std::string_view key, std::string_view text) { text.empty() ? Null(key) : Text(key, text); }

  /// The reasons of the nulls since the last call, as an object; nothing when there were none.
  void Reasons(std::string_view key) {
    if (reasons_.empty()) return;
    BeginObject(key);
    for (const auto& [name, reason] : std::exchange(reasons_, {})) Text(name, reason);
    EndObject();
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string_view>> TakeReasons() {
    return std::exchange(reasons_, {});
  }

  [[nodiscard]] std::string Take() && {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void Item(std::string_view key) {
    if (depth_ == 0) return;
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_.append(2 * depth_, ' ');
    if (key.data() == nullptr) return;
    AppendJsonString(key, out_);
    out_ += ": ";
  }
  void Begin(char bracket, std::string_view key) {
    Item(key);
    out_ += bracket;
    first_ = true;
    ++depth_;
  }
  // Empty objects and arrays get a line feed too: libvmaf's layout.
  void End(char bracket) {
    --depth_;
    first_ = false;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
    out_ += bracket;
  }

  const NumberFormat& numbers_;
  std::string out_;
  std::size_t depth_ = 0;
  bool first_ = true;
  std::vector<std::pair<std::string, std::string_view>> reasons_;
};

void WritePooled(const std::optional<PooledScore>& pooled, JsonWriter& json) {
  if (!pooled) return;
  json.Number("min", pooled->min);
  json.Number("max", pooled->max);
  json.Number("mean", pooled->mean);
  json.Number("harmonic_mean", pooled->harmonic_mean);
  json.Reasons("reasons");
}

void WriteFormat(const VideoFormat& format, JsonWriter& json) {
  json.Integer("width", format.width);
  json.Integer("height", format.height);
  json.Text("pixel_format", PixelFormatName(format.pixel_format));
  json.Integer("bit_depth", format.bit_depth);
}

void WriteInput(std::string_view key, const ReportInput& input, JsonWriter& json) {
  json.BeginObject(key);
  json.Text("path", input.path);
  json.TextOrNull("container", input.container);
  json.TextOrNull("codec", input.codec);
  WriteFormat(input.format, json);
  json.TextOrNull("interlacing", input.interlacing);
  json.TextOrNull("chroma_location", input.chroma_location);
  json.PositiveOrNull("frame_rate", input.frame_rate);
  json.Integer("frames", input.frames);
  json.EndObject();
}

void WriteModel(const ReportModel& model, JsonWriter& json) {
  json.BeginObject();
  json.Text("name", model.name);
  json.Text("label", model.label);
  if (model.pooled) {
    json.BeginObject("pooled");
    WritePooled(model.pooled, json);
    json.EndObject();
  } else {
    json.Null("pooled");
  }
  if (model.is_collection) {
    json.BeginObject("bootstrap");
    json.Number("bagging", model.bagging);
    json.Number("stddev", model.stddev);
    json.Number("ci_p95_low", model.ci_p95_low);
    json.Number("ci_p95_high", model.ci_p95_high);
    json.Reasons("reasons");
    json.EndObject();
  }
  json.EndObject();
}

/// "lockstep 0.1.0" -> name and version; a text without a blank is a version.
std::pair<std::string_view, std::string_view> SplitToolVersion(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos) return {"lockstep", text};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

}  // namespace

std::string FormatJson(const Report& report, const NumberFormat& numbers) {
  const std::vector<std::string> names = ColumnNames(report);
  JsonWriter json(numbers);
  json.BeginObject();
  json.Text("version", report.tool_version);
  json.Speed("fps", report.frames_per_second);
  const auto speed_reasons = json.TakeReasons();

  json.BeginArray("frames");
  for (const std::int64_t frame : RowFrames(report)) {
    json.BeginObject();
    json.Integer("frameNum", frame);
    json.BeginObject("metrics");
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::optional<double> value = ValueAt(report, report.columns[i], frame);
      if (value) json.Number(names[i], *value);
    }
    json.EndObject();
    json.Reasons("reasons");
    json.EndObject();
  }
  json.EndArray();

  json.BeginObject("pooled_metrics");
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    json.BeginObject(names[i]);
    WritePooled(report.columns[i].pooled, json);
    json.EndObject();
  }
  json.EndObject();

  json.BeginObject("aggregate_metrics");
  const std::vector<std::string> aggregate_names = AggregateNames(report);
  for (std::size_t i = 0; i < report.aggregates.size(); ++i) {
    json.Number(aggregate_names[i], report.aggregates[i].second);
  }
  json.EndObject();
  const auto aggregate_reasons = json.TakeReasons();

  json.Text("schema", kSchema);
  const auto [tool, version] = SplitToolVersion(report.tool_version);
  json.BeginObject("tool");
  json.Text("name", tool);
  json.Text("version", version);
  json.EndObject();

  json.BeginObject("inputs");
  WriteInput("reference", report.reference, json);
  WriteInput("distorted", report.distorted, json);
  json.EndObject();

  json.BeginObject("scoring");
  json.Text("backend", report.backend);
  WriteFormat(report.format, json);
  json.Integer("first_frame", report.first_frame);
  json.Integer("frame_count", report.frame_count);
  json.Integer("subsample", report.subsample);
  json.EndObject();

  json.BeginArray("models");
  for (const ReportModel& model : report.models) WriteModel(model, json);
  json.EndArray();

  json.BeginArray("decisions");
  for (const ReportDecision& decision : report.decisions) {
    json.BeginObject();
    json.Text("subject", decision.subject);
    json.Text("text", decision.text);
    json.EndObject();
  }
  json.EndArray();

  json.BeginArray("warnings");
  for (const ReportWarning& warning : report.warnings) {
    json.BeginObject();
    json.TextOrNull("file", warning.file);
    warning.frame ? json.Integer("frame", *warning.frame) : json.Null("frame");
    json.Text("text", warning.text);
    json.EndObject();
  }
  json.EndArray();

  if (!speed_reasons.empty() || !aggregate_reasons.empty()) {
    json.BeginObject("reasons");
    for (const auto& [name, reason] : speed_reasons) json.Text(name, reason);
    if (!aggregate_reasons.empty()) {
      json.BeginObject("aggregate_metrics");
      for (const auto& [name, reason] : aggregate_reasons) json.Text(name, reason);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace lockstep
