// SPDX-License-Identifier: BSD-2-Clause-Patent
// The `lockstep` program: scores for people, and lists of what there is.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "apps/command_line/cpu_environment.h"
#include "apps/command_line/device_timing.h"
#include "apps/command_line/interruption.h"
#include "apps/command_line/option_strings.h"
#include "apps/command_line/terminal_text.h"
#include "apps/command_line/usage_error.h"
#include "apps/lockstep/listing.h"
#include "apps/lockstep/parity_arguments.h"
#include "apps/lockstep/progress_bar.h"
#include "apps/lockstep/score_arguments.h"
#include "apps/lockstep/score_summary.h"
#include "lockstep/parity.h"
#include "lockstep/report.h"
#include "lockstep/score.h"

namespace lockstep {
namespace {

constexpr int kStatusOk = 0;
constexpr int kStatusUsage = 1;
constexpr int kStatusFailure = 2;
constexpr int kStatusSignalBase = 128;

void PrintMessage(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

int PrintError(const Error& error, int status) {
  PrintMessage("lockstep: " + TerminalText(error.Describe()));
  return status;
}

int StatusOf(const Error& error) { return IsUsageError(error) ? kStatusUsage : kStatusFailure; }

int Print(const std::string& text, std::FILE* file = stdout) {
  std::fputs(text.c_str(), file);
  if (std::fflush(file) == 0 && std::ferror(file) == 0) return kStatusOk;
  PrintMessage("lockstep: cannot write to standard output");
  return kStatusFailure;
}

Result<Report> ScoreWithProgress(ScoreRequest& request, bool is_quiet) {
  const auto start = std::chrono::steady_clock::now();
  bool is_shown = false;
  if (!is_quiet && ::isatty(STDERR_FILENO) == 1) {
    request.on_progress = [&](const Progress& progress) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::fputs(("\r" + ProgressText(progress, elapsed.count()) + "\033[K").c_str(), stderr);
      std::fflush(stderr);
      is_shown = true;
    };
  }
  Result<Report> report = Score(request);
  request.on_progress = nullptr;
  if (is_shown) std::fputs("\r\033[K", stderr);
  return report;
}

int RunScore(const ScoreTexts& texts) {
  Result<ScoreArguments> arguments = ParseScoreArguments(texts);
  if (!arguments) {
    // Also the ones that name a file: nothing has been opened yet.
    const bool is_usage = arguments.error().code == ErrorCode::kInvalidArgument;
    return PrintError(arguments.error(), is_usage ? kStatusUsage : kStatusFailure);
  }
  for (const auto& [format, path] : arguments->outputs) {
    if (const Status status = CheckReportPath(path); !status) return PrintError(status.error(), kStatusFailure);
  }
  arguments->request.cpu_target = CpuTargetOfEnvironment();
  if (const Status status = CheckRequest(arguments->request); !status) {
    return PrintError(status.error(), StatusOf(status.error()));
  }

  const Interruption interruption;
  arguments->request.stop = interruption.token();
  Result<Report> report = ScoreWithProgress(arguments->request, arguments->quiet);
  if (interruption.signal() != 0) {
    PrintMessage("lockstep: interrupted; no report is written");
    return kStatusSignalBase + interruption.signal();
  }
  if (!report) return PrintError(report.error(), kStatusFailure);

  for (const ReportWarning& warning : report->warnings) PrintMessage("warning: " + WarningText(warning));
  if (arguments->is_default_model) {
    report->decisions.push_back({"model", fmt::format("none was asked for: {}", kDefaultModelVersion)});
  }
  for (const auto& [format, path] : arguments->outputs) {
    const Status status = WriteReport(*report, format, arguments->numbers, path);
    if (!status) return PrintError(status.error(), kStatusFailure);
  }
  std::fputs(DeviceTimingText(*report).c_str(), stderr);
  std::FILE* const summary = arguments->report_on_stdout() ? stderr : stdout;
  if (!arguments->quiet) return Print(SummaryText(*report, arguments->numbers), summary);
  if (arguments->outputs.empty()) return Print(BriefText(*report, arguments->numbers), summary);
  return kStatusOk;
}

int PrintDevices() {
  const std::string forced = CpuTargetOfEnvironment();
  const Result<std::vector<DeviceInfo>> devices = ListDevices(forced);
  if (!devices) return PrintError(devices.error(), StatusOf(devices.error()));
  return Print(ListDevicesText(*devices, !forced.empty()));
}

int RunParityGate(const ParityTexts& texts) {
  Result<ParityRequest> request = ParseParityArguments(texts);
  if (!request) return PrintError(request.error(), kStatusUsage);
  const std::string forced = CpuTargetOfEnvironment();
  if (const auto processor = DescribeProcessor(forced); !processor) {
    return PrintError(processor.error(), StatusOf(processor.error()));
  }
  if (!forced.empty() && !texts.targets) request->targets = {forced};
  if (texts.json) {
    if (request->inputs) {
      const Status status = CheckNotAnInput(*texts.json, request->inputs->first.path, request->inputs->second.path);
      if (!status) return PrintError(status.error(), kStatusUsage);
    }
    if (const Status status = CheckReportPath(*texts.json); !status) return PrintError(status.error(), kStatusFailure);
  }
  const Interruption interruption;
  request->stop = interruption.token();
  bool is_shown = false;
  if (::isatty(STDERR_FILENO) == 1) {
    request->on_progress = [&](int done, int total) {
      std::fputs(fmt::format("\r{} of {} cells\033[K", done, total).c_str(), stderr);
      std::fflush(stderr);
      is_shown = true;
    };
  }
  const Result<ParityReport> report = RunParity(*request);
  if (is_shown) std::fputs("\r\033[K", stderr);
  if (interruption.signal() != 0) {
    PrintMessage("lockstep: interrupted; no report is written");
    return kStatusSignalBase + interruption.signal();
  }
  if (!report) return PrintError(report.error(), StatusOf(report.error()));
  if (texts.json) {
    const Status status = WriteParityReport(*report, *texts.json);
    if (!status) return PrintError(status.error(), kStatusFailure);
  }
  const int status = Print(ParityText(*report), texts.json == "-" ? stderr : stdout);
  return status == kStatusOk && !report->all_equal() ? kStatusFailure : status;
}

void DeclareParity(CLI::App& parity, ParityTexts& texts) {
  parity.add_option("REF", texts.inputs.reference, "Reference file (default: built-in synthetic clips)");
  parity.add_option("DIS", texts.inputs.distorted, "Distorted file");
  const auto option = [&](const char* name, auto& target, const char* value, const char* text) {
    parity.add_option(name, target, text)->type_name(value);
  };
  option("--backends", texts.backends, "LIST", "Backends with commas between them (default cpu)");
  option("--device,--gpus", texts.device, "all|LIST",
         "Devices of the other backends: numbers or parts of names with commas between them, or all");
  option("--targets", texts.targets, "LIST",
         "Instruction sets of the cpu backend, or all (default: LOCKSTEP_CPU, else all)");
  parity.add_option("-f,--feature", texts.features, "Only this metric; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parity.add_flag("--default-options", texts.default_options_only, "Leave out what other options compute");
  parity.add_flag("--all-sizes", texts.all_sizes,
                  "Built-in clips at every size, depth and content, all with every option (takes long)");
  option("--frames", texts.frame_limit, "N", "At most N frames of REF and DIS");
  option("--threads", texts.threads, "N", "Threads of the runs that are compared (default: all cores)");
  option("--json", texts.json, "PATH", "Every cell as JSON; - is standard output");
  option("--width", texts.inputs.width, "N", "Width of raw video");
  option("--height", texts.inputs.height, "N", "Height of raw video");
  option("--pixel-format", texts.inputs.pixel_format, "400|420|422|444", "Format of raw video (default 420)");
  option("--bit-depth", texts.inputs.bit_depth, "N", "Bit depth of raw video, 8 to 16 (default 8)");
}

void DeclareScore(CLI::App& score, ScoreTexts& texts) {
  score.add_option("REF", texts.reference, "Reference: y4m, .yuv, any file FFmpeg reads, or - for standard input")
      ->required();
  score.add_option("DIS", texts.distorted, "Distorted input")->required();
  const auto option = [&](const char* name, ScoreTexts::Text& target, const char* value, const char* text,
                          const char* group) { score.add_option(name, target, text)->type_name(value)->group(group); };
  // One value an occurrence: a list that goes on would swallow REF and DIS.
  const auto list = [&](const char* name, std::vector<std::string>& target, const char* value, const char* text) {
    score.add_option(name, target, text)
        ->type_name(value)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group("What is scored");
  };
  list("-m,--model", texts.models, "MODEL",
       "A built-in version, a .json file, or version=…|path=…[:name=…][:FEATURE.OPTION=…]; may be repeated "
       "(default vmaf_v0.6.1)");
  list("-f,--feature", texts.features, "FEATURE", "NAME or NAME=OPTION=VALUE:OPTION=VALUE; may be repeated");
  score.add_flag("--no-model", texts.no_model, "Features only")->group("What is scored");
  option("--frames", texts.frames, "A:B", "Frames A to B - 1, with the scores that the whole clip gives them",
         "What is scored");
  option("--subsample", texts.subsample, "N", "Every N-th frame only", "What is scored");

  option("--width", texts.width, "N", "Width of raw video", "Inputs");
  option("--height", texts.height, "N", "Height of raw video", "Inputs");
  option("--pixel-format", texts.pixel_format, "400|420|422|444", "Format of raw video (default 420)", "Inputs");
  option("--bit-depth", texts.bit_depth, "N", "Bit depth of raw video, 8 to 16 (default 8)", "Inputs");
  option("--skip-reference", texts.skip_reference, "N", "Drop the first N pictures of the reference", "Inputs");
  option("--skip-distorted", texts.skip_distorted, "N", "Drop the first N pictures of the distorted input", "Inputs");
  score.add_flag("--strict", texts.strict, "A truncated last frame or unequal lengths are errors")->group("Inputs");

  option("--backend", texts.backend, "NAME",
         "cpu, sycl, cuda, hip, metal or auto, as far as this build has them. Never changes a score", "How");
  option("--device", texts.device, "all|LIST",
         "Devices of the backend: numbers or parts of names with commas between them, or all (lockstep devices)",
         "How");
  option("--gpus", texts.gpus, "all|LIST", "The same for graphics processors; without --backend it means cuda", "How");
  option("--hwaccel", texts.hwaccel, "cuda", "Decode containers on the device of the cuda backend", "How");
  option("--graphs", texts.graphs, "auto|on|off", "Record a device's commands once and replay them", "How");
  option("--batch", texts.batch, "N", "Frames in one launch of a device, 1 to 64 (default: by their size)", "How");
  option("--queue", texts.queue, "in_order|out_of_order", "Order of a device's queue", "How");
  score.add_flag("--device-timing,--sycl_timing", texts.device_timing, "Where a device spent its time; no graphs")
      ->group("How");
  option("--threads", texts.threads, "N", "Worker threads (default: all cores). Never changes a score", "How");
  option("--cpumask", texts.cpu_mask, "N", "Bits switch instruction sets off. Never changes a score", "How");

  option("--json", texts.json, "PATH", "JSON report; - is standard output", "Output");
  option("--xml", texts.xml, "PATH", "XML report in libvmaf's layout", "Output");
  option("--csv", texts.csv, "PATH", "One row a frame", "Output");
  option("--sub", texts.sub, "PATH", "Subtitles that show the scores in a player", "Output");
  option("--precision", texts.precision, "P",
         "legacy (six decimals), max (reads back to the same bits), or 1 to 17 significant digits", "Output");
  score.add_flag("-q,--quiet", texts.quiet, "No progress and no summary; without a report one line a model")
      ->group("Output");
}

/// What was wrong and what would have been right, on one line.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty())
    return "expected a command: score, features, models, parity, devices or version (lockstep --help)";
  const CLI::App& command = *commands.front();
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    text += "; the options are";
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_lnames().empty()) text += " --" + option->get_lnames().front();
    }
  }
  return fmt::format("{} (lockstep {} --help)", text, command.get_name());
}

