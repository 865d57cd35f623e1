// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction of one frame, by one model and by a bootstrap collection.
#include "model/model.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "exact/elementary.h"
#include "model/json_tree.h"
#include "model/model_data.h"
#include "model/pooling.h"

namespace lockstep {
namespace {

/// Line through two knots, at x.
/// exact   the order of operations of libvmaf 3.2.0, including its own case for a knot at x = 0
double AlongSegment(const TransformKnot& from, const TransformKnot& to, double x) {
  if (from.y == to.y) return from.y;
  double alpha = 0.0;
  double beta = 0.0;
  if (from.x == 0.0) {
    beta = from.y;
    alpha = (to.y - beta) / to.x;
  } else {
    alpha = (to.y - from.y) / (to.x - from.x);
    beta = from.y - (from.x * alpha);
  }
  return alpha * x + beta;
}

/// Piecewise-linear map through the knots, extended along the first and the last segment.
/// edge    a later segment decides at a shared knot; segments from the first one that does not ascend in x, or
///         descends in y, are ignored
double PiecewiseLinear(const std::vector<TransformKnot>& knots, double x) {
  if (knots.size() <= 1) return x;
  double out = 0.0;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const TransformKnot& from = knots[k];
    const TransformKnot& to = knots[k + 1];
    if (!(from.x < to.x) || !(from.y <= to.y)) break;
    const bool before_first = k == 0 && x < from.x;
    const bool after_last = k + 2 == knots.size() && x > to.x;
    if ((from.x <= x && x <= to.x) || before_first || after_last) out = AlongSegment(from, to, x);
  }
  return out;
}

double ApplyTransform(const ScoreTransform& transform, double y) {
  double out = y;
  if (transform.p0 || transform.p1 || transform.p2) {
    out = 0.0;
    if (transform.p0) out += *transform.p0;
    if (transform.p1) out += *transform.p1 * y;
    if (transform.p2) out += (*transform.p2 * y) * y;
  }
  out = PiecewiseLinear(transform.knots, out);
  if (transform.out_lte_in && out > y) out = y;
  if (transform.out_gte_in && out < y) out = y;
  return out;
}

}  // namespace

Model::Model(std::shared_ptr<const Data> data) : data_(std::move(data)), features_(data_->features) {}

const std::vector<ModelFeature>& Model::features() const { return features_; }

double Model::Predict(std::span<const double> feature_scores, bool apply_transform_and_clip) const {
  const Data& model = *data_;
  const std::size_t count = features_.size();
  if (feature_scores.size() != count) return std::numeric_limits<double>::quiet_NaN();

  std::array<double, kMaximumModelFeatures> x;
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = model.output ? model.feature_rescale[i].slope * feature_scores[i] + model.feature_rescale[i].intercept
                        : feature_scores[i];
  }

  if (model.chroma) {
    // The two scores are taken back from their normalised values, not from feature_scores: the rounding of that round
    // trip is part of libvmaf's result, and decides whether a tiny chroma score counts as 0.
    const auto restore = [&](std::size_t i) {
      return model.output ? (x[i] - model.feature_rescale[i].intercept) / model.feature_rescale[i].slope : x[i];
    };
    const std::size_t k = model.chroma->chroma_feature;
    if (restore(k) == 0.0) {
      const double c = model.chroma->c;
      const double predicted = (-c * restore(model.chroma->luma_feature)) + c;
      x[k] = model.output ? model.feature_rescale[k].slope * predicted + model.feature_rescale[k].intercept : predicted;
    }
  }

  double y = model.regression.Predict(x.data());
  if (model.output) y = (y - model.output->intercept) / model.output->slope;
  return apply_transform_and_clip ? TransformAndClip(y) : y;
}

double Model::TransformAndClip(double value) const {
  double y = value;
  if (data_->transform.enabled) y = ApplyTransform(data_->transform, y);
  if (data_->clip) {
    if (y < data_->clip->minimum) y = data_->clip->minimum;
    if (y > data_->clip->maximum) y = data_->clip->maximum;
  }
  return y;
}

void Model::OverloadOptions(const OptionDictionary& options, const std::vector<std::string>& provided_raw_names) {
  for (ModelFeature& feature : features_) {
    if (std::find(provided_raw_names.begin(), provided_raw_names.end(), feature.raw_name) != provided_raw_names.end()) {
      feature.options.Merge(options);
    }
  }
}

BootstrapScore PredictBootstrap(const std::vector<Model>& members,
                                std::span<const std::vector<double>> member_feature_scores) {
  BootstrapScore score;
  const auto count = static_cast<double>(members.size());
  std::vector<double> raw;
  raw.reserve(members.size());
  score.members.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    raw.push_back(members[i].Predict(member_feature_scores[i], false));
    score.members.push_back(members[i].TransformAndClip(raw.back()));
  }

  double sum = 0.0;
  for (const double value : raw) sum += value;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double value : raw) {
    const double deviation = value - mean;
    squares += deviation * deviation;  // what a correctly rounded pow(deviation, 2) gives
  }
  const double stddev = exact::Sqrt(squares / count);

  // NaN last, so that the order is a strict weak one whatever the features hold.
  std::sort(raw.begin(), raw.end(), [](double a, double b) { return a < b || (a == a && b != b); });

  // The slope of the transform around the mean scales the standard deviation (delta rule).
  constexpr double kDelta = 0.01;
  const Model& first = members.front();
  const double above = first.TransformAndClip(mean + kDelta);
  const double below = first.TransformAndClip(mean - kDelta);
  score.bagging = first.TransformAndClip(mean);
  score.stddev = stddev * ((above - below) / (2.0 * kDelta));
  score.ci_p95_low = first.TransformAndClip(PercentileOfSorted(raw, 2.5));
  score.ci_p95_high = first.TransformAndClip(PercentileOfSorted(raw, 97.5));
  return score;
}

Result<std::optional<ChromaFromLuma>> MakeChromaFromLuma(const std::vector<ModelFeature>& features, double c,
                                                         std::string_view path) {
  if (c == 0.0) return std::optional<ChromaFromLuma>();
  const auto find_only = [&](std::string_view part) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (features[i].raw_name.find(part) == std::string::npos) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  };
  const std::optional<std::size_t> luma = find_only("adm3");
  const std::optional<std::size_t> chroma = find_only("speed_chroma");
  if (!luma || !chroma) {
    return FormatError(path, "needs exactly one adm3 feature and exactly one speed_chroma feature");
  }
  return std::optional<ChromaFromLuma>(ChromaFromLuma{c, *luma, *chroma});
}

}  // namespace lockstep
