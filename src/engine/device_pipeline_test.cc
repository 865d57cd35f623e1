// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device gives the facts of the host: any batch, graphs or not, segments, subsampling, one size after another.
#include "engine/device_pipeline.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/device_list.h"
#include "engine/frame_pipeline.h"
#include "engine/test_pair_source.h"
#include "features/device/host_device.h"
#include "features/feature_list.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

struct MetricCase {
  const char* name;
  test_run::OptionTexts options;
};

// Every metric that this format allows.
std::vector<std::unique_ptr<Feature>> MakeFeatures(const VideoFormat& format, bool add_uv = false) {
  std::vector<MetricCase> cases = {{"psnr", {}},
                                   {"float_psnr", {}},
                                   {"motion", {{"motion_five_frame_window", "true"}}},
                                   {"motion_v2", {}},
                                   {"float_motion", {{"motion_add_scale1", "true"}}},
                                   {"vif", {}},
                                   {"adm", {}}};
  if (add_uv) cases.push_back({"motion", {{"motion_add_uv", "true"}}});
  std::vector<std::unique_ptr<Feature>> features;
  for (const MetricCase& metric : cases) {
    Result<std::unique_ptr<Feature>> feature =
        test_run::TryMakeFeature(*FindFeature(metric.name), metric.options, format);
    if (feature) {
      features.push_back(*std::move(feature));
    } else {
      EXPECT_EQ(feature.error().code, ErrorCode::kUnsupported) << feature.error().Describe();
    }
  }
  // From adm's minimum on none is left out.
  if (format.width >= 33 && format.height >= 33) {
    EXPECT_EQ(features.size(), cases.size());
  }
  return features;
}

std::vector<const Feature*> Pointers(const std::vector<std::unique_ptr<Feature>>& features) {
  std::vector<const Feature*> pointers;
  for (const auto& feature : features) pointers.push_back(feature.get());
  return pointers;
}

void ExpectEqual(const PipelineResult& actual, const PipelineResult& expected, const std::string& what) {
  EXPECT_EQ(actual.end_picture, expected.end_picture) << what;
  ASSERT_EQ(actual.facts.size(), expected.facts.size());
  for (std::size_t f = 0; f < expected.facts.size(); ++f) {
    ExpectEqualFacts(actual.facts[f], expected.facts[f], what + " metric " + std::to_string(f));
  }
}

void Compare(Device& device, const VideoFormat& format, std::int64_t frames, PipelineOptions options,
             const DevicePipelineOptions& device_options, const std::string& what) {
  const auto features = MakeFeatures(format);
  const std::vector<const Feature*> pointers = Pointers(features);
  NoiseSource on_host(format, options.first_picture, frames);
  const Result<PipelineResult> expected = RunPipeline(pointers, on_host, options);
  ASSERT_TRUE(expected.ok());
  NoiseSource on_device(format, options.first_picture, frames);
  std::int64_t progress = 0;
  options.on_progress = [&](std::int64_t done) { EXPECT_EQ(done, ++progress); };
  const Result<DevicePipelineResult> actual =
      RunDevicePipeline(pointers, format, on_device, options, device, device_options);
  ASSERT_TRUE(actual.ok()) << what << ": " << actual.error().Describe();
  EXPECT_EQ(progress, expected->end_picture - options.first_picture);
  ExpectEqual(actual->facts, *expected, what);
}

// Whichever command fails, no score is made of what is left.
TEST(DevicePipelineFaultTest, EveryFailureEndsTheRun) {
  const VideoFormat format = {PixelFormat::kYuv420, 48, 40, 8};
  const auto features = MakeFeatures(format);
  const auto run = [&](HostOrder order, HostFault fault, GraphUse graphs) {
    const std::unique_ptr<Device> device = MakeHostDevice(order, fault);
    NoiseSource source(format, 0, 7);
    return RunDevicePipeline(Pointers(features), format, source, {}, *device, {2, graphs});
  };
  // The number of the first command that the run does not have.
  const auto first_that_succeeds = [&](HostOrder order, GraphUse graphs, int HostFault::*kind) {
    constexpr int kMoreThanARunHas = 1000;
    for (int n = 1; n < kMoreThanARunHas; ++n) {
      HostFault fault;
      fault.*kind = n;
      const auto result = run(order, fault, graphs);
      if (result.ok()) return n;
      EXPECT_EQ(result.error().code, ErrorCode::kInternal);
    }
    return kMoreThanARunHas;
  };
  for (const HostOrder order : {HostOrder::kLate, HostOrder::kEarlyCopies}) {
    for (const GraphUse graphs : {GraphUse::kNever, GraphUse::kAlways}) {
      // Four batches: an upload and a copy of the results for each.
      EXPECT_GT(first_that_succeeds(order, graphs, &HostFault::copy), 8);
      const int launches = first_that_succeeds(order, graphs, &HostFault::launch);
      EXPECT_GT(launches, 100);
      EXPECT_LT(launches, 1000);
    }
  }
}

