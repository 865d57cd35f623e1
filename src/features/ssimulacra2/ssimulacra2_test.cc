// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 against the public definition in binary64, its curves against exact functions, and its edges.
#include "features/ssimulacra2/ssimulacra2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "exact/elementary.h"
#include "features/ssimulacra2/ssimulacra2_score.h"
#include "features/ssimulacra2/ssimulacra2_simd.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::Scores;

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444,
                                         PixelFormat::kYuv400};

double ScoreOf(const VideoFormat& format, const OptionTexts& options, const Frame& reference, const Frame& distorted) {
  const std::unique_ptr<Feature> feature = MakeFeature(kSsimulacra2, options, format);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &reference;
  window.distorted = &distorted;
  feature->Extract(window, workspace.get(), facts);
  FactTable table(feature->fact_count(), 0);
  table.Set(0, facts);
  Scores scores(0, 1);
  feature->Finish(table, scores);
  return scores.values.at({0, 0});
}

/// A picture that anything can reproduce: a ramp, a pattern and squares; distorted by up to `steps` - 1 code values.
Frame Pattern(const VideoFormat& format, int steps) {
  return MakeFrame(format, static_cast<std::uint64_t>(steps), [&](int p, int x, int y) {
    const int value = x * 5 + y * 3 + p * 29 + (x * y) % 61 * 2 + (x / 8 + y / 8) % 2 * 40;
    const int sample = value % 256 << (format.bit_depth - 8);
    return steps == 0 ? sample : sample ^ (x * 7 + y * 13 + p) % steps;
  });
}

// The second number is what a binary64 program makes of the public definition with its recursive filter, the first one
// the score itself, which no compiler, target or number of threads may change.
TEST(Ssimulacra2Test, PatternScores) {
  struct Case {
    VideoFormat format;
    int steps;
    OptionTexts options;
    double score;
    double definition;
  };
  const std::vector<Case> cases = {
      {{PixelFormat::kYuv420, 64, 48, 8}, 8, {}, 84.56024841401192, 84.56024594311359},
      {{PixelFormat::kYuv444, 97, 83, 10}, 64, {}, 77.81256689395747, 77.81263987513118},
      {{PixelFormat::kYuv422, 300, 260, 8}, 16, {{"matrix", "bt709"}}, 80.6690117708469, 80.66900916501433},
      {{PixelFormat::kYuv400, 51, 40, 12}, 256, {}, 94.65081537690145, 94.65089217891128},
      {{PixelFormat::kYuv444, 8, 8, 8},
       4,
       {{"range", "full"}, {"matrix", "bt2020"}},
       97.3689404298373,
       97.36896984571769},
      {{PixelFormat::kYuv420, 33, 70, 16}, 4096, {{"range", "full"}}, 94.31360302151172, 94.31357636657053},
      {{PixelFormat::kYuv422, 1037, 21, 10}, 32, {}, 91.55709880445033, 91.55709370605769}};
  for (const Case& c : cases) {
    const double score = ScoreOf(c.format, c.options, Pattern(c.format, 0), Pattern(c.format, c.steps));
    EXPECT_EQ(score, c.score) << c.format.width;
    EXPECT_NEAR(score, c.definition, 2e-4) << c.format.width;
  }
}

TEST(Ssimulacra2Test, EqualPicturesScore100) {
  for (const PixelFormat pixels : kPixelFormats) {
    for (const PlaneSize size : {PlaneSize{8, 8}, {19, 23}, {97, 9}, {130, 70}}) {
      const VideoFormat format = {pixels, size.width, size.height, 10};
      const Frame frame = test_run::NoiseFrame(format, 3);
      EXPECT_EQ(ScoreOf(format, {}, frame, frame), 100.0);
    }
  }
}

