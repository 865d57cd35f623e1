// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction with models small enough to compute by hand.
#include "model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "exact/elementary.h"
#include "model/model_data.h"
#include "model/support_vector_regression.h"

namespace lockstep {
namespace {

/// A model without normalisation, whose regression gives `value` when the features equal `at`: the only support vector
/// lies there, exp(0) is 1, and rho is 0. Anywhere else it gives less.
Model::Data DataGiving(double value, std::vector<double> at = {0.5}) {
  Model::Data data;
  for (std::size_t i = 0; i < at.size(); ++i) data.features.push_back({"feature" + std::to_string(i), {}});
  data.regression = {1.0, 0.0, at.size(), {value}, std::move(at)};
  return data;
}

double Score(const Model::Data& data, const std::vector<double>& features, bool apply = true) {
  return Model(std::make_shared<Model::Data>(data)).Predict(features, apply);
}

double Transformed(const ScoreTransform& transform, double value) {
  Model::Data data = DataGiving(value);
  data.transform = transform;
  return Model(std::make_shared<Model::Data>(std::move(data))).TransformAndClip(value);
}

TEST(Regression, AddsTermsInFileOrder) {
  // 1e16 + 1 - 1e16 is 0 in this order and 1 in another.
  SupportVectorRegression regression{1.0, 0.0, 1, {1e16, 1.0, -1e16}, {0.25, 0.25, 0.25}};
  const double x = 0.25;
  EXPECT_EQ(regression.Predict(&x), 0.0);
  regression.coefficients = {1e16, -1e16, 1.0};
  EXPECT_EQ(regression.Predict(&x), 1.0);
}

TEST(Regression, AddsSquaresInFeatureOrder) {
  const std::vector<double> x = {1.0, 0x1p-27, 0x1p-27};
  const SupportVectorRegression regression{0.7, 0.125, 3, {3.0}, {0.0, 0.0, 0.0}};
  // Each 2^-54 is lost against 1 when added one by one, but not when the two are added first.
  EXPECT_EQ(regression.Predict(x.data()), 3.0 * exact::Exp(-0.7 * 1.0) - 0.125);
  const SupportVectorRegression steeper{0x1p52, 0.0, 3, {1.0}, {1.0, 0.0, 0.0}};
  EXPECT_EQ(steeper.Predict(x.data()), exact::Exp(-0x1p52 * 0x1p-53));
}

TEST(Predict, NormalisesFeaturesAndTheOutput) {
  Model::Data data = DataGiving(3.0, {2.5, -1.0});
  data.output = Rescale{0.5, 0.25};
  data.feature_rescale = {{2.0, 0.5}, {-3.0, 0.5}};
  EXPECT_EQ(Score(data, {1.0, 0.5}), (3.0 - 0.25) / 0.5);
  EXPECT_LT(Score(data, {1.0, 0.75}), 5.5);
}

TEST(Predict, WrongNumberOfScoresGivesNan) {
  EXPECT_TRUE(std::isnan(Score(DataGiving(3.0), {})));
  EXPECT_TRUE(std::isnan(Score(DataGiving(3.0), {0.5, 0.5})));
}

TEST(Predict, NanAndInfinityDoNoHarm) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(Score(DataGiving(3.0), {std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_EQ(Score(DataGiving(3.0), {infinity}), 0.0);
}

TEST(Predict, SixtyFourFeatures) {
  const std::vector<double> at(kMaximumModelFeatures, 0.125);
  EXPECT_EQ(Score(DataGiving(7.0, at), at), 7.0);
}

TEST(ChromaFromLuma, ReplacesOnlyAZero) {
  // Features: chroma at 0, luma at 1; c = 2 and luma 0.75 give -2 * 0.75 + 2 = 0.5.
  Model::Data data = DataGiving(9.0, {0.5, 0.75});
  data.chroma = ChromaFromLuma{2.0, 1, 0};
  EXPECT_EQ(Score(data, {0.0, 0.75}), 9.0);
  EXPECT_EQ(Score(data, {-0.0, 0.75}), 9.0);
  EXPECT_LT(Score(data, {0x1p-1074, 0.75}), 9.0);
  EXPECT_TRUE(std::isnan(Score(data, {std::numeric_limits<double>::quiet_NaN(), 0.75})));
}

TEST(ChromaFromLuma, WorksOnTheRoundTripOfNormalisation) {
  Model::Data data = DataGiving(9.0, {1.0 + 3.0 * 0.5, 0.25 + 0.5 * 0.75});
  data.output = Rescale{1.0, 0.0};
  data.feature_rescale = {{3.0, 1.0}, {0.5, 0.25}};
  data.chroma = ChromaFromLuma{2.0, 1, 0};
  EXPECT_EQ(Score(data, {0.0, 0.75}), 9.0);
  // 3e-20 + 1 rounds to 1, so the value taken back is 0 though the score is not.
  EXPECT_EQ(Score(data, {1e-20, 0.75}), 9.0);
}

TEST(ChromaFromLuma, FindsItsFeatures) {
  const std::vector<ModelFeature> both = {{"x_speed_chroma_uv", {}}, {"other", {}}, {"integer_adm3", {}}};
  const auto found = MakeChromaFromLuma(both, 120.0, "c");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(**found, (ChromaFromLuma{120.0, 2, 0}));
  // libvmaf stores no score when the parameter is 0.
  EXPECT_EQ(*MakeChromaFromLuma(both, 0.0, "c"), std::nullopt);
  EXPECT_EQ(*MakeChromaFromLuma({}, 0.0, "c"), std::nullopt);
  EXPECT_EQ(MakeChromaFromLuma({both[0]}, 1.0, "c").error().field, "c");
  EXPECT_FALSE(MakeChromaFromLuma({both[2]}, 1.0, "c").ok());
  EXPECT_FALSE(MakeChromaFromLuma({both[0], both[0], both[2]}, 1.0, "c").ok());
  EXPECT_FALSE(MakeChromaFromLuma({both[0], both[2], both[2]}, 1.0, "c").ok());
}

TEST(Transform, PolynomialParts) {
  EXPECT_EQ(Transformed({.enabled = false, .p0 = 5.0}, 3.0), 3.0);
  EXPECT_EQ(Transformed({.enabled = true}, 3.0), 3.0);
  EXPECT_EQ(Transformed({.enabled = true, .p0 = 5.0}, 3.0), 5.0);
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 5.0}, 3.0), 15.0);
  EXPECT_EQ(Transformed({.enabled = true, .p2 = 5.0}, 3.0), 45.0);
  EXPECT_EQ(Transformed({.enabled = true, .p0 = 1.0, .p1 = 2.0, .p2 = 5.0}, 3.0), 52.0);
  // (p2 * y) * y: the product in another order rounds differently.
  const double p2 = 1.0 / 3.0;
  const double y = 77.7;
  ASSERT_NE((p2 * y) * y, p2 * (y * y));
  EXPECT_EQ(Transformed({.enabled = true, .p2 = p2}, y), (p2 * y) * y);
}

TEST(Transform, Knots) {
  ScoreTransform map{.enabled = true, .knots = {{0.0, 10.0}, {10.0, 20.0}, {20.0, 20.0}, {30.0, 50.0}}};
  EXPECT_EQ(Transformed(map, -10.0), 0.0);
  EXPECT_EQ(Transformed(map, 0.0), 10.0);
  EXPECT_EQ(Transformed(map, 5.0), 15.0);
  EXPECT_EQ(Transformed(map, 10.0), 20.0);
  EXPECT_EQ(Transformed(map, 15.0), 20.0);
  EXPECT_EQ(Transformed(map, 20.0), 20.0 - (20.0 * 3.0) + 3.0 * 20.0);
  EXPECT_EQ(Transformed(map, 40.0), 80.0);
  // After the polynomial.
  map.p1 = 2.0;
  EXPECT_EQ(Transformed(map, 2.5), 15.0);
}

TEST(Transform, KnotsThatDoNotAscend) {
  EXPECT_EQ(Transformed({.enabled = true, .knots = {{5.0, 6.0}}}, 3.0), 3.0);
  EXPECT_EQ(Transformed({.enabled = true, .knots = {{5.0, 6.0}, {5.0, 7.0}}}, 3.0), 0.0);
  EXPECT_EQ(Transformed({.enabled = true, .knots = {{5.0, 6.0}, {7.0, 5.0}}}, 3.0), 0.0);
  // The first segment still counts, also to its left.
  const ScoreTransform broken{.enabled = true, .knots = {{1.0, 1.0}, {2.0, 2.0}, {2.0, 3.0}, {4.0, 4.0}}};
  EXPECT_EQ(Transformed(broken, 0.5), 0.5);
  EXPECT_EQ(Transformed(broken, 1.5), 1.5);
  EXPECT_EQ(Transformed(broken, 3.0), 0.0);
}

TEST(Transform, ComparesWithTheInput) {
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 2.0, .out_lte_in = true}, 3.0), 3.0);
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 0.5, .out_lte_in = true}, 3.0), 1.5);
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 0.5, .out_gte_in = true}, 3.0), 3.0);
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 2.0, .out_gte_in = true}, 3.0), 6.0);
  EXPECT_EQ(Transformed({.enabled = true, .p1 = 2.0, .out_lte_in = true, .out_gte_in = true}, 3.0), 3.0);
}