// A host device with little memory.
class SmallDevice : public Device {
 public:
  explicit SmallDevice(std::size_t bytes) : left_(bytes) {}
  const DeviceProperties& properties() const override { return device_->properties(); }
  Result<std::byte*> AllocateOnDevice(std::size_t bytes) override {
    largest = std::max(largest, bytes);
    if (bytes > left_) return Error{ErrorCode::kOutOfMemory, "no memory", {}, {}, {}};
    Result<std::byte*> memory = device_->AllocateOnDevice(bytes);
    left_ -= bytes;
    sizes_[*memory] = bytes;
    return memory;
  }
  Result<std::byte*> AllocatePinned(std::size_t bytes) override { return device_->AllocatePinned(bytes); }
  void Free(std::byte* memory) override {
    left_ += sizes_[memory];
    sizes_.erase(memory);
    device_->Free(memory);
  }
  Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override {
    return device_->FindKernel(module, name);
  }
  Result<std::unique_ptr<DeviceStream>> MakeStream() override { return device_->MakeStream(); }
  DeviceCounters counters() const override { return device_->counters(); }
  std::size_t largest = 0;

 private:
  std::unique_ptr<Device> device_ = MakeHostDevice(HostOrder::kLate);
  std::size_t left_;
  std::map<std::byte*, std::size_t> sizes_;
};

TEST(DeviceMemoryTest, AutomaticBatchesShrinkWhereTheMemoryIsSmall) {
  const VideoFormat format = {PixelFormat::kYuv420, 64, 64, 8};
  const auto feature = test_run::MakeFeature(*FindFeature("motion"), {}, format);
  const std::vector<const Feature*> features = {feature.get()};
  const auto run = [&](SmallDevice& device, int batch) {
    NoiseSource source(format, 0, 9);
    return RunDevicePipeline(features, format, source, {}, device, {batch, GraphUse::kNever});
  };
  NoiseSource on_host(format, 0, 9);
  const Result<PipelineResult> expected = RunPipeline(features, on_host, {});
  ASSERT_TRUE(expected.ok());
  SmallDevice large(std::size_t{1} << 30);
  ASSERT_TRUE(run(large, 0).ok());
  // A batch of eight does not fit, and neither does half of it.
  SmallDevice small(large.largest / 2);
  const auto actual = run(small, 0);
  ASSERT_TRUE(actual.ok()) << actual.error().Describe();
  ExpectEqual(actual->facts, *expected, "small");
  EXPECT_EQ(run(small, 8).error().code, ErrorCode::kOutOfMemory);
  SmallDevice none(1000);
  EXPECT_EQ(run(none, 0).error().code, ErrorCode::kOutOfMemory);
}

// Pictures that only a device reads. Collect() of float_psnr looks at those whose squares add up to more than 2^53.
class DeviceMemorySource : public NoiseSource {
 public:
  using NoiseSource::NoiseSource;
  Result<bool> Next(FramePair& pair) override {
    Result<bool> more = NoiseSource::Next(pair);
    if (!more || !*more) return more;
    for (Pool<Frame>::Ref* frame : {&pair.reference, &pair.distorted}) *frame = Wrap(std::move(*frame));
    return true;
  }

 protected:
  void Fill(std::int64_t number, Frame& reference, Frame& distorted) const override {
    NoiseSource::Fill(number, reference, distorted);
    if (number % 2 != 0) return;
    const MutablePlaneView luma = distorted.mutable_plane(0);
    for (int y = 0; y < luma.height; ++y) {
      for (int x = 0; x < luma.width; ++x) {
        luma.row<std::uint16_t>(y)[x] = reference.plane(0).row<std::uint16_t>(y)[x] < 0x8000 ? 0xffff : 0;
      }
    }
  }

