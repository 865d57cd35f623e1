// SPDX-License-Identifier: BSD-2-Clause-Patent
// Resolves metrics, models and overloads, and keeps score names unique.
#include "engine/score_plan.h"

#include <fmt/format.h>

#include <algorithm>
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
         planned.options.SameValues(options, OptionEffect::kValueOnly);
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

Status ScorePlan::AddModelFeatures(const Model& model, const std::string& label, std::vector<std::string>& keys) {
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
    FeatureColumn column;
    column.raw_name = feature.raw_name;
    keys.push_back(DecoratedScoreName(column, *options));
    AddFeature(*description, *std::move(options));
  }
  return {};
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
  if (Status status = AddModelFeatures(planned.model.main, planned.label, planned.main_keys); !status) return status;
  for (const Model& member : planned.model.members) {
    planned.member_keys.emplace_back();
    if (Status status = AddModelFeatures(member, planned.label, planned.member_keys.back()); !status) return status;
  }
  models_.push_back(std::move(planned));
  return {};
}

Status ScorePlan::Bind(const VideoFormat& format) {
  std::set<std::string> used;
  for (PlannedFeature& planned : features_) {
    Result<std::unique_ptr<Feature>> feature = CreateFeature(*planned.description, planned.options, format);
    if (!feature) return std::move(feature).error();
    planned.feature = *std::move(feature);
    planned.columns = planned.feature->columns();
    planned.keys.clear();
    bool renamed = false;
    for (const FeatureColumn& column : planned.columns) {
      std::string key = DecoratedScoreName(column, planned.options);
      if (used.contains(key)) {
        key = FullyDecoratedScoreName(column, planned.options);
        renamed = true;
      }
      used.insert(key);
      planned.keys.push_back(std::move(key));
    }
    if (renamed) {
      FeatureColumn nameless;
      planned.aggregate_suffix = FullyDecoratedScoreName(nameless, planned.options);
      decisions_.push_back({fmt::format("feature {}", planned.description->name),
                            "asked for more than once with options that change its values; the later scores carry "
                            "those options in their names"});
    }
  }
  for (const PlannedModel& model : models_) {
    if (used.contains(model.name)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the model's name '{}' is also the name of a score; choose another", model.name),
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
