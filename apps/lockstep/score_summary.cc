// SPDX-License-Identifier: BSD-2-Clause-Patent
// Plain text for a terminal or a log.
#include "apps/lockstep/score_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/command_line/pooling.h"
#include "apps/command_line/terminal_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kWorstFrames = 5;

double FrameRate(const Report& report) {
  return report.reference.frame_rate > 0.0 ? report.reference.frame_rate : report.distorted.frame_rate;
}

std::string FrameTime(const Report& report, std::int64_t frame) {
  const double rate = FrameRate(report);
  return rate > 0.0 && std::isfinite(rate) ? TimeText(static_cast<double>(frame) / rate) : std::string();
}

std::string PixelFormatText(const VideoFormat& format) {
  if (format.pixel_format == PixelFormat::kYuv400) return "gray";
  return fmt::format("yuv{}", PixelFormatName(format.pixel_format));
}

void AppendInput(std::string_view role, const ReportInput& input, std::string& out) {
  std::string line = fmt::format("{:<10} {}  {}x{} {} {} bit", role, input.path, input.format.width,
                                 input.format.height, PixelFormatText(input.format), input.format.bit_depth);
  if (!input.container.empty()) line += ", " + input.container;
  if (!input.codec.empty()) line += "/" + input.codec;
  if (input.frame_rate > 0.0) line += fmt::format(", {:.6g} frames/s", input.frame_rate);
  out += TerminalText(line) + "\n";
}

void AppendFrames(const Report& report, std::string& out) {
  if (report.frame_count == 0) {
    out += "frames     none\n";
    return;
  }
  out += fmt::format("frames     {} to {}", report.first_frame, report.first_frame + report.frame_count - 1);
  if (report.subsample > 1) out += fmt::format(", one in {}", report.subsample);
  out += TerminalText(fmt::format(", backend {}", report.backend));
  const std::string& how = report.device.empty() ? report.cpu_target : report.device;
  if (!how.empty()) out += TerminalText(fmt::format(" ({})", how));
  if (std::isfinite(report.frames_per_second)) out += fmt::format(", {:.2f} frames/s", report.frames_per_second);
  if (report.peak_memory_bytes > 0) out += fmt::format(", {} MiB of memory", report.peak_memory_bytes >> 20);
  out += "\n";
}

void AppendModel(const Report& report, const ReportModel& model, const NumberFormat& numbers, std::string& out) {
  std::string title = "VMAF, model " + model.label;
  if (model.name != "vmaf" && model.name != model.label) title += ", named " + model.name;
  out += fmt::format("\n{}\n", TerminalText(title));
  if (!model.pooled) {
    out += "  no score\n";
    return;
  }
  const auto row = [&](std::string_view name, double value, std::string_view note = {}) {
    const std::string line =
        fmt::format("  {:<15}{:>12}{}{}", name, ScoreText(value, numbers), note.empty() ? "" : "  ", note);
    out += line + "\n";
  };
  row("mean", model.pooled->mean);
  row("harmonic mean", model.pooled->harmonic_mean);
  const std::pair<const char*, PoolMethod> percentiles[] = {{"10 % low", PoolMethod::kPercentile10},
                                                            {"5 % low", PoolMethod::kPercentile5},
                                                            {"1 % low", PoolMethod::kPercentile1}};
  for (const auto& [name, method] : percentiles) {
    if (const std::optional<double> value = Pool(report, model, method)) row(name, *value);
  }
  std::vector<std::pair<std::int64_t, double>> scores;
  if (const ReportColumn* column = FindColumn(report, model.name)) scores = UsedScores(report, *column);
  std::erase_if(scores, [](const auto& score) { return std::isnan(score.second); });
  // Of equal scores the earlier frame comes first.
  std::stable_sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!scores.empty()) {
    const std::string time = FrameTime(report, scores.front().first);
    row("minimum", scores.front().second,
        fmt::format("frame {}{}{}", scores.front().first, time.empty() ? "" : ", ", time));
  }
  if (model.is_collection) {
    row("bagging", model.bagging);
    row("stddev", model.stddev);
    row("95 % from", model.ci_p95_low);
    row("95 % to", model.ci_p95_high);
  }
  if (scores.size() < 2) return;
  out += "  worst frames\n";
  for (std::size_t i = 0; i < std::min(kWorstFrames, scores.size()); ++i) {
    out += fmt::format("    {:>8}  {:>12}{:>15}\n", scores[i].first, ScoreText(scores[i].second, numbers),
                       FrameTime(report, scores[i].first));
  }
}

void AppendOtherScores(const Report& report, const NumberFormat& numbers, std::string& out) {
  std::vector<const ReportColumn*> others;
  std::size_t width = 12;
  for (const ReportColumn& column : report.columns) {
    const bool is_prediction = std::any_of(report.models.begin(), report.models.end(),
                                           [&](const ReportModel& model) { return IsPrediction(model, column.name); });
    if (is_prediction || !column.pooled) continue;
    others.push_back(&column);
    width = std::max(width, TerminalText(column.name).size());
  }
  if (others.empty()) return;
  out += fmt::format("\n{:<{}} {:>14} {:>14} {:>14}\n", "other scores", width + 2, "mean", "minimum", "maximum");
  for (const ReportColumn* column : others) {
    out += fmt::format("  {:<{}} {:>14} {:>14} {:>14}\n", TerminalText(column->name), width,
                       ScoreText(column->pooled->mean, numbers), ScoreText(column->pooled->min, numbers),
                       ScoreText(column->pooled->max, numbers));
  }
}

}  // namespace

std::string SummaryText(const Report& report, const NumberFormat& numbers) {
  std::string out;
  AppendInput("reference", report.reference, out);
  AppendInput("distorted", report.distorted, out);
  AppendFrames(report, out);
  for (const ReportModel& model : report.models) AppendModel(report, model, numbers, out);
  AppendOtherScores(report, numbers, out);
  if (!report.aggregates.empty()) out += "\nwhole clip\n";
  std::size_t width = 14;
  for (const auto& [name, value] : report.aggregates) width = std::max(width, TerminalText(name).size());
  for (const auto& [name, value] : report.aggregates) {
    out += fmt::format("  {:<{}} {:>12}\n", TerminalText(name), width, ScoreText(value, numbers));
  }
  if (!report.decisions.empty()) out += "\n";
  for (const ReportDecision& decision : report.decisions) {
    out += TerminalText(fmt::format("decided: {}: {}", decision.subject, decision.text)) + "\n";
  }
  return out;
}

std::string BriefText(const Report& report, const NumberFormat& numbers) {
  std::string out;
  const auto line = [&](std::string_view name, const std::optional<PooledScore>& pooled) {
    out += fmt::format("{} {}\n", TerminalText(name), pooled ? ScoreText(pooled->mean, numbers) : "no score");
  };
  for (const ReportModel& model : report.models) line(model.label, model.pooled);
  if (!report.models.empty()) return out;
  for (const ReportColumn& column : report.columns) line(column.name, column.pooled);
  return out;
}

}  // namespace lockstep
