// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's kernels on SYCL's CPU device give the scalar code's facts for the pictures and options at the metric's edges.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "features/adm/adm.h"
#include "features/adm/adm_test_pictures.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;

class AdmSyclTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {{}, GetParam(), false});
    ASSERT_TRUE(device) << device.error().Describe();
    device_ = *device;
  }

  void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
    const VideoFormat format = {PixelFormat::kYuv400, width, height, bit_depth};
    const std::unique_ptr<Feature> feature = test_run::MakeFeature(kAdm, options, format);
    std::vector<Frame> reference;
    std::vector<Frame> distorted;
    for (test_targets::PicturePair& pair : MakeAdmPairs(format, test_targets::SeedOf(format))) {
      reference.push_back(std::move(pair.frames[0]));
      distorted.push_back(std::move(pair.frames[1]));
    }
    const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
    for (const int batch : {1, 2, 7}) {
      EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, distorted, {batch, false}), expected)
          << width << "x" << height << ", " << bit_depth << " bit, batch " << batch
          << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
    }
  }

  std::shared_ptr<Device> device_;
};

TEST_P(AdmSyclTest, Sizes) {
  const PlaneSize sizes[] = {{33, 33}, {34, 47}, {64, 64}, {70, 50}, {257, 145}, {576, 324}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) Compare(size.width, size.height, depth, {});
  }
}

TEST_P(AdmSyclTest, Options) {
  for (const OptionTexts& options : AdmOptionFamilies()) {
    Compare(109, 67, 8, options);
    Compare(109, 67, 16, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, AdmSyclTest, testing::Values(false, true),
                         [](const auto& queue) { return queue.param ? "OutOfOrder" : "InOrder"; });

}  // namespace
}  // namespace lockstep
