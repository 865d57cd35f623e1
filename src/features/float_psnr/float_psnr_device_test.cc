// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr's device program gives the scalar code's facts, also where the reference rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "features/device/test_device_run.h"
#include "features/float_psnr/float_psnr.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::ScalarFacts;

TEST(FloatPsnrDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{1, 1}, {3, 3}, {4, 5}, {17, 17}, {31, 9}, {33, 33}, {64, 64}, {257, 145}, {1283, 723}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      const auto feature = MakeFeature(kFloatPsnr, {}, format);
      const std::vector<Frame> reference = NoiseFrames(format, 1, 1);
      const std::vector<Frame> distorted = NoiseFrames(format, 1, 9);
      EXPECT_EQ(DeviceFacts(*feature, reference, distorted), ScalarFacts(*feature, reference, distorted))
          << size.width << "x" << size.height << " " << depth << " bit";
      EXPECT_EQ(DeviceFacts(*feature, reference, reference), ScalarFacts(*feature, reference, reference));
    }
  }
}

// Where the reference's sum rounds, its own order is used; the integers alone would be within the documented bound.
TEST(FloatPsnrDeviceTest, SumsPast53BitsKeepTheOrderOfTheReference) {
  const VideoFormat format = {PixelFormat::kYuv400, 2560, 1440, 16};
  const auto feature = MakeFeature(kFloatPsnr, {{"uncapped", "true"}}, format);
  const std::vector<Frame> reference =
      ListOf(MakeFrame(format, 1, [](int, int x, int y) { return 65535 - (x * 7 + y * 13) % 512; }));
  const std::vector<Frame> distorted =
      ListOf(MakeFrame(format, 2, [](int, int x, int y) { return (x * 5 + y * 3) % 511; }));
  const auto facts = DeviceFacts(*feature, reference, distorted);
  EXPECT_EQ(facts, ScalarFacts(*feature, reference, distorted));

  u64 sum = 0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const float difference =
          static_cast<float>(test_run::Sample(reference[0], 0, x, y) - test_run::Sample(distorted[0], 0, x, y));
      sum += static_cast<u64>(difference * difference);
    }
  }
  ASSERT_GT(sum, kFloatPsnrExactSum);
  const std::int64_t pixels = std::int64_t{format.width} * format.height;
  const double exact = FloatPsnrScore(FloatPsnrNoiseFromIntegerSum(sum, 16), pixels, 16, true);
  const double score = FloatPsnrScore(DoubleOf(facts[0][0]), pixels, 16, true);
  const double bound = 10 / std::log(10.0) * (format.height + 1) * std::ldexp(1.0, -53);
  EXPECT_LE(std::abs(exact - score), bound + 4 * std::ldexp(std::abs(score), -52));
}

}  // namespace
}  // namespace lockstep
