// SPDX-License-Identifier: BSD-2-Clause-Patent
// Splits libvmaf's option strings at colons and equals signs.
#include "apps/command_line/option_strings.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

namespace lockstep {
namespace {

// libvmaf's limit; it keeps a request's size within reason.
constexpr std::size_t kMaxOverloads = 32;

Error Refuse(std::string_view field, std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}, std::nullopt, std::string(field)};
}

/// Parts between colons that no backslash precedes; `\:` becomes a colon, any other backslash stays.
std::vector<std::string> SplitAtColons(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ':') {
      parts.back() += ':';
      ++i;
    } else if (text[i] == ':') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

struct KeyValue {
  std::string key;
  std::optional<std::string> value;  // absent without an equals sign
};

KeyValue SplitAtEquals(const std::string& part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string::npos) return {part, std::nullopt};
  return {part.substr(0, equals), part.substr(equals + 1)};
}

bool IsFlag(std::string_view key) { return key == "disable_clip" || key == "enable_transform"; }

/// errors  kInvalidArgument: neither absent, nor true, nor false
Result<bool> FlagValue(const KeyValue& part, std::string_view text) {
  if (!part.value || *part.value == "true") return true;
  if (*part.value == "false") return false;
  return Refuse("model",
                fmt::format("\"{}\": {}={} is not valid; expected true or false", text, part.key, *part.value));
}

}  // namespace

Result<FeatureRequest> ParseFeatureString(std::string_view text) {
  FeatureRequest feature;
  const std::size_t equals = text.find('=');
  feature.name = std::string(text.substr(0, equals));
  if (feature.name.empty()) {
    return Refuse("feature", fmt::format("\"{}\" has no name; expected NAME or NAME=KEY=VALUE:KEY=VALUE", text));
  }
  if (feature.name.find(':') != std::string::npos) {
    return Refuse("feature", fmt::format("\"{}\": expected = after the name; NAME=KEY=VALUE:KEY=VALUE", text));
  }
  if (equals == std::string_view::npos) return feature;
  if (equals + 1 == text.size()) {
    return Refuse("feature", fmt::format("\"{}\": expected KEY=VALUE after the name's =", text));
  }
  for (const std::string& part : SplitAtColons(text.substr(equals + 1))) {
    if (part.empty()) continue;
    KeyValue option = SplitAtEquals(part);
    if (option.key.empty() || !option.value || option.value->empty()) {
      return Refuse("feature", fmt::format("\"{}\": \"{}\" is not an option; expected KEY=VALUE", text, part));
    }
    feature.options.emplace_back(std::move(option.key), std::move(*option.value));
  }
  return feature;
}

Result<ParsedModel> ParseModelString(std::string_view text) {
  ParsedModel model;
  bool in_path = false;
  // Empty parts mean nothing, unless the path goes on behind them.
  std::size_t empty_parts = 0;
  for (const std::string& part : SplitAtColons(text)) {
    if (part.empty()) {
      ++empty_parts;
      continue;
    }
    KeyValue option = SplitAtEquals(part);
    if (!option.value && !IsFlag(option.key)) {
      if (!in_path) {
        return Refuse("model",
                      fmt::format("\"{}\": \"{}\" has no value; expected version=, path=, name=, disable_clip, "
                                  "enable_transform or FEATURE.OPTION=VALUE",
                                  text, part));
      }
      model.request.path.append(empty_parts + 1, ':');
      model.request.path += part;
      empty_parts = 0;
      continue;
    }
    empty_parts = 0;
    in_path = false;
    if (IsFlag(option.key)) {
      const Result<bool> flag = FlagValue(option, text);
      if (!flag) return flag.error();
      (option.key == "disable_clip" ? model.request.disable_clip : model.request.enable_transform) = *flag;
      continue;
    }
    if (option.value->empty()) {
      return Refuse("model", fmt::format("\"{}\": {}= has no value", text, option.key));
    }
    if (option.key == "version") {
      model.request.version = std::move(*option.value);
    } else if (option.key == "path") {
      model.request.path = std::move(*option.value);
      in_path = true;
    } else if (option.key == "name") {
      model.request.name = std::move(*option.value);
      model.has_name = true;
    } else {
      const std::size_t dot = option.key.find('.');
      if (dot == std::string::npos || dot == 0 || dot + 1 == option.key.size()) {
        return Refuse("model",
                      fmt::format("\"{}\": unknown key \"{}\"; expected version, path, name, disable_clip, "
                                  "enable_transform or FEATURE.OPTION (a colon inside a path may be written \\:)",
                                  text, option.key));
      }
      if (model.request.overloads.size() == kMaxOverloads) {
        return Refuse("model", fmt::format("more than {} feature options for one model", kMaxOverloads));
      }
      // One entry each, so that a later one overrides an earlier one as in libvmaf.
      model.request.overloads.emplace_back(option.key.substr(0, dot),
                                           OptionList{{option.key.substr(dot + 1), std::move(*option.value)}});
    }
  }
  if (!model.request.version.empty()) model.request.path.clear();
  if (model.request.version.empty() && model.request.path.empty()) {
    return Refuse("model", fmt::format("\"{}\" names no model; expected version= or path=", text));
  }
  return model;
}

Result<ParsedModel> ParseModelArgument(std::string_view text) {
  if (text.empty() || text.find('=') != std::string_view::npos) return ParseModelString(text);
  ParsedModel model;
  const bool is_path = text.ends_with(".json") || text.find('/') != std::string_view::npos;
  (is_path ? model.request.path : model.request.version) = std::string(text);
  return model;
}

const std::string& ModelLabel(const ModelRequest& model) { return model.version.empty() ? model.path : model.version; }

Status CheckModelNames(const std::vector<ModelRequest>& models) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (models[i].name != models[j].name) continue;
      return Refuse("model", fmt::format("{} and {} are both named \"{}\"; give each its own name=",
                                         ModelLabel(models[j]), ModelLabel(models[i]), models[i].name));
    }
  }
  return {};
}

}  // namespace lockstep
