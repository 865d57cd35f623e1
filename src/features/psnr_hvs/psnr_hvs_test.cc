// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs against a plain formulation of its specification, and its transform against the real cosine transform.
#include "features/psnr_hvs/psnr_hvs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/psnr_hvs/psnr_hvs_arithmetic.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrame;
using test_run::NoiseFrames;
using test_run::Pictures;
using test_run::RunAll;
using test_run::Sample;
using test_run::TryMakeFeature;

using Block = std::vector<int>;

/// One lifting step: t[to] += (t[from] * factor + 2^(shift - 1)) >> shift, or -= where the factor is negative.
struct Lift {
  int to;
  int from;
  int factor;
  int shift;
};

std::vector<long long> NaiveLine(const std::vector<long long>& x) {
  std::vector<long long> t = {x[0], x[7], x[2], x[5], x[1], x[6], x[3], x[4]};
  t[1] = t[0] - t[1];
  const long long p = t[1] / 2;
  t[0] -= p;
  t[4] += t[5];
  const long long q = t[4] / 2;
  t[5] -= q;
  t[3] = t[2] - t[3];
  t[2] -= t[3] / 2;
  t[6] += t[7];
  const long long r = t[6] / 2;
  t[7] = r - t[7];
  const auto lift = [&](std::initializer_list<Lift> steps) {
    for (const Lift& s : steps) {
      const long long change =
          (t[static_cast<std::size_t>(s.from)] * std::abs(s.factor) + (1LL << (s.shift - 1))) >> s.shift;
      t[static_cast<std::size_t>(s.to)] += s.factor < 0 ? -change : change;
    }
  };
  t[0] += r;
  t[6] = t[0] - t[6];
  t[2] = q - t[2];
  t[4] = t[2] - t[4];
  lift({{0, 4, -13573, 15}, {4, 0, 11585, 14}, {0, 4, -13573, 15}});
  lift({{6, 2, -21895, 15}, {2, 6, 15137, 14}, {6, 2, -21895, 15}});
  lift({{3, 5, 19195, 15}, {5, 3, 11585, 14}, {3, 5, -7489, 13}});
  t[7] = t[5] / 2 - t[7];
  t[5] -= t[7];
  t[3] = p - t[3];
  t[1] -= t[3];
  lift({{7, 1, 3227, 15}, {1, 7, -6393, 15}, {7, 1, 3227, 15}});
  lift({{5, 3, 2485, 13}, {3, 5, -18205, 15}, {5, 3, 2485, 13}});
  return t;
}

Block NaiveTransform(const Block& block) {
  std::vector<std::vector<long long>> turned(8);
  for (std::size_t i = 0; i < 8; ++i) {
    std::vector<long long> column;
    for (std::size_t k = 0; k < 8; ++k) column.push_back(block[8 * k + i]);
    turned[i] = NaiveLine(column);
  }
  Block result(64);
  for (std::size_t i = 0; i < 8; ++i) {
    std::vector<long long> column;
    for (std::size_t k = 0; k < 8; ++k) column.push_back(turned[k][i]);
    const std::vector<long long> line = NaiveLine(column);
    for (std::size_t k = 0; k < 8; ++k) result[8 * i + k] = static_cast<int>(line[k]);
  }
  return result;
}

float NaiveVariance(const Block& block, int left, int top, int side, float factor) {
  float sum = 0.0f;
  for (int y = top; y < top + side; ++y) {
    for (int x = left; x < left + side; ++x) sum += static_cast<float>(block[static_cast<std::size_t>(8 * y + x)]);
  }
  const float mean = sum / static_cast<float>(side * side);
  float squares = 0.0f;
  for (int y = top; y < top + side; ++y) {
    for (int x = left; x < left + side; ++x) {
      const float d = static_cast<float>(block[static_cast<std::size_t>(8 * y + x)]) - mean;
      squares += d * d;
    }
  }
  return squares * factor;
}

float NaiveMasking(const Block& block, const Block& coefficients, const PsnrHvsWeights& weights) {
  float texture = NaiveVariance(block, 0, 0, 8, 1.01587307f);
  if (texture > 0.0f) {
    const float top_left = NaiveVariance(block, 0, 0, 4, 1.06666672f);
    const float bottom_left = NaiveVariance(block, 0, 4, 4, 1.06666672f);
    const float top_right = NaiveVariance(block, 4, 0, 4, 1.06666672f);
    const float bottom_right = NaiveVariance(block, 4, 4, 4, 1.06666672f);
    texture = (((top_left + bottom_left) + top_right) + bottom_right) / texture;
  }
  float energy = 0.0f;
  for (std::size_t i = 1; i < 64; ++i) {
    energy += static_cast<float>(coefficients[i] * coefficients[i]) * weights.masking[i];
  }
  return static_cast<float>(std::sqrt(static_cast<double>(energy * texture)) / 32.0);
}

