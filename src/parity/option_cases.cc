// SPDX-License-Identifier: BSD-2-Clause-Patent
// Option values that are likely to lead to different code.
#include "parity/option_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "features/feature_list.h"
#include "model/model.h"

namespace lockstep {
namespace {

// Numbers with an end that is far away are tried up to here.
constexpr double kLargest = 1e6;
constexpr double kNearLower = 0.01;
// Whole numbers with a range this small name kinds: all of them are tried, and none goes with values of other options
// that it may not fit.
constexpr double kFewValues = 9.0;
// Of a longer list of numbers, so many that are spread over it.
constexpr std::size_t kFewChoices = 5;

// Options of cambi that do nothing, or are refused, unless others go with them. The encode of 1920x1080 starts at half
// of its size, whatever the clip's.
constexpr const char* kCambiJoint[] = {
    "enc_width=448:enc_height=252:enc_bitdepth=8:full_ref=true", "src_width=1000:src_height=562:full_ref=true",
    "enc_width=400:enc_height=225:src_width=448:src_height=252:full_ref=true",
    "enc_width=1920:enc_height=1080:cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17",
    "enc_width=1920:enc_height=1080:cambi_high_res_speedup=1080:window_size=31:max_log_contrast=5:cambi_topk=0.1"};

OptionList ParseOptions(std::string_view text) {
  OptionList options;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(':'));
    const std::size_t equals = entry.find('=');
    options.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
  }
  return options;
}

std::string NumberText(const OptionSpec& spec, double value) {
  if (spec.type == OptionType::kInt) return fmt::format("{}", static_cast<long long>(value));
  return fmt::format("{:g}", value);
}

bool IsChoice(const OptionSpec& spec) {
  if (spec.type == OptionType::kString) return true;
  return spec.type == OptionType::kInt && spec.maximum - spec.minimum <= kFewValues;
}

std::vector<std::string> Values(const OptionSpec& spec) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& text) {
    if (text == NumberText(spec, spec.default_value)) return;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  };
  switch (spec.type) {
    case OptionType::kBool:
      texts.emplace_back(spec.default_value != 0.0 ? "false" : "true");
      break;
    case OptionType::kInt:
    case OptionType::kDouble: {
      const double low = std::max(spec.minimum, -kLargest);
      const double high = std::min(spec.maximum, kLargest);
      if (*spec.choices != '\0') {
        const std::vector<std::string_view> choices = ChoicesOf(spec);
        const std::size_t step = std::max<std::size_t>(1, choices.size() / kFewChoices);
        for (std::size_t i = 0; i < choices.size(); i += step) add(std::string(choices[i]));
        break;
      }
      if (IsChoice(spec)) {
        for (int step = 0; step <= static_cast<int>(high - low); ++step) add(NumberText(spec, low + step));
        break;
      }
      for (const double value : {low, high, low + kNearLower * (high - low), low + (high - low) / 2.0}) {
        add(NumberText(spec, value));
      }
      break;
    }
    case OptionType::kString:
      for (const std::string_view choice : ChoicesOf(spec)) {
        if (choice != spec.default_text) texts.emplace_back(choice);
      }
      break;
  }
  return texts;
}

// What the built-in models ask of the metric.
std::vector<OptionList> OptionsOfModels(const FeatureDescription& feature) {
  std::vector<OptionList> cases;
  for (const BuiltInModelInfo& built_in : BuiltInModels()) {
    const Result<LoadedModel> model = LoadBuiltInModel(built_in.version, {});
    if (!model) continue;
    for (const ModelFeature& read : model->main.features()) {
      if (FindFeatureByScore(read.raw_name) != &feature) continue;
      OptionList options(read.options.entries().begin(), read.options.entries().end());
      if (std::find(cases.begin(), cases.end(), options) == cases.end()) cases.push_back(std::move(options));
    }
  }
  return cases;
}

}  // namespace

std::vector<OptionList> OptionCases(const FeatureDescription& feature, bool only_defaults) {
  std::vector<OptionList> cases = {{}};
  if (only_defaults) return cases;
  OptionList all_bools;
  OptionList all_numbers;
  for (const OptionSpec& spec : feature.options) {
    const std::vector<std::string> values = Values(spec);
    for (const std::string& value : values) cases.push_back({{spec.name, value}});
    if (values.empty() || IsChoice(spec)) continue;
    (spec.type == OptionType::kBool ? all_bools : all_numbers).emplace_back(spec.name, values.back());
  }
  // A choice may give other options a meaning that they do not have otherwise.
  for (const OptionSpec& choice : feature.options) {
    if (!IsChoice(choice)) continue;
    for (const std::string& value : Values(choice)) {
      for (const auto& [name, number] : all_numbers) cases.push_back({{choice.name, value}, {name, number}});
    }
  }
  if (all_bools.size() > 1) cases.push_back(all_bools);
  if (all_numbers.size() > 1) cases.push_back(all_numbers);
  if (std::string_view(feature.name) == "cambi") {
    for (const char* joint : kCambiJoint) cases.push_back(ParseOptions(joint));
  }
  for (OptionList& options : OptionsOfModels(feature)) {
    if (std::find(cases.begin(), cases.end(), options) == cases.end()) cases.push_back(std::move(options));
  }
  return cases;
}

std::string OptionText(const OptionList& options) {
  std::string text;
  for (const auto& [name, value] : options) text += fmt::format("{}{}={}", text.empty() ? "" : ":", name, value);
  return text;
}

}  // namespace lockstep
