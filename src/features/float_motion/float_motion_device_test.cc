// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's device program gives the scalar code's facts.
#include <gtest/gtest.h>

#include <vector>

#include "features/device/test_device_run.h"
#include "features/float_motion/float_motion.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::MakeFeature;
using test_run::NoiseFrames;
using test_run::ScalarFacts;

const test_run::OptionTexts kOptionCases[] = {
    {},
    {{"motion_filter_size", "3"}},
    {{"motion_filter_size", "1"}},
    {{"motion_add_scale1", "true"}},
    {{"motion_add_scale1", "true"}, {"motion_filter_size", "3"}},
    {{"motion_force_zero", "true"}},
    {{"motion_fps_weight", "1.5"}, {"motion_max_val", "5"}, {"debug", "true"}},
};

TEST(FloatMotionDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{3, 3},   {4, 5},   {5, 3},   {17, 17},   {19, 23},  {31, 9},
                             {33, 33}, {64, 64}, {65, 31}, {257, 145}, {960, 540}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      const std::vector<Frame> reference = NoiseFrames(format, 3, 5);
      for (const test_run::OptionTexts& options : kOptionCases) {
        const auto feature = MakeFeature(kFloatMotion, options, format);
        EXPECT_EQ(DeviceFacts(*feature, reference, {}), ScalarFacts(*feature, reference, {}))
            << size.width << "x" << size.height << " " << depth << " bit";
        if (size.width > 900) break;
      }
    }
  }
}

TEST(FloatMotionDeviceTest, ChromaPlanesHaveTheSizeOfTheirFormat) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size : {PlaneSize{16, 18}, PlaneSize{71, 45}}) {
      for (const char* halves : {"false", "true"}) {
        const VideoFormat format = {pixels, size.width, size.height, 10};
        const auto feature =
            MakeFeature(kFloatMotion, {{"motion_add_uv", "true"}, {"motion_add_scale1", halves}}, format);
        const std::vector<Frame> reference = NoiseFrames(format, 3, 5);
        EXPECT_EQ(DeviceFacts(*feature, reference, {}), ScalarFacts(*feature, reference, {}))
            << PixelFormatName(pixels) << " " << size.width;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
