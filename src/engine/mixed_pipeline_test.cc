// SPDX-License-Identifier: BSD-2-Clause-Patent
// Metrics on devices and beside them give the facts of the processor alone, and end together.
#include "engine/mixed_pipeline.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/test_device.h"
#include "engine/test_pair_source.h"
#include "features/device/host_device.h"
#include "features/feature_list.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

constexpr VideoFormat kFormat = {PixelFormat::kYuv420, 48, 40, 8};

class CountedSource : public NoiseSource {
 public:
  using NoiseSource::NoiseSource;
  Result<bool> Next(FramePair& pair) override {
    ++calls;
    return NoiseSource::Next(pair);
  }
  int calls = 0;
};

class ThrowingSource : public NoiseSource {
 public:
  using NoiseSource::NoiseSource;
  Result<bool> Next(FramePair& pair) override {
    if (++calls_ > 7) throw std::runtime_error("out of film");
    return NoiseSource::Next(pair);
  }

 private:
  int calls_ = 0;
};

// Both kinds of metrics in turn: they look back by no, one and two pictures, on every picture or on some.
class MixedPipelineTest : public ::testing::Test {
 protected:
  MixedPipelineTest() {
    Add({"psnr", "float_ssim", "motion", "xpsnr", "float_motion", "ciede", "vif"});
    for (int i = 0; i < 3; ++i) devices_.push_back(MakeHostDevice(HostOrder::kLate));
  }

  void Add(const std::vector<const char*>& names) {
    for (const char* name : names) {
      made_.push_back(test_run::MakeFeature(*FindFeature(name), {}, kFormat));
      features.push_back(made_.back().get());
    }
  }

  std::vector<Device*> Devices(std::size_t count) {
    std::vector<Device*> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(devices_[i].get());
    return list;
  }

  Result<DevicePipelineResult> Run(PairSource& source, const PipelineOptions& options,
                                   const std::vector<Device*>& devices) {
    return RunMixedPipeline(features, FindProcessorMetrics(features, *devices[0]), kFormat, source, options, devices,
                            {2, GraphUse::kNever, 3});
  }

  void Compare(std::int64_t frames, PipelineOptions options, std::size_t devices, const std::string& what) {
    NoiseSource on_host(kFormat, options.first_picture, frames);
    const Result<PipelineResult> expected = RunPipeline(features, on_host, options);
    ASSERT_TRUE(expected.ok());
    CountedSource source(kFormat, options.first_picture, frames);
    std::int64_t progress = 0;
    options.on_progress = [&](std::int64_t done) { EXPECT_EQ(done, ++progress); };
    const Result<DevicePipelineResult> actual = Run(source, options, Devices(devices));
    ASSERT_TRUE(actual.ok()) << what << ": " << actual.error().Describe();
    EXPECT_EQ(progress, expected->end_picture - options.first_picture) << what;
    EXPECT_EQ(source.calls, progress + 1) << what;
    EXPECT_EQ(actual->facts.end_picture, expected->end_picture) << what;
    ASSERT_EQ(actual->facts.facts.size(), features.size());
    for (std::size_t f = 0; f < features.size(); ++f) {
      ExpectEqualFacts(actual->facts.facts[f], expected->facts[f], what);
    }
  }

  std::vector<const Feature*> features;

 private:
  std::vector<std::unique_ptr<Feature>> made_;
  std::vector<std::unique_ptr<Device>> devices_;
};

TEST_F(MixedPipelineTest, MetricsWithoutKernelsAreTheProcessors) {
  EXPECT_EQ(FindProcessorMetrics(features, *Devices(1)[0]),
            (std::vector<bool>{false, true, false, true, false, true, false}));
}

TEST_F(MixedPipelineTest, FactsAreThoseOfTheProcessor) {
  for (const std::size_t devices : {1, 3}) {
    for (const unsigned threads : {1U, 3U}) {
      for (const std::int64_t frames : {0, 1, 4, 40}) {
        PipelineOptions options;
        options.threads = threads;
        Compare(frames, options, devices,
                std::to_string(devices) + " devices, " + std::to_string(threads) + " threads, " +
                    std::to_string(frames) + " frames");
      }
    }
  }
}

