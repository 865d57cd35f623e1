// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's kernels on SYCL's CPU device give the scalar code's facts.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "features/device/test_device_run.h"
#include "features/vif/vif.h"
#include "features/vif/vif_test_pictures.h"

namespace lockstep {
namespace {

void Compare(Device& device, const VideoFormat& format, const test_run::OptionTexts& options) {
  const auto feature = test_run::MakeFeature(kVif, options, format);
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  for (test_targets::PicturePair& pair : MakeVifPairs(format)) {
    reference.push_back(std::move(pair.frames[0]));
    distorted.push_back(std::move(pair.frames[1]));
  }
  const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
  for (const int batch : {1, 7}) {
    EXPECT_EQ(test_run::DeviceFactsOn(device, *feature, reference, distorted, {batch, false}), expected)
        << format.width << "x" << format.height << " " << format.bit_depth << " bit, batch " << batch
        << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

VideoFormat Format(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

class VifSyclTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {});
    ASSERT_TRUE(device) << device.error().Describe();
    device_ = *device;
  }

  std::shared_ptr<Device> device_;
};

TEST_F(VifSyclTest, Sizes) {
  for (const PlaneSize size :
       {PlaneSize{16, 16}, {17, 17}, {19, 23}, {31, 16}, {33, 33}, {64, 64}, {70, 50}, {257, 145}, {576, 324}}) {
    for (const int depth : {8, 10, 12, 16}) Compare(*device_, Format(size.width, size.height, depth), {});
  }
}

TEST_F(VifSyclTest, Options) {
  for (const int depth : {8, 12}) {
    const VideoFormat format = Format(109, 67, depth);
    // Between integers, the limit leaves many pixels to the kernel that otherwise has hardly any.
    for (const char* const limit : {"1", "1.5", "1.0000000000000002"}) {
      Compare(*device_, format, {{"vif_enhn_gain_limit", limit}});
    }
    Compare(*device_, format, {{"vif_skip_scale0", "true"}});
  }
}

}  // namespace
}  // namespace lockstep
