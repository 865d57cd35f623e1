// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim against a naive formulation of its specification, its options, and what it refuses.
#include "features/float_ssim/float_ssim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/float_ssim/float_ssim_arithmetic.h"
#include "features/float_ssim/ssim_statistic.h"
#include "features/float_ssim/test_naive_ssim.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::TryMakeFeature;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<test_targets::PicturePair> MakePairs(const VideoFormat& format) {
  test_targets::PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto natural = pairs.Natural();
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("extremes", pairs.Extremes(), pairs.Extremes());
  pairs.Add("inverse", pairs.Columns(), pairs.Inverse(pairs.Columns()));
  return pairs.Take();
}

void ExpectNaive(const VideoFormat& format, int scale, int factor) {
  for (const test_targets::PicturePair& pair : MakePairs(format)) {
    const naive_ssim::Means expected =
        naive_ssim::MeansOf(naive_ssim::BoxDecimated(naive_ssim::LumaOf(pair.frames[0]), factor),
                            naive_ssim::BoxDecimated(naive_ssim::LumaOf(pair.frames[1]), factor));
    const std::span<const Frame> frames = pair.frames;
    const auto run = [&](const char* terms) {
      const OptionTexts options = {{"enable_lcs", terms}, {"scale", std::to_string(scale)}};
      return RunAll(*MakeFeature(kFloatSsim, options, format), frames.first(1), frames.last(1));
    };
    const test_run::Scores scores = run("true");
    const std::string place = test_targets::PlaceOf(CpuTarget::kScalar, format) + ", " + pair.name;
    ASSERT_EQ(scores.values.size(), 4u);
    EXPECT_EQ(scores.values.at({0, 0}), expected.score) << place;
    EXPECT_EQ(scores.values.at({1, 0}), expected.luminance) << place;
    EXPECT_EQ(scores.values.at({2, 0}), expected.contrast) << place;
    EXPECT_EQ(scores.values.at({3, 0}), expected.structure) << place;
    const test_run::Scores alone = run("false");
    ASSERT_EQ(alone.values.size(), 1u);
    EXPECT_EQ(alone.values.at({0, 0}), expected.score) << place;
  }
}

TEST(FloatSsimTest, EqualsNaiveAtEverySizeAndDepth) {
  const PlaneSize sizes[] = {{11, 11}, {12, 11}, {11, 30}, {19, 23}, {33, 34}, {64, 64}, {75, 41}, {130, 17}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 11, 12, 13, 14, 15, 16}) {
      ExpectNaive({PixelFormat::kYuv420, size.width, size.height, depth}, 0, 1);
    }
  }
  ExpectNaive({PixelFormat::kYuv400, 257, 145, 8}, 0, 1);
  ExpectNaive({PixelFormat::kYuv444, 257, 145, 10}, 1, 1);
}

TEST(FloatSsimTest, EqualsNaiveAtEveryScale) {
  for (int scale = 1; scale <= 10; ++scale) {
    for (const PlaneSize size : {PlaneSize{131, 130}, PlaneSize{130, 135}, PlaneSize{141, 127}}) {
      for (const int depth : {8, 10, 16}) {
        ExpectNaive({PixelFormat::kYuv422, size.width, size.height, depth}, scale, scale);
      }
    }
  }
}

TEST(FloatSsimTest, AutomaticFactor) {
  EXPECT_EQ(SsimAutomaticFactor(576, 324), 1);
  EXPECT_EQ(SsimAutomaticFactor(383, 4000), 1);
  EXPECT_EQ(SsimAutomaticFactor(4000, 384), 2);
  EXPECT_EQ(SsimAutomaticFactor(640, 480), 2);
  EXPECT_EQ(SsimAutomaticFactor(640, 639), 2);
  EXPECT_EQ(SsimAutomaticFactor(640, 640), 3);
  EXPECT_EQ(SsimAutomaticFactor(1280, 720), 3);
  EXPECT_EQ(SsimAutomaticFactor(1920, 1080), 4);
  EXPECT_EQ(SsimAutomaticFactor(3840, 2160), 8);
  EXPECT_EQ(SsimAutomaticFactor(7680, 4320), 17);
  ExpectNaive({PixelFormat::kYuv400, 385, 384, 8}, 0, 2);
  ExpectNaive({PixelFormat::kYuv400, 385, 384, 8}, 1, 1);
  ExpectNaive({PixelFormat::kYuv400, 384, 383, 8}, 0, 1);
}

TEST(FloatSsimTest, KnownValues) {
  const VideoFormat format = {PixelFormat::kYuv420, 64, 64, 8};
  const std::vector<Frame> black = ListOf(MakeFrame(format, 1, [](int, int, int) { return 0; }));
  const std::vector<Frame> white = ListOf(MakeFrame(format, 2, [](int, int, int) { return 255; }));
  const auto feature = MakeFeature(kFloatSsim, {}, format);
  EXPECT_EQ(RunAll(*feature, black, black).values.at({0, 0}), 1.0);
  EXPECT_EQ(RunAll(*feature, black, white).values.at({0, 0}), 9.998917812481523e-05);
}