double NaivePlane(const Frame& reference, const Frame& distorted, int plane) {
  const VideoFormat& format = reference.format();
  const PlaneSize size = format.scored_plane_size(plane);
  const PsnrHvsWeights& weights = kPsnrHvsWeights[plane];
  float sum = 0.0f;
  int terms = 0;
  for (int y = 0; y + 7 < size.height; y += 7) {
    for (int x = 0; x + 7 < size.width; x += 7) {
      Block blocks[2];
      for (int i = 0; i < 64; ++i) {
        blocks[0].push_back(Sample(reference, plane, x + i % 8, y + i / 8));
        blocks[1].push_back(Sample(distorted, plane, x + i % 8, y + i / 8));
      }
      const Block r = NaiveTransform(blocks[0]);
      const Block d = NaiveTransform(blocks[1]);
      const float masking = std::max(NaiveMasking(blocks[0], r, weights), NaiveMasking(blocks[1], d, weights));
      for (std::size_t i = 0; i < 64; ++i, ++terms) {
        float error = static_cast<float>(std::abs(r[i] - d[i]));
        if (i != 0) error = std::max(error - masking / weights.masking[i], 0.0f);
        sum += (error * weights.visibility[i]) * (error * weights.visibility[i]);
      }
    }
  }
  const int peak = (1 << format.bit_depth) - 1;
  return static_cast<double>(sum / static_cast<float>(terms) / static_cast<float>(peak * peak));
}

double Decibels(double error) { return -10 * exact::Log10(error); }

void ExpectNaive(const VideoFormat& format, const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  const test_run::Scores scores = RunAll(*MakeFeature(kPsnrHvs, {}, format), reference, distorted);
  ASSERT_EQ(scores.values.size(), 4 * reference.size());
  for (std::size_t n = 0; n < reference.size(); ++n) {
    double errors[3];
    for (int p = 0; p < 3; ++p) {
      errors[p] = NaivePlane(reference[n], distorted[n], p);
      ASSERT_EQ(scores.values.at({p, static_cast<std::int64_t>(n)}), Decibels(errors[p]))
          << format.width << "x" << format.height << " depth " << format.bit_depth << " plane " << p;
    }
    ASSERT_EQ(scores.values.at({3, static_cast<std::int64_t>(n)}),
              Decibels(errors[0] * 0.8 + 0.1 * (errors[1] + errors[2])));
  }
}

/// The picture with noise of so many steps on top.
Frame Disturbed(const Frame& frame, int steps, std::uint64_t seed) {
  const VideoFormat& format = frame.format();
  const int top = (1 << format.bit_depth) - 1;
  std::uint64_t state = seed;
  return MakeFrame(format, seed, [&](int p, int x, int y) {
    const int change = static_cast<int>(test_run::NextRandom(state) % static_cast<unsigned>(2 * steps + 1)) - steps;
    return std::clamp(Sample(frame, p, x, y) + change, 0, top);
  });
}

Frame Slopes(const VideoFormat& format, std::uint64_t seed) {
  return MakeFrame(format, seed,
                   [&](int p, int x, int y) { return (40 + p + (x * 5 + y * 3) % 97) << (format.bit_depth - 8); });
}

TEST(PsnrHvs, EqualsNaiveAtEveryFormatAndDepth) {
  std::uint64_t seed = 1;
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const int depth : {8, 9, 10, 11, 12}) {
      for (const PlaneSize size : {PlaneSize{16, 16}, PlaneSize{17, 31}, PlaneSize{29, 16}, PlaneSize{45, 43}}) {
        const VideoFormat format = {pixels, size.width, size.height, depth};
        ++seed;
        ExpectNaive(format, NoiseFrames(format, 1, seed), NoiseFrames(format, 1, seed + 1000));
        const Frame slopes = Slopes(format, seed);
        std::vector<Frame> disturbed = ListOf(Disturbed(slopes, 3 << (depth - 8), seed));
        ExpectNaive(format, ListOf(Slopes(format, seed)), disturbed);
      }
    }
  }
}

