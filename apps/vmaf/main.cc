// SPDX-License-Identifier: BSD-2-Clause-Patent
// The `vmaf` program: libvmaf's command line on Lockstep's engine.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/command_line/cpu_environment.h"
#include "apps/command_line/device_timing.h"
#include "apps/command_line/interruption.h"
#include "apps/command_line/option_strings.h"
#include "apps/command_line/pooling.h"
#include "apps/command_line/terminal_text.h"
#include "apps/command_line/usage_error.h"
#include "apps/vmaf/arguments.h"
#include "lockstep/report.h"
#include "lockstep/score.h"

namespace lockstep {
namespace {

// libvmaf's: 1 for a wrong command line, -1 for everything that fails later.
constexpr int kStatusOk = 0;
constexpr int kStatusUsage = 1;
constexpr int kStatusFailure = 255;
constexpr int kStatusSignalBase = 128;

// Not fmt::print: a closed standard error must not end a run that writes its report elsewhere.
void PrintLine(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }
void PrintError(const Error& error) { PrintLine("vmaf: " + TerminalText(error.Describe())); }

int StatusOf(const Error& error) { return IsUsageError(error) ? kStatusUsage : kStatusFailure; }

/// The frame counter that libvmaf shows on a terminal.
class ProgressLine {
 public:
  void Show(std::int64_t frames) {
    using Seconds = std::chrono::duration<double>;
    const double seconds = Seconds(std::chrono::steady_clock::now() - start_).count();
    const double speed = seconds > 0.0 ? static_cast<double>(frames) / seconds : 0.0;
    const std::string line =
        fmt::format("\r{} frame{} {} {:.2f} FPS\033[K", frames, frames == 1 ? " " : "s", "|/-\\"[turn_++ % 4], speed);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
  }
  void End() {
    if (std::exchange(shown_, false)) PrintLine("");
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  unsigned turn_ = 0;
  bool shown_ = false;
};

/// Takes the predictions out of a report whose models were there for their features only.
void RemovePredictions(Report& report) {
  for (const ReportModel& model : report.models) {
    std::erase_if(report.columns, [&](const ReportColumn& column) { return IsPrediction(model, column.name); });
  }
  report.models.clear();
}

void PrintScores(const Report& report, const VmafArguments& arguments) {
  const NumberFormat& numbers = arguments.numbers;
  const auto text = [&](std::optional<double> value) { return value ? ScoreText(*value, numbers) : "no score"; };
  if (!arguments.pool.empty()) {
    for (const ReportModel& model : report.models) {
      for (const PoolMethod method : arguments.pool) {
        PrintLine(TerminalText(
            fmt::format("{} {}: {}", model.label, PoolMethodName(method), text(Pool(report, model, method)))));
      }
    }
    return;
  }
  for (const ReportModel& model : report.models) {
    PrintLine(TerminalText(fmt::format("{}: {}", model.label, text(Pool(report, model, PoolMethod::kMean)))));
  }
  for (const ReportModel& model : report.models) {
    if (!model.is_collection) continue;
    PrintLine(TerminalText(fmt::format("{}: {}, ci.p95: [{}, {}], stddev: {}", model.label, text(model.bagging),
                                       text(model.ci_p95_low), text(model.ci_p95_high), text(model.stddev))));
  }
}

Status CheckOutput(const VmafArguments& arguments) {
  if (arguments.output.empty()) return {};
  const Status status =
      CheckNotAnInput(arguments.output, arguments.request.reference.path, arguments.request.distorted.path);
  if (!status) return status;
  return CheckReportPath(arguments.output);
}

int Run(VmafArguments arguments) {
  if (const Status status = CheckOutput(arguments); !status) {
    PrintError(status.error());
    return kStatusFailure;
  }
  arguments.request.cpu_target = CpuTargetOfEnvironment();
  if (const Status status = CheckRequest(arguments.request); !status) {
    PrintError(status.error());
    return StatusOf(status.error());
  }

  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  if (is_terminal && !arguments.quiet) PrintLine("VMAF version " + VersionText());
  const Interruption interruption;
  ProgressLine progress;
  arguments.request.stop = interruption.token();
  if (is_terminal && !arguments.quiet) {
    arguments.request.on_progress = [&](const Progress& state) { progress.Show(state.frames_done); };
  }
  Result<Report> report = Score(arguments.request);
  progress.End();
  if (interruption.signal() != 0) {
    PrintLine("vmaf: interrupted; no report is written");
    return kStatusSignalBase + interruption.signal();
  }
  if (!report) {
    PrintError(report.error());
    return kStatusFailure;
  }

  for (const ReportWarning& warning : report->warnings) PrintLine(WarningText(warning));
  if (arguments.no_prediction) RemovePredictions(*report);
  if (arguments.is_default_model) {
    report->decisions.push_back({"model", fmt::format("none was asked for: {}", kDefaultModelVersion)});
  }
  if (!arguments.output.empty()) {
    const Status status = WriteReport(*report, arguments.format, arguments.numbers, arguments.output);
    if (!status) {
      PrintError(status.error());
      return kStatusFailure;
    }
  }
  if (!arguments.quiet || arguments.output.empty()) PrintScores(*report, arguments);
  std::fputs(DeviceTimingText(*report).c_str(), stderr);
  return kStatusOk;
}

int Main(const std::vector<std::string>& texts) {
  Result<VmafArguments> arguments = ParseVmafArguments(texts);
  if (!arguments) {
    PrintError(arguments.error());
    return StatusOf(arguments.error());
  }
  switch (arguments->action) {
    case VmafArguments::Action::kVersion:
      // On standard error, where scripts written for libvmaf read it.
      PrintLine(VersionText());
      return kStatusOk;
    case VmafArguments::Action::kHelp:
      std::fwrite(VmafHelp().data(), 1, VmafHelp().size(), stdout);
      return std::fflush(stdout) == 0 ? kStatusOk : kStatusFailure;
    case VmafArguments::Action::kScore:
      break;
  }
  return Run(*std::move(arguments));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  // A reader that goes away is an error of the write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return lockstep::Main(argc > 0 ? std::vector<std::string>{argv + 1, argv + argc} : std::vector<std::string>());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "vmaf: %s\n", failure.what());
    return 255;
  }
}
