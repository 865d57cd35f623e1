// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr against a naive formulation of its specification, and its scores at the ends of their range.
#include "features/float_ansnr/float_ansnr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "exact/elementary.h"
#include "features/float_ansnr/float_ansnr_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::RunAll;

int EdgeIndex(int i, int n) {
  if (i < 0) return -i;
  if (i >= n) return 2 * n - i - 1;
  return i;
}

float Filtered(const Frame& frame, int x, int y, const std::vector<std::vector<int>>& taps, int sum) {
  const VideoFormat& format = frame.format();
  const int size = static_cast<int>(taps.size());
  const float divisor = std::pow(2.0f, static_cast<float>(format.bit_depth - 8));
  float total = 0.0f;
  for (int v = 0; v < size; ++v) {
    float inner = 0.0f;
    for (int u = 0; u < size; ++u) {
      const int column = EdgeIndex(x - size / 2 + u, format.width);
      const int row = EdgeIndex(y - size / 2 + v, format.height);
      const float sample = static_cast<float>(test_run::Sample(frame, 0, column, row)) / divisor - 128.0f;
      const int tap = taps[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)];
      const float product = static_cast<float>(static_cast<double>(tap) / sum) * sample;
      inner = inner + product;
    }
    total = total + inner;
  }
  return total;
}

std::pair<float, float> NaiveSums(const Frame& reference, const Frame& distorted) {
  const std::vector<std::vector<int>> small = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  const std::vector<std::vector<int>> large = {
      {2, 7, 12, 7, 2}, {7, 31, 52, 31, 7}, {12, 52, 127, 52, 12}, {7, 31, 52, 31, 7}, {2, 7, 12, 7, 2}};
  float signal = 0.0f;
  float noise = 0.0f;
  for (int y = 0; y < reference.format().height; ++y) {
    float row_signal = 0.0f;
    float row_noise = 0.0f;
    for (int x = 0; x < reference.format().width; ++x) {
      const float a = Filtered(reference, x, y, small, 16);
      const float b = Filtered(distorted, x, y, large, 571);
      const float square = a * a;
      const float difference = a - b;
      const float error = difference * difference;
      row_signal += square;
      row_noise += error;
    }
    signal += row_signal;
    noise += row_noise;
  }
  return {signal, noise};
}

void ExpectNaive(const VideoFormat& format, const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  const std::string place = test_targets::PlaceOf(CpuTarget::kScalar, format);
  const auto [signal, noise] = NaiveSums(reference[0], distorted[0]);
  // Table of the specification; the other depths follow the same rule.
  double peak = (std::pow(2.0, format.bit_depth) - 1.0) / std::pow(2.0, format.bit_depth - 8);
  double cap = 6.0 * format.bit_depth + 12.0;
  if (format.bit_depth == 8) peak = 255.0, cap = 60.0;
  if (format.bit_depth == 10) peak = 255.75, cap = 72.0;
  if (format.bit_depth == 12) peak = 255.9375, cap = 84.0;
  if (format.bit_depth == 16) peak = 255.99609375, cap = 108.0;
  const float ratio = signal / noise;
  const double ansnr = noise == 0.0f ? cap : 10 * exact::Log10(ratio);
  const double floor = std::fmax(noise, 1e-10);
  const double anpsnr = std::fmin(10 * exact::Log10(peak * peak * format.width * format.height / floor), cap);
  const auto values = RunAll(*MakeFeature(kFloatAnsnr, {}, format), reference, distorted).values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values.at({0, 0}), ansnr) << place;
  EXPECT_EQ(values.at({1, 0}), anpsnr) << place;
}

TEST(FloatAnsnrTest, EqualsNaiveAtEverySizeAndDepth) {
  std::uint64_t seed = 1;
  std::vector<PlaneSize> sizes = {{3, 3}, {3, 8}, {4, 5}, {5, 4}, {8, 3}, {17, 17}, {31, 9}, {33, 34}, {64, 20}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 11, 12, 13, 14, 15, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      ++seed;
      const std::vector<Frame> reference = NoiseFrames(format, 1, seed);
      ExpectNaive(format, reference, NoiseFrames(format, 1, seed + 1000000));
      ExpectNaive(format, reference, reference);
    }
  }
  const VideoFormat format = {PixelFormat::kYuv444, 257, 145, 8};
  ExpectNaive(format, NoiseFrames(format, 1, 4), NoiseFrames(format, 1, 5));
}

TEST(FloatAnsnrTest, EdgesAreNotSymmetric) {
  EXPECT_EQ(AnsnrMirror(-2, 9), 2);
  EXPECT_EQ(AnsnrMirror(-1, 9), 1);
  EXPECT_EQ(AnsnrMirror(9, 9), 8);
  EXPECT_EQ(AnsnrMirror(10, 9), 7);
}

TEST(FloatAnsnrTest, EndsOfTheRange) {
  const std::pair<int, double> caps[] = {{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}};
  for (const auto& [depth, cap] : caps) {
    const VideoFormat format = {PixelFormat::kYuv420, 19, 23, depth};
    const int middle = 128 << (depth - 8);
    const std::vector<Frame> grey = ListOf(MakeFrame(format, 1, [&](int, int, int) { return middle; }));
    const std::vector<Frame> lighter = ListOf(MakeFrame(format, 2, [&](int, int, int) { return middle + 1; }));
    const auto feature = MakeFeature(kFloatAnsnr, {}, format);
    // Grey is 0 on the centred scale: no signal; without noise the cap counts all the same.
    const auto equal = RunAll(*feature, grey, grey).values;
    EXPECT_EQ(equal.at({0, 0}), cap);
    EXPECT_EQ(equal.at({1, 0}), cap);
    const auto silent = RunAll(*feature, grey, lighter).values;
    EXPECT_EQ(silent.at({0, 0}), -std::numeric_limits<double>::infinity());
    EXPECT_LT(silent.at({1, 0}), cap);
  }
  EXPECT_EQ(FloatAnsnrScore(1000.0f, 10.0f, 8), 20.0);
  // Uncapped, unlike its neighbour.
  EXPECT_EQ(FloatAnsnrScore(1e10f, 1.0f, 8), 100.0);
  EXPECT_EQ(FloatAnpsnrScore(65025.0f * 6, 2, 3, 8), 0.0);
  EXPECT_EQ(FloatAnpsnrScore(1e-12f, 2, 3, 8), 60.0);
}

TEST(FloatAnsnrTest, ColumnsAndMinimumSize) {
  std::vector<std::string> names;
  const auto feature = MakeFeature(kFloatAnsnr, {}, {PixelFormat::kYuv420, 3, 3, 8});
  for (const FeatureColumn& column : feature->columns()) names.push_back(column.raw_name);
  EXPECT_EQ(names, (std::vector<std::string>{"float_ansnr", "float_anpsnr"}));
  EXPECT_FALSE(test_run::TryMakeFeature(kFloatAnsnr, {}, {PixelFormat::kYuv420, 2, 3, 8}));
  EXPECT_FALSE(test_run::TryMakeFeature(kFloatAnsnr, {}, {PixelFormat::kYuv420, 3, 2, 8}));
}

TEST(FloatAnsnrTest, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 19, 7, 16};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kFloatAnsnr, {}, format), NoiseFrames(format, 6, 1),
                                         NoiseFrames(format, 6, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