TEST(Ssimulacra2Test, MoreNoiseScoresLess) {
  const VideoFormat format = {PixelFormat::kYuv420, 128, 96, 8};
  const Frame reference = Pattern(format, 0);
  double before = 100.0;
  for (const int steps : {2, 4, 8, 16, 32, 64}) {
    const double score = ScoreOf(format, {}, reference, Pattern(format, steps));
    EXPECT_LT(score, before);
    before = score;
  }
}

// Limited range has the same code values at every depth, so that not even a bit differs.
TEST(Ssimulacra2Test, DepthsAgree) {
  for (const PixelFormat pixels : kPixelFormats) {
    const VideoFormat narrow = {pixels, 75, 51, 8};
    const Frame narrow_pair[2] = {Pattern(narrow, 0), Pattern(narrow, 32)};
    const double expected = ScoreOf(narrow, {}, narrow_pair[0], narrow_pair[1]);
    for (const int depth : {9, 10, 12, 14, 16}) {
      const VideoFormat wide = {pixels, 75, 51, depth};
      const auto widened = [&](const Frame& frame) {
        return MakeFrame(wide, 5, [&](int p, int x, int y) { return test_run::Sample(frame, p, x, y) << (depth - 8); });
      };
      EXPECT_EQ(ScoreOf(wide, {}, widened(narrow_pair[0]), widened(narrow_pair[1])), expected) << depth;
    }
  }
}

TEST(Ssimulacra2Test, MatrixFollowsTheSize) {
  const auto score = [](int width, int height, const OptionTexts& options) {
    const VideoFormat format = {PixelFormat::kYuv444, width, height, 8};
    return ScoreOf(format, options, Pattern(format, 0), Pattern(format, 16));
  };
  for (const PlaneSize size : {PlaneSize{64, 64}, {1279, 8}, {8, 576}}) {
    EXPECT_EQ(score(size.width, size.height, {}), score(size.width, size.height, {{"matrix", "bt601"}}));
    EXPECT_NE(score(size.width, size.height, {}), score(size.width, size.height, {{"matrix", "bt709"}}));
  }
  for (const PlaneSize size : {PlaneSize{1280, 8}, {8, 577}}) {
    EXPECT_EQ(score(size.width, size.height, {}), score(size.width, size.height, {{"matrix", "bt709"}}));
    EXPECT_NE(score(size.width, size.height, {}), score(size.width, size.height, {{"matrix", "bt601"}}));
  }
}

TEST(Ssimulacra2Test, OptionsAreChecked) {
  const VideoFormat format = {PixelFormat::kYuv420, 64, 64, 8};
  EXPECT_FALSE(test_run::TryMakeFeature(kSsimulacra2, {{"matrix", "rgb"}}, format));
  EXPECT_FALSE(test_run::TryMakeFeature(kSsimulacra2, {{"range", "tv"}}, format));
  EXPECT_FALSE(test_run::TryMakeFeature(kSsimulacra2, {{"transfer", "pq"}}, format));
  EXPECT_FALSE(test_run::TryMakeFeature(kSsimulacra2, {}, {PixelFormat::kYuv420, 7, 64, 8}));
  EXPECT_FALSE(test_run::TryMakeFeature(kSsimulacra2, {}, {PixelFormat::kYuv420, 64, 7, 8}));
  EXPECT_TRUE(test_run::TryMakeFeature(kSsimulacra2, {}, {PixelFormat::kYuv420, 8, 8, 8}));
  EXPECT_TRUE(MakeFeature(kSsimulacra2, {}, format)->needs_chroma());
  EXPECT_FALSE(MakeFeature(kSsimulacra2, {}, {PixelFormat::kYuv400, 64, 64, 8})->needs_chroma());
  const Frame reference = Pattern(format, 0);
  const Frame distorted = Pattern(format, 16);
  const double limited = ScoreOf(format, {}, reference, distorted);
  EXPECT_NE(ScoreOf(format, {{"range", "full"}}, reference, distorted), limited);
  EXPECT_NE(ScoreOf(format, {{"transfer", "bt709"}}, reference, distorted), limited);
}

