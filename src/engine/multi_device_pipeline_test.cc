// SPDX-License-Identifier: BSD-2-Clause-Patent
// Several devices give the facts of the host: any number of them, any segments, subsampling, failures, cancelling.
#include "engine/multi_device_pipeline.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/device_batches.h"
#include "engine/frame_pipeline.h"
#include "engine/test_device.h"
#include "engine/test_pair_source.h"
#include "features/device/host_device.h"
#include "features/feature_list.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

constexpr VideoFormat kFormat = {PixelFormat::kYuv420, 48, 40, 8};

// Metrics that look back by no, one and two pictures, on every picture or on some.
class MultiDevicePipelineTest : public ::testing::Test {
 protected:
  MultiDevicePipelineTest() {
    for (const auto& [name, options] : std::vector<std::pair<const char*, test_run::OptionTexts>>{
             {"psnr", {}}, {"motion", {{"motion_five_frame_window", "true"}}}, {"float_motion", {}}, {"vif", {}}}) {
      made_.push_back(test_run::MakeFeature(*FindFeature(name), options, kFormat));
      features.push_back(made_.back().get());
    }
  }

  std::vector<Device*> MakeDevices(std::size_t count, HostFault fault = {}) {
    std::vector<Device*> list;
    for (std::size_t i = 0; i < count; ++i) {
      const HostOrder order = i % 2 == 0 ? HostOrder::kLate : HostOrder::kEarlyCopies;
      devices_.push_back(MakeHostDevice(order, i + 1 == count ? fault : HostFault{}));
      list.push_back(devices_.back().get());
    }
    return list;
  }

  void Compare(const std::vector<Device*>& devices, std::int64_t frames, PipelineOptions options,
               const DevicePipelineOptions& device_options, const std::string& what) {
    NoiseSource on_host(kFormat, options.first_picture, frames);
    const Result<PipelineResult> expected = RunPipeline(features, on_host, options);
    ASSERT_TRUE(expected.ok());
    NoiseSource source(kFormat, options.first_picture, frames);
    std::int64_t progress = 0;
    options.on_progress = [&](std::int64_t done) { EXPECT_EQ(done, ++progress); };
    const Result<DevicePipelineResult> actual =
        RunMultiDevicePipeline(features, kFormat, source, options, devices, device_options);
    ASSERT_TRUE(actual.ok()) << what << ": " << actual.error().Describe();
    EXPECT_EQ(progress, expected->end_picture - options.first_picture) << what;
    EXPECT_EQ(actual->facts.end_picture, expected->end_picture) << what;
    ASSERT_EQ(actual->facts.facts.size(), expected->facts.size());
    for (std::size_t f = 0; f < features.size(); ++f)
      ExpectEqualFacts(actual->facts.facts[f], expected->facts[f], what);
  }

  std::vector<const Feature*> features;

 private:
  std::vector<std::unique_ptr<Feature>> made_;
  std::vector<std::unique_ptr<Device>> devices_;
};

std::string Name(std::size_t devices, int segment, int batch, std::int64_t frames) {
  return std::to_string(devices) + " devices, segment " + std::to_string(segment) + ", batch " + std::to_string(batch) +
         ", " + std::to_string(frames) + " frames";
}

TEST_F(MultiDevicePipelineTest, AnyNumberOfDevicesAndAnySegments) {
  for (const std::size_t count : {1, 2, 3, 4}) {
    const std::vector<Device*> devices = MakeDevices(count);
    for (const int segment : {0, 1, 2, 3, 5}) {
      for (const int batch : {1, 2, 3}) {
        for (const std::int64_t frames : {1, 4, 23}) {
          const GraphUse graphs = (segment + batch) % 2 == 0 ? GraphUse::kAlways : GraphUse::kNever;
          Compare(devices, frames, {}, {batch, graphs, segment}, Name(count, segment, batch, frames));
        }
      }
    }
  }
}

TEST_F(MultiDevicePipelineTest, OneDeviceSeveralTimes) {
  const std::vector<Device*> one = MakeDevices(1);
  const std::vector<Device*> thrice = {one[0], one[0], one[0]};
  for (const int segment : {1, 4}) Compare(thrice, 23, {}, {2, GraphUse::kNever, segment}, Name(3, segment, 2, 23));
}