int Main(int argc, char** argv) {
  CLI::App app("Lockstep measures video quality: the same bits on every machine.", "lockstep");
  app.require_subcommand(1);
  app.set_version_flag("--version", VersionText());

  ScoreTexts texts;
  CLI::App* const score = app.add_subcommand("score", "Score a distorted video against its reference");
  DeclareScore(*score, texts);

  std::string feature_name;
  bool is_long = false;
  CLI::App* const features = app.add_subcommand("features", "List the metrics and their options");
  features->add_option("NAME", feature_name, "Only this metric, with its options");
  features->add_flag("--long", is_long, "All metrics with their options");
  CLI::App* const models = app.add_subcommand("models", "List the built-in models");
  ParityTexts parity_texts;
  CLI::App* const parity =
      app.add_subcommand("parity", "Check that every way of computing scores gives the same bits here");
  DeclareParity(*parity, parity_texts);
  CLI::App* const devices = app.add_subcommand("devices", "List what can compute scores here, and what is used");
  CLI::App* const version = app.add_subcommand("version", "Print the version");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    PrintMessage("lockstep: " + TerminalText(UsageText(app, error)));
    return kStatusUsage;
  }

  if (score->parsed()) return RunScore(texts);
  if (features->parsed()) {
    if (feature_name.empty()) return Print(ListFeaturesText(ListFeatures(), is_long));
    const Result<std::string> text = DescribeFeatureText(ListFeatures(), feature_name);
    return text ? Print(*text) : PrintError(text.error(), kStatusUsage);
  }
  if (models->parsed()) return Print(ListModelsText(ListModels()));
  if (parity->parsed()) return RunParityGate(parity_texts);
  if (devices->parsed()) return PrintDevices();
  if (version->parsed()) return Print(VersionText() + "\n");
  return kStatusUsage;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  // A reader that goes away is an error of the write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return lockstep::Main(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "lockstep: %s\n", failure.what());
    return 2;
  }
}
