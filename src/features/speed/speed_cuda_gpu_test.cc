// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma on an NVIDIA device gives the scalar code's facts: sizes, depths, options, batches, recorded or not.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"
#include "features/speed/speed.h"
#include "features/speed/speed_test_pictures.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_run::SpeedFrames;

class SpeedCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  void Compare(const VideoFormat& format, const OptionTexts& options, int frames, const std::vector<int>& batches,
               bool use_graphs) {
    const auto feature = test_run::MakeFeature(kSpeedChroma, options, format);
    const std::vector<Frame> reference = SpeedFrames(format, frames, false);
    const std::vector<Frame> distorted = SpeedFrames(format, frames, true);
    const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
    std::string text;
    for (const auto& [name, value] : options) text += " " + name + "=" + value;
    for (const int batch : batches) {
      EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, distorted, {batch, use_graphs}), expected)
          << format.width << "x" << format.height << ", " << format.bit_depth << " bit, batch " << batch << text;
    }
  }
};

TEST_F(SpeedCudaGpuTest, Formats) {
  for (const PlaneSize size : {PlaneSize{161, 163}, {500, 470}, {511, 491}, {529, 640}}) {
    for (const int depth : {8, 10, 12, 16}) {
      for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
        Compare({pixels, size.width, size.height, depth}, {}, 3, {1, 2}, depth != 12);
      }
    }
  }
}

// Few launches, for checkers that slow them down.
TEST_F(SpeedCudaGpuTest, SmallPictures) {
  Compare({PixelFormat::kYuv444, 300, 290, 8}, {}, 2, {2}, false);
  Compare({PixelFormat::kYuv444, 500, 400, 10}, {{"speed_prescale", "0.6"}, {"speed_prescale_method", "bilinear"}}, 1,
          {1}, false);
}

TEST_F(SpeedCudaGpuTest, Sizes) {
  for (int i = 0; i < 85; ++i) {
    Compare({PixelFormat::kYuv444, 261 + i, 300 - i % 19, i % 2 == 0 ? 8 : 10}, {}, 1, {1}, false);
  }
}

TEST_F(SpeedCudaGpuTest, Options) {
  for (const char* scale : {"0.5", "0.6667", "1.25", "1.5", "1.6", "2", "2.4", "3", "3.7113"}) {
    Compare({PixelFormat::kYuv444, 270, 265, 8}, {{"speed_kernelscale", scale}}, 1, {1}, false);
  }
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos4"}) {
    for (const char* factor : {"0.5", "0.6", "1.0009", "1.5", "2"}) {
      const OptionTexts options = {{"speed_prescale", factor}, {"speed_prescale_method", method}};
      for (const int depth : {8, 10}) Compare({PixelFormat::kYuv444, 571, 560, depth}, options, 1, {1}, false);
    }
  }
}

TEST_F(SpeedCudaGpuTest, Batches) {
  for (int batch = 1; batch <= 16; ++batch) {
    Compare({PixelFormat::kYuv420, 560, 530, 8}, {}, 33, {batch}, batch % 2 == 0);
  }
}

TEST_F(SpeedCudaGpuTest, LargeSizes) {
  const PlaneSize sizes[] = {{960, 540}, {1283, 723}, {1920, 1080}, {3840, 2160}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      Compare(format, {}, 3, {2}, true);
      Compare(format, {{"speed_prescale", "0.6"}, {"speed_prescale_method", "bilinear"}}, 2, {2}, true);
    }
  }
  Compare({PixelFormat::kYuv444, 3840, 2160, 8}, {}, 1, {1}, false);
}

}  // namespace
}  // namespace lockstep
