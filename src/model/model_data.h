// SPDX-License-Identifier: BSD-2-Clause-Patent
// Everything a model file says, whatever form the file has.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/model.h"
#include "model/support_vector_regression.h"

namespace lockstep {

/// libvmaf's limit on the features of a model; also bounds the stack that a prediction takes.
inline constexpr std::size_t kMaximumModelFeatures = 64;
/// libvmaf's limit on the knots of a score transform.
inline constexpr std::size_t kMaximumKnots = 10;

/// Clipping of a final score.
struct ScoreClip {
  double minimum = 0.0;
  double maximum = 0.0;
  friend bool operator==(const ScoreClip&, const ScoreClip&) = default;
};

struct TransformKnot {
  double x = 0.0;
  double y = 0.0;
  friend bool operator==(const TransformKnot&, const TransformKnot&) = default;
};

/// Polynomial, then piecewise-linear map, then comparison with the untransformed value.
struct ScoreTransform {
  bool enabled = false;
  std::optional<double> p0 = std::nullopt;
  std::optional<double> p1 = std::nullopt;
  std::optional<double> p2 = std::nullopt;
  std::vector<TransformKnot> knots = {};
  bool out_lte_in = false;  // never above the input
  bool out_gte_in = false;  // never below the input
  friend bool operator==(const ScoreTransform&, const ScoreTransform&) = default;
};

/// y = slope * x + intercept going in; the output goes the other way.
struct Rescale {
  double slope = 1.0;
  double intercept = 0.0;
  friend bool operator==(const Rescale&, const Rescale&) = default;
};

/// Where the chroma metric saw no difference at all, its value is predicted from the luma metric.
struct ChromaFromLuma {
  double c = 0.0;                  // never 0: libvmaf stores no score at all then; here it means no correction
  std::size_t luma_feature = 0;    // the feature whose name contains "adm3"
  std::size_t chroma_feature = 0;  // the feature whose name contains "speed_chroma"
  friend bool operator==(const ChromaFromLuma&, const ChromaFromLuma&) = default;
};

struct Model::Data {
  std::vector<ModelFeature> features;
  std::optional<Rescale> output;         // absent: norm_type "none", no value is rescaled
  std::vector<Rescale> feature_rescale;  // [features] where `output` is there
  std::optional<ScoreClip> clip;         // absent also where the load flags switch it off
  ScoreTransform transform;
  std::optional<ChromaFromLuma> chroma;
  SupportVectorRegression regression;
};

/// How a chroma correction parameter applies to these features; absent for 0.
/// errors  kFormat: not exactly one adm3 and one speed_chroma feature; the field is `path`
[[nodiscard]] Result<std::optional<ChromaFromLuma>> MakeChromaFromLuma(const std::vector<ModelFeature>& features,
                                                                       double c, std::string_view path);

}  // namespace lockstep
