// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma's device program gives the scalar code's facts.
#include "features/speed/speed_device.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "features/device/test_device_run.h"
#include "features/speed/speed.h"
#include "features/speed/speed_kernels.h"
#include "features/speed/speed_test_pictures.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrame;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::ScalarFacts;
using test_run::SpeedFrames;

void Compare(const OptionTexts& options, const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  const VideoFormat& format = reference.front().format();
  const auto feature = MakeFeature(kSpeedChroma, options, format);
  std::string text;
  for (const auto& [name, value] : options) text += " " + name + "=" + value;
  EXPECT_EQ(DeviceFacts(*feature, reference, distorted), ScalarFacts(*feature, reference, distorted))
      << format.width << "x" << format.height << " " << format.bit_depth << " bit "
      << PixelFormatName(format.pixel_format) << text;
}

/// Scores that are 0 would hide differences.
void CompareRegular(const OptionTexts& options, const std::vector<Frame>& reference,
                    const std::vector<Frame>& distorted) {
  Compare(options, reference, distorted);
  const auto feature = MakeFeature(kSpeedChroma, options, reference.front().format());
  for (const std::vector<Fact>& facts : ScalarFacts(*feature, reference, distorted)) {
    EXPECT_GT(DoubleOf(facts[0]), 0.0);
    EXPECT_GT(DoubleOf(facts[1]), 0.0);
    EXPECT_EQ(facts[2], 0u);
  }
}

void CompareRegular(const VideoFormat& format, const OptionTexts& options, int frames = 1) {
  CompareRegular(options, SpeedFrames(format, frames, false), SpeedFrames(format, frames, true));
}

TEST(SpeedDeviceTest, Formats) {
  for (const PlaneSize size : {PlaneSize{500, 470}, {511, 491}, {529, 640}}) {
    for (const int depth : {8, 9, 10, 12, 14, 16}) {
      for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
        CompareRegular({pixels, size.width, size.height, depth}, {});
      }
    }
  }
}

// Every remainder of the sizes of decimated planes and blocks.
TEST(SpeedDeviceTest, Sizes) {
  for (int i = 0; i < 85; ++i) {
    CompareRegular({PixelFormat::kYuv444, 261 + i, 300 - i % 19, i % 2 == 0 ? 8 : 10}, {});
  }
  for (int width = 80; width < 240; width += 13) {
    for (int height = 80; height < 240; height += 29) {
      const VideoFormat format = {PixelFormat::kYuv444, width, height, 8};
      Compare({}, NoiseFrames(format, 1, 1), NoiseFrames(format, 1, 2));
    }
  }
}

TEST(SpeedDeviceTest, KernelScales) {
  for (const char* scale :
       {"0.5",    "1.5", "2",      "0.6667", "2.4",  "3.7113", "1.3333",  "1.1667",   "1.25",    "1.4167",
        "1.6667", "3",   "0.4444", "1.4746", "1.54", "1.6",    "1.06667", "0.711111", "0.74074", "1.111111"}) {
    CompareRegular({PixelFormat::kYuv444, 270, 265, 8}, {{"speed_kernelscale", scale}});
    Compare({{"speed_kernelscale", scale}}, NoiseFrames({PixelFormat::kYuv444, 80, 95, 10}, 1, 1),
            NoiseFrames({PixelFormat::kYuv444, 80, 95, 10}, 1, 2));
  }
}

TEST(SpeedDeviceTest, Resizes) {
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos4"}) {
    for (const char* factor : {"0.5", "0.6", "0.75", "0.999", "1.0009", "1.5", "2", "3.3"}) {
      const double value = std::stod(factor);
      const int side = static_cast<int>(330.0 / (value > 1.5 ? 1.5 : value));
      const OptionTexts options = {{"speed_prescale", factor}, {"speed_prescale_method", method}};
      CompareRegular({PixelFormat::kYuv444, side, side - 11, 8}, options);
      CompareRegular({PixelFormat::kYuv422, 2 * side + 1, side, 12}, options);
    }
    const OptionTexts wide = {
        {"speed_prescale", "0.7"}, {"speed_prescale_method", method}, {"speed_kernelscale", "3.7113"}};
    CompareRegular({PixelFormat::kYuv444, 401, 390, 8}, wide);
  }
  CompareRegular({PixelFormat::kYuv444, 2700, 2600, 8}, {{"speed_prescale", "0.1"}});
  CompareRegular({PixelFormat::kYuv444, 90, 85, 8}, {{"speed_prescale", "4"}, {"speed_prescale_method", "lanczos4"}});
}

TEST(SpeedDeviceTest, ScoreOptions) {
  const VideoFormat format = {PixelFormat::kYuv420, 560, 530, 8};
  for (int mode = 0; mode <= 6; ++mode) {
    CompareRegular(format, {{"speed_weight_var_mode", std::to_string(mode)}, {"speed_sigma_nn", "0.19"}});
  }
  CompareRegular(format, {{"speed_nn_floor", "0.5"}, {"speed_max_val", "0.5"}}, 3);
}