TEST(FloatSsimTest, Decibels) {
  for (const int depth : {8, 10}) {
    const VideoFormat format = {PixelFormat::kYuv420, 576, 324, depth};
    const std::vector<Frame> noise = NoiseFrames(format, 1, 1);
    const std::vector<Frame> other = NoiseFrames(format, 1, 2);
    const auto score = [&](const OptionTexts& options, const std::vector<Frame>& distorted) {
      return RunAll(*MakeFeature(kFloatSsim, options, format), noise, distorted).values.at({0, 0});
    };
    const OptionTexts decibels = {{"enable_db", "true"}};
    const OptionTexts clipped = {{"enable_db", "true"}, {"clip_db", "true"}};
    const double plain = score({}, other);
    EXPECT_EQ(score({{"clip_db", "true"}}, other), plain);
    EXPECT_EQ(score(decibels, other), -10 * exact::Log10(1 - plain));
    EXPECT_EQ(score(clipped, other), -10 * exact::Log10(1 - plain));
    EXPECT_EQ(score(decibels, noise), kInfinity);
    EXPECT_EQ(score(clipped, noise), depth == 8 ? 104.0 : 116.0);
    const OptionTexts terms = {{"enable_db", "true"}, {"enable_lcs", "true"}};
    const auto all = RunAll(*MakeFeature(kFloatSsim, terms, format), noise, noise).values;
    EXPECT_EQ(all.at({0, 0}), kInfinity);
    for (int term = 1; term <= 3; ++term) EXPECT_EQ(all.at({term, 0}), 1.0);
  }
  EXPECT_EQ(SsimDecibels(1.0 + 1e-7, 104.0), 104.0);
  EXPECT_EQ(SsimDecibels(std::numeric_limits<double>::quiet_NaN(), 104.0), 104.0);
  EXPECT_EQ(SsimDecibels(0.99, kInfinity), -10 * exact::Log10(1 - 0.99));
  EXPECT_EQ(SsimDecibels(0.0, 104.0), 0.0);
}

TEST(FloatSsimTest, Columns) {
  const VideoFormat format = {PixelFormat::kYuv420, 11, 11, 8};
  const auto names = [&](const OptionTexts& options) {
    std::vector<std::string> list;
    for (const FeatureColumn& column : MakeFeature(kFloatSsim, options, format)->columns()) {
      list.push_back(column.raw_name);
    }
    return list;
  };
  EXPECT_EQ(names({}), (std::vector<std::string>{"float_ssim"}));
  EXPECT_EQ(names({{"enable_lcs", "true"}}),
            (std::vector<std::string>{"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"}));
}

TEST(FloatSsimTest, PicturesWithoutAWindow) {
  const auto run = [](int width, int height, const char* scale) {
    const VideoFormat format = {PixelFormat::kYuv420, width, height, 8};
    const auto feature = MakeFeature(kFloatSsim, {{"scale", scale}, {"enable_lcs", "true"}}, format);
    return RunAll(*feature, NoiseFrames(format, 2, 1), NoiseFrames(format, 2, 2));
  };
  for (const PlaneSize size : {PlaneSize{1, 1}, {3, 3}, {9, 9}, {31, 9}, {9, 31}, {640, 9}}) {
    const test_run::Scores scores = run(size.width, size.height, "1");
    ASSERT_EQ(scores.values.size(), 8U);
    for (const auto& [place, value] : scores.values) EXPECT_EQ(value, 0.0);
    ASSERT_EQ(scores.warnings.size(), 1U);
    EXPECT_EQ(scores.warnings[0].first, 0);
  }
  for (const PlaneSize size : {PlaneSize{10, 10}, {10, 11}, {11, 10}, {10, 3}}) {
    const test_run::Scores scores = run(size.width, size.height, "0");
    for (const auto& [place, value] : scores.values) EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_NE(run(640, 108, "10").warnings.at(0).second.find("64x10"), std::string::npos);
  EXPECT_EQ(run(640, 90, "10").values.at({0, 0}), 0.0);
  for (const int height : {110, 101}) {  // 101: the odd sample more
    EXPECT_TRUE(run(640, height, "10").warnings.empty());
    EXPECT_NE(run(640, height, "10").values.at({0, 0}), 0.0);
  }
  EXPECT_TRUE(run(11, 11, "0").warnings.empty());
}

TEST(FloatSsimTest, RefusesScalesOutOfRange) {
  const VideoFormat format = {PixelFormat::kYuv420, 640, 480, 8};
  EXPECT_FALSE(TryMakeFeature(kFloatSsim, {{"scale", "11"}}, format).ok());
  EXPECT_FALSE(TryMakeFeature(kFloatSsim, {{"scale", "-1"}}, format).ok());
}

TEST(FloatSsimTest, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 19, 17, 16};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kFloatSsim, {{"enable_lcs", "true"}}, format),
                                         NoiseFrames(format, 6, 1), NoiseFrames(format, 6, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