TEST(Ssimulacra2Test, CurvesAreThoseOfTheStandards) {
  constexpr int kSteps = 4096;
  double srgb_error = 0.0;
  double bt709_error = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const float value = static_cast<float>(i) / kSteps;
    const double x = value;
    const double srgb = x <= 0.04045 ? x / 12.92 : exact::Pow((x + 0.055) / 1.055, 2.4);
    const double bt709 = x < 0.0812428583 ? x / 4.5 : exact::Pow((x + 0.09929682680944) / 1.09929682680944, 1.0 / 0.45);
    srgb_error = std::max(srgb_error, std::abs(Ssimulacra2Light(kSsimulacra2Srgb, value) - srgb));
    bt709_error = std::max(bt709_error, std::abs(Ssimulacra2Light(kSsimulacra2Bt709, value) - bt709));
  }
  EXPECT_LT(srgb_error, 4.1e-6);
  EXPECT_GT(srgb_error, 3e-6);
  EXPECT_LT(bt709_error, 6e-7);
  EXPECT_EQ(Ssimulacra2Light(kSsimulacra2Srgb, -0.5f), 0.0f);
  EXPECT_EQ(Ssimulacra2Light(kSsimulacra2Srgb, 1.5f), Ssimulacra2Light(kSsimulacra2Srgb, 1.0f));
}

TEST(Ssimulacra2Test, CubeRootIsWithinItsBound) {
  double error = 0.0;
  for (float x = 0.0037f; x < 1.01f; x *= 1.00001f) {
    const double root = std::cbrt(static_cast<double>(x));
    const auto rounded = static_cast<float>(root);
    const double unit = static_cast<double>(std::nextafter(rounded, 2.0f)) - static_cast<double>(rounded);
    error = std::max(error, std::abs(static_cast<double>(Ssimulacra2CubeRoot(x)) - root) / unit);
  }
  EXPECT_LT(error, 1.4);
  EXPECT_NEAR(kSsimulacra2OffsetRoot, std::cbrt(static_cast<double>(kSsimulacra2Offset)), 1e-8);
}

/// What comes out of the recursive filter of the public definition after a 1 at sample 0, at samples -8 … 8.
/// source  Charalampidis 2016, equations (33), (35), (37), (44), (50), (52) … (57)
std::array<double, 17> RecursiveResponse(double sigma) {
  constexpr double kPi = 3.14159265358979323846;
  const double radius = std::round(3.2795 * sigma + 0.2546);
  double omega[3];
  double p[3];
  double r[3];
  double rho[3];
  for (int k = 0; k < 3; ++k) {
    const double sign = k == 1 ? -1.0 : 1.0;
    omega[k] = (2 * k + 1) * kPi / (2.0 * radius);
    p[k] = sign / std::tan(0.5 * omega[k]);
    r[k] = sign * p[k] * p[k] / std::sin(omega[k]);
    rho[k] = std::exp(-0.5 * sigma * sigma * omega[k] * omega[k]) / radius;
  }
  const auto minor = [&](int i, int j) { return p[i] * r[j] - r[i] * p[j]; };
  const double zeta1 = minor(1, 2) / minor(0, 1);
  const double zeta3 = minor(2, 0) / minor(0, 1);
  // Three equations by Cramer's rule.
  const double m[3][3] = {{p[0], p[1], p[2]}, {r[0], r[1], r[2]}, {zeta1, zeta3, 1.0}};
  const double gamma[3] = {1.0, radius * radius - sigma * sigma, zeta1 * rho[0] + zeta3 * rho[1] + rho[2]};
  const auto determinant = [](const double(&a)[3][3]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  };
  std::array<double, 17> response{};
  for (int k = 0; k < 3; ++k) {
    double replaced[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) replaced[i][j] = j == k ? gamma[i] : m[i][j];
    }
    const double beta = determinant(replaced) / determinant(m);
    const double gain = -beta * std::cos(omega[k] * (radius + 1.0));
    double before = 0.0;
    double earlier = 0.0;
    for (int n = -8; n <= 8; ++n) {
      const double in = (n - radius - 1 == 0 ? 1.0 : 0.0) + (n + radius - 1 == 0 ? 1.0 : 0.0);
      const double out = gain * in + 2.0 * std::cos(omega[k]) * before - earlier;
      earlier = before;
      before = out;
      response[static_cast<std::size_t>(n + 8)] += out;
    }
  }
  return response;
}

