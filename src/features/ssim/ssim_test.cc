// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim against a naive formulation of its specification, at all depths.
#include "features/ssim/ssim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "features/ssim/ssim_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::RunAll;

constexpr std::int64_t kTaps[] = {2, 9, 28, 55, 68, 55, 28, 9, 2};

/// What 32 signed bits leave of a product.
std::int64_t Wrapped(std::int64_t product) {
  const std::int64_t low = product & 0xffffffff;
  return low >= (std::int64_t{1} << 31) ? low - (std::int64_t{1} << 32) : low;
}

struct Window {
  std::int64_t weight = 0;
  std::int64_t s = 0;
  std::int64_t d = 0;
  std::int64_t ss = 0;
  std::int64_t sd = 0;
  std::int64_t dd = 0;
};

Window WindowAt(const Frame& reference, const Frame& distorted, int x, int y) {
  const VideoFormat& format = reference.format();
  Window window;
  for (int v = -4; v <= 4; ++v) {
    for (int u = -4; u <= 4; ++u) {
      if (x + u < 0 || x + u >= format.width || y + v < 0 || y + v >= format.height) continue;
      const std::int64_t s = test_run::Sample(reference, 0, x + u, y + v);
      const std::int64_t d = test_run::Sample(distorted, 0, x + u, y + v);
      const std::int64_t along = kTaps[u + 4];
      const std::int64_t down = kTaps[v + 4];
      window.weight += down * along;
      window.s += down * (along * s);
      window.d += down * (along * d);
      window.ss += down * Wrapped(along * s * s);
      window.sd += down * Wrapped(along * s * d);
      window.dd += down * Wrapped(along * d * d);
    }
  }
  return window;
}

double Naive(const Frame& reference, const Frame& distorted) {
  const VideoFormat& format = reference.format();
  const std::int64_t peak = (std::int64_t{1} << format.bit_depth) - 1;
  const auto squared_peak = static_cast<double>(Wrapped(peak * peak));
  double sum = 0.0;
  double weights = 0.0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const Window window = WindowAt(reference, distorted, x, y);
      const auto w = static_cast<double>(window.weight);
      const auto mx = static_cast<double>(window.s);
      const auto my = static_cast<double>(window.d);
      const double c1 = squared_peak * (0.01 * 0.01) * w * w;
      const double c2 = squared_peak * (0.03 * 0.03) * w * w;
      const double a = mx * mx;
      const double b = mx * my;
      const double c = my * my;
      const double above = (w * (2 * b + c1)) * (c2 + 2 * (static_cast<double>(window.sd) * w - b));
      const double below =
          ((a + c) + c1) * ((((static_cast<double>(window.ss) * w - a) + static_cast<double>(window.dd) * w) - c) + c2);
      sum += above / below;
      weights += w;
    }
  }
  return sum / weights;
}

TEST(SsimTest, EqualsNaiveAtEverySizeAndDepth) {
  const PlaneSize sizes[] = {{1, 1}, {5, 3}, {3, 5}, {1, 9}, {8, 8}, {9, 9}, {10, 4}, {17, 23}, {33, 34}, {75, 41}};
  for (const PlaneSize size : sizes) {
    for (int depth = 8; depth <= 16; ++depth) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      test_targets::PicturePairs pairs(format, test_targets::SeedOf(format));
      const auto natural = pairs.Natural();
      pairs.Add("noise", pairs.Noise(), pairs.Noise());
      pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
      pairs.Add("extremes", pairs.Extremes(), pairs.Extremes());
      for (const test_targets::PicturePair& pair : pairs.Take()) {
        const std::span<const Frame> frames = pair.frames;
        const auto values = RunAll(*MakeFeature(kSsim, {}, format), frames.first(1), frames.last(1)).values;
        ASSERT_EQ(values.size(), 1u);
        EXPECT_EQ(values.at({0, 0}), Naive(frames[0], frames[1]))
            << test_targets::PlaceOf(CpuTarget::kScalar, format) << ", " << pair.name;
      }
    }
  }
}

TEST(SsimTest, WindowIsTheGaussianOfItsDefinition) {
  int sum = 0;
  for (int k = -4; k <= 4; ++k) {
    sum += kIntegerSsimWindow[k + 4];
    // The centre is what the others leave of 256.
    if (k == 0) continue;
    const double gaussian = 256.0 / (std::sqrt(2.0 * std::numbers::pi) * 1.5) * std::exp(-k * k / 4.5);
    EXPECT_EQ(kIntegerSsimWindow[k + 4], static_cast<int>(gaussian + 0.5)) << k;
  }
  EXPECT_EQ(sum, 256);
  EXPECT_EQ(kIntegerSsimRadius,
            static_cast<int>(1.5 * std::sqrt(-2.0 * std::log(std::sqrt(std::numbers::pi / 2) * 1.5 / 256))));
}

TEST(SsimTest, KnownValues) {
  const VideoFormat format = {PixelFormat::kYuv420, 40, 30, 8};
  const std::vector<Frame> black = ListOf(MakeFrame(format, 1, [](int, int, int) { return 0; }));
  const std::vector<Frame> white = ListOf(MakeFrame(format, 2, [](int, int, int) { return 255; }));
  const auto feature = MakeFeature(kSsim, {}, format);
  EXPECT_EQ(RunAll(*feature, black, black).values.at({0, 0}), 1.0);
  // c1 / (255^2 + c1) = 0.0001 / 1.0001 for every pixel.
  EXPECT_NEAR(RunAll(*feature, black, white).values.at({0, 0}), 0.0001 / 1.0001, 1e-15);
}

// 16-bit products wrap, and so does the squared peak.
TEST(SsimTest, WrapsAsTheReferenceDoes) {
  EXPECT_EQ(IntegerSsimProduct(68, 5619, 5619), 68 * 5619 * 5619);
  EXPECT_EQ(IntegerSsimProduct(68, 5620, 5620), static_cast<i32>(Wrapped(std::int64_t{68} * 5620 * 5620)));
  EXPECT_LT(IntegerSsimProduct(68, 5620, 5620), 0);
  EXPECT_EQ(IntegerSsimConstantsOf(16).c1, -131071 * (0.01 * 0.01));
  EXPECT_EQ(IntegerSsimConstantsOf(15).c2, 32767.0 * 32767.0 * (0.03 * 0.03));
}

TEST(SsimTest, WarnsOnceAboveTwelveBit) {
  for (const int depth : {8, 12, 13, 16}) {
    const VideoFormat format = {PixelFormat::kYuv420, 10, 10, depth};
    const std::vector<Frame> frames = NoiseFrames(format, 3, 1);
    const test_run::Scores scores = RunAll(*MakeFeature(kSsim, {}, format), frames, frames);
    EXPECT_EQ(scores.warnings.size(), depth > 12 ? 1u : 0u) << depth;
  }
}

TEST(SsimTest, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 19, 7, 16};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kSsim, {}, format), NoiseFrames(format, 6, 1),
                                         NoiseFrames(format, 6, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
