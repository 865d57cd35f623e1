// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's kernels on SYCL's CPU device give the scalar code's facts.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/device_list.h"
#include "features/cambi/cambi.h"
#include "features/cambi/cambi_test_banding.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

void Compare(Device& device, const VideoFormat& format, const test_run::OptionTexts& options) {
  const auto feature = test_run::MakeFeature(kCambi, options, format);
  const std::vector<Frame> distorted = test_run::CambiFrames(format);
  std::vector<Frame> reference;
  while (reference.size() < distorted.size()) {
    reference.push_back(test_run::BandedFrame(format, 90 + reference.size(), 200, 21, 70));
  }
  const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
  for (const int batch : {1, 7}) {
    EXPECT_EQ(test_run::DeviceFactsOn(device, *feature, reference, distorted, {batch, false}), expected)
        << format.width << "x" << format.height << " " << format.bit_depth << " bit, batch " << batch
        << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

TEST(CambiSyclTest, FactsAreThoseOfTheScalarCode) {
  const Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {});
  ASSERT_TRUE(device) << device.error().Describe();
  for (const int depth : {8, 10, 12, 16}) Compare(**device, {PixelFormat::kYuv400, 257, 145, depth}, {});
  const VideoFormat format = {PixelFormat::kYuv400, 240, 90, 8};
  Compare(**device, format, {{"full_ref", "true"}, {"cambi_vis_lum_threshold", "0.06"}});
  Compare(**device, format, {{"max_log_contrast", "5"}, {"tvi_threshold", "0.0001"}, {"topk", "0.1"}});
  Compare(**device, {PixelFormat::kYuv400, 320, 240, 10}, {{"enc_width", "250"}, {"enc_height", "170"}});
}

}  // namespace
}  // namespace lockstep
