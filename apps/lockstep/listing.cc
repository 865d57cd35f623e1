// SPDX-License-Identifier: BSD-2-Clause-Patent
// Lists made from the engine's own tables, so that they cannot differ from what it accepts.
#include "apps/lockstep/listing.h"

#include <fmt/format.h>

#include "apps/command_line/terminal_text.h"

namespace lockstep {
namespace {

std::string SizeText(const PlaneSize& size) {
  return size.width > 1 || size.height > 1 ? fmt::format("{}x{}", size.width, size.height) : "any";
}

void AppendFeature(const FeatureInfo& feature, std::string& out) {
  out += fmt::format("{}: {}\n", feature.name, feature.summary);
  out += fmt::format("  smallest picture: {}\n", SizeText(feature.minimum_size));
  out += fmt::format("  scores: {}\n", fmt::join(feature.scores, ", "));
  out += fmt::format("  backends: {}\n", feature.on_devices ? "all" : "cpu");
  if (feature.options.empty()) {
    out += "  no options\n";
    return;
  }
  out += "  options:\n";
  for (const OptionInfo& option : feature.options) {
    out += fmt::format("    {} ({}", option.name, option.type);
    if (!option.alias.empty()) out += fmt::format(", in names: {}", option.alias);
    out += fmt::format(", default {}", option.default_value.empty() ? "empty" : option.default_value);
    const bool is_list = option.range.find(", ") != std::string::npos;
    if (!option.range.empty()) out += fmt::format(", {}{}", is_list ? "one of " : "", option.range);
    out += fmt::format(")\n      {}\n", option.meaning);
  }
}

}  // namespace

std::string ListFeaturesText(const std::vector<FeatureInfo>& features, bool with_options) {
  std::string out;
  for (const FeatureInfo& feature : features) {
    if (with_options) {
      if (!out.empty()) out += "\n";
      AppendFeature(feature, out);
      continue;
    }
    out +=
        fmt::format("{}: {} (smallest picture: {})\n", feature.name, feature.summary, SizeText(feature.minimum_size));
    std::string names;
    for (const OptionInfo& option : feature.options) names += (names.empty() ? "" : ", ") + option.name;
    if (!names.empty()) out += fmt::format("  options: {}\n", names);
  }
  return out;
}

Result<std::string> DescribeFeatureText(const std::vector<FeatureInfo>& features, const std::string& name) {
  std::string names;
  for (const FeatureInfo& feature : features) {
    if (feature.name == name) {
      std::string out;
      AppendFeature(feature, out);
      return out;
    }
    names += (names.empty() ? "" : ", ") + feature.name;
  }
  return Error{
      ErrorCode::kNotFound, fmt::format("unknown feature \"{}\"; expected {}", name, names), {}, std::nullopt, {}};
}

std::string ListModelsText(const std::vector<ModelInfo>& models) {
  std::string out;
  for (const ModelInfo& model : models) {
    out +=
        fmt::format("{}: {}{}\n", model.version, model.summary, model.is_collection ? " (bootstrap collection)" : "");
    out += fmt::format("  features: {}\n", fmt::join(model.features, ", "));
    if (model.available) {
      out += fmt::format("  smallest picture: {}\n", SizeText(model.minimum_size));
    } else {
      out += fmt::format("  not available: {}\n", model.unavailable_reason);
    }
  }
  return out;
}

std::string ListDevicesText(const std::vector<DeviceInfo>& devices, bool is_forced) {
  std::string out;
  for (const DeviceInfo& device : devices) {
    if (device.name.empty()) {
      out += fmt::format("{}: not available: {}\n", device.backend, device.unusable);
      continue;
    }
    const std::string number = device.backend == "cpu" ? "" : fmt::format(" {}", device.index);
    const std::string fault = device.unusable.empty() ? "" : ", not usable: " + device.unusable;
    out +=
        TerminalText(fmt::format("{}{}: {}, {}{}", device.backend, number, device.name, device.detail, fault)) + "\n";
    for (const DeviceTarget& target : device.targets) {
      std::string state = target.is_used ? "used" : "available";
      if (target.is_used && is_forced) state += " (LOCKSTEP_CPU)";
      if (!target.missing.empty()) state = "not available: " + target.missing;
      out += fmt::format("  {:<8}{}\n", target.name, state);
    }
  }
  return out;
}

}  // namespace lockstep
