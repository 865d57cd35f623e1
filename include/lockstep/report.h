// SPDX-License-Identifier: BSD-2-Clause-Patent
// The result of scoring a pair of clips, and the files it can be written to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Pooled values of one score over the frames of a report. `harmonic_mean` is n / sum(1 / (score + 1)) - 1.
/// Values may be infinite or NaN where the score is.
struct PooledScore {
  double min = 0.0;
  double max = 0.0;
  double mean = 0.0;
  double harmonic_mean = 0.0;
};

/// One score over the frames of a report.
struct ReportColumn {
  std::string name;                           // as printed, e.g. "integer_adm2"
  std::string key;                            // as libvmaf's C API names it, e.g. "VMAF_integer_feature_adm2_score"
  std::vector<std::optional<double>> values;  // [frame - first_frame]; absent where the frame has no score
  std::optional<PooledScore> pooled;          // absent when a used frame has no score or there are no frames
};

/// Pooled result of one model. The interval is there for bootstrap models only.
struct ReportModel {
  std::string name;   // the column that holds its per-frame scores, e.g. "vmaf"
  std::string label;  // version or path as the user gave it
  std::optional<PooledScore> pooled;
  bool is_collection = false;
  double bagging = 0.0;  // means over the frames of NAME_bagging, NAME_stddev, NAME_ci_p95_lo, NAME_ci_p95_hi
  double stddev = 0.0;
  double ci_p95_low = 0.0;
  double ci_p95_high = 0.0;
};

/// What was read from one input.
struct ReportInput {
  std::string path;
  std::string container;                    // "y4m", "yuv", or FFmpeg's format name
  std::string codec;                        // empty for raw video
  VideoFormat format;                       // as stored in the file
  std::string interlacing = "progressive";  // as the file tags it; never changes a score
  std::string chroma_location;              // as the file tags it; empty when it does not
  double frame_rate = 0.0;                  // 0 when unknown
  std::int64_t frames = 0;                  // frames used for scoring
};

/// Something the program decided by itself, e.g. scaling, pairing, the default model.
struct ReportDecision {
  std::string subject;
  std::string text;
};

struct ReportWarning {
  std::string file;
  std::optional<std::int64_t> frame;
  std::string text;
};

/// Time that a device spent on one kernel, or on one kind of copy, fill or wait, over the whole run.
struct DeviceTimingRow {
  std::string name;
  std::uint64_t count = 0;  // launches or copies
  double milliseconds = 0.0;
};

struct Report {
  std::string tool_version;
  VideoFormat format;              // of the pictures that were scored
  double frames_per_second = 0.0;  // wall-clock scoring speed; infinite or NaN when too short to measure
  std::int64_t first_frame = 0;
  std::int64_t frame_count = 0;  // frames first_frame … first_frame + frame_count - 1
  int subsample = 1;             // only multiples of it have rows
  std::string backend = "cpu";
  // For people, never part of a written report: they differ from run to run while the scores do not.
  std::string cpu_target;  // instruction set that was used; empty where a device computed
  std::string device;      // name of the device that computed; empty for the cpu backend
  std::vector<DeviceTimingRow> device_timings;
  std::int64_t peak_memory_bytes = 0;  // most that the process has held so far; 0 when unknown
  ReportInput reference;
  ReportInput distorted;
  std::vector<ReportColumn> columns;  // in order of output
  std::vector<std::pair<std::string, double>> aggregates;
  std::vector<ReportModel> models;
  std::vector<ReportDecision> decisions;
  std::vector<ReportWarning> warnings;
};

enum class ReportFormat { kXml, kJson, kCsv, kSub };

/// How numbers are printed. kLegacy: "%.6f", or "%.16f" where libvmaf would (tiny fractional parts);
/// kMax: 17 significant digits, which read back to the same binary64; kDigits: `digits` significant digits.
struct NumberFormat {
  enum class Kind { kLegacy, kMax, kDigits };
  Kind kind = Kind::kLegacy;
  int digits = 6;
};

/// The whole file as text. Infinite and NaN values never appear as bare words in JSON (null, with a "reason").
[[nodiscard]] std::string FormatReport(const Report& report, ReportFormat format, const NumberFormat& numbers);

/// Writes through a temporary file in the same folder and renames it, so that nothing half-written is ever seen.
/// Pipes, terminals and other non-regular targets are written directly. "-" is standard output.
/// errors  kInputOutput, naming the path
[[nodiscard]] Status WriteReport(const Report& report, ReportFormat format, const NumberFormat& numbers,
                                 const std::string& path);

/// Checks, without leaving anything behind, that WriteReport could create `path`: folder exists and is writable, the
/// path is not a directory.
/// errors  kInputOutput, kNotFound, naming the path
[[nodiscard]] Status CheckReportPath(const std::string& path);

}  // namespace lockstep
