// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arguments of `lockstep score`, turned into a request.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// As the user wrote them; absent where an option was not given.
struct ScoreTexts {
  using Text = std::optional<std::string>;
  std::string reference;
  std::string distorted;
  Text width;
  Text height;
  Text pixel_format;
  Text bit_depth;
  std::vector<std::string> models;
  std::vector<std::string> features;
  Text backend;
  Text device;
  Text gpus;
  Text hwaccel;
  Text graphs;
  Text batch;
  Text queue;
  bool device_timing = false;
  Text threads;
  Text precision;
  Text subsample;
  Text frames;
  Text skip_reference;
  Text skip_distorted;
  Text cpu_mask;
  bool no_model = false;
  bool strict = false;
  bool quiet = false;
  Text json;
  Text xml;
  Text csv;
  Text sub;
};

struct ScoreArguments {
  ScoreRequest request;
  bool is_default_model = false;
  NumberFormat numbers;
  std::vector<std::pair<ReportFormat, std::string>> outputs;
  bool quiet = false;
  [[nodiscard]] bool report_on_stdout() const;
};

/// Raw format options describe inputs named *.yuv or *.raw, or both inputs where neither is named so.
/// errors  kInvalidArgument, kUnsupported
[[nodiscard]] Result<ScoreArguments> ParseScoreArguments(const ScoreTexts& texts);

}  // namespace lockstep
