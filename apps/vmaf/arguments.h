// SPDX-License-Identifier: BSD-2-Clause-Patent
// The command line of `vmaf`, turned into a request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/command_line/pooling.h"
#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

struct VmafArguments {
  enum class Action { kScore, kVersion, kHelp };
  Action action = Action::kScore;
  ScoreRequest request;
  bool is_default_model = false;  // the user named no model and did not switch prediction off
  bool no_prediction = false;     // models lend their features only
  std::string output;             // empty: no report
  ReportFormat format = ReportFormat::kXml;
  NumberFormat numbers;
  std::vector<PoolMethod> pool;  // empty: libvmaf's terminal lines
  bool quiet = false;
};

/// `arguments` without the program's name. --version and --help end the reading, as in libvmaf.
/// errors  kInvalidArgument: the command line is wrong; kUnsupported: it asks for what this build lacks
[[nodiscard]] Result<VmafArguments> ParseVmafArguments(const std::vector<std::string>& arguments);

/// What --help prints.
[[nodiscard]] std::string_view VmafHelp();

}  // namespace lockstep