TEST(Ssimulacra2Test, BlurIsTheRecursiveFilter) {
  const std::array<double, 17> response = RecursiveResponse(1.5);
  for (int n = -8; n <= 8; ++n) {
    const float impulse = Ssimulacra2Blur([&](i32 i) { return i - kSsimulacra2Reach == n ? 1.0f : 0.0f; });
    EXPECT_NEAR(impulse, response[static_cast<std::size_t>(n + 8)], 1e-8) << n;
  }
}

TEST(Ssimulacra2Test, ErrorsAreThoseOfTheDefinition) {
  std::uint64_t state = 5;
  const auto random = [&] { return static_cast<double>(NextSplitMix(state) >> 11) * 0x1p-53; };
  for (int i = 0; i < 10000; ++i) {
    const double mean1 = random();
    const double mean2 = std::clamp(mean1 + 0.1 * (random() - 0.5), 0.0, 1.0);
    const double variance1 = 0.05 * random();
    const double variance2 = 0.05 * random();
    const double covariance = std::sqrt(variance1 * variance2) * (2.0 * random() - 1.0);
    const double value1 = random();
    const double value2 = random();
    const double luminance = 1.0 - (mean1 - mean2) * (mean1 - mean2);
    const double similarity =
        std::max(0.0, 1.0 - luminance * (2.0 * covariance + 0.0009) / (variance1 + variance2 + 0.0009));
    const double change = (1.0 + std::abs(value2 - mean2)) / (1.0 + std::abs(value1 - mean1)) - 1.0;
    const double square1 = variance1 + mean1 * mean1;
    const double square2 = variance2 + mean2 * mean2;
    const double product = covariance + mean1 * mean2;
    const Ssimulacra2Errors errors = Ssimulacra2ErrorsOf(
        static_cast<float>(mean1), static_cast<float>(mean1 - mean2), static_cast<float>(square1 + square2),
        static_cast<float>(square1 + square2 - 2.0 * product), static_cast<float>(value1),
        static_cast<float>(value1 - value2));
    ASSERT_NEAR(errors.similarity, similarity, 4e-4 * (1.0 + similarity));
    ASSERT_NEAR(errors.ringing, std::max(change, 0.0), 1e-6);
    ASSERT_NEAR(errors.blur, std::max(-change, 0.0), 1e-6);
  }
  const Ssimulacra2Errors none = Ssimulacra2ErrorsOf(0.3f, 0.0f, 0.25f, 0.0f, 0.7f, 0.0f);
  EXPECT_EQ(none.similarity, 0.0f);
  EXPECT_EQ(none.ringing, 0.0f);
  EXPECT_EQ(none.blur, 0.0f);
}

TEST(Ssimulacra2Test, GreyIsGrey) {
  // Black, white and a middle grey at 8 bit limited range: red, green and blue are the same light.
  const Ssimulacra2Colour colour = {1.0f / 219.0f, 1.5748f / 1792.0f, 0.1873f / 1792.0f, 0.4681f / 1792.0f,
                                    1.8556f / 1792.0f};
  for (const float luma : {0.0f, 100.0f, 219.0f, 239.0f, -16.0f}) {
    const Ssimulacra2Rgb grey = Ssimulacra2LightOf(colour, kSsimulacra2Srgb, luma, 0.0f, 0.0f);
    EXPECT_EQ(grey.red, grey.green);
    EXPECT_EQ(grey.red, grey.blue);
  }
  const Ssimulacra2Xyb white = Ssimulacra2XybOf({1.0f, 1.0f, 1.0f});
  EXPECT_NEAR(white.x, 0.42, 1e-5);
  EXPECT_NEAR(white.y, std::cbrt(1.0 + 0.0037930732552754493) - std::cbrt(0.0037930732552754493) + 0.01, 1e-6);
  EXPECT_NEAR(white.b, 0.55, 1e-6);
}

