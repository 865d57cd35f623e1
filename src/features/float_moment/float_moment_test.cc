// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment against a naive formulation of its specification: the integer sums are the reference's sums.
#include "features/float_moment/float_moment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "features/float_moment/float_moment_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::RunAll;

struct Moments {
  double first;
  double second;
};

Moments Naive(const Frame& frame) {
  const VideoFormat& format = frame.format();
  const float divisor = std::pow(2.0f, static_cast<float>(format.bit_depth - 8));
  double first = 0.0;
  double second = 0.0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const float p = static_cast<float>(test_run::Sample(frame, 0, x, y)) / divisor;
      const float square = p * p;
      first += p;
      second += square;
    }
  }
  const double pixels = static_cast<double>(format.width) * format.height;
  return {first / pixels, second / pixels};
}

void ExpectNaive(const VideoFormat& format, const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  const test_run::Scores scores = RunAll(*MakeFeature(kFloatMoment, {}, format), reference, distorted);
  ASSERT_EQ(scores.values.size(), 4 * reference.size());
  for (std::size_t n = 0; n < reference.size(); ++n) {
    const auto frame = static_cast<std::int64_t>(n);
    const Moments r = Naive(reference[n]);
    const Moments d = Naive(distorted[n]);
    EXPECT_EQ(scores.values.at({0, frame}), r.first) << test_targets::PlaceOf(CpuTarget::kScalar, format);
    EXPECT_EQ(scores.values.at({1, frame}), d.first) << test_targets::PlaceOf(CpuTarget::kScalar, format);
    EXPECT_EQ(scores.values.at({2, frame}), r.second) << test_targets::PlaceOf(CpuTarget::kScalar, format);
    EXPECT_EQ(scores.values.at({3, frame}), d.second) << test_targets::PlaceOf(CpuTarget::kScalar, format);
  }
}

TEST(FloatMomentTest, EqualsNaiveAtEverySizeAndDepth) {
  std::vector<PlaneSize> sizes = test_run::SparseSizes();
  for (const PlaneSize size : {PlaneSize{1, 1}, PlaneSize{1, 8}, PlaneSize{2, 2}, PlaneSize{257, 145}}) {
    sizes.push_back(size);
  }
  std::uint64_t seed = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 11, 12, 13, 14, 15, 16}) {
      const VideoFormat format = {PixelFormat::kYuv422, size.width, size.height, depth};
      ++seed;
      ExpectNaive(format, NoiseFrames(format, 1, seed), NoiseFrames(format, 1, seed + 1000000));
    }
  }
}

TEST(FloatMomentTest, KnownValues) {
  const VideoFormat format = {PixelFormat::kYuv420, 2, 2, 10};
  const std::vector<Frame> reference = ListOf(MakeFrame(format, 1, [](int, int x, int y) { return x + 2 * y; }));
  const std::vector<Frame> distorted = ListOf(MakeFrame(format, 2, [](int, int, int) { return 1023; }));
  const auto values = RunAll(*MakeFeature(kFloatMoment, {}, format), reference, distorted).values;
  EXPECT_EQ(values.at({0, 0}), 6.0 / 4 / 4);
  EXPECT_EQ(values.at({1, 0}), 255.75);
  EXPECT_EQ(values.at({2, 0}), 14.0 / 16 / 4);
  EXPECT_EQ(values.at({3, 0}), 255.75 * 255.75);
}

TEST(FloatMomentTest, SquareOfEverySample) {
  for (u32 v = 0; v <= 65535; ++v) {
    const float square = static_cast<float>(v) * static_cast<float>(v);
    ASSERT_EQ(FloatMomentSquare(v), static_cast<u64>(static_cast<double>(square)));
  }
}

// Past 2^53 units the reference rounds: the odd squares of small samples at the end, one addition each.
TEST(FloatMomentTest, PastTheBound) {
  const VideoFormat format = {PixelFormat::kYuv400, 2560, 1440, 16};
  const std::vector<Frame> bright = ListOf(MakeFrame(format, 1, [](int, int x, int y) {
    return y == 1439 && x >= 1280 ? (x * 7 + y * 13) % 512 + 1 : 65535 - (x * 31 + y * 17 + x * y) % 512;
  }));
  const std::vector<Frame> dark =
      ListOf(MakeFrame(format, 2, [](int, int x, int y) { return (x * 7 + y * 13) % 512; }));
  u64 sum = 0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      sum += FloatMomentSquare(static_cast<u32>(test_run::Sample(bright[0], 0, x, y)));
    }
  }
  ASSERT_GT(sum, kFloatMomentExactSum);
  ASSERT_NE(static_cast<double>(sum) / 65536.0, FloatMomentSquaresInRasterOrder(bright[0].plane(0), 16));
  ExpectNaive(format, bright, dark);
  ExpectNaive(format, dark, bright);
}

TEST(FloatMomentTest, Columns) {
  const VideoFormat format = {PixelFormat::kYuv420, 1, 1, 8};
  std::vector<std::string> names;
  for (const FeatureColumn& column : MakeFeature(kFloatMoment, {}, format)->columns()) names.push_back(column.raw_name);
  EXPECT_EQ(names, (std::vector<std::string>{"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd",
                                             "float_moment_dis2nd"}));
}

TEST(FloatMomentTest, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 19, 7, 16};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kFloatMoment, {}, format), NoiseFrames(format, 6, 1),
                                         NoiseFrames(format, 6, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
