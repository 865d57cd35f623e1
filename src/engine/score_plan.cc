// SPDX-License-Identifier: BSD-2-Clause-Patent
// Resolves metrics, models and overloads, and keeps score names unique.
#include "engine/score_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "features/feature_list.h"
#include "features/score_name.h"

namespace lockstep {
namespace {

std::string FeatureNames() {
  std::string names;
  for (const FeatureDescription* feature : FeatureList())
    names += (names.empty() ? "" : ", ") + std::string(feature->name);
  return names;
}

Error UnknownFeature(const std::string& name) {
  return {ErrorCode::kNotFound, fmt::format("unknown feature '{}'; there are {}", name, FeatureNames()), {}, {}, {}};
}

Result<OptionDictionary> ToDictionary(const OptionList& options, const std::string& feature) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : options) {
    if (dictionary.Find(key) != nullptr) {
      return Error{
          ErrorCode::kInvalidArgument, fmt::format("option '{}' is given twice", key), {}, {}, "feature " + feature};
    }
    dictionary.Set(key, NormaliseNumber(value));
  }
  return dictionary;
}

std::vector<std::string> ProvidedNames(const FeatureDescription& description) {
  return {description.provided.begin(), description.provided.end()};
}

bool SameInstance(const PlannedFeature& planned, const FeatureDescription& description, const OptionValues& options) {
  return planned.description == &description && planned.options.SameValues(options, OptionEffect::kInName) &&
         planned.options.SameValues(options, OptionEffect::kValueOnly) && planned.options.CanMergeOutputs(options);
}

}  // namespace

BootstrapColumnNames MakeBootstrapColumnNames(const PlannedModel& model) {
  BootstrapColumnNames names;
  for (std::size_t i = 0; i < model.model.members.size(); ++i) {
    names.members.push_back(fmt::format("{}_{:04}", model.name, i + 1));
  }
  names.bagging = model.name + "_bagging";
  names.stddev = model.name + "_stddev";
  names.ci_p95_low = model.name + "_ci_p95_lo";
  names.ci_p95_high = model.name + "_ci_p95_hi";
  return names;
}

Result<ScorePlan> ScorePlan::Create(const ScoreRequest& request) {
  ScorePlan plan;
  std::set<std::string> names;
  for (const ModelRequest& model : request.models) {
    if (!names.insert(model.name).second) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("two models are named '{}'; give each its own name", model.name),
                   {},
                   {},
                   "model"};
    }
    if (Status status = plan.AddModel(model); !status) return std::move(status).error();
  }
  for (const FeatureRequest& feature : request.features) {
    const FeatureDescription* description = FindFeature(feature.name);
    if (description == nullptr) return UnknownFeature(feature.name);
    Result<OptionDictionary> dictionary = ToDictionary(feature.options, feature.name);
    if (!dictionary) return std::move(dictionary).error();
    Result<OptionValues> options = OptionValues::Parse(feature.name, description->options, *dictionary);
    if (!options) return std::move(options).error();
    plan.AddFeature(*description, *std::move(options));
  }
  if (plan.features_.empty()) {
    return Error{ErrorCode::kInvalidArgument, "nothing to score: no model and no feature is asked for", {}, {}, {}};
  }
  return plan;
}

std::size_t ScorePlan::AddFeature(const FeatureDescription& description, OptionValues options) {
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (SameInstance(features_[i], description, options)) {
      features_[i].options.MergeOutputs(options);
      return i;
    }
  }
  features_.push_back({&description, std::move(options), nullptr, {}, {}, {}, {}});
  return features_.size() - 1;
}

Result<std::vector<ModelInput>> ScorePlan::AddModelFeatures(const Model& model, const std::string& label) {
  std::vector<ModelInput> inputs;
  for (const ModelFeature& feature : model.features()) {
    const FeatureDescription* description = FindFeatureByScore(feature.raw_name);
    if (description == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("needs the score {}, which no metric of this build provides", feature.raw_name),
                   {},
                   {},
                   "model " + label};
    }
    Result<OptionValues> options = OptionValues::Parse(description->name, description->options, feature.options);
    if (!options) {
      Error error = std::move(options).error();
      error.field = "model " + label + ": " + error.field;
      return error;
    }
    inputs.push_back({AddFeature(*description, *std::move(options)), feature.raw_name, {}});
  }
  return inputs;
}

Status ScorePlan::AddModel(const ModelRequest& request) {
  if (request.version.empty() == request.path.empty()) {
    return Error{
        ErrorCode::kInvalidArgument, "a model is either a built-in version or a path", {}, {}, "model " + request.name};
  }
  const ModelFlags flags{request.disable_clip, request.enable_transform};
  Result<LoadedModel> loaded =
      request.version.empty() ? LoadModelFile(request.path, flags) : LoadBuiltInModel(request.version, flags);
  if (!loaded) return std::move(loaded).error();

  for (const auto& [name, list] : request.overloads) {
    const FeatureDescription* description = FindFeature(name);
    if (description == nullptr) return UnknownFeature(name);
    Result<OptionDictionary> options = ToDictionary(list, name);
    if (!options) return std::move(options).error();
    const std::vector<std::string> provided = ProvidedNames(*description);
    loaded->main.OverloadOptions(*options, provided);
    for (Model& member : loaded->members) member.OverloadOptions(*options, provided);
  }

  PlannedModel planned{
      request.name, request.version.empty() ? request.path : request.version, *std::move(loaded), {}, {}};
  Result<std::vector<ModelInput>> inputs = AddModelFeatures(planned.model.main, planned.label);
  if (!inputs) return std::move(inputs).error();
  planned.main_inputs = *std::move(inputs);
  for (const Model& member : planned.model.members) {
    inputs = AddModelFeatures(member, planned.label);
    if (!inputs) return std::move(inputs).error();
    planned.member_inputs.push_back(*std::move(inputs));
  }
  models_.push_back(std::move(planned));
  return {};
}

