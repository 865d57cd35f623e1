// SPDX-License-Identifier: BSD-2-Clause-Patent
// A VMAF model: which features it reads and how they become a score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/option_table.h"
#include "lockstep/result.h"

namespace lockstep {

struct ModelFlags {
  bool disable_clip = false;
  bool enable_transform = false;
};

/// A feature as a model names it.
struct ModelFeature {
  std::string raw_name;      // undecorated score name, e.g. "VMAF_integer_feature_adm2_score"
  OptionDictionary options;  // numbers normalised as libvmaf does
};

/// One support vector regression with its normalisation, transform and clip. Immutable, thread safe.
class Model {
 public:
  struct Data;  // everything a model file holds; defined in model_data.h
  explicit Model(std::shared_ptr<const Data> data);

  [[nodiscard]] const std::vector<ModelFeature>& features() const;

  /// Score of one frame.
  /// feature_scores  [features().size()], in the order of features(); any other number of them gives NaN
  /// edge            apply_transform_and_clip false: the raw regression value, as bootstrap statistics use it.
  ///                 A chroma correction parameter of 0 means no correction (libvmaf then stores no score at all).
  /// exact           additions in file order, correctly rounded exp
  [[nodiscard]] double Predict(std::span<const double> feature_scores, bool apply_transform_and_clip = true) const;

  /// Transform and clip of the model applied to a value (bootstrap statistics).
  [[nodiscard]] double TransformAndClip(double value) const;

  /// Options merged over those of every feature that `extractor` provides. Which score names an extractor provides is
  /// known to the caller; texts of numbers are taken as they are, so the caller has normalised them.
  void OverloadOptions(const OptionDictionary& options, const std::vector<std::string>& provided_raw_names);

 private:
  std::shared_ptr<const Data> data_;
  std::vector<ModelFeature> features_;
};

/// Scores of one frame by a bootstrap collection.
struct BootstrapScore {
  std::vector<double> members;  // with transform and clip, in member order
  double bagging = 0.0;
  double stddev = 0.0;
  double ci_p95_low = 0.0;
  double ci_p95_high = 0.0;
};

/// What a model file is: one model, or a stand-alone model with bootstrap members.
struct LoadedModel {
  Model main;                  // score NAME
  std::vector<Model> members;  // scores NAME_0001 …; empty for a single model
  [[nodiscard]] bool is_collection() const { return !members.empty(); }
};

/// member_scores  one span of feature scores for each member, in its own feature order
/// errors         none; members is not empty
[[nodiscard]] BootstrapScore PredictBootstrap(const std::vector<Model>& members,
                                              std::span<const std::vector<double>> member_feature_scores);

/// Parses a model in libvmaf's JSON format.
/// source  path or version, for messages
/// errors  kFormat: not JSON, or a field is missing, of the wrong type or out of range; the error names the field
///         kUnsupported: a support vector machine other than a regression with an RBF kernel
[[nodiscard]] Result<LoadedModel> ParseModelJson(std::string_view text, const std::string& source,
                                                 const ModelFlags& flags);

/// errors  kNotFound, kInputOutput; otherwise as ParseModelJson
[[nodiscard]] Result<LoadedModel> LoadModelFile(const std::string& path, const ModelFlags& flags);

/// errors  kNotFound: unknown version; the message lists the known ones
[[nodiscard]] Result<LoadedModel> LoadBuiltInModel(std::string_view version, const ModelFlags& flags);

struct BuiltInModelInfo {
  std::string_view version;
  std::string_view summary;
  bool is_collection = false;
};
[[nodiscard]] std::span<const BuiltInModelInfo> BuiltInModels();

}  // namespace lockstep
