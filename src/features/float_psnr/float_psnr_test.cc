// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr against a naive formulation of its specification: the integer sum is the reference's sum.
#include "features/float_psnr/float_psnr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exact/elementary.h"
#include "features/float_psnr/float_psnr_arithmetic.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::Pictures;
using test_run::RunAll;
using test_run::Sample;

double NaiveNoise(const Frame& a, const Frame& b) {
  const VideoFormat& format = a.format();
  const float divisor = std::pow(2.0f, static_cast<float>(format.bit_depth - 8));
  double noise = 0.0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const float r = static_cast<float>(Sample(a, 0, x, y)) / divisor;
      const float s = static_cast<float>(Sample(b, 0, x, y)) / divisor;
      const float d = r - s;
      const float q = d * d;
      noise += q;
    }
  }
  return noise;
}

double NaiveScore(const VideoFormat& format, double noise, bool uncapped) {
  // Table of the specification; the other depths follow the same rule.
  double peak = (std::pow(2.0, format.bit_depth) - 1.0) / std::pow(2.0, format.bit_depth - 8);
  double cap = 6.0 * format.bit_depth + 12.0;
  if (format.bit_depth == 8) peak = 255.0, cap = 60.0;
  if (format.bit_depth == 10) peak = 255.75, cap = 72.0;
  if (format.bit_depth == 12) peak = 255.9375, cap = 84.0;
  if (format.bit_depth == 16) peak = 255.99609375, cap = 108.0;
  const double mean = noise / (static_cast<double>(format.width) * format.height);
  const double value = 10 * exact::Log10(peak * peak / std::max(mean, 1e-10));
  return uncapped ? value : std::min(value, cap);
}

void ExpectNaive(const VideoFormat& format, const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  for (const bool uncapped : {false, true}) {
    const std::unique_ptr<Feature> feature =
        MakeFeature(kFloatPsnr, {{"uncapped", uncapped ? "true" : "false"}}, format);
    const test_run::Scores scores = RunAll(*feature, reference, distorted);
    ASSERT_EQ(scores.values.size(), reference.size());
    for (std::size_t n = 0; n < reference.size(); ++n) {
      ASSERT_EQ(scores.values.at({0, static_cast<std::int64_t>(n)}),
                NaiveScore(format, NaiveNoise(reference[n], distorted[n]), uncapped))
          << format.width << "x" << format.height << " depth " << format.bit_depth;
    }
  }
}

TEST(FloatPsnr, EqualsNaiveAtEverySizeAndDepth) {
  std::vector<PlaneSize> sizes = test_run::SparseSizes();
  sizes.insert(sizes.end(), std::begin(test_run::kParitySizes), std::end(test_run::kParitySizes));
  for (const PlaneSize tiny : {PlaneSize{1, 1}, PlaneSize{1, 8}, PlaneSize{2, 2}}) sizes.push_back(tiny);
  std::uint64_t seed = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 12, 13, 14, 15, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      ++seed;
      ExpectNaive(format, NoiseFrames(format, 1, seed), NoiseFrames(format, 1, seed + 1000000));
    }
  }
}

TEST(FloatPsnr, BrightSixteenBitFullHd) {
  const VideoFormat format = {PixelFormat::kYuv400, 1920, 1080, 16};
  const std::vector<Frame> dark =
      ListOf(MakeFrame(format, 1, [](int, int x, int y) { return (x * 7 + y * 13) % 1024; }));
  const std::vector<Frame> bright =
      ListOf(MakeFrame(format, 2, [](int, int x, int y) { return 65535 - (x * 31 + y * 17) % 1024; }));
  ExpectNaive(format, dark, bright);
}

TEST(FloatPsnr, IntegerSumIsTheNoiseBelowTheBound) {
  for (const int depth : {8, 10, 12, 14, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 257, 145, depth};
    const Frame a = test_run::NoiseFrame(format, 1);
    const Frame b = test_run::NoiseFrame(format, 2);
    u64 sum = 0;
    for (int y = 0; y < format.height; ++y) {
      for (int x = 0; x < format.width; ++x) sum += FloatPsnrSquare(Sample(a, 0, x, y) - Sample(b, 0, x, y));
    }
    ASSERT_LE(sum, kFloatPsnrExactSum);
    EXPECT_EQ(FloatPsnrNoiseFromIntegerSum(sum, depth), NaiveNoise(a, b));
    EXPECT_EQ(FloatPsnrNoiseFromIntegerSum(sum, depth), FloatPsnrNoiseInRasterOrder(a.plane(0), b.plane(0), depth));
  }
}

