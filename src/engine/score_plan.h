// SPDX-License-Identifier: BSD-2-Clause-Patent
// From a request to the metrics that have to run, the score columns they fill and the models that read them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "features/feature.h"
#include "features/option_table.h"
#include "features/score_table.h"
#include "lockstep/report.h"
#include "lockstep/result.h"
#include "lockstep/score.h"
#include "model/model.h"

namespace lockstep {

/// One metric with one set of options. Requests that differ only in outputs share one.
struct PlannedFeature {
  const FeatureDescription* description = nullptr;
  OptionValues options;
  std::unique_ptr<Feature> feature;        // set by Bind
  std::vector<FeatureColumn> columns;      // set by Bind
  std::vector<std::string> keys;           // of the columns
  std::vector<std::size_t> table_columns;  // index in a ScoreTable made by MakeScoreTable
  std::string aggregate_suffix;            // not empty where names had to be told apart
};

/// One score that a model reads.
struct ModelInput {
  std::size_t feature = 0;  // index in ScorePlan::features()
  std::string raw_name;
  std::string key;  // set by Bind
};

struct PlannedModel {
  std::string name;
  std::string label;
  LoadedModel model;
  std::vector<ModelInput> main_inputs;                 // in the order of the model's features
  std::vector<std::vector<ModelInput>> member_inputs;  // the same for each bootstrap member
};

/// What a request asks for, independent of any picture; then bound to a picture format.
class ScorePlan {
 public:
  /// errors  kInvalidArgument, kNotFound, kFormat, kInputOutput: names and options of metrics and models
  [[nodiscard]] static Result<ScorePlan> Create(const ScoreRequest& request);

  /// Creates the metrics for a picture format, instruction set and frame rate (0: unknown) and settles the names of
  /// their scores.
  /// errors  kUnsupported, kInvalidArgument: size, depth or options do not fit a metric
  [[nodiscard]] Status Bind(const VideoFormat& format, CpuTarget target, double frame_rate = 0.0);

  /// A table with every column in libvmaf's order: per-frame scores by metric, scores of the end of the stream, models.
  [[nodiscard]] ScoreTable MakeScoreTable(std::int64_t first, std::int64_t count);

  [[nodiscard]] const std::vector<PlannedFeature>& features() const { return features_; }
  [[nodiscard]] const std::vector<PlannedModel>& models() const { return models_; }
  [[nodiscard]] const std::vector<ReportDecision>& decisions() const { return decisions_; }

 private:
  [[nodiscard]] Status AddModel(const ModelRequest& request);
  /// The scores that one regression reads.
  [[nodiscard]] Result<std::vector<ModelInput>> AddModelFeatures(const Model& model, const std::string& label);
  /// A metric's refusal with the first model that reads it.
  [[nodiscard]] Error NameReader(const PlannedFeature& planned, Error error) const;
  /// Names of all scores of the bound metrics; names that two of them would share get every option that tells them
  /// apart.
  void NameScores();
  /// errors  kInvalidArgument: two columns of the report would have one name
  [[nodiscard]] Status CheckNames() const;
  /// Index in features_ of a metric that has these options, added if need be.
  std::size_t AddFeature(const FeatureDescription& description, OptionValues options);

  std::vector<PlannedFeature> features_;
  std::vector<PlannedModel> models_;
  std::vector<ReportDecision> decisions_;
};

/// Names of the columns of a bootstrap model besides NAME and its members, in libvmaf's order.
struct BootstrapColumnNames {
  std::vector<std::string> members;  // NAME_0001 …
  std::string bagging;
  std::string stddev;
  std::string ci_p95_low;
  std::string ci_p95_high;
};
[[nodiscard]] BootstrapColumnNames MakeBootstrapColumnNames(const PlannedModel& model);

}  // namespace lockstep
