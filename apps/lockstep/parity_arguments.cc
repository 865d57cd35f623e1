// SPDX-License-Identifier: BSD-2-Clause-Patent
// Request and table of the parity gate.
#include "apps/lockstep/parity_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "apps/command_line/number_arguments.h"
#include "apps/command_line/terminal_text.h"

namespace lockstep {
namespace {

// The first differences tell what is wrong; thousands more would hide the table.
constexpr std::size_t kShownDifferences = 20;
constexpr std::uint64_t kMaxFrames = std::numeric_limits<std::int64_t>::max();

Result<std::vector<std::string>> SplitList(std::string_view text, std::string_view option) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    std::string name(text.substr(start, end - start));
    if (name.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}: '{}' is not a list of names with commas between them", option, text),
                   {},
                   {},
                   {}};
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    start = end + 1;
  }
  return names;
}

// Cells of one metric computed in one way.
struct Tally {
  std::int64_t values = 0;
  std::int64_t differences = 0;
  std::int64_t missing = 0;
};

std::string TallyText(const Tally& tally) {
  if (tally.missing > 0) return fmt::format("{} missing", tally.missing);
  return fmt::format("{} of {}", tally.differences, tally.values);
}

std::string WayOf(const ParityCell& cell) { return cell.backend + "/" + cell.target; }

std::string CellName(const ParityCell& cell) {
  const std::string options = cell.options.empty() ? "" : "=" + cell.options;
  return fmt::format("{}{}, {}, {}", cell.feature, options, cell.clip, WayOf(cell));
}

}  // namespace

Result<ParityRequest> ParseParityArguments(const ParityTexts& texts) {
  ParityRequest request;
  Result<std::vector<std::string>> backends = SplitList(texts.backends, "--backends");
  if (!backends) return std::move(backends).error();
  request.backends = *std::move(backends);
  if (texts.device) {
    const bool has_devices = std::any_of(request.backends.begin(), request.backends.end(),
                                         [](const std::string& backend) { return backend != "cpu"; });
    // Otherwise a table without differences would say nothing of the device that was named.
    if (texts.device->empty() || !has_devices) {
      return Error{ErrorCode::kInvalidArgument,
                   "expected all, or numbers or parts of names with commas between them, and a backend other than cpu "
                   "in --backends",
                   {},
                   {},
                   "--device"};
    }
    request.device.device = *texts.device;
  }
  if (texts.targets && *texts.targets != "all") {
    Result<std::vector<std::string>> targets = SplitList(*texts.targets, "--targets");
    if (!targets) return std::move(targets).error();
    request.targets = *std::move(targets);
  }
  request.features = texts.features;
  request.default_options_only = texts.default_options_only;
  request.all_sizes = texts.all_sizes;
  if (texts.inputs.reference.empty() != texts.inputs.distorted.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give both REF and DIS, or neither for the built-in clips", {}, {}, {}};
  }
  const bool has_files = !texts.inputs.reference.empty();
  const bool describes_files = texts.inputs.width || texts.inputs.height || texts.inputs.pixel_format ||
                               texts.inputs.bit_depth || texts.frame_limit;
  if (describes_files && !has_files) {
    return Error{
        ErrorCode::kInvalidArgument,
        "--width, --height, --pixel-format, --bit-depth and --frames belong to REF and DIS, which are not given",
        {},
        {},
        {}};
  }
  if (texts.all_sizes && has_files) {
    return Error{
        ErrorCode::kInvalidArgument, "--all-sizes is for the built-in clips; REF and DIS are given", {}, {}, {}};
  }
  if (has_files) {
    Result<ScoreArguments> inputs = ParseScoreArguments(texts.inputs);
    if (!inputs) return std::move(inputs).error();
    request.inputs.emplace(inputs->request.reference, inputs->request.distorted);
  }
  if (texts.frame_limit) {
    const Result<std::uint64_t> limit = ParseUnsigned(*texts.frame_limit, kMaxFrames, "--frames");
    if (!limit) return limit.error();
    request.frame_limit = static_cast<std::int64_t>(*limit);
  }
  if (texts.threads) {
    const Result<std::uint64_t> threads = ParseUnsigned(*texts.threads, kMaxThreads, "--threads");
    if (!threads) return threads.error();
    request.threads = static_cast<unsigned>(*threads);
  }
  return request;
}

std::string ParityText(const ParityReport& report) {
  std::vector<std::string> features;
  std::vector<std::string> ways;
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  Tally total;
  std::string problems;
  std::size_t shown = 0;
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ParityCell& cell : report.cells) {
    note(features, cell.feature);
    note(ways, WayOf(cell));
    for (Tally* tally : {&tallies[{cell.feature, WayOf(cell)}], &total}) {
      tally->values += cell.values;
      tally->differences += cell.differences;
      tally->missing += cell.state == ParityState::kMissing ? 1 : 0;
    }
    if (cell.state == ParityState::kEqual || ++shown > kShownDifferences) continue;
    const std::string_view what = cell.state == ParityState::kMissing ? "missing" : "differs";
    problems += TerminalText(fmt::format("{}: {}: {}", what, CellName(cell), cell.detail)) + "\n";
  }
  if (shown > kShownDifferences) problems += fmt::format("and {} more\n", shown - kShownDifferences);

  const auto is_on_processor_only = [&](const std::string& feature) {
    const std::vector<std::string>& names = report.processor_only;
    return std::find(names.begin(), names.end(), feature) != names.end();
  };
  constexpr std::size_t kNameWidth = 15;
  constexpr std::size_t kColumnWidth = 18;
  std::string out = fmt::format("differences from {} (tolerance 0, all bits)\n", report.reference);
  out += fmt::format("{:<{}}", "metric", kNameWidth);
  for (const std::string& way : ways) out += fmt::format("{:>{}}", way, kColumnWidth);
  out += "\n";
  for (const std::string& feature : features) {
    out += fmt::format("{:<{}}", feature, kNameWidth);
    for (const std::string& way : ways) {
      const auto tally = tallies.find({feature, way});
      std::string text = is_on_processor_only(feature) ? "-" : "missing";
      if (tally != tallies.end()) text = TallyText(tally->second);
      out += fmt::format("{:>{}}", text, kColumnWidth);
    }
    out += "\n";
  }
  out += problems;
  for (const ParityRefusal& refusal : report.refusals) {
    const std::string options = refusal.options.empty() ? "" : "=" + refusal.options;
    out += TerminalText(fmt::format("not scored: {}{}: {}", refusal.feature, options, refusal.reason)) + "\n";
  }
  out += fmt::format("{} of {} values differ, {} of {} cells are missing\n", total.differences, total.values,
                     total.missing, report.cells.size());
  return out;
}

}  // namespace lockstep
