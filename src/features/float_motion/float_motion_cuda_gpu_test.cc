// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion on an NVIDIA device gives the scalar code's facts: sizes, depths, options, batches, recorded or not.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"
#include "features/float_motion/float_motion.h"

namespace lockstep {
namespace {

using test_run::NoiseFrames;
using test_run::OptionTexts;

class FloatMotionCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  void Compare(const VideoFormat& format, const OptionTexts& options, int frames, const std::vector<int>& batches,
               bool use_graphs) {
    const auto feature = test_run::MakeFeature(kFloatMotion, options, format);
    const std::vector<Frame> reference = NoiseFrames(format, frames, 5);
    const auto expected = test_run::ScalarFacts(*feature, reference, {});
    for (const int batch : batches) {
      EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, {}, {batch, use_graphs}), expected)
          << format.width << "x" << format.height << ", " << format.bit_depth << " bit, batch " << batch
          << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
    }
  }
};

TEST_F(FloatMotionCudaGpuTest, SizesAndOptions) {
  const OptionTexts families[] = {{},
                                  {{"motion_filter_size", "3"}},
                                  {{"motion_filter_size", "1"}},
                                  {{"motion_add_scale1", "true"}},
                                  {{"motion_force_zero", "true"}}};
  const PlaneSize sizes[] = {{3, 3},   {4, 5},   {5, 3},   {17, 17},   {19, 23},  {31, 9},
                             {33, 33}, {64, 64}, {65, 31}, {257, 145}, {576, 324}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      for (const OptionTexts& options : families) {
        Compare({PixelFormat::kYuv420, size.width, size.height, depth}, options, 6, {1, 4}, depth != 12);
      }
    }
  }
}

TEST_F(FloatMotionCudaGpuTest, Ends) {
  for (int width = 3; width < 140; ++width) {
    const int depths[] = {8, 10, 12, 16};
    Compare({PixelFormat::kYuv400, width, 3 + width % 40, depths[width % 4]}, {}, 6, {1 + width % 5}, false);
  }
}

TEST_F(FloatMotionCudaGpuTest, Batches) {
  for (int batch = 1; batch <= 16; ++batch) {
    Compare({PixelFormat::kYuv400, 120, 50, 8}, {}, 33, {batch}, batch % 2 == 0);
  }
}

TEST_F(FloatMotionCudaGpuTest, ChromaPlanesHaveTheSizeOfTheirFormat) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    Compare({pixels, 71, 45, 10}, {{"motion_add_uv", "true"}}, 5, {2}, false);
  }
}

TEST_F(FloatMotionCudaGpuTest, LargeSizes) {
  const PlaneSize sizes[] = {{854, 480}, {960, 540}, {1283, 723}, {1920, 1080}, {3840, 2160}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10}) Compare({PixelFormat::kYuv400, size.width, size.height, depth}, {}, 5, {3}, true);
  }
}

}  // namespace
}  // namespace lockstep