TEST(Clip, ComesLastAndCanBeLeftOut) {
  Model::Data data = DataGiving(90.0);
  data.transform = {.enabled = true, .p1 = 2.0};
  data.clip = ScoreClip{10.0, 100.0};
  EXPECT_EQ(Score(data, {0.5}), 100.0);
  EXPECT_EQ(Score(data, {0.5}, false), 90.0);
  data.regression.coefficients = {1.0};
  EXPECT_EQ(Score(data, {0.5}), 10.0);
}

TEST(OverloadOptions, MergesOverTheProvidedFeaturesOnly) {
  Model::Data data = DataGiving(1.0, {0.0, 0.0, 0.0});
  data.features[0].options.Set("gain", "100");
  data.features[0].options.Set("other", "1");
  Model model(std::make_shared<Model::Data>(data));
  const Model copy = model;
  OptionDictionary changes;
  changes.Set("gain", "1");
  changes.Set("new", "true");
  model.OverloadOptions(changes, {"feature0", "feature2", "unknown"});
  EXPECT_EQ(model.features()[0].options.entries(),
            (std::vector<OptionDictionary::Entry>{{"gain", "1"}, {"other", "1"}, {"new", "true"}}));
  EXPECT_TRUE(model.features()[1].options.entries().empty());
  EXPECT_EQ(model.features()[2].options, changes);
  EXPECT_EQ(copy.features()[0].options, data.features[0].options);
}

