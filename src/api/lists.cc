// SPDX-License-Identifier: BSD-2-Clause-Patent
// What there is: metrics with their options, and models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "backend/device_list.h"
#include "features/feature_list.h"
#include "features/score_name.h"
#include "lanes/cpu_target.h"
#include "lockstep/score.h"
#include "model/model.h"

namespace lockstep {
namespace {

OptionInfo DescribeOption(const OptionSpec& spec) {
  OptionInfo info;
  info.name = spec.name;
  info.alias = spec.alias != nullptr ? spec.alias : "";
  info.meaning = spec.meaning;
  switch (spec.type) {
    case OptionType::kBool:
      info.type = "bool";
      info.default_value = spec.default_value != 0.0 ? "true" : "false";
      break;
    case OptionType::kInt:
    case OptionType::kDouble:
      info.type = spec.type == OptionType::kInt ? "int" : "double";
      // A default outside the range stands for an option that is not given, and cannot be given.
      info.default_value = spec.default_value < spec.minimum || spec.default_value > spec.maximum
                               ? "none"
                               : fmt::format("{:g}", spec.default_value);
      info.range = fmt::format("{:g} to {:g}", spec.minimum, spec.maximum);
      break;
    case OptionType::kString:
      info.type = "string";
      info.default_value = spec.default_text;
      break;
  }
  if (*spec.choices != '\0') info.range = fmt::format("{}", fmt::join(ChoicesOf(spec), ", "));
  return info;
}

struct Metric {
  const FeatureDescription* description;
  OptionValues options;
};

bool AllAccept(const std::vector<Metric>& metrics, const PlaneSize& size) {
  const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, 8};
  return std::all_of(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return CreateFeature(*metric.description, metric.options, format, CpuTarget::kScalar).ok();
  });
}

// The smallest picture in 4:2:0 that all metrics accept; a square where what they need hangs together.
PlaneSize SmallestPicture(const std::vector<Metric>& metrics) {
  PlaneSize size = {1, 1};
  for (const Metric& metric : metrics) {
    size.width = std::max(size.width, metric.description->minimum_size.width);
    size.height = std::max(size.height, metric.description->minimum_size.height);
  }
  if (AllAccept(metrics, size)) return size;
  constexpr int kLargest = 1 << 14;
  int refused = std::max(size.width, size.height);
  // Doubled, because a metric may refuse very large pictures as well.
  int accepted = refused * 2;
  while (accepted < kLargest && !AllAccept(metrics, {accepted, accepted})) {
    refused = accepted;
    accepted *= 2;
  }
  while (accepted - refused > 1) {
    const int side = refused + (accepted - refused) / 2;
    (AllAccept(metrics, {side, side}) ? accepted : refused) = side;
  }
  return {accepted, accepted};
}

// The size that every metric of the model accepts, or why the model cannot run.
void DescribeNeeds(const Model& model, ModelInfo& info) {
  std::vector<Metric> metrics;
  for (const ModelFeature& feature : model.features()) {
    const std::string name = ShortScoreName(feature.raw_name);
    if (std::find(info.features.begin(), info.features.end(), name) == info.features.end())
      info.features.push_back(name);
    const FeatureDescription* description = FindFeatureByScore(feature.raw_name);
    if (description == nullptr) {
      info.available = false;
      info.unavailable_reason = fmt::format("no metric of this build provides {}", name);
      continue;
    }
    Result<OptionValues> options = OptionValues::Parse(description->name, description->options, feature.options);
    if (!options) {
      info.available = false;
      info.unavailable_reason = options.error().Describe();
      continue;
    }
    metrics.push_back({description, *std::move(options)});
  }
  info.minimum_size = SmallestPicture(metrics);
}

}  // namespace

Result<DeviceInfo> DescribeProcessor(const std::string& cpu_target) {
  const Result<CpuTarget> used = ChooseCpuTarget(cpu_target, 0);
  if (!used) return used.error();
  DeviceInfo info;
  info.backend = "cpu";
  info.name = CpuModelName();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  info.detail = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
  for (const CpuTargetState& state : DescribeCpuTargets()) {
    info.targets.push_back({std::string(CpuTargetName(state.target)), state.target == *used, state.missing});
  }
  return info;
}

Result<std::vector<DeviceInfo>> ListDevices(const std::string& cpu_target) {
  Result<DeviceInfo> processor = DescribeProcessor(cpu_target);
  if (!processor) return std::move(processor).error();
  std::vector<DeviceInfo> devices = {*std::move(processor)};
  for (const std::string_view backend : BackendNames()) {
    for (DeviceInfo& device : ListBackendDevices(backend)) devices.push_back(std::move(device));
  }
  return devices;
}

std::vector<FeatureInfo> ListFeatures() {
  std::vector<FeatureInfo> list;
  for (const FeatureDescription* description : FeatureList()) {
    FeatureInfo info;
    info.name = description->name;
    info.summary = description->summary;
    info.minimum_size = SmallestPicture({{description, OptionValues(description->options)}});
    info.on_devices = description->on_devices;
    for (const char* score : description->provided) info.scores.push_back(ShortScoreName(score));
    for (const OptionSpec& spec : description->options) info.options.push_back(DescribeOption(spec));
    list.push_back(std::move(info));
  }
  return list;
}

std::vector<ModelInfo> ListModels() {
  std::vector<ModelInfo> list;
  for (const BuiltInModelInfo& built_in : BuiltInModels()) {
    ModelInfo info;
    info.version = built_in.version;
    info.summary = built_in.summary;
    info.is_collection = built_in.is_collection;
    const Result<LoadedModel> model = LoadBuiltInModel(built_in.version, {});
    if (model) {
      DescribeNeeds(model->main, info);
    } else {
      info.available = false;
      info.unavailable_reason = model.error().Describe();
    }
    list.push_back(std::move(info));
  }
  return list;
}

}  // namespace lockstep
