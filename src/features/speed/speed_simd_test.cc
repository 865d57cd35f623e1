// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's vector code gives the bits of its scalar code on every target.
#include "features/speed/speed_simd.h"

#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/speed/speed_simd_test.cc"
#include <hwy/foreach_target.h>

#include "features/speed/speed_blocks_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
/// in      entropies, variances: 16
void EntropyStepsOnTarget(float* entropies, float eigenvalue, const float* variances, float sigma) {
  using L = HighwayLane;
  for (int i = 0; i < 16; i += L::N) {
    L::Store(SpeedEntropyStepOnLanes<L>(L::Load(entropies + i), eigenvalue, L::Load(variances + i), sigma),
             entropies + i);
  }
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/speed/speed.h"
#include "features/speed/speed_algebra.h"
#include "features/speed/speed_blocks_simd.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::NextRandom;
using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

constexpr int kSize = kSpeedPositions;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto noise = pairs.Noise();
  const auto natural = pairs.Natural();
  pairs.Add("noise", noise, noise);
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("extremes", pairs.Extremes(), pairs.Noisy(4, pairs.Gradient()));
  pairs.Add("flat", pairs.Flat(pairs.top()), noise);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  return pairs.Take();
}

TEST(SpeedSimdTest, ChromaOfAllFormatsAndWidths) {
  constexpr PixelFormat kPixels[] = {PixelFormat::kYuv444, PixelFormat::kYuv422, PixelFormat::kYuv420};
  constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
  int turn = 0;
  for (const int width : {80, 81, 95, 96, 97, 127, 128, 129, 159, 160, 175, 191, 255, 257, 263}) {
    const PixelFormat pixels = kPixels[turn % 3];
    const int across = pixels == PixelFormat::kYuv444 ? width : 2 * width + turn % 2;
    const int down = (pixels == PixelFormat::kYuv420 ? 2 : 1) * (160 + turn);
    const VideoFormat format = {pixels, across, down, kDepths[turn % 6]};
    test_targets::ExpectSameFacts(kSpeedChroma, {}, MakePairs(format));
    ++turn;
  }
}

TEST(SpeedSimdTest, ChromaWithOptions) {
  const VideoFormat format = {PixelFormat::kYuv444, 251, 187, 10};
  const std::vector<PicturePair> pairs = MakePairs(format);
  for (const char* scale : {"0.5", "1.5", "2", "3", "3.7113"}) {
    test_targets::ExpectSameFacts(kSpeedChroma, {{"speed_kernelscale", scale}}, pairs);
  }
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos4"}) {
    for (const char* prescale : {"0.6", "1.2"}) {
      test_targets::ExpectSameFacts(kSpeedChroma, {{"speed_prescale", prescale}, {"speed_prescale_method", method}},
                                    pairs);
    }
  }
  for (const char* weighting : {"1", "3", "5"}) {
    test_targets::ExpectSameFacts(
        kSpeedChroma, {{"speed_weight_var_mode", weighting}, {"speed_nn_floor", "0.1"}, {"speed_sigma_nn", "0.19"}},
        pairs);
  }
}

TEST(SpeedSimdTest, Temporal) {
  for (const VideoFormat format :
       {VideoFormat{PixelFormat::kYuv420, 173, 165, 8}, VideoFormat{PixelFormat::kYuv400, 321, 160, 12},
        VideoFormat{PixelFormat::kYuv444, 257, 191, 16}}) {
    const std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 1);
    const std::vector<Frame> distorted = test_run::NoiseFrames(format, 3, 8);
    test_targets::ExpectSameScores(kSpeedTemporal, {}, reference, distorted);
    test_targets::ExpectSameScores(kSpeedTemporal, {{"speed_use_ref_diff", "true"}}, reference, distorted);
    const OptionTexts resized = {{"speed_prescale", "1.3"}, {"speed_prescale_method", "bicubic"}};
    test_targets::ExpectSameScores(kSpeedTemporal, resized, reference, distorted);
  }
}

std::vector<float> NoisePlane(std::size_t count, float scale, std::uint64_t seed) {
  std::vector<float> plane(count);
  for (float& value : plane) value = (static_cast<float>(NextRandom(seed) >> 40) * 0x1p-23f - 1.0f) * scale;
  return plane;
}

TEST(SpeedSimdTest, Covariances) {
  for (int width = 5; width < 90; width = width < 40 ? width + 1 : width + 17) {
    for (const int height : {5, 6, 13}) {
      const i64 stride = width + width % 4;
      const SpeedWindow window = {width - 4, height - 4};
      const std::size_t count = static_cast<std::size_t>(stride * height) + kSpeedSlack;
      for (const float scale : {1.0f, 300.0f, 1e-6f}) {
        const std::vector<float> plane = NoisePlane(count, scale, static_cast<std::uint64_t>(width * 31 + height));
        std::vector<float> expected(kSpeedPairs);
        SpeedCovariances({plane.data(), stride, window, expected.data()});
        for (const CpuTarget target : AvailableCpuTargets()) {
          const SpeedSimd simd = ChooseSpeedSimd(target, 8);
          if (!simd.is_available()) continue;
          std::vector<float> actual(kSpeedPairs);
          simd.covariances({plane.data(), stride, window, actual.data()});
          ASSERT_EQ(actual, expected) << CpuTargetName(target) << ", " << width << "x" << height;
        }
      }
    }
  }
}

