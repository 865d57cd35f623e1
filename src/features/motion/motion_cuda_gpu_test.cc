// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion and motion_v2 on a CUDA device give the scalar code's facts.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"
#include "features/motion/motion.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFrame;
using test_run::NoiseFrames;

const test_run::OptionTexts kOptionCases[] = {
    {},
    {{"motion_five_frame_window", "true"}},
    {{"motion_force_zero", "true"}},
    {{"motion_moving_average", "true"}, {"motion_fps_weight", "1.5"}, {"motion_blend_factor", "0.5"}},
};

class MotionCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  void Compare(const FeatureDescription& metric, const test_run::OptionTexts& options,
               const std::vector<Frame>& reference, const std::vector<int>& batches) {
    const VideoFormat& format = reference.front().format();
    const auto feature = test_run::MakeFeature(metric, options, format);
    const auto expected = test_run::ScalarFacts(*feature, reference, {});
    for (const int batch : batches) {
      for (const bool graphs : {false, true}) {
        EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, {}, {batch, graphs}), expected)
            << metric.name << " " << format.width << "x" << format.height << " " << format.bit_depth << " bit "
            << PixelFormatName(format.pixel_format) << ", batch " << batch << (graphs ? ", graphs" : "")
            << (options.empty() ? "" : ", " + options[0].first);
      }
    }
  }
};

TEST_F(MotionCudaGpuTest, Sizes) {
  constexpr PlaneSize kSizes[] = {{3, 3},   {4, 5},    {5, 3},    {17, 17},  {19, 23},  {31, 9},    {33, 33},
                                  {64, 64}, {66, 120}, {120, 10}, {121, 61}, {161, 91}, {257, 145}, {576, 324}};
  for (const FeatureDescription* metric : {&kMotion, &kMotionV2}) {
    for (const PlaneSize size : kSizes) {
      for (const int depth : {8, 9, 10, 12, 15, 16}) {
        const std::vector<Frame> reference = NoiseFrames({PixelFormat::kYuv400, size.width, size.height, depth}, 5, 5);
        for (const test_run::OptionTexts& options : kOptionCases) Compare(*metric, options, reference, {1, 2, 16});
      }
    }
  }
}

TEST_F(MotionCudaGpuTest, LargerPictures) {
  for (const PlaneSize size : {PlaneSize{960, 540}, {1283, 723}, {1920, 1080}, {3840, 2160}}) {
    for (const int depth : {8, 10, 16}) {
      Compare(kMotion, {}, NoiseFrames({PixelFormat::kYuv400, size.width, size.height, depth}, 3, 1), {3});
    }
  }
}

TEST_F(MotionCudaGpuTest, Extremes) {
  for (int depth = 8; depth <= 16; ++depth) {
    const VideoFormat format = {PixelFormat::kYuv400, 130, 40, depth};
    const int peak = (1 << depth) - 1;
    Compare(kMotion, {},
            ListOf(MakeFrame(format, 1, [&](int, int, int) { return peak; }),
                   MakeFrame(format, 2, [&](int, int, int) { return 0; }),
                   MakeFrame(format, 3, [&](int, int, int) { return peak; }),
                   MakeFrame(format, 4, [&](int, int x, int y) { return ((x ^ y) & 1) != 0 ? peak : 0; }),
                   MakeFrame(format, 5, [&](int, int x, int y) { return ((x / 3 + y / 2) & 1) != 0 ? 0 : peak; })),
            {1, 5});
  }
}

TEST_F(MotionCudaGpuTest, ChromaPlanes) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size : {PlaneSize{17, 19}, {256, 144}, {71, 45}}) {
      for (const int depth : {8, 10, 16}) {
        Compare(kMotion, {{"motion_add_uv", "true"}}, NoiseFrames({pixels, size.width, size.height, depth}, 4, 5),
                {1, 4});
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