// Past 2^53 units the reference rounds: the host follows it, and a device's integer sum stays within the documented
// bound of it. The small odd squares at the end are what gets rounded, one addition each; all large ones are multiples
// of 256.
TEST(FloatPsnr, PastTheBound) {
  const VideoFormat format = {PixelFormat::kYuv400, 2560, 1440, 16};
  const std::vector<Frame> dark =
      ListOf(MakeFrame(format, 1, [](int, int x, int y) { return (x * 7 + y * 13) % 512; }));
  const std::vector<Frame> bright = ListOf(MakeFrame(format, 2, [](int, int x, int y) {
    return y == 1439 && x >= 1280 ? (x * 7 + y * 13) % 512 + 1 : 65535 - (x * 31 + y * 17 + x * y) % 512;
  }));
  ExpectNaive(format, dark, bright);
  u64 sum = 0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x)
      sum += FloatPsnrSquare(Sample(dark[0], 0, x, y) - Sample(bright[0], 0, x, y));
  }
  ASSERT_GT(sum, std::uint64_t{1} << 53);
  const double noise = NaiveNoise(dark[0], bright[0]);
  ASSERT_NE(FloatPsnrNoiseFromIntegerSum(sum, 16), noise);
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatPsnr, {}, format);
  EXPECT_EQ(DoubleOf(Pictures(*feature, dark, bright).Facts(0)[0]), noise);

  const std::int64_t pixels = std::int64_t{2560} * 1440;
  const double reference = NaiveScore(format, noise, false);
  const double integer = FloatPsnrScore(FloatPsnrNoiseFromIntegerSum(sum, 16), pixels, 16, false);
  const double bound = 10.0 / std::numbers::ln10 * (format.height + 1) * std::ldexp(1.0, -53);
  EXPECT_LE(std::fabs(reference - integer), bound + 4 * std::ldexp(std::fabs(reference), -53));
}

TEST(FloatPsnr, SquareOfEveryDifference) {
  for (int d = -65535; d <= 65535; ++d) {
    const float square = static_cast<float>(d) * static_cast<float>(d);
    ASSERT_EQ(FloatPsnrSquare(d), static_cast<u64>(static_cast<double>(square)));
  }
}

TEST(FloatPsnr, EqualPictures) {
  const std::pair<int, double> caps[] = {{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}};
  for (const auto& [depth, cap] : caps) {
    const VideoFormat format = {PixelFormat::kYuv420, 19, 23, depth};
    const std::vector<Frame> frames = NoiseFrames(format, 1, 5);
    EXPECT_EQ(RunAll(*MakeFeature(kFloatPsnr, {}, format), frames, frames).values.at({0, 0}), cap);
    const double uncapped =
        RunAll(*MakeFeature(kFloatPsnr, {{"uncapped", "true"}}, format), frames, frames).values.at({0, 0});
    EXPECT_EQ(uncapped, NaiveScore(format, 0.0, true));
    EXPECT_GT(uncapped, cap);
  }
}

TEST(FloatPsnr, LargeSixteenBitDifference) {
  const VideoFormat format = {PixelFormat::kYuv420, 18, 7, 16};
  const std::vector<Frame> high = ListOf(MakeFrame(format, 1, [](int, int, int) { return 56832; }));
  const std::vector<Frame> low = ListOf(MakeFrame(format, 2, [](int, int, int) { return 9472; }));
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatPsnr, {}, format);
  EXPECT_EQ(DoubleOf(Pictures(*feature, high, low).Facts(0)[0]), 18.0 * 7.0 * 2242969600.0 / 65536.0);
}

TEST(FloatPsnr, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 19, 7, 16};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kFloatPsnr, {}, format), NoiseFrames(format, 6, 1),
                                         NoiseFrames(format, 6, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
