// SPDX-License-Identifier: BSD-2-Clause-Patent
// The device program of motion and motion_v2 gives the scalar code's facts.
#include <gtest/gtest.h>

#include <vector>

#include "features/device/test_device_run.h"
#include "features/motion/motion.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::ScalarFacts;

const test_run::OptionTexts kOptionCases[] = {
    {},
    {{"motion_five_frame_window", "true"}},
    {{"motion_force_zero", "true"}},
    {{"motion_moving_average", "true"}, {"motion_fps_weight", "1.5"}, {"debug", "true"}},
};

TEST(MotionDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{3, 3},   {4, 5},   {5, 3},   {17, 17},   {19, 23},   {31, 9},
                             {33, 33}, {64, 64}, {65, 31}, {257, 145}, {1283, 723}};
  for (const FeatureDescription* metric : {&kMotion, &kMotionV2}) {
    for (const PlaneSize size : sizes) {
      for (const int depth : {8, 10, 12, 15, 16}) {
        const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
        const std::vector<Frame> reference = NoiseFrames(format, size.width > 1000 ? 2 : 4, 5);
        for (const test_run::OptionTexts& options : kOptionCases) {
          const auto feature = MakeFeature(*metric, options, format);
          EXPECT_EQ(DeviceFacts(*feature, reference, {}), ScalarFacts(*feature, reference, {}))
              << metric->name << " " << size.width << "x" << size.height << " " << depth << " bit";
          if (size.width > 1000) break;
        }
      }
    }
  }
}

// The vertical sum of 16-bit differences passes 32 bits.
TEST(MotionDeviceTest, Extremes) {
  for (const int depth : {8, 10, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 70, 50, depth};
    const int peak = (1 << depth) - 1;
    const std::vector<Frame> reference =
        ListOf(MakeFrame(format, 1, [&](int, int, int) { return peak; }),
               MakeFrame(format, 2, [&](int, int, int) { return 0; }),
               MakeFrame(format, 3, [&](int, int x, int y) { return ((x ^ y) & 1) != 0 ? peak : 0; }),
               MakeFrame(format, 4, [&](int, int x, int y) { return ((x / 3 + y / 2) & 1) != 0 ? 0 : peak; }));
    const auto feature = MakeFeature(kMotion, {}, format);
    EXPECT_EQ(DeviceFacts(*feature, reference, {}), ScalarFacts(*feature, reference, {})) << depth;
  }
}

TEST(MotionDeviceTest, ChromaPlanesHaveTheSizeOfTheirFormat) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size : {PlaneSize{17, 19}, PlaneSize{256, 144}, PlaneSize{71, 45}}) {
      for (const int depth : {8, 10, 16}) {
        const VideoFormat format = {pixels, size.width, size.height, depth};
        const auto feature = MakeFeature(kMotion, {{"motion_add_uv", "true"}}, format);
        const std::vector<Frame> reference = NoiseFrames(format, 3, 5);
        EXPECT_EQ(DeviceFacts(*feature, reference, {}), ScalarFacts(*feature, reference, {}))
            << PixelFormatName(pixels) << " " << size.width << " " << depth;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
