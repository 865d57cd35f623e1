// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma's kernels on SYCL's CPU device give the scalar code's facts.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/device_list.h"
#include "features/device/test_device_run.h"
#include "features/speed/speed.h"
#include "features/speed/speed_test_pictures.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_run::SpeedFrames;

class SpeedSyclTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {});
    ASSERT_TRUE(device) << device.error().Describe();
    device_ = *device;
  }

  void Compare(const VideoFormat& format, const OptionTexts& options, int frames = 1) {
    const auto feature = test_run::MakeFeature(kSpeedChroma, options, format);
    const std::vector<Frame> reference = SpeedFrames(format, frames, false);
    const std::vector<Frame> distorted = SpeedFrames(format, frames, true);
    const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
    std::string text;
    for (const auto& [name, value] : options) text += " " + name + "=" + value;
    EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, distorted, {frames, false}), expected)
        << format.width << "x" << format.height << " " << format.bit_depth << " bit" << text;
    for (const std::vector<Fact>& facts : expected) EXPECT_GT(DoubleOf(facts[0]), 0.0);
  }

  std::shared_ptr<Device> device_;
};

TEST_F(SpeedSyclTest, Formats) {
  for (const int depth : {8, 9, 10, 12, 16}) {
    Compare({PixelFormat::kYuv420, 540, 530, depth}, {}, 2);
    Compare({PixelFormat::kYuv422, 511, 270, depth}, {});
    Compare({PixelFormat::kYuv444, 261 + depth, 299, depth}, {});
  }
}

TEST_F(SpeedSyclTest, Options) {
  for (const char* scale : {"0.5", "1.5", "2.4", "3.7113"}) {
    Compare({PixelFormat::kYuv444, 270, 265, 8}, {{"speed_kernelscale", scale}});
  }
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos4"}) {
    for (const char* factor : {"0.5", "0.6", "1.5"}) {
      const OptionTexts options = {{"speed_prescale", factor}, {"speed_prescale_method", method}};
      Compare({PixelFormat::kYuv444, 561, 540, 8}, options);
      Compare({PixelFormat::kYuv444, 561, 540, 10}, options);
    }
  }
}

}  // namespace
}  // namespace lockstep