TEST(PsnrHvs, EveryRestOfBlockSteps) {
  for (int rest = 0; rest < 14; ++rest) {
    const VideoFormat format = {PixelFormat::kYuv444, 8 + rest, 21 - rest, 8};
    const Frame noise = NoiseFrame(format, 7);
    ExpectNaive(format, ListOf(NoiseFrame(format, 7)), ListOf(Disturbed(noise, 20, 9)));
  }
}

TEST(PsnrHvs, ExtremesOfTwelveBits) {
  const VideoFormat format = {PixelFormat::kYuv444, 64, 50, 12};
  std::uint64_t state = 1;
  const auto extremes = [&](int, int, int) { return test_run::NextRandom(state) % 2 == 0 ? 0 : 4095; };
  const std::vector<Frame> reference = ListOf(MakeFrame(format, 1, extremes));
  const std::vector<Frame> distorted = ListOf(MakeFrame(format, 2, extremes));
  ExpectNaive(format, reference, distorted);
}

TEST(PsnrHvs, TransformIsTheCosineTransform) {
  std::uint64_t state = 3;
  for (int round = 0; round < 200; ++round) {
    i32 block[64];
    i32 coefficients[64];
    for (i32& v : block) v = static_cast<i32>(test_run::NextRandom(state) % 4096);
    PsnrHvsTransform(block, coefficients);
    for (int v = 0; v < 8; ++v) {
      for (int u = 0; u < 8; ++u) {
        double sum = 0.0;
        for (int y = 0; y < 8; ++y) {
          for (int x = 0; x < 8; ++x) {
            sum += block[8 * y + x] * std::cos((2 * y + 1) * v * std::numbers::pi / 16) *
                   std::cos((2 * x + 1) * u * std::numbers::pi / 16);
          }
        }
        const double scale = (v == 0 ? std::sqrt(0.125) : 0.5) * (u == 0 ? std::sqrt(0.125) : 0.5);
        ASSERT_NEAR(coefficients[8 * v + u], sum * scale, 6.0) << v << " " << u;
      }
    }
  }
}

// The signs of each coefficient's weights, which drive it to its greatest value, and their opposites.
TEST(PsnrHvs, GreatestCoefficient) {
  i32 greatest = 0;
  for (int place = 0; place < 64; ++place) {
    for (const bool inverse : {false, true}) {
      i32 block[64];
      i32 coefficients[64];
      for (int i = 0; i < 64; ++i) {
        const double weight = std::cos((2 * (i / 8) + 1) * (place / 8) * std::numbers::pi / 16) *
                              std::cos((2 * (i % 8) + 1) * (place % 8) * std::numbers::pi / 16);
        block[i] = (weight > 0) != inverse ? 4095 : 0;
      }
      PsnrHvsTransform(block, coefficients);
      for (const i32 c : coefficients) greatest = std::max(greatest, std::abs(c));
    }
  }
  EXPECT_EQ(greatest, 32759);
}

// Only the constant coefficient differs, by 8 * 64 within one or two: 512^2 * visibility^2 a block of 64 coefficients.
TEST(PsnrHvs, FlatPictures) {
  const VideoFormat format = {PixelFormat::kYuv420, 100, 60, 8};
  const std::vector<Frame> dark = ListOf(MakeFrame(format, 1, [](int, int, int) { return 100; }));
  const std::vector<Frame> bright = ListOf(MakeFrame(format, 2, [](int, int, int) { return 164; }));
  const test_run::Scores scores = RunAll(*MakeFeature(kPsnrHvs, {}, format), dark, bright);
  const double visibilities[3] = {1.6193873005, 1.91113096927, 2.03871978502};
  for (int p = 0; p < 3; ++p) {
    const double expected = -10 * std::log10(64.0 * 64.0 * visibilities[p] * visibilities[p] / (255 * 255));
    EXPECT_NEAR(scores.values.at({p, 0}), expected, 0.04);
  }
}

TEST(PsnrHvs, EqualPicturesScoreInfinity) {
  const VideoFormat format = {PixelFormat::kYuv422, 33, 20, 10};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 5);
  const test_run::Scores scores = RunAll(*MakeFeature(kPsnrHvs, {}, format), frames, frames);
  ASSERT_EQ(scores.values.size(), 8u);
  for (const auto& [place, value] : scores.values) EXPECT_EQ(value, std::numeric_limits<double>::infinity());
}

