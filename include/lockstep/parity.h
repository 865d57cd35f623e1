// SPDX-License-Identifier: BSD-2-Clause-Patent
// The gate of "the same bits everywhere": every metric, with many options and clips, on every way of computing it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

struct ParityRequest {
  std::vector<std::string> backends = {"cpu"};  // "cpu", "cuda", "hip", "sycl", "metal"
  DeviceRequest device;  // of the other backends; only `device`, which may name several, and `out_of_order` are used
  std::vector<std::string> targets;   // instruction sets of the cpu backend; empty: all that this machine can run
  std::vector<std::string> features;  // empty: all
  /// Reference and distorted file; absent: the built-in synthetic clips.
  std::optional<std::pair<InputRequest, InputRequest>> inputs;
  std::int64_t frame_limit = 0;       // of `inputs`; 0: all
  bool default_options_only = false;  // otherwise each option also at its limits and in between
  bool all_sizes = false;             // built-in clips at every size, depth and content, all with every option
  unsigned threads = 0;               // of the runs that are compared; 0: as many as the machine has, at least 2
  std::function<void(int cells_done, int cells_total)> on_progress;
  std::stop_token stop;
};

enum class ParityState {
  kEqual,
  kDiffers,
  kMissing,  // the reference has scores and this way of computing them has none
};

/// One metric with one set of options on one clip, computed in one way and compared with the reference.
struct ParityCell {
  std::string feature;
  std::string options;  // "name=value:name=value"; empty: defaults
  std::string clip;
  std::string backend;
  std::string target;  // instruction set, or how devices were used: "frames", "graphs", "batches", "3 at once/2"
  ParityState state = ParityState::kEqual;
  std::int64_t values = 0;       // facts and scores that were compared
  std::int64_t differences = 0;  // of their bits; the tolerance is 0
  std::string detail;            // first difference, or why the cell is missing
};

/// A metric and options that the reference itself refuses on every clip, e.g. for want of chroma.
struct ParityRefusal {
  std::string feature;
  std::string options;
  std::string reason;
};

struct ParityReport {
  std::string tool_version;
  std::string reference;  // what everything is compared with
  std::vector<ParityCell> cells;
  std::vector<ParityRefusal> refusals;
  /// Metrics that no device computes: they have no cells of devices.
  std::vector<std::string> processor_only;

  /// Every cell is there and equal, and there is at least one.
  [[nodiscard]] bool all_equal() const {
    for (const ParityCell& cell : cells) {
      if (cell.state != ParityState::kEqual) return false;
    }
    return !cells.empty();
  }
};

/// Compares with the scalar code on one thread. Blocks until done, cancelled or failed; no exception leaves it.
/// errors  kInvalidArgument: unknown backend, instruction set or metric; kUnsupported: not in this build or machine;
///         what reading the inputs reports; kCancelled
[[nodiscard]] Result<ParityReport> RunParity(const ParityRequest& request);

/// The report as a JSON file, written like WriteReport() does.
/// errors  kInputOutput, naming the path
[[nodiscard]] Status WriteParityReport(const ParityReport& report, const std::string& path);

}  // namespace lockstep