// Covariances of a flat plane are singular.
TEST(SpeedDeviceTest, FlatPlanes) {
  const VideoFormat format = {PixelFormat::kYuv444, 270, 265, 8};
  for (int flat = 0; flat < 16; ++flat) {
    const auto make = [&](int sides, std::uint64_t seed) {
      std::uint64_t state = seed;
      return MakeFrame(format, seed, [&](int p, int, int) {
        const bool is_flat = p > 0 && ((sides >> (p - 1)) & 1) != 0;
        return is_flat ? 128u : static_cast<unsigned>(test_run::NextRandom(state) >> 56);
      });
    };
    Compare({}, ListOf(make(flat & 3, 1)), ListOf(make(flat >> 2, 2)));
  }
}

TEST(SpeedDeviceTest, Extremes) {
  for (const int depth : {8, 16}) {
    const VideoFormat format = {PixelFormat::kYuv444, 300, 270, depth};
    const int peak = (1 << depth) - 1;
    Compare({}, ListOf(MakeFrame(format, 1, [&](int, int, int) { return peak; })),
            ListOf(MakeFrame(format, 2, [&](int, int, int) { return 0; })));
    Compare({},
            ListOf(MakeFrame(format, 1, [&](int, int x, int y) { return ((x / 16 ^ y / 16) & 1) != 0 ? peak : 0; })),
            ListOf(NoiseFrame(format, 4)));
    Compare({{"speed_prescale", "2"}, {"speed_prescale_method", "lanczos4"}},
            ListOf(MakeFrame(format, 3,
                             [&](int, int x, int y) { return x == 160 && y == 128 ? peak / 2 + 2 : peak / 2 + 1; })),
            ListOf(NoiseFrame(format, 5)));
  }
}

// Scores see sums of products only after they have been rounded to binary32.
TEST(SpeedDeviceTest, ChainsAreThoseOfHardware) {
  std::uint64_t state = 1;
  for (const SpeedWindow window : {SpeedWindow{1, 1}, {6, 1}, {1, 11}, {26, 16}, {41, 36}}) {
    const i32 width = window.width + kSpeedBlock - 1;
    const i32 height = window.height + kSpeedBlock - 1;
    for (const bool tiny : {false, true}) {
      std::vector<float> prepared(static_cast<std::size_t>(kSpeedPlanes * width * height));
      for (float& value : prepared) {
        const auto mantissa = static_cast<float>(static_cast<std::int64_t>(test_run::NextRandom(state)) >> 40);
        // Exponents that are far apart, subnormal numbers among them.
        const int exponent = tiny ? -140 + static_cast<int>(test_run::NextRandom(state) % 60) : -18;
        value = std::ldexp(mantissa, exponent);
        if (test_run::NextRandom(state) % 16 == 0) value = 0.0f;
      }
      std::vector<i32> pairs;
      for (i32 p = 0; p < kSpeedPositions; ++p) {
        for (i32 q = 0; q <= p; ++q) pairs.push_back((p << kSpeedPairShift) + q);
      }
      std::vector<float> means(kSpeedPositions * kSpeedPlanes);
      std::vector<Binary64Bits> sums(kSpeedPairs * kSpeedPlanes);
      DeviceSteps steps;
      const SpeedStatisticsArgs args = {prepared.data(), means.data(), sums.data(),
                                        pairs.data(),    window.width, window.height};
      steps.AddRows("means", kSpeedPositions * kSpeedPlanes, args);
      steps.AddRows("covariances", kSpeedPairs * kSpeedPlanes, args);
      test_run::RunSteps("speed", steps);
      const i64 stride = i64{kSpeedPlanes} * width;
      for (i32 plane = 0; plane < kSpeedPlanes; ++plane) {
        const auto start = [&](i32 p) {
          return prepared.data() + p / kSpeedBlock * stride + plane * width + p % kSpeedBlock;
        };
        const auto mean = [&](i32 p) { return means[static_cast<std::size_t>(p * kSpeedPlanes + plane)]; };
        for (i32 p = 0; p < kSpeedPositions; ++p) {
          ASSERT_EQ(std::bit_cast<u32>(mean(p)), std::bit_cast<u32>(SpeedMean(start(p), stride, window)));
          for (i32 q = 0; q <= p; ++q) {
            double sum = 0.0;
            for (i64 y = 0; y < window.height; ++y) {
              for (i64 x = 0; x < window.width; ++x) {
                sum = SpeedCovarianceStep(sum, start(p)[y * stride + x], mean(p), start(q)[y * stride + x], mean(q));
              }
            }
            ASSERT_EQ(sums[static_cast<std::size_t>(SpeedPair(p, q) * kSpeedPlanes + plane)], std::bit_cast<u64>(sum))
                << window.width << "x" << window.height << " " << p << " " << q << (tiny ? " tiny" : "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
