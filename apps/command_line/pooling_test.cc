// SPDX-License-Identifier: BSD-2-Clause-Patent
// Order statistics, which frames they see, and which columns are predictions.
#include "apps/command_line/pooling.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace lockstep {
namespace {

Report ReportOf(std::vector<std::optional<double>> values) {
  Report report;
  report.frame_count = static_cast<std::int64_t>(values.size());
  ReportColumn column;
  column.name = "vmaf";
  column.values = std::move(values);
  report.columns.push_back(std::move(column));
  return report;
}

ReportModel ModelNamed(const char* name) {
  ReportModel model;
  model.name = name;
  return model;
}

TEST(PoolMethods, Parse) {
  EXPECT_EQ(*ParsePoolMethods("mean", "--pool"), std::vector{PoolMethod::kMean});
  EXPECT_EQ(*ParsePoolMethods("p5,min,p5", "--pool"), (std::vector{PoolMethod::kPercentile5, PoolMethod::kMin}));
  EXPECT_EQ(ParsePoolMethods("mean,harmonic_mean,min,max,median,p1,p5,p10", "--pool")->size(), 8U);
  for (const char* text : {"", "perc5", "mean,", ",mean", "Mean", "mean min"}) {
    const auto methods = ParsePoolMethods(text, "--pool");
    ASSERT_FALSE(methods.ok()) << text;
    EXPECT_NE(methods.error().Describe().find("mean, harmonic_mean, min, max, median, p1, p5, p10"), std::string::npos);
  }
}

TEST(Percentiles, BetweenNeighbours) {
  const std::array<double, 5> scores = {10.0, 20.0, 30.0, 40.0, 80.0};
  EXPECT_EQ(Percentile(scores, 0), 10.0);
  EXPECT_EQ(Percentile(scores, 25), 20.0);
  EXPECT_EQ(Percentile(scores, 50), 30.0);
  EXPECT_EQ(Percentile(scores, 100), 80.0);
  EXPECT_EQ(Percentile(scores, 10), 10.0 * (1.0 - 0.4) + 20.0 * 0.4);
  EXPECT_EQ(Percentile(std::array<double, 1>{7.0}, 5), 7.0);
  EXPECT_EQ(Percentile(std::array<double, 2>{1.0, 2.0}, 50), 1.5);
}

TEST(Pooling, SeesOnlyFramesOfTheReport) {
  Report report = ReportOf({5.0, 1.0, std::nullopt, 9.0, 7.0});
  report.first_frame = 2;
  report.subsample = 2;
  const auto scores = UsedScores(report, report.columns[0]);
  EXPECT_EQ(scores, (std::vector<std::pair<std::int64_t, double>>{{2, 5.0}, {6, 7.0}}));
  EXPECT_EQ(Pool(report, ModelNamed("vmaf"), PoolMethod::kMedian), 6.0);
}

TEST(Pooling, TakesMeansFromTheModel) {
  ReportModel model = ModelNamed("vmaf");
  const Report report = ReportOf({1.0, 2.0});
  EXPECT_EQ(Pool(report, model, PoolMethod::kMean), std::nullopt);
  model.pooled = PooledScore{1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(Pool(report, model, PoolMethod::kMin), 1.0);
  EXPECT_EQ(Pool(report, model, PoolMethod::kMax), 2.0);
  EXPECT_EQ(Pool(report, model, PoolMethod::kMean), 3.0);
  EXPECT_EQ(Pool(report, model, PoolMethod::kHarmonicMean), 4.0);
}

TEST(Pooling, NothingToPool) {
  EXPECT_EQ(Pool(ReportOf({}), ModelNamed("vmaf"), PoolMethod::kMedian), std::nullopt);
  EXPECT_EQ(Pool(ReportOf({1.0}), ModelNamed("other"), PoolMethod::kMedian), std::nullopt);
  EXPECT_EQ(Pool(ReportOf({std::numeric_limits<double>::quiet_NaN()}), ModelNamed("vmaf"), PoolMethod::kMedian),
            std::nullopt);
}

TEST(Predictions, OfAModelAndItsMembers) {
  ReportModel model = ModelNamed("vmaf");
  EXPECT_TRUE(IsPrediction(model, "vmaf"));
  EXPECT_FALSE(IsPrediction(model, "vmaf_0001"));
  EXPECT_FALSE(IsPrediction(model, "vmaf_neg"));
  EXPECT_FALSE(IsPrediction(model, "integer_adm2"));
  model.is_collection = true;
  for (const char* name :
       {"vmaf_0001", "vmaf_0020", "vmaf_bagging", "vmaf_stddev", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi"}) {
    EXPECT_TRUE(IsPrediction(model, name)) << name;
  }
  EXPECT_FALSE(IsPrediction(model, "vmaf_neg"));
  EXPECT_FALSE(IsPrediction(model, "vmaf_001"));
}

}  // namespace
}  // namespace lockstep
