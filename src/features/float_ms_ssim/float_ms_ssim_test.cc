// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ms_ssim against a naive formulation of its specification, its options, and pictures that contradict each other.
#include "features/float_ms_ssim/float_ms_ssim.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/float_ms_ssim/float_ms_ssim_arithmetic.h"
#include "features/float_ssim/test_naive_ssim.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::RunAll;

/// The whole table of the specification's low-pass filter, row by row.
float Tap(int u, int v) {
  static constexpr std::array<std::array<double, 9>, 9> kTable = {{
      {0.000714, -0.000450, -0.002090, 0.007132, 0.016114, 0.007132, -0.002090, -0.000450, 0.000714},
      {-0.000450, 0.000283, 0.001316, -0.004490, -0.010146, -0.004490, 0.001316, 0.000283, -0.000450},
      {-0.002090, 0.001316, 0.006115, -0.020867, -0.047149, -0.020867, 0.006115, 0.001316, -0.002090},
      {0.007132, -0.004490, -0.020867, 0.071207, 0.160885, 0.071207, -0.020867, -0.004490, 0.007132},
      {0.016114, -0.010146, -0.047149, 0.160885, 0.363505, 0.160885, -0.047149, -0.010146, 0.016114},
      {0.007132, -0.004490, -0.020867, 0.071207, 0.160885, 0.071207, -0.020867, -0.004490, 0.007132},
      {-0.002090, 0.001316, 0.006115, -0.020867, -0.047149, -0.020867, 0.006115, 0.001316, -0.002090},
      {-0.000450, 0.000283, 0.001316, -0.004490, -0.010146, -0.004490, 0.001316, 0.000283, -0.000450},
      {0.000714, -0.000450, -0.002090, 0.007132, 0.016114, 0.007132, -0.002090, -0.000450, 0.000714},
  }};
  return static_cast<float>(kTable[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)]);
}

struct Expected {
  double score = 1.0;
  std::array<naive_ssim::Means, 5> scales{};
};

Expected Naive(const Frame& reference, const Frame& distorted) {
  // Luminance counts at the last scale only.
  static constexpr std::array<float, 5> kWeights = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
  Expected expected;
  naive_ssim::Plane r = naive_ssim::LumaOf(reference);
  naive_ssim::Plane d = naive_ssim::LumaOf(distorted);
  for (std::size_t scale = 0; scale < 5; ++scale) {
    if (scale > 0) {
      r = naive_ssim::Decimated(r, 2, 9, Tap);
      d = naive_ssim::Decimated(d, 2, 9, Tap);
    }
    const naive_ssim::Means means = naive_ssim::MeansOf(r, d);
    expected.scales[scale] = means;
    const double weight = kWeights[scale];
    const double luminance = scale == 4 ? exact::Pow(means.luminance, weight) : 1.0;
    expected.score *= luminance * exact::Pow(means.contrast, weight) * exact::Pow(means.structure, weight);
  }
  return expected;
}

void ExpectNaive(const VideoFormat& format) {
  test_targets::PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto natural = pairs.Natural();
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("noisy", pairs.Gradient(), pairs.Noisy(40, pairs.ThreeQuarters(pairs.Gradient())));
  pairs.Add("blocks", pairs.Blocks(16, 24), pairs.ThreeQuarters(pairs.Blocks(16, 23)));
  for (const test_targets::PicturePair& pair : pairs.Take()) {
    const std::string place = test_targets::PlaceOf(CpuTarget::kScalar, format) + ", " + pair.name;
    const Expected expected = Naive(pair.frames[0], pair.frames[1]);
    ASSERT_EQ(expected.score, expected.score) << place;
    const std::span<const Frame> frames = pair.frames;
    const auto alone = RunAll(*MakeFeature(kFloatMsSsim, {}, format), frames.first(1), frames.last(1));
    ASSERT_EQ(alone.values.size(), 1u);
    EXPECT_EQ(alone.values.at({0, 0}), expected.score) << place;
    EXPECT_TRUE(alone.warnings.empty());
    const auto all =
        RunAll(*MakeFeature(kFloatMsSsim, {{"enable_lcs", "true"}}, format), frames.first(1), frames.last(1));
    ASSERT_EQ(all.values.size(), 16u);
    EXPECT_EQ(all.values.at({0, 0}), expected.score) << place;
    for (int scale = 0; scale < 5; ++scale) {
      const naive_ssim::Means& means = expected.scales[static_cast<std::size_t>(scale)];
      EXPECT_EQ(all.values.at({1 + scale, 0}), means.luminance) << place << ", scale " << scale;
      EXPECT_EQ(all.values.at({6 + scale, 0}), means.contrast) << place << ", scale " << scale;
      EXPECT_EQ(all.values.at({11 + scale, 0}), means.structure) << place << ", scale " << scale;
    }
  }
}

TEST(FloatMsSsimTest, EqualsNaive) {
  const PlaneSize sizes[] = {{176, 176}, {177, 179}, {191, 180}, {200, 177}};
  const int depths[] = {8, 10, 16, 9};
  for (int i = 0; i < 4; ++i) {
    ExpectNaive({PixelFormat::kYuv420, sizes[i].width, sizes[i].height, depths[i]});
  }
  ExpectNaive({PixelFormat::kYuv400, 257, 209, 12});
}