// Results of a plane's blocks; what is not a number has many forms, all the same here.
struct Blocks {
  Blocks(const std::vector<float>& covariances, const std::vector<float>& plane, i32 across, i32 down, float sigma,
         SpeedBlocksFunction function)
      : count(static_cast<std::size_t>(across * down)) {
    const auto pitch = static_cast<std::size_t>(SpeedPitch(across * down));
    std::vector<float> samples(kSize * pitch, -7.0f);
    std::vector<float> solution(kSize * pitch, -7.0f);
    variances.resize(pitch, -7.0f);
    entropies.resize(pitch, -7.0f);
    singular = function({covariances.data(), plane.data(), kSpeedBlock * across, across, down, sigma, samples.data(),
                         solution.data(), variances.data(), entropies.data()});
  }
  [[nodiscard]] std::vector<std::uint32_t> Bits() const {
    std::vector<std::uint32_t> bits;
    for (const std::vector<float>* values : {&variances, &entropies}) {
      for (std::size_t i = 0; i < count; ++i) {
        const float value = (*values)[i];
        bits.push_back(value != value ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value));
      }
    }
    return bits;
  }

  std::size_t count;
  std::vector<float> variances;
  std::vector<float> entropies;
  bool singular = false;
};

void CompareBlocks(const std::vector<float>& covariances, i32 across, i32 down, float scale, float sigma,
                   const std::string& name) {
  const std::vector<float> plane = NoisePlane(static_cast<std::size_t>(kSize * across * down), scale, 5);
  const Blocks expected(covariances, plane, across, down, sigma, &SpeedBlocks);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const Blocks actual(covariances, plane, across, down, sigma, ChooseSpeedBlocks(target));
    ASSERT_EQ(actual.singular, expected.singular) << CpuTargetName(target) << ", " << name;
    ASSERT_EQ(actual.Bits(), expected.Bits()) << CpuTargetName(target) << ", " << name;
  }
}

// What planes have: covariances of neighbouring samples of filtered noise.
std::vector<float> PlaneCovariances(int smoothing, float scale, std::uint64_t seed) {
  constexpr int kSide = 40;
  std::vector<float> plane = NoisePlane(kSide * kSide, scale, seed);
  for (int turn = 0; turn < smoothing; ++turn) {
    for (std::size_t i = 1; i < plane.size(); ++i) plane[i] = (plane[i] + plane[i - 1]) / 2.0f;
  }
  std::vector<float> covariances(kSpeedPairs);
  SpeedCovariances({plane.data(), kSide, {kSide - 4, kSide - 4}, covariances.data()});
  return covariances;
}

TEST(SpeedSimdTest, BlocksOfPlanes) {
  int turn = 0;
  for (const float scale : {0.02f, 1.0f, 20.0f, 128.0f}) {
    for (int smoothing = 0; smoothing < 4; ++smoothing) {
      for (std::uint64_t seed = 1; seed <= 12; ++seed, ++turn) {
        const std::vector<float> covariances = PlaneCovariances(smoothing, scale, seed);
        const float sigma = turn % 3 == 0 ? 0.29f : (turn % 3 == 1 ? 0.1f : 2.0f);
        CompareBlocks(covariances, 1 + turn % 37, 1 + turn % 3, scale, sigma, "turn " + std::to_string(turn));
      }
    }
  }
}