TEST_F(MultiDevicePipelineTest, SegmentOfTheSequenceAndSubsampling) {
  const std::vector<Device*> devices = MakeDevices(3);
  for (const int segment : {1, 3}) {
    for (const int subsample : {1, 2, 3}) {
      PipelineOptions options;
      options.subsample = subsample;
      Compare(devices, 13, options, {2, GraphUse::kNever, segment}, "subsample " + std::to_string(subsample));
      options.first_picture = 3;
      options.first_score = 7;
      options.end_score = 11;
      Compare(devices, 14, options, {2, GraphUse::kNever, segment}, "part, subsample " + std::to_string(subsample));
    }
  }
}

TEST_F(MultiDevicePipelineTest, NothingToScore) {
  NoiseSource source(kFormat, 0, 0);
  const auto result = RunMultiDevicePipeline(features, kFormat, source, {}, MakeDevices(3), {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->facts.end_picture, 0);
}

// Whichever device fails at whatever command, the run ends with that failure.
TEST_F(MultiDevicePipelineTest, FailureOfOneDevice) {
  for (const int number : {1, 7, 30}) {
    for (int HostFault::*kind : {&HostFault::copy, &HostFault::launch}) {
      HostFault fault;
      fault.*kind = number;
      // Long enough that the device which fails gets its share.
      NoiseSource source(kFormat, 0, 400);
      const auto result =
          RunMultiDevicePipeline(features, kFormat, source, {}, MakeDevices(2, fault), {2, GraphUse::kNever, 3});
      ASSERT_FALSE(result.ok()) << number;
      EXPECT_EQ(result.error().code, ErrorCode::kInternal);
      EXPECT_NE(result.error().message.find("fails"), std::string::npos) << result.error().Describe();
    }
  }
}

TEST_F(MultiDevicePipelineTest, FailureOfTheSource) {
  NoiseSource source(kFormat, 0, 50);
  source.FailAt(31);
  const auto result = RunMultiDevicePipeline(features, kFormat, source, {}, MakeDevices(3), {2, GraphUse::kNever, 4});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kFormat);
  EXPECT_EQ(result.error().frame, 31);
}

TEST_F(MultiDevicePipelineTest, Cancelling) {
  ExpectCancelling(kFormat, [&](PairSource& source, const PipelineOptions& options) {
    return RunMultiDevicePipeline(features, kFormat, source, options, MakeDevices(3), {2, GraphUse::kNever, 4});
  });
}

// A stop that comes while the result is being made either counts or does not.
TEST_F(MultiDevicePipelineTest, CancellingAtTheEnd) {
  constexpr std::int64_t kFrames = 3;
  const std::vector<Device*> devices = MakeDevices(2);
  for (int round = 0; round < 50; ++round) {
    NoiseSource source(kFormat, 0, kFrames);
    std::stop_source stop;
    std::atomic<bool> is_done = false;
    PipelineOptions options;
    options.stop = stop.get_token();
    options.on_progress = [&](std::int64_t done) {
      if (done != kFrames) return;
      is_done = true;
      is_done.notify_all();
    };
    std::jthread stopper([&] {
      is_done.wait(false);
      stop.request_stop();
    });
    const auto result = RunMultiDevicePipeline(features, kFormat, source, options, devices, {1, GraphUse::kNever, 1});
    if (!result.ok()) {
      EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
      is_done = true;
      is_done.notify_all();
    }
  }
}

// Counts its streams: what a stream copies from may go when the stream is gone, or has been waited for.
class CountingDevice final : public HostDeviceBase {
 public:
  explicit CountingDevice(std::atomic<int>& streams) : streams_(streams) {}
  Result<std::unique_ptr<DeviceStream>> MakeStream() override {
    return std::unique_ptr<DeviceStream>(std::make_unique<Stream>(MakeHostStream(), streams_));
  }

 private:
  class Stream final : public HostStreamBase {
   public:
    Stream(std::unique_ptr<DeviceStream> host, std::atomic<int>& streams)
        : HostStreamBase(std::move(host)), streams_(streams) {
      ++streams_;
    }
    ~Stream() override { --streams_; }

   private:
    std::atomic<int>& streams_;
  };

