// SPDX-License-Identifier: BSD-2-Clause-Patent
// Long options by name or prefix, short options in clusters.
#include "apps/vmaf/option_scanner.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep {
namespace {

Error Refuse(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}, std::nullopt, {}};
}

std::string ListNames(std::span<const OptionName> names) {
  std::string list;
  for (const OptionName& name : names) {
    if (name.long_name.empty()) continue;
    list += fmt::format("{}--{}", list.empty() ? "" : " ", name.long_name);
  }
  return list;
}

}  // namespace

Result<const OptionName*> OptionScanner::FindLong(std::string_view text) const {
  std::vector<const OptionName*> in_libvmaf;
  std::vector<const OptionName*> all;
  for (const OptionName& name : names_) {
    if (name.long_name.empty() || text.empty() || !name.long_name.starts_with(text)) continue;
    if (name.long_name == text) return &name;
    all.push_back(&name);
    if (name.in_libvmaf) in_libvmaf.push_back(&name);
  }
  if (in_libvmaf.size() == 1) return in_libvmaf.front();
  if (all.size() == 1) return all.front();
  if (all.empty()) {
    return Refuse(fmt::format("unknown option --{}; the options are {}", text, ListNames(names_)));
  }
  std::string candidates;
  for (const OptionName* name : all)
    candidates += fmt::format("{}--{}", candidates.empty() ? "" : ", ", name->long_name);
  return Refuse(fmt::format("option --{} is ambiguous; it may be {}", text, candidates));
}

Result<std::optional<ScannedOption>> OptionScanner::Long(std::string_view text) {
  const std::size_t equals = text.find('=');
  const Result<const OptionName*> name = FindLong(text.substr(0, equals));
  if (!name) return name.error();
  ScannedOption option{*name, "--" + std::string((*name)->long_name), {}};
  if (!option.name->takes_value) {
    if (equals != std::string_view::npos) return Refuse(option.spelling + " takes no value");
    return std::optional(std::move(option));
  }
  if (equals != std::string_view::npos) {
    option.value = std::string(text.substr(equals + 1));
  } else if (next_ < arguments_.size()) {
    option.value = arguments_[next_++];
  } else {
    return Refuse(option.spelling + " needs a value");
  }
  return std::optional(std::move(option));
}

Result<std::optional<ScannedOption>> OptionScanner::Short() {
  const char letter = cluster_.front();
  cluster_.erase(0, 1);
  for (const OptionName& name : names_) {
    if (name.short_name == 0 || name.short_name != letter) continue;
    ScannedOption option{&name, std::string("-") + letter, {}};
    if (name.takes_value) {
      if (!cluster_.empty()) {
        option.value = std::exchange(cluster_, {});
      } else if (next_ < arguments_.size()) {
        option.value = arguments_[next_++];
      } else {
        return Refuse(option.spelling + " needs a value");
      }
    }
    return std::optional(std::move(option));
  }
  return Refuse(fmt::format("unknown option -{}; the options are {}", letter, ListNames(names_)));
}

Result<std::optional<ScannedOption>> OptionScanner::Next() {
  if (!cluster_.empty()) return Short();
  if (next_ == arguments_.size()) return std::optional<ScannedOption>();
  const std::string argument = arguments_[next_++];
  if (argument == "--") {
    if (next_ == arguments_.size()) return std::optional<ScannedOption>();
    return Refuse(
        fmt::format("\"{}\" is not an option; inputs are given as --reference and --distorted", arguments_[next_]));
  }
  if (argument.starts_with("--")) return Long(std::string_view(argument).substr(2));
  if (argument.size() > 1 && argument.front() == '-') {
    cluster_ = argument.substr(1);
    return Short();
  }
  return Refuse(fmt::format("\"{}\" is not an option; inputs are given as --reference and --distorted", argument));
}

}  // namespace lockstep