TEST(FloatMsSsimTest, Kernel) {
  for (int v = 0; v < 9; ++v) {
    for (int u = 0; u < 9; ++u) EXPECT_EQ(kMsSsimKernel.values[v * 9 + u], Tap(u, v)) << u << ", " << v;
  }
}

TEST(FloatMsSsimTest, EqualPicturesAndDecibels) {
  const VideoFormat format = {PixelFormat::kYuv420, 180, 176, 8};
  const std::vector<Frame> black = test_run::ListOf(test_run::MakeFrame(format, 1, [](int, int, int) { return 0; }));
  const auto score = [&](const OptionTexts& options) {
    return RunAll(*MakeFeature(kFloatMsSsim, options, format), black, black).values.at({0, 0});
  };
  EXPECT_EQ(score({}), 1.0);
  EXPECT_EQ(score({{"enable_db", "true"}}), std::numeric_limits<double>::infinity());
  // 10 log10(255^2 * 180 * 176 * 2) is 96.15.
  EXPECT_EQ(score({{"enable_db", "true"}, {"clip_db", "true"}}), 97.0);

  const std::vector<Frame> natural = NoiseFrames(format, 1, 3);
  std::uint64_t state = 9;
  const std::vector<Frame> near = test_run::ListOf(test_run::MakeFrame(format, 4, [&](int p, int x, int y) {
    return test_run::Sample(natural[0], p, x, y) * 7 / 8 + static_cast<int>(test_run::NextRandom(state) % 16);
  }));
  const double plain = RunAll(*MakeFeature(kFloatMsSsim, {}, format), natural, near).values.at({0, 0});
  EXPECT_EQ(RunAll(*MakeFeature(kFloatMsSsim, {{"enable_db", "true"}}, format), natural, near).values.at({0, 0}),
            -10 * exact::Log10(1 - plain));
}

// Inverted stripes: the mean structure is negative, and has no power.
TEST(FloatMsSsimTest, NegativeMeansGiveAWarning) {
  const VideoFormat format = {PixelFormat::kYuv420, 176, 176, 8};
  test_targets::PicturePairs pairs(format, 1);
  pairs.Add("inverse", pairs.Columns(), pairs.Inverse(pairs.Columns()));
  const std::vector<test_targets::PicturePair> list = pairs.Take();
  const std::span<const Frame> frames = list[0].frames;
  const auto run = [&](const OptionTexts& options) {
    return RunAll(*MakeFeature(kFloatMsSsim, options, format), frames.first(1), frames.last(1));
  };
  const test_run::Scores plain = run({{"enable_lcs", "true"}});
  EXPECT_TRUE(std::isnan(plain.values.at({0, 0})));
  EXPECT_LT(plain.values.at({11, 0}), 0.0);
  ASSERT_EQ(plain.warnings.size(), 1u);
  EXPECT_EQ(plain.warnings[0].first, 0);
  EXPECT_NE(plain.warnings[0].second.find("scale 0"), std::string::npos) << plain.warnings[0].second;
  EXPECT_NE(plain.warnings[0].second.find("not a number"), std::string::npos);
  const test_run::Scores clipped = run({{"enable_db", "true"}, {"clip_db", "true"}});
  EXPECT_EQ(clipped.values.at({0, 0}), 97.0);
  ASSERT_EQ(clipped.warnings.size(), 1u);
  EXPECT_NE(clipped.warnings[0].second.find("limit"), std::string::npos);
}

TEST(FloatMsSsimTest, ColumnsAndMinimumSize) {
  const VideoFormat format = {PixelFormat::kYuv420, 176, 176, 8};
  std::vector<std::string> names;
  for (const FeatureColumn& column : MakeFeature(kFloatMsSsim, {{"enable_lcs", "true"}}, format)->columns()) {
    names.push_back(column.raw_name);
  }
  std::vector<std::string> expected = {"float_ms_ssim"};
  for (const char* term : {"l", "c", "s"}) {
    for (const char* scale : {"0", "1", "2", "3", "4"}) {
      expected.push_back(std::string("float_ms_ssim_") + term + "_scale" + scale);
    }
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(kFloatMsSsim.minimum_size.width, 176);
  EXPECT_EQ(kFloatMsSsim.minimum_size.height, 176);
  EXPECT_FALSE(test_run::TryMakeFeature(kFloatMsSsim, {}, {PixelFormat::kYuv420, 175, 176, 8}));
  EXPECT_FALSE(test_run::TryMakeFeature(kFloatMsSsim, {{"scale", "1"}}, format));
}

TEST(FloatMsSsimTest, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv400, 176, 176, 10};
  EXPECT_EQ(
      test_run::SegmentThatDiffers(*MakeFeature(kFloatMsSsim, {{"enable_db", "true"}, {"clip_db", "true"}}, format),
                                   NoiseFrames(format, 3, 1), NoiseFrames(format, 3, 100)),
      "");
}

}  // namespace
}  // namespace lockstep