 private:
  Pool<Frame>::Ref Wrap(Pool<Frame>::Ref frame) {
    const std::array<PlaneView, 3> planes = {frame->plane(0), frame->plane(1), frame->plane(2)};
    const VideoFormat format = frame->format();
    Pool<Frame>::Ref wrapped = wrapped_.Acquire();
    *wrapped = Frame::Wrap(format, planes, FrameMemory::kDevice, std::make_shared<Pool<Frame>::Ref>(std::move(frame)));
    return wrapped;
  }
  Pool<Frame> wrapped_{[](Frame& frame) { frame = Frame(); }};
};

TEST(DevicePicturesTest, AreFetchedWhereCollectLooksAtThem) {
  const VideoFormat format = {PixelFormat::kYuv420, 1920, 1900, 16};
  constexpr std::int64_t kFrames = 5;
  const std::vector<std::pair<const char*, std::uint64_t>> metrics = {{"float_psnr", 3 * 2}, {"psnr", 0}};
  for (const auto& [name, fetched] : metrics) {
    const auto feature = test_run::MakeFeature(*FindFeature(name), {}, format);
    const std::vector<const Feature*> features = {feature.get()};
    DeviceMemorySource on_host(format, 0, kFrames);
    const Result<PipelineResult> expected = RunPipeline(features, on_host, {});
    ASSERT_TRUE(expected.ok());
    const std::unique_ptr<Device> device = MakeHostDevice(HostOrder::kLate);
    std::uint64_t copies = 0;
    for (const bool is_on_device : {false, true}) {
      const std::uint64_t before = device->counters().copies;
      DeviceMemorySource wrapped(format, 0, kFrames);
      NoiseSource noise(format, 0, kFrames);
      const auto actual = RunDevicePipeline(features, format, is_on_device ? static_cast<PairSource&>(wrapped) : noise,
                                            {}, *device, {2, GraphUse::kNever});
      ASSERT_TRUE(actual.ok());
      const std::uint64_t made = device->counters().copies - before;
      if (is_on_device) {
        ExpectEqual(actual->facts, *expected, name);
        // Otherwise one copy a batch: of the staged planes, or of where the planes on the device are.
        EXPECT_EQ(made - copies, fetched) << name;
      }
      copies = made;
    }
  }
}

struct DeviceCase {
  const char* name;
  std::shared_ptr<Device> (*open)();
};

void PrintTo(const DeviceCase& device, std::ostream* out) { *out << device.name; }

class DevicePipelineTest : public ::testing::TestWithParam<DeviceCase> {
 protected:
  // The tests of one device share it, as runs of one program do.
  DevicePipelineTest() {
    static std::map<std::string, std::shared_ptr<Device>> open;
    std::shared_ptr<Device>& shared = open[GetParam().name];
    if (shared == nullptr) shared = GetParam().open();
    device = shared;
  }
  void SetUp() override { ASSERT_NE(device, nullptr); }
  std::shared_ptr<Device> device;
};

TEST_P(DevicePipelineTest, AnyBatchAndGraph) {
  const VideoFormat format = {PixelFormat::kYuv420, 70, 50, 10};
  for (const int batch : {0, 1, 2, 3, 7}) {
    for (const GraphUse graphs : {GraphUse::kNever, GraphUse::kAlways, GraphUse::kAutomatic}) {
      for (const std::int64_t frames : {1, 2, 3, 11}) {
        Compare(*device, format, frames, {}, {batch, graphs},
                "batch " + std::to_string(batch) + ", graphs " + std::to_string(static_cast<int>(graphs)) + ", " +
                    std::to_string(frames) + " frames");
      }
    }
  }
}

TEST_P(DevicePipelineTest, SegmentsAndSubsampling) {
  const VideoFormat format = {PixelFormat::kYuv420, 48, 40, 8};
  for (const int batch : {1, 2, 7}) {
    for (const int subsample : {1, 2, 3}) {
      PipelineOptions options;
      options.subsample = subsample;
      Compare(*device, format, 13, options, {batch, GraphUse::kNever}, "subsample");
      options.first_picture = 3;
      options.first_score = 6;
      options.end_score = 9;
      Compare(*device, format, 12, options, {batch, GraphUse::kAlways}, "segment");
    }
  }
}

