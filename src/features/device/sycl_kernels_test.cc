// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels on SYCL's CPU device, in both kinds of queues: every metric's facts are those of the scalar code.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/device_list.h"
#include "features/device/device_session.h"
#include "features/device/kernel_list.h"
#include "features/device/test_device_run.h"
#include "features/feature_list.h"
#include "features/psnr/psnr.h"

namespace lockstep {
namespace {

using test_run::DeviceFactsOn;
using test_run::MakeFeature;
using test_run::NoiseFrames;
using test_run::ScalarFacts;
using test_run::TryMakeFeature;

class SyclKernelsTest : public testing::TestWithParam<bool> {
 protected:
  // No device is a failure, not a reason to skip: the plugin is a part of this build.
  void SetUp() override {
    device_ = Open(false);
    ASSERT_NE(device_, nullptr);
  }
  static std::shared_ptr<Device> Open(bool profiling = false) {
    Result<std::shared_ptr<Device>> device = OpenDevice("sycl", {{}, GetParam(), profiling});
    EXPECT_TRUE(device) << device.error().Describe();
    return device ? *device : nullptr;
  }

  std::shared_ptr<Device> device_;
};

TEST_P(SyclKernelsTest, EveryKernelOfTheListIsThere) {
  std::set<const DeviceKernel*> kernels;
  for (const KernelDescription& kernel : KernelList()) {
    Result<const DeviceKernel*> found = device_->FindKernel(kernel.module, kernel.name);
    ASSERT_TRUE(found) << found.error().Describe();
    kernels.insert(*found);
    EXPECT_EQ(*device_->FindKernel(kernel.module, kernel.name), *found);
  }
  EXPECT_EQ(kernels.size(), KernelList().size());
}

TEST_P(SyclKernelsTest, AnUnknownKernelIsNamed) {
  const auto kernel = device_->FindKernel("psnr", "no_such_kernel");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::kNotFound);
  EXPECT_NE(kernel.error().message.find("psnr"), std::string::npos) << kernel.error().message;
  EXPECT_NE(kernel.error().message.find("no_such_kernel"), std::string::npos) << kernel.error().message;
}

TEST_P(SyclKernelsTest, FactsOfEveryMetricAreThoseOfTheScalarCode) {
  std::set<std::string> metrics;
  for (const FeatureDescription* description : FeatureList()) {
    for (const PlaneSize size : {PlaneSize{3, 3}, {4, 5}, {17, 17}, {31, 9}, {64, 64}, {257, 145}}) {
      for (const int depth : {8, 10, 16}) {
        const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
        const auto made = TryMakeFeature(*description, {}, format);
        if (!made || (*made)->MakeDeviceProgram({}) == nullptr) continue;
        metrics.insert(description->name);
        const Feature& feature = **made;
        const std::vector<Frame> reference = NoiseFrames(format, 5, 1);
        const std::vector<Frame> distorted = NoiseFrames(format, 5, 9);
        const auto expected = ScalarFacts(feature, reference, distorted);
        for (const int batch : {1, 2, 7}) {
          EXPECT_EQ(DeviceFactsOn(*device_, feature, reference, distorted, {batch, false}), expected)
              << description->name << " " << size.width << "x" << size.height << " " << depth << " bit, batch "
              << batch;
        }
      }
    }
  }
  const std::set<std::string> expected_metrics = {"psnr",         "float_psnr", "motion", "motion_v2",
                                                  "float_motion", "vif",        "adm",    "cambi"};
  EXPECT_EQ(metrics, expected_metrics);
}

TEST_P(SyclKernelsTest, RecordedKernelsSeeEachBatchsPictures) {
  ASSERT_TRUE(device_->properties().has_graphs);
  const VideoFormat format = {PixelFormat::kYuv420, 67, 35, 8};
  const auto feature = MakeFeature(kPsnr, {}, format);
  const std::vector<Frame> reference = NoiseFrames(format, 23, 1);
  const std::vector<Frame> distorted = NoiseFrames(format, 23, 100);
  const auto expected = ScalarFacts(*feature, reference, distorted);
  for (const int batch : {1, 2, 7}) {
    for (const bool use_graphs : {false, true}) {
      const std::uint64_t replays = device_->counters().replays;
      EXPECT_EQ(DeviceFactsOn(*device_, *feature, reference, distorted, {batch, use_graphs}), expected)
          << batch << (use_graphs ? " recorded" : "");
      EXPECT_EQ(device_->counters().replays - replays, use_graphs ? 23u / static_cast<unsigned>(batch) : 0u);
    }
  }
}

TEST_P(SyclKernelsTest, TimesAreGivenForEachKernel) {
  const std::shared_ptr<Device> device = Open(true);
  ASSERT_NE(device, nullptr);
  const VideoFormat format = {PixelFormat::kYuv420, 67, 35, 8};
  const auto feature = MakeFeature(kPsnr, {}, format);
  const std::vector<Frame> frames = NoiseFrames(format, 1, 1);
  const Feature* const features[] = {feature.get()};
  const auto session = *DeviceSession::Create(*device, format, features, {1, false});
  const BatchFrame frame = {frames.data(), frames.data(), {1}};
  session->Submit({&frame, 1});
  ASSERT_TRUE(session->Take());
  std::set<std::pair<std::string, std::uint64_t>> counts;
  for (const DeviceTiming& timing : session->TakeTimings()) {
    EXPECT_GT(timing.nanoseconds, 0u) << timing.name;
    if (timing.name.starts_with("psnr ")) counts.emplace(timing.name, timing.count);
  }
  const std::set<std::pair<std::string, std::uint64_t>> expected = {{"psnr squared_error_u8", 3},
                                                                    {"psnr sum_lanes", 3}};
  EXPECT_EQ(counts, expected);
}

TEST_P(SyclKernelsTest, ThreadsShareADevice) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const VideoFormat format = {PixelFormat::kYuv420, 33 + t, 35, t % 2 == 0 ? 8 : 10};
      const auto feature = MakeFeature(kPsnr, {}, format);
      const std::vector<Frame> reference = NoiseFrames(format, 6, static_cast<std::uint64_t>(t));
      const std::vector<Frame> distorted = NoiseFrames(format, 6, 100);
      const auto expected = ScalarFacts(*feature, reference, distorted);
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(DeviceFactsOn(*device_, *feature, reference, distorted, {2, round % 2 == 0}), expected) << t;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Queues, SyclKernelsTest, testing::Values(false, true),
                         [](const auto& queue) { return queue.param ? "OutOfOrder" : "InOrder"; });

}  // namespace
}  // namespace lockstep