TEST(Ssimulacra2Test, ChromaLiesAtEvenColumns) {
  const i32 quarters[] = {4, 8, 40};
  const i32 expected[] = {8, 12, 16, 48};
  for (i32 x = 0; x < 4; ++x) EXPECT_EQ(Ssimulacra2BetweenColumns(quarters, x), expected[x]);
}

TEST(Ssimulacra2Test, ScalesEndBelowEight) {
  const auto sizes = [](int width, int height) {
    const Ssimulacra2Scales scales = MakeSsimulacra2Scales({width, height});
    return std::vector<PlaneSize>(scales.sizes, scales.sizes + scales.count);
  };
  EXPECT_EQ(sizes(8, 8), (std::vector<PlaneSize>{{8, 8}, {4, 4}}));
  EXPECT_EQ(sizes(15, 900), (std::vector<PlaneSize>{{15, 900}, {8, 450}, {4, 225}}));
  EXPECT_EQ(sizes(225, 226).size(), 6u);
  EXPECT_EQ(sizes(1920, 1080).back(), (PlaneSize{60, 34}));
}

TEST(Ssimulacra2Test, ScoreWeighsMeansAndFourthRoots) {
  const Ssimulacra2Scales scales = MakeSsimulacra2Scales({1024, 512});
  std::vector<double> sums(6 * 3 * kSsimulacra2Sums);
  EXPECT_EQ(Ssimulacra2Score(scales, sums), 100.0);
  const auto score = [](double error) {
    error *= 0.9562382616834844;
    error = (2.326765642916932 * error - 0.020884521182843837 * error * error) +
            6.248496625763138e-05 * error * error * error;
    return 100.0 - 10.0 * exact::Pow(error, 0.6276336467831387);
  };
  // Similarity of the first plane at the fifth scale: the fourth root of its mean fourth power is 2.
  sums[(4 * 3 + 0) * kSsimulacra2Sums + 1] = 16.0 * (64.0 * 32.0);
  EXPECT_NEAR(Ssimulacra2Score(scales, sums), score(2.0 * 0.00014003424285435884), 1e-12);
  std::fill(sums.begin(), sums.end(), 0.0);
  // Similarity of the second plane at the third scale, mean.
  sums[(2 * 3 + 1) * kSsimulacra2Sums + 0] = 0.5 * (256.0 * 128.0);
  EXPECT_NEAR(Ssimulacra2Score(scales, sums), score(0.5 * 225.20515300849274), 1e-9);
}

TEST(Ssimulacra2Test, BandsChangeNothing) {
  for (const int width : {8, 512, 513, 1100, 2000}) {
    const VideoFormat format = {PixelFormat::kYuv420, width, 33, 8};
    const Frame reference = test_run::NoiseFrame(format, 1);
    const Frame distorted = test_run::NoiseFrame(format, 2);
    const std::unique_ptr<Feature> feature = MakeFeature(kSsimulacra2, {}, format);
    const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
    FrameWindow window;
    window.reference = &reference;
    window.distorted = &distorted;
    std::vector<Fact> expected(static_cast<std::size_t>(feature->fact_count()));
    feature->Extract(window, workspace.get(), expected);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const std::unique_ptr<Feature> vector = test_run::TryMakeFeature(kSsimulacra2, {}, format, target).value();
      for (const int count : {2, 3, 32}) {
        test_targets::BandsBackwards bands(count, vector->MakeLineBuffers());
        window.band_runner = &bands;
        std::vector<Fact> facts(expected.size());
        vector->Extract(window, vector->MakeWorkspace().get(), facts);
        EXPECT_EQ(facts, expected) << test_targets::PlaceOf(target, format) << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
