// SPDX-License-Identifier: BSD-2-Clause-Patent
// Small reports that the tests of the writers share.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/report.h"

namespace lockstep {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline ReportColumn MakeColumn(std::string name, std::vector<std::optional<double>> values,
                               std::optional<PooledScore> pooled) {
  ReportColumn column;
  column.key = name;
  column.name = std::move(name);
  column.values = std::move(values);
  column.pooled = pooled;
  return column;
}

inline ReportInput MakeInput(std::string path, std::int64_t frames) {
  ReportInput input;
  input.path = std::move(path);
  input.container = "y4m";
  input.format = {PixelFormat::kYuv420, 64, 48, 8};
  input.frame_rate = 30000.0 / 1001.0;
  input.frames = frames;
  return input;
}

/// Two frames, two columns, one model, nothing unusual.
inline Report PlainReport() {
  Report report;
  report.tool_version = "lockstep 0.1.0";
  report.format = {PixelFormat::kYuv420, 64, 48, 8};
  report.frames_per_second = 48.126;
  report.frame_count = 2;
  report.reference = MakeInput("ref.y4m", 2);
  report.distorted = MakeInput("dis.y4m", 2);
  report.columns.push_back(
      MakeColumn("integer_motion2", {0.0, 3.8953515}, PooledScore{0.0, 3.8953515, 1.94767575, 1.0}));
  report.columns.push_back(MakeColumn("vmaf", {75.25, 80.5}, PooledScore{75.25, 80.5, 77.875, 77.8312}));
  report.models.push_back({"vmaf", "vmaf_v0.6.1", report.columns[1].pooled, false, 0.0, 0.0, 0.0, 0.0});
  return report;
}

/// Everything at once that a writer can get wrong: frames 10 … 15 of a longer sequence, every second one, names with
/// every special character, infinities, NaN, missing values, doubled names.
inline Report HostileReport() {
  Report report;
  report.tool_version = "lockstep \"0.1\" <&>";
  report.format = {PixelFormat::kYuv444, 19, 33, 12};
  report.frames_per_second = kInfinity;
  report.first_frame = 10;
  report.frame_count = 6;
  report.subsample = 2;
  report.reference = MakeInput("a \"b\"\\\n\x1b\xff<ref>.y4m", 16);
  report.distorted = MakeInput("d\u00e9\U0001F600.mkv", 16);
  report.distorted.frame_rate = 0.0;
  report.distorted.chroma_location = "left";
  const std::optional<double> none;
  report.columns.push_back(MakeColumn("psnr_y", {kInfinity, 1.0, -kInfinity, 1.0, kNan, 1.0},
                                      PooledScore{-kInfinity, kInfinity, kNan, 1.5}));
  report.columns.push_back(MakeColumn("late", {none, 1.0, 2.5, 1.0, 3.5, 1.0}, std::nullopt));
  report.columns.push_back(
      MakeColumn("a,\"b\" <c> & d:e|{f}\n", {1.0, 1.0, 2.0, 1.0, 3.0, 1.0}, PooledScore{1.0, 3.0, 2.0, 1.9}));
  report.columns.push_back(MakeColumn("vmaf", {90.0}, std::nullopt));
  report.columns.push_back(MakeColumn("vmaf", {91.0, 1.0, 92.0, 1.0, 93.0, 1.0}, PooledScore{91.0, 93.0, 92.0, 91.99}));
  report.columns.push_back(MakeColumn("frameNum", {4.0, 1.0, 5.0, 1.0, 6.0, 1.0}, PooledScore{4.0, 6.0, 5.0, 4.9}));
  report.columns.push_back(MakeColumn("xmlns", {7.0, 1.0, 8.0, 1.0, 9.0, 1.0}, PooledScore{7.0, 9.0, 8.0, 7.9}));
  report.aggregates = {{"apsnr y", 40.5}, {"apsnr_cb", kInfinity}};
  report.models.push_back({"vmaf", "path/with \"quotes\".json", std::nullopt, false, 0.0, 0.0, 0.0, 0.0});
  report.models.push_back(
      {"boot", "vmaf_b_v0.6.3", PooledScore{91.0, kInfinity, 92.0, 91.99}, true, 92.0, kNan, 90.0, 94.0});
  report.decisions.push_back({"scaling", "distorted scaled <from> 38x66"});
  report.warnings.push_back({"d&d.yuv", 12, "covariance is \"singular\""});
  report.warnings.push_back({"", std::nullopt, "a warning about nothing in particular"});
  return report;
}

/// No frames, no columns.
inline Report EmptyReport() {
  Report report;
  report.tool_version = "lockstep 0.1.0";
  report.frames_per_second = kNan;
  report.format = {PixelFormat::kYuv420, 64, 48, 8};
  report.reference = MakeInput("ref.y4m", 0);
  report.distorted = MakeInput("dis.y4m", 0);
  return report;
}

}  // namespace lockstep