Error ScorePlan::NameReader(const PlannedFeature& planned, Error error) const {
  const auto index = static_cast<std::size_t>(&planned - features_.data());
  for (const PlannedModel& model : models_) {
    const bool reads = std::any_of(model.main_inputs.begin(), model.main_inputs.end(),
                                   [&](const ModelInput& input) { return input.feature == index; });
    if (!reads) continue;
    error.message += fmt::format(" (model {} reads it)", model.label);
    break;
  }
  return error;
}

Status ScorePlan::Bind(const VideoFormat& format, CpuTarget target, double frame_rate) {
  for (PlannedFeature& planned : features_) {
    // The names of scores say what was asked for, whatever the input.
    OptionValues options = planned.options;
    if (const OptionSpec* const rate = options.TakeFrameRate(frame_rate)) {
      decisions_.push_back({fmt::format("feature {}", planned.description->name),
                            fmt::format("{} is {:.6g}, the input's", rate->name, options.GetDouble(rate->name))});
    }
    Result<std::unique_ptr<Feature>> feature = CreateFeature(*planned.description, options, format, target);
    if (!feature) return NameReader(planned, std::move(feature).error());
    planned.feature = *std::move(feature);
    planned.columns = planned.feature->columns();
  }
  NameScores();
  const auto find_key = [&](ModelInput& input) {
    const PlannedFeature& planned = features_[input.feature];
    for (std::size_t c = 0; c < planned.columns.size(); ++c) {
      if (planned.columns[c].raw_name == input.raw_name) input.key = planned.keys[c];
    }
  };
  for (PlannedModel& model : models_) {
    std::for_each(model.main_inputs.begin(), model.main_inputs.end(), find_key);
    for (std::vector<ModelInput>& inputs : model.member_inputs) std::for_each(inputs.begin(), inputs.end(), find_key);
  }
  return CheckNames();
}

void ScorePlan::NameScores() {
  std::map<std::string, int> claims;
  for (const PlannedFeature& planned : features_) {
    for (const FeatureColumn& column : planned.columns) ++claims[DecoratedScoreName(column, planned.options)];
  }
  for (PlannedFeature& planned : features_) {
    planned.keys.clear();
    bool renamed = false;
    for (const FeatureColumn& column : planned.columns) {
      std::string key = DecoratedScoreName(column, planned.options);
      if (claims[key] > 1) {
        // The one without value-changing options keeps the name.
        std::string full = FullyDecoratedScoreName(column, planned.options);
        renamed = renamed || full != key;
        key = std::move(full);
      }
      planned.keys.push_back(std::move(key));
    }
    if (!renamed) continue;
    planned.aggregate_suffix = FullyDecoratedScoreName(FeatureColumn{}, planned.options);
    decisions_.push_back(
        {fmt::format("feature {}", planned.description->name),
         fmt::format(
             "asked for more than once with options that change its values; the scores of this request end in {}",
             planned.aggregate_suffix)});
  }
}

Status ScorePlan::CheckNames() const {
  std::set<std::string> used;
  for (const PlannedFeature& planned : features_) {
    for (const std::string& key : planned.keys) {
      if (used.insert(ShortScoreName(key)).second) continue;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("two requests would both write the score {}", ShortScoreName(key)),
                   {},
                   {},
                   fmt::format("feature {}", planned.description->name)};
    }
  }
  for (const PlannedModel& model : models_) {
    std::vector<std::string> names = {model.name};
    if (model.model.is_collection()) {
      const BootstrapColumnNames columns = MakeBootstrapColumnNames(model);
      names.insert(names.end(), columns.members.begin(), columns.members.end());
      names.insert(names.end(), {columns.bagging, columns.stddev, columns.ci_p95_low, columns.ci_p95_high});
    }
    for (const std::string& name : names) {
      if (used.insert(ShortScoreName(name)).second) continue;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("'{}' is also the name of another score; give the model another name", name),
                   {},
                   {},
                   "model " + model.label};
    }
  }
  return {};
}

ScoreTable ScorePlan::MakeScoreTable(std::int64_t first, std::int64_t count) {
  ScoreTable table(first, count);
  for (PlannedFeature& planned : features_) planned.table_columns.assign(planned.keys.size(), 0);
  for (const ColumnPhase phase : {ColumnPhase::kFrame, ColumnPhase::kFlush}) {
    for (PlannedFeature& planned : features_) {
      for (std::size_t c = 0; c < planned.columns.size(); ++c) {
        if (planned.columns[c].phase == phase) planned.table_columns[c] = table.AddColumn(planned.keys[c]);
      }
    }
  }
  for (const PlannedModel& model : models_) {
    table.AddColumn(model.name);
    if (!model.model.is_collection()) continue;
    const BootstrapColumnNames names = MakeBootstrapColumnNames(model);
    for (const std::string& member : names.members) table.AddColumn(member);
    for (const std::string& name : {names.bagging, names.stddev, names.ci_p95_low, names.ci_p95_high})
      table.AddColumn(name);
  }
  return table;
}

}  // namespace lockstep
