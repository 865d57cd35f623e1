// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that plan their own groups: what a session launches for any run of frames, and that results begin with zeros.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/device/device_program.h"
#include "features/device/device_session.h"
#include "features/feature.h"

namespace lockstep {
namespace {

struct AddArgs {
  u64* sum;
  u64 unused;
};

// Differs from one number of frames to the next in everything; one frame has a kernel of its own.
GroupPlan PlanOf(int frames) {
  return {frames == 1 ? 0 : 1, static_cast<std::uint64_t>(10 + frames), 32 * frames, 100 * frames, 7 * frames};
}

// What a frame gets in a launch of `frames` of them. A place in the launch tells one block of arguments from another.
u64 ValueOf(int frames, int place) { return static_cast<u64>(100 * frames + place + 1); }

class AddProgram final : public DeviceProgram {
 public:
  std::string_view module() const override { return "adding"; }
  DeviceNeeds needs() const override {
    DeviceNeeds needs;
    needs.results = sizeof(u64);
    needs.zero_results = true;
    return needs;
  }
  void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const override {
    steps.AddGroups({"single", "several"}, PlanOf, AddArgs{At<u64>(frame.results, 0), 0});
  }
  void Collect(const FrameWindow& /*window*/, const std::byte* results, std::span<Fact> facts) const override {
    facts[0] = *At<u64>(results, 0);
  }
};

class AddFeature final : public Feature {
 public:
  bool needs_distorted() const override { return false; }
  int fact_count() const override { return 1; }
  std::vector<FeatureColumn> columns() const override { return {}; }
  void Extract(const FrameWindow& /*window*/, Workspace* /*workspace*/, std::span<Fact> /*facts*/) const override {}
  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& /*traits*/) const override {
    return std::make_unique<AddProgram>();
  }
  void Finish(const FactTable& /*facts*/, ScoreSink& /*sink*/) const override {}
};

class NamedKernel final : public DeviceKernel {
 public:
  explicit NamedKernel(std::string_view text) : name(text) {}
  std::string name;
};

// Does at once what it is told.
class PromptStream final : public DeviceStream {
 public:
  void Copy(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void Fill(void* to, std::uint8_t value, std::size_t bytes) override { std::memset(to, value, bytes); }
  void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                std::size_t rows) override {
    for (std::size_t y = 0; y < rows; ++y) {
      std::memcpy(static_cast<std::byte*>(to) + y * to_pitch, static_cast<const std::byte*>(from) + y * from_pitch,
                  row_bytes);
    }
  }
  void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
              const LaunchShape& shape) override {
    GroupLaunch launch;
    ASSERT_EQ(argument_bytes, sizeof(launch));
    std::memcpy(&launch, arguments, sizeof(launch));
    const GroupPlan expected = PlanOf(launch.frame_count);
    EXPECT_EQ(static_cast<const NamedKernel&>(kernel).name, expected.kernel == 0 ? "single" : "several");
    EXPECT_EQ(shape.groups, expected.groups);
    EXPECT_EQ(shape.group_size, expected.group_size);
    EXPECT_EQ(shape.local_bytes, expected.local_bytes);
    EXPECT_EQ(launch.plan, expected.plan);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(launch.frames) % DeviceSteps::kArgumentAlignment, 0U);
    const auto* const frames = static_cast<const AddArgs*>(launch.frames);
    for (int i = 0; i < launch.frame_count; ++i) *frames[i].sum += ValueOf(launch.frame_count, i);
  }
  std::shared_ptr<DeviceEvent> Mark() override { return std::make_shared<DeviceEvent>(); }
  void WaitFor(const DeviceEvent& /*event*/) override {}
  void WaitForNative(std::uintptr_t /*native_stream*/) override {}
  Status Wait(const DeviceEvent& /*event*/) override { return {}; }
  Status status() const override { return {}; }
  void BeginRecording() override {}
  Result<std::unique_ptr<DeviceGraph>> EndRecording() override {
    return Error{ErrorCode::kUnsupported, "", {}, {}, {}};
  }
  void Replay(DeviceGraph& /*graph*/) override {}
  std::vector<DeviceTiming> TakeTimings() override { return {}; }
};

class PromptDevice final : public Device {
 public:
  const DeviceProperties& properties() const override { return properties_; }
  Result<std::byte*> AllocateOnDevice(std::size_t bytes) override {
    AlignedBuffer buffer;
    buffer.Resize(bytes);
    std::byte* const data = buffer.data();
    std::memset(data, 0xa5, bytes);
    memory_.emplace(data, std::move(buffer));
    return data;
  }
  Result<std::byte*> AllocatePinned(std::size_t bytes) override { return AllocateOnDevice(bytes); }
  void Free(std::byte* memory) override { memory_.erase(memory); }
  Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override {
    EXPECT_EQ(module, "adding");
    return &kernels_.try_emplace(std::string(name), name).first->second;
  }
  Result<std::unique_ptr<DeviceStream>> MakeStream() override {
    return std::unique_ptr<DeviceStream>(std::make_unique<PromptStream>());
  }
  DeviceCounters counters() const override { return {}; }

 private:
  DeviceProperties properties_;
  std::map<std::string, NamedKernel> kernels_;
  std::map<std::byte*, AlignedBuffer> memory_;
};

// What each frame of a batch must have: 0 where it is not wanted, else what its run of wanted frames gives.
std::vector<u64> ExpectedOf(const std::vector<std::uint8_t>& wanted) {
  std::vector<u64> expected(wanted.size(), 0);
  for (std::size_t begin = 0; begin < wanted.size(); ++begin) {
    std::size_t end = begin;
    while (end < wanted.size() && wanted[end] != 0) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      expected[i] = ValueOf(static_cast<int>(end - begin), static_cast<int>(i - begin));
    }
    begin = end;
  }
  return expected;
}

TEST(DeviceSessionPlanTest, EveryRunOfWantedFramesIsALaunch) {
  const std::vector<std::vector<std::uint8_t>> batches = {{1, 1, 1, 1, 1}, {1, 0, 1, 1, 0}, {0, 0, 0, 0, 0},
                                                          {0, 1, 1, 1, 1}, {1, 1, 0, 0, 1}, {1, 1, 1, 1, 1},
                                                          {0, 1, 0, 1, 0}, {1, 1, 1}};
  const VideoFormat format = {PixelFormat::kYuv420, 16, 16, 8};
  const Frame picture(format);
  const AddFeature first;
  const AddFeature second;
  const Feature* const features[] = {&first, &second};
  PromptDevice device;
  Result<std::unique_ptr<DeviceSession>> session = DeviceSession::Create(device, format, features, {5, false});
  ASSERT_TRUE(session) << session.error().Describe();
  for (const std::vector<std::uint8_t>& wanted : batches) {
    // The other metric wants what this one does not: their results lie beside each other.
    std::vector<std::uint8_t> others;
    std::vector<BatchFrame> frames;
    for (const std::uint8_t one : wanted) {
      others.push_back(one != 0 ? 0 : 1);
      frames.push_back({&picture, nullptr, {one, others.back()}});
    }
    (*session)->Submit(frames);
    ASSERT_TRUE((*session)->Take());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(*At<u64>((*session)->results(0, i), 0), ExpectedOf(wanted)[i]) << i;
      EXPECT_EQ(*At<u64>((*session)->results(1, i), 0), ExpectedOf(others)[i]) << i;
    }
  }
}

}  // namespace
}  // namespace lockstep