TEST_F(MixedPipelineTest, SegmentOfTheSequenceAndSubsampling) {
  for (const int subsample : {1, 2, 3}) {
    PipelineOptions options;
    options.subsample = subsample;
    Compare(13, options, 1, "subsample " + std::to_string(subsample));
    options.first_picture = 3;
    options.first_score = 7;
    options.end_score = 11;
    Compare(14, options, 3, "part, subsample " + std::to_string(subsample));
  }
}

TEST_F(MixedPipelineTest, OneKindOfMetricsAlone) {
  for (const std::vector<const char*>& names : {std::vector<const char*>{"psnr", "vif"}, {"ciede", "float_ssim"}}) {
    features.clear();
    Add(names);
    Compare(9, {}, 1, names[0]);
  }
}

TEST_F(MixedPipelineTest, FailureOfADevice) {
  for (const int number : {1, 7, 30}) {
    HostFault fault;
    fault.launch = number;
    const std::unique_ptr<Device> broken = MakeHostDevice(HostOrder::kLate, fault);
    NoiseSource source(kFormat, 0, 400);
    const auto result = Run(source, {}, {broken.get()});
    ASSERT_FALSE(result.ok()) << number;
    EXPECT_NE(result.error().message.find("fails"), std::string::npos) << result.error().Describe();
  }
}

TEST_F(MixedPipelineTest, FailureOfTheSource) {
  for (int round = 0; round < 6; ++round) {
    NoiseSource source(kFormat, 0, 50);
    source.FailAt(31);
    const auto result = Run(source, {}, Devices(1));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kFormat);
    EXPECT_EQ(result.error().frame, 31);
  }
}

TEST_F(MixedPipelineTest, ExceptionOfTheSource) {
  for (int round = 0; round < 6; ++round) {
    ThrowingSource source(kFormat, 0, 50);
    const auto result = Run(source, {}, Devices(round % 2 == 0 ? 1 : 3));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message, "out of film");
  }
}

// Under the thread sanitizer other threads stand in for those of TBB.
#ifndef __SANITIZE_THREAD__
// Computes on the threads of TBB, as SYCL's CPU device does: what the host waits for needs one of them.
class TbbDevice final : public HostDeviceBase {
 public:
  Result<std::unique_ptr<DeviceStream>> MakeStream() override {
    return std::unique_ptr<DeviceStream>(std::make_unique<Stream>(MakeHostStream()));
  }

 private:
  class Stream final : public HostStreamBase {
   public:
    using HostStreamBase::HostStreamBase;
    Status Wait(const DeviceEvent& event) override {
      std::promise<void> done;
      tbb::task_arena arena(2);
      arena.enqueue([&] { done.set_value(); });
      done.get_future().wait();
      return HostStreamBase::Wait(event);
    }
  };
};

TEST_F(MixedPipelineTest, DevicesThatComputeOnTheSameThreads) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    for (int round = 0; round < 10; ++round) {
      TbbDevice device;
      NoiseSource source(kFormat, 0, 30);
      std::stop_source stop;
      PipelineOptions options;
      options.threads = threads;
      options.stop = stop.get_token();
      // A run that hangs ends as a failure of this test.
      std::mutex mutex;
      std::condition_variable_any ended;
      const std::jthread watch([&](const std::stop_token& is_done) {
        std::unique_lock lock(mutex);
        if (!ended.wait_for(lock, is_done, std::chrono::seconds(20), [&] { return is_done.stop_requested(); })) {
          stop.request_stop();
        }
      });
      const auto result = Run(source, options, {&device});
      ASSERT_TRUE(result.ok()) << threads << " threads: " << result.error().Describe();
    }
  }
}
#endif

TEST_F(MixedPipelineTest, Cancelling) {
  ExpectCancelling(
      kFormat, [&](PairSource& source, const PipelineOptions& options) { return Run(source, options, Devices(1)); });
}

}  // namespace
}  // namespace lockstep