TEST(SpeedSimdTest, BlocksWithUnusualCovariances) {
  const auto diagonal = [](float value) {
    std::vector<float> covariances(kSpeedPairs);
    for (int p = 0; p < kSize; ++p) covariances[static_cast<std::size_t>(SpeedPair(p, p))] = value;
    return covariances;
  };
  for (const float value : {0.0f, 1e-30f, 1e-7f, 1e-6f, 2e-6f, 1e-5f, 1.0f, 1e10f, 1e17f, 1e19f, 1e30f}) {
    CompareBlocks(diagonal(value), 5, 5, 1.0f, 0.29f, "diagonal " + std::to_string(value));
    CompareBlocks(diagonal(-value), 5, 5, 1.0f, 0.29f, "diagonal -" + std::to_string(value));
    CompareBlocks(std::vector<float>(kSpeedPairs, value), 5, 5, 1.0f, 0.29f, "all " + std::to_string(value));
    std::vector<float> mixed = PlaneCovariances(1, 1.0f, 3);
    mixed[static_cast<std::size_t>(SpeedPair(24, 24))] = value;
    CompareBlocks(mixed, 5, 5, 1.0f, 0.29f, "last " + std::to_string(value));
  }
  for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const int place : {0, 40, kSpeedPairs - 1}) {
      std::vector<float> covariances = PlaneCovariances(0, 1.0f, 3);
      covariances[static_cast<std::size_t>(place)] = value;
      CompareBlocks(covariances, 5, 5, 1.0f, 0.29f, "not finite");
    }
  }
  // Not a number in the second column: all rows of the orthogonal factor are none then, the first one too, whose pivot
  // would else be too small.
  for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> covariances = diagonal(1.0f);
    covariances[static_cast<std::size_t>(SpeedPair(0, 0))] = 1e-8f;
    covariances[static_cast<std::size_t>(SpeedPair(1, 0))] = 1e-8f;
    covariances[static_cast<std::size_t>(SpeedPair(1, 1))] = value;
    CompareBlocks(covariances, 5, 5, 1.0f, 0.29f, "not finite beside a small pivot");
  }
  // Variances so far below zero that entropies have no logarithm.
  std::vector<float> indefinite = PlaneCovariances(0, 1.0f, 3);
  for (float& value : indefinite) value = -value;
  CompareBlocks(indefinite, 5, 5, 1e4f, 0.29f, "indefinite");
  CompareBlocks(diagonal(2.0f), 5, 5, 1e17f, 0.29f, "large samples");
  CompareBlocks(diagonal(2.0f), 5, 5, 3e38f, 0.29f, "larger samples");
}

struct EntropyCase {
  float entropy;
  float argument;  // of the logarithm
};

void CompareEntropySteps(const std::array<EntropyCase, 16>& cases, float eigenvalue, float sigma) {
  for (const CpuTarget target : AvailableCpuTargets()) {
    const auto run = LOCKSTEP_CHOOSE_SIMD(target, EntropyStepsOnTarget);
    if (run == nullptr) continue;
    std::array<float, 16> entropies;
    std::array<float, 16> variances;
    for (std::size_t i = 0; i < 16; ++i) entropies[i] = cases[i].entropy;
    for (std::size_t i = 0; i < 16; ++i) variances[i] = cases[i].argument;
    run(entropies.data(), eigenvalue, variances.data(), sigma);
    for (std::size_t i = 0; i < 16; ++i) {
      const float expected = SpeedEntropyStep(cases[i].entropy, eigenvalue, cases[i].argument, sigma);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(entropies[i]), std::bit_cast<std::uint32_t>(expected))
          << CpuTargetName(target) << ", " << cases[i].entropy << ", " << cases[i].argument;
    }
  }
}

// Sums of binary64 that are so close to where binary32 rounds the other way that a shorter series would not tell, for
// arguments where the series converges slowest.
TEST(SpeedSimdTest, EntropiesNearTies) {
  std::array<EntropyCase, 16> cases;
  cases.fill({0.0f, 1.0f});
  std::size_t count = 0;
  for (const float entropy : {20.0f, 70.0f, 270.0f}) {
    for (float argument = 1.35f; argument < 1.48f; argument = std::bit_cast<float>(std::bit_cast<u32>(argument) + 1)) {
      const double log = exact::Log2(static_cast<double>(argument));
      const double sum = static_cast<double>(entropy) + (log + kSpeedEntropyOfOne);
      constexpr std::int64_t kHalf = 1 << 28;
      const std::int64_t distance = (std::bit_cast<std::int64_t>(sum) & (2 * kHalf - 1)) - kHalf;
      if (distance > 2048 || distance < -2048) continue;
      cases[count++ % 16] = {entropy, argument};
      if (count % 16 == 0) CompareEntropySteps(cases, 1.0f, 0.0f);
    }
  }
  EXPECT_GT(count, 16U);
  CompareEntropySteps(cases, 1.0f, 0.0f);
}

TEST(SpeedSimdTest, EntropiesOfAnyArgument) {
  std::uint64_t state = 1;
  for (int round = 0; round < 20000; ++round) {
    std::array<EntropyCase, 16> cases;
    for (EntropyCase& c : cases) {
      c.entropy = static_cast<float>(NextRandom(state) >> 40) * 0x1p-13f - 1024.0f;
      c.argument = std::bit_cast<float>(static_cast<std::uint32_t>(NextRandom(state) >> 33));
    }
    // One of them without a logarithm, in every other round.
    constexpr float kUnusual[] = {0.0f, -1.0f, 1e-42f, std::numeric_limits<float>::infinity()};
    if (round % 2 == 0) cases[NextRandom(state) % 16].argument = kUnusual[round / 2 % 4];
    for (EntropyCase& c : cases) {
      if (c.argument != c.argument) c.argument = 1.0f;
    }
    CompareEntropySteps(cases, 1.0f, 0.0f);
  }
}

}  // namespace
}  // namespace lockstep
#endif