// Blocks that do not fit are left out, as is the last chroma column of an odd width.
TEST(PsnrHvs, SamplesThatDoNotCount) {
  const VideoFormat format = {PixelFormat::kYuv420, 31, 45, 8};
  const std::vector<Frame> reference = NoiseFrames(format, 1, 1);
  const std::vector<Frame> distorted = NoiseFrames(format, 1, 2);
  const std::vector<Frame> changed = ListOf(MakeFrame(format, 3, [&](int p, int x, int y) {
    const bool outside = p == 0 ? x >= 29 || y >= 43 : x >= 15 || y >= 22;
    return Sample(distorted[0], p, x, y) ^ (outside ? 255 : 0);
  }));
  const std::vector<Frame> inside = ListOf(MakeFrame(format, 3, [&](int p, int x, int y) {
    return Sample(distorted[0], p, x, y) ^ (p == 2 && x == 14 && y == 21 ? 255 : 0);
  }));
  const std::unique_ptr<Feature> feature = MakeFeature(kPsnrHvs, {}, format);
  const std::vector<Fact> expected = Pictures(*feature, reference, distorted).Facts(0);
  EXPECT_EQ(Pictures(*feature, reference, changed).Facts(0), expected);
  EXPECT_NE(Pictures(*feature, reference, inside).Facts(0)[2], expected[2]);
}

TEST(PsnrHvs, RefusesWhatItCannotScore) {
  const auto message = [](const VideoFormat& format) {
    const Result<std::unique_ptr<Feature>> feature = TryMakeFeature(kPsnrHvs, {}, format);
    return feature ? std::string("accepted") : feature.error().message;
  };
  using enum PixelFormat;
  EXPECT_NE(message({kYuv400, 64, 64, 8}).find("4:0:0"), std::string::npos);
  EXPECT_NE(message({kYuv420, 64, 64, 13}).find("13 bits"), std::string::npos);
  EXPECT_NE(message({kYuv444, 64, 64, 16}).find("8 to 12"), std::string::npos);
  EXPECT_EQ(message({kYuv420, 16, 16, 12}), "accepted");
  EXPECT_EQ(message({kYuv422, 16, 8, 11}), "accepted");
  EXPECT_EQ(message({kYuv444, 8, 8, 9}), "accepted");
}

TEST(PsnrHvs, PlanesWithoutABlockHaveNoScore) {
  struct Small {
    VideoFormat format;
    bool has_luma;
  };
  using enum PixelFormat;
  for (const auto& [format, has_luma] : {Small{{kYuv420, 15, 16, 8}, true},
                                         {{kYuv420, 16, 15, 8}, true},
                                         {{kYuv422, 15, 8, 10}, true},
                                         {{kYuv422, 16, 7, 8}, false},
                                         {{kYuv444, 7, 8, 8}, false},
                                         {{kYuv420, 1, 1, 8}, false}}) {
    for (const CpuTarget target : AvailableCpuTargets()) {
      auto feature = TryMakeFeature(kPsnrHvs, {}, format, target);
      const test_run::Scores scores = RunAll(**feature, NoiseFrames(format, 2, 1), NoiseFrames(format, 2, 100));
      EXPECT_EQ(std::isnan(scores.values.at({0, 1})), !has_luma);
      for (int column = 1; column < 4; ++column) EXPECT_TRUE(std::isnan(scores.values.at({column, 1})));
      ASSERT_EQ(scores.warnings.size(), 1u);
      EXPECT_EQ(scores.warnings[0].second.find("the chroma planes") != std::string::npos, has_luma);
    }
  }
  const VideoFormat enough = {kYuv422, 16, 8, 8};
  const auto feature = MakeFeature(kPsnrHvs, {}, enough);
  EXPECT_TRUE(RunAll(*feature, NoiseFrames(enough, 1, 1), NoiseFrames(enough, 1, 2)).warnings.empty());
}

TEST(PsnrHvs, NamesCarryNoSuffix) {
  const std::vector<FeatureColumn> columns = MakeFeature(kPsnrHvs, {}, {PixelFormat::kYuv420, 64, 64, 8})->columns();
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].raw_name, "psnr_hvs_y");
  EXPECT_EQ(columns[3].raw_name, "psnr_hvs");
}

TEST(PsnrHvs, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 30, 17, 10};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kPsnrHvs, {}, format), NoiseFrames(format, 4, 1),
                                         NoiseFrames(format, 4, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