  std::atomic<int>& streams_;
};

// Two pairs that a device copies from by itself, then a failure: nothing has been waited for.
class PinnedPairs : public PairSource {
 public:
  explicit PinnedPairs(const std::atomic<int>& streams) : streams_(streams) {}
  Result<bool> Next(FramePair& pair) override {
    if (next_ == 2) return Error{ErrorCode::kInputOutput, "gone", {}, {}, {}};
    for (Pool<Frame>::Ref* picture : {&pair.reference, &pair.distorted}) {
      auto memory = std::make_shared<Frame>(test_run::NoiseFrame(kFormat, static_cast<std::uint64_t>(next_)));
      const std::array<PlaneView, 3> planes = {memory->plane(0), memory->plane(1), memory->plane(2)};
      const std::shared_ptr<const void> owner(memory.get(), [this, memory](const void*) {
        ++released;
        if (streams_ != 0) ++released_early;
      });
      *picture = frames_.Acquire();
      **picture = Frame::Wrap(kFormat, planes, FrameMemory::kPinned, owner);
    }
    ++next_;
    return true;
  }
  void Cancel() override {}
  int released = 0;
  int released_early = 0;

 private:
  const std::atomic<int>& streams_;
  Pool<Frame> frames_{[](Frame& frame) { frame = Frame(); }};
  int next_ = 0;
};

TEST_F(MultiDevicePipelineTest, PicturesStayUntilNothingCopiesFromThem) {
  for (const std::size_t count : {1, 2}) {
    std::atomic<int> streams = 0;
    CountingDevice device(streams);
    PinnedPairs source(streams);
    const std::vector<Device*> devices(count, &device);
    const auto result = RunMultiDevicePipeline(features, kFormat, source, {}, devices, {1, GraphUse::kNever, 8});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(streams, 0);
    EXPECT_EQ(source.released, 4);
    // The session of another device may still be there.
    if (count == 1) {
      EXPECT_EQ(source.released_early, 0);
    }
  }
}

// A source that is faster than the devices does not fill the memory.
TEST_F(MultiDevicePipelineTest, PairsHeldAreBounded) {
  constexpr int kBatch = 2;
  constexpr int kSegment = 6;
  constexpr std::size_t kDevices = 3;
  NoiseSource source(kFormat, 0, 300);
  const auto result = RunMultiDevicePipeline(features, kFormat, source, {}, MakeDevices(kDevices),
                                             {kBatch, GraphUse::kNever, kSegment});
  ASSERT_TRUE(result.ok());
  constexpr std::size_t kLeadIn = 2;
  const std::size_t waiting = (kDevices + 1) * kSegment + 1;
  const std::size_t on_devices = kDevices * (HeldPairs(kBatch) + kBatch + 2 * kLeadIn);
  EXPECT_LE(source.frames_made(), 2 * (waiting + on_devices + 2 * kLeadIn));
}

TEST(SegmentLengthTest, FillsBatchesAndStaysWithinTheMemory) {
  constexpr std::int64_t kSmall = 2 * 576 * 324;
  EXPECT_EQ(SegmentLength(kSmall, 8, 0, 2, {}), 256);
  EXPECT_EQ(SegmentLength(kSmall, 8, 2, 2, {}), 254);
  EXPECT_EQ(SegmentLength(kSmall, 7, 2, 2, {}), 250);
  constexpr std::int64_t kLarge = std::int64_t{2} * 3840 * 2160;
  EXPECT_EQ(SegmentLength(kLarge, 1, 2, 2, {}), 64);
  EXPECT_EQ(SegmentLength(kLarge, 16, 2, 2, {}), 62);
  // The largest batch of the largest picture, and a short sequence.
  EXPECT_EQ(SegmentLength(std::int64_t{1} << 33, 64, 2, 2, {}), 62);
  EXPECT_EQ(SegmentLength(kSmall, 1, 1, 4, 100), 7);
  EXPECT_EQ(SegmentLength(kSmall, 8, 2, 4, 3), 6);
  EXPECT_EQ(SegmentLength(kSmall, 1, 2, 4, 3), 1);
  EXPECT_EQ(SegmentLength(kSmall, 1, 0, 4, 0), 1);
}

}  // namespace
}  // namespace lockstep
