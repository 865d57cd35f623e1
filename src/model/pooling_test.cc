// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooling of small tables, and of every column of two golden files.
#include "model/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/test_goldens.h"

namespace lockstep {
namespace {

using nlohmann::json;

ScoreTable TableOf(const std::vector<double>& values, std::int64_t first = 0) {
  ScoreTable table(first, static_cast<std::int64_t>(values.size()));
  const std::size_t column = table.AddColumn("x");
  for (std::size_t i = 0; i < values.size(); ++i) table.Put(column, first + static_cast<std::int64_t>(i), values[i]);
  return table;
}

TEST(Pool, AllFrames) {
  const auto pooled = PoolScores(TableOf({3.0, 1.0, 7.0}), 0, 1);
  ASSERT_TRUE(pooled);
  EXPECT_EQ(pooled->min, 1.0);
  EXPECT_EQ(pooled->max, 7.0);
  EXPECT_EQ(pooled->mean, 11.0 / 3.0);
  EXPECT_EQ(pooled->harmonic_mean, 3.0 / (1.0 / 4.0 + 1.0 / 2.0 + 1.0 / 8.0) - 1.0);
  EXPECT_EQ(PoolScores(TableOf({3.0, 1.0, 7.0}), 0, 0)->mean, pooled->mean);
}

TEST(Pool, MultiplesOfTheSubsampleOnly) {
  const ScoreTable table = TableOf({8.0, 1.0, 1.0, 5.0, 1.0, 1.0, 6.0});
  const auto pooled = PoolScores(table, 0, 3);
  EXPECT_EQ(pooled->min, 5.0);
  EXPECT_EQ(pooled->max, 8.0);
  EXPECT_EQ(pooled->mean, 19.0 / 3.0);
}

TEST(Pool, MinimumAndMaximumStartFromTheFirstKeptFrame) {
  // Frames 4 … 9; 6 and 9 are kept, and 0 lies outside what they hold.
  const auto above = PoolScores(TableOf({1.0, 1.0, 7.0, 1.0, 1.0, 9.0}, 4), 0, 3);
  EXPECT_EQ(above->min, 7.0);
  EXPECT_EQ(above->max, 9.0);
  const auto below = PoolScores(TableOf({1.0, 1.0, -7.0, 1.0, 1.0, -9.0}, 4), 0, 3);
  EXPECT_EQ(below->min, -9.0);
  EXPECT_EQ(below->max, -7.0);
}

TEST(Pool, NothingToPool) {
  EXPECT_FALSE(PoolScores(TableOf({}), 0, 1));
  EXPECT_FALSE(PoolScores(TableOf({1.0, 2.0}, 1), 0, 5));
  ScoreTable table(0, 3);
  const std::size_t column = table.AddColumn("x");
  table.Put(column, 0, 1.0);
  table.Put(column, 2, 1.0);
  EXPECT_FALSE(PoolScores(table, column, 1));
  EXPECT_EQ(PoolScores(table, column, 2)->mean, 1.0);
}

TEST(Pool, InfinityAndNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto pooled = PoolScores(TableOf({1.0, infinity}), 0, 1);
  EXPECT_EQ(pooled->max, infinity);
  EXPECT_EQ(pooled->mean, infinity);
  EXPECT_EQ(pooled->harmonic_mean, 3.0);
  EXPECT_TRUE(std::isnan(PoolScores(TableOf({1.0, infinity - infinity}), 0, 1)->mean));
}

TEST(Percentile, InterpolatesBetweenTheClosestRanks) {
  const std::vector<double> values = {40.0, 10.0, 30.0, 20.0, 50.0};
  EXPECT_EQ(Percentile(values, 0.0), 10.0);
  EXPECT_EQ(Percentile(values, 25.0), 20.0);
  EXPECT_EQ(Percentile(values, 50.0), 30.0);
  EXPECT_EQ(Percentile(values, 100.0), 50.0);
  EXPECT_EQ(Percentile(values, 62.5), 35.0);
  EXPECT_EQ(Percentile(values, -3.0), 10.0);
  EXPECT_EQ(Percentile(values, 300.0), 50.0);
  EXPECT_EQ(Percentile({7.0}, 33.0), 7.0);
}

TEST(Percentile, WithoutAnAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Percentile({}, 50.0)));
  EXPECT_TRUE(std::isnan(Percentile({1.0, nan}, 50.0)));
  EXPECT_TRUE(std::isnan(Percentile({1.0}, nan)));
}

double Number(const json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class PoolGolden : public testing::TestWithParam<const char*> {};

TEST_P(PoolGolden, EveryColumn) {
  const json document = Goldens().Load(GetParam());
  int compared = 0;
  for (const json& item : document["cases"]) {
    if (!item.contains("pooled")) continue;
    for (const auto& [key, expected] : item["pooled"].items()) {
      const json& scores = item["scores"][key];
      ScoreTable table(0, item["frames"].get<std::int64_t>());
      const std::size_t column = table.AddColumn(key);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!scores[i].is_null()) table.Put(column, static_cast<std::int64_t>(i), Number(scores[i]));
      }
      const auto pooled = PoolScores(table, column, item.value("subsample", 0));
      ++compared;
      if (expected.contains("error")) {
        EXPECT_FALSE(pooled) << item["id"] << key;
        continue;
      }
      ASSERT_TRUE(pooled) << item["id"] << key;
      EXPECT_TRUE(Same(pooled->min, Number(expected["min"]))) << item["id"] << key;
      EXPECT_TRUE(Same(pooled->max, Number(expected["max"]))) << item["id"] << key;
      EXPECT_TRUE(Same(pooled->mean, Number(expected["mean"]))) << item["id"] << key;
      EXPECT_TRUE(Same(pooled->harmonic_mean, Number(expected["harmonic_mean"]))) << item["id"] << key;
    }
  }
  EXPECT_GT(compared, 50);
}

INSTANTIATE_TEST_SUITE_P(Files, PoolGolden,
                         testing::Values("model_vmaf_v0.6.1", "model_vmaf_b_v0.6.3", "subsample", "psnr", "float_psnr"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace lockstep