std::vector<Model> Members(const std::vector<double>& values, const ScoreTransform& transform,
                           std::optional<ScoreClip> clip) {
  std::vector<Model> members;
  for (const double value : values) {
    Model::Data data = DataGiving(value);
    data.transform = transform;
    data.clip = clip;
    members.emplace_back(std::make_shared<Model::Data>(std::move(data)));
  }
  return members;
}

TEST(Bootstrap, StatisticsOfTheRawValues) {
  const std::vector<std::vector<double>> features(5, {0.5});
  const BootstrapScore score = PredictBootstrap(Members({40.0, 10.0, 30.0, 20.0, 50.0}, {}, {}), features);
  EXPECT_EQ(score.members, (std::vector<double>{40.0, 10.0, 30.0, 20.0, 50.0}));
  EXPECT_EQ(score.bagging, 30.0);
  EXPECT_EQ(score.stddev, exact::Sqrt(200.0) * ((30.01 - 29.99) / 0.02));
  // Ranks 0.1 and 3.9 of 0 … 4.
  EXPECT_EQ(score.ci_p95_low, 10.0 * (1.0 - 0.1) + 20.0 * (0.1 - 0.0));
  EXPECT_EQ(score.ci_p95_high, 40.0 * (4.0 - 3.9) + 50.0 * (3.9 - 3.0));
}

TEST(Bootstrap, TransformAndClipApplyToTheResults) {
  const std::vector<std::vector<double>> features(2, {0.5});
  const ScoreTransform twice{.enabled = true, .p1 = 2.0};
  const BootstrapScore score = PredictBootstrap(Members({20.0, 60.0}, twice, ScoreClip{0.0, 100.0}), features);
  EXPECT_EQ(score.members, (std::vector<double>{40.0, 100.0}));
  EXPECT_EQ(score.bagging, 80.0);
  EXPECT_EQ(score.ci_p95_low, 2.0 * (20.0 * (1.0 - 0.025) + 60.0 * 0.025));
  EXPECT_EQ(score.ci_p95_high, 100.0);
  EXPECT_EQ(score.stddev, 20.0 * ((2.0 * 40.01 - 2.0 * 39.99) / 0.02));
}

TEST(Bootstrap, OneMember) {
  const std::vector<std::vector<double>> features(1, {0.5});
  const BootstrapScore score = PredictBootstrap(Members({33.0}, {}, {}), features);
  EXPECT_EQ(score.bagging, 33.0);
  EXPECT_EQ(score.stddev, 0.0);
  EXPECT_EQ(score.ci_p95_low, 33.0);
  EXPECT_EQ(score.ci_p95_high, 33.0);
}

}  // namespace
}  // namespace lockstep