// One device state serves pictures that grow and shrink.
TEST_P(DevicePipelineTest, OneSizeAfterAnother) {
  for (const PlaneSize size : {PlaneSize{3, 3}, PlaneSize{4, 5}, PlaneSize{1283, 723}, PlaneSize{17, 17}}) {
    for (const int depth : {8, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      Compare(*device, format, 3, {}, {2, GraphUse::kAlways}, std::to_string(size.width));
    }
  }
}

// Chroma goes with luma, ahead of the kernels: the host waits once for each batch's results and never for an upload.
TEST_P(DevicePipelineTest, HostWaitsOnceForEachBatch) {
  for (const bool add_uv : {false, true}) {
    const VideoFormat format = {PixelFormat::kYuv422, 33, 35, 8};
    const auto features = MakeFeatures(format, add_uv);
    const auto waits = [&](std::int64_t frames) {
      const std::uint64_t before = device->counters().host_waits;
      NoiseSource source(format, 0, frames);
      const auto result = RunDevicePipeline(Pointers(features), format, source, {}, *device, {2, GraphUse::kNever});
      EXPECT_TRUE(result.ok());
      return device->counters().host_waits - before;
    };
    EXPECT_EQ(waits(22) - waits(2), 10u) << add_uv;
  }
}

TEST_P(DevicePipelineTest, ErrorsOfTheSourceAndCancelling) {
  const VideoFormat format = {PixelFormat::kYuv420, 48, 40, 8};
  const auto features = MakeFeatures(format);
  NoiseSource broken(format, 0, 9);
  broken.FailAt(5);
  const auto failed = RunDevicePipeline(Pointers(features), format, broken, {}, *device, {2, GraphUse::kNever});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kFormat);
  EXPECT_EQ(failed.error().frame, 5);

  NoiseSource stopped(format, 0, 1000);
  std::stop_source stop;
  PipelineOptions options;
  options.stop = stop.get_token();
  options.on_progress = [&](std::int64_t done) {
    if (done == 4) stop.request_stop();
  };
  const auto cancelled =
      RunDevicePipeline(Pointers(features), format, stopped, options, *device, {2, GraphUse::kNever});
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  // Pairs in flight are bounded.
  EXPECT_LE(stopped.frames_made(), 2u * (4 * 2 + 2));
}

// Sizes around the lanes' and groups' multiples; rows of inexact floats at heights that do not fill a group.
TEST_P(DevicePipelineTest, EverySizeAndDepth) {
  const PlaneSize sizes[] = {{3, 3},   {4, 5},    {17, 17},   {19, 23},   {31, 9},    {33, 33},
                             {64, 64}, {35, 130}, {257, 145}, {576, 324}, {960, 540}, {1283, 723}};
  int batch = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      const bool is_large = size.width > 500;
      if (is_large && depth == 12) continue;
      const auto pixels = static_cast<PixelFormat>((size.width + depth) % 4);
      const VideoFormat format = {pixels, size.width, size.height, depth};
      batch = batch == 1 ? 2 : (batch == 2 ? 7 : 1);
      Compare(*device, format, is_large ? 2 : 4, {}, {batch, depth == 10 ? GraphUse::kAlways : GraphUse::kNever},
              std::to_string(size.width) + "x" + std::to_string(size.height) + " " + std::to_string(depth) + " bit");
    }
  }
}

TEST_P(DevicePipelineTest, UltraHighDefinition) {
  Compare(*device, {PixelFormat::kYuv420, 3840, 2160, 10}, 2, {}, {}, "3840x2160");
}

INSTANTIATE_TEST_SUITE_P(
    Host, DevicePipelineTest,
    ::testing::Values(DeviceCase{"host_late", [] { return std::shared_ptr<Device>(MakeHostDevice(HostOrder::kLate)); }},
                      DeviceCase{"host_early",
                                 [] { return std::shared_ptr<Device>(MakeHostDevice(HostOrder::kEarlyCopies)); }}));

#ifdef LOCKSTEP_HAS_SYCL
// No device is a failure: the plugin is a part of this build.
std::shared_ptr<Device> OpenSycl(bool out_of_order, int sub_group_size) {
  DeviceSelection selection;
  selection.sub_group_size = sub_group_size;
  selection.out_of_order = out_of_order;
  Result<std::shared_ptr<Device>> device = OpenDevice("sycl", selection);
  EXPECT_TRUE(device.ok()) << device.error().Describe();
  return device ? *device : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Sycl, DevicePipelineTest,
                         ::testing::Values(DeviceCase{"in_order", [] { return OpenSycl(false, 8); }},
                                           DeviceCase{"out_of_order", [] { return OpenSycl(true, 8); }},
                                           DeviceCase{"sub_groups_of_16", [] { return OpenSycl(false, 16); }}));
#endif

}  // namespace
}  // namespace lockstep
