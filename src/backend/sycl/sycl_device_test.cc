// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SYCL plugin as programs use it: found, loaded, its CPU device opened; memory, streams, events, graphs, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/device_list.h"

namespace lockstep {
namespace {

// No device is a failure, not a reason to skip: the CPU device belongs to the runtime that the plugin was built with.
std::shared_ptr<Device> Open(const DeviceSelection& selection) {
  Result<std::shared_ptr<Device>> device = OpenDevice("sycl", selection);
  EXPECT_TRUE(device) << device.error().Describe();
  return device ? *device : nullptr;
}

int CpuIndex() {
  for (const DeviceInfo& info : ListBackendDevices("sycl")) {
    if (!info.name.empty() && info.unusable.empty() && info.detail.starts_with("OpenCL")) return info.index;
  }
  return -1;
}

TEST(SyclDevicesTest, TheListHasAUsableDevice) {
  const std::vector<DeviceInfo> devices = ListBackendDevices("sycl");
  ASSERT_FALSE(devices.empty());
  int index = 0;
  bool usable = false;
  for (const DeviceInfo& info : devices) {
    EXPECT_EQ(info.backend, "sycl");
    EXPECT_EQ(info.index, index++);
    EXPECT_FALSE(info.name.empty()) << info.unusable;
    EXPECT_NE(info.detail.find("driver"), std::string::npos) << info.detail;
    EXPECT_NE(info.detail.find("sub-groups of"), std::string::npos) << info.detail;
    usable = usable || info.unusable.empty();
  }
  EXPECT_TRUE(usable);
}

TEST(SyclDevicesTest, ADeviceIsChosenByNumberOrPartOfItsName) {
  const int index = CpuIndex();
  ASSERT_GE(index, 0);
  const std::string name = ListBackendDevices("sycl")[static_cast<std::size_t>(index)].name;
  std::string part = name.substr(1);
  std::transform(part.begin(), part.end(), part.begin(), [](unsigned char letter) {
    return static_cast<char>(std::isupper(letter) != 0 ? std::tolower(letter) : std::toupper(letter));
  });
  for (const std::string& text : {std::string(), std::to_string(index), name, part}) {
    const std::shared_ptr<Device> device = Open({text});
    ASSERT_NE(device, nullptr) << text;
    EXPECT_EQ(device->properties().backend, "sycl");
    const bool is_chosen = text.empty() || device->properties().name == name;
    EXPECT_TRUE(is_chosen) << device->properties().name;
  }
}

TEST(SyclDevicesTest, UnknownDevicesAndBackendsAreRefused) {
  for (const char* const text : {"999", "99999999999999999999", "-1", "no such device", "0x"}) {
    const auto device = OpenDevice("sycl", {text});
    ASSERT_FALSE(device) << text;
    EXPECT_EQ(device.error().code, ErrorCode::kNotFound) << text;
    EXPECT_NE(device.error().message.find(text), std::string::npos) << device.error().message;
    EXPECT_NE(device.error().message.find("0 ("), std::string::npos) << device.error().message;
  }
  const auto other = OpenDevice("sickle", {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(other.error().message.find("sycl"), std::string::npos) << other.error().message;
  const std::vector<DeviceInfo> none = ListBackendDevices("sickle");
  ASSERT_EQ(none.size(), 1u);
  EXPECT_TRUE(none[0].name.empty());
  EXPECT_FALSE(none[0].unusable.empty());
}

TEST(SyclDevicesTest, ADeviceStaysOpen) {
  EXPECT_EQ(Open({}), Open({}));
  EXPECT_NE(Open({}), Open({{}, true, false}));
  EXPECT_NE(Open({}), Open({{}, false, true}));
}

class SyclDeviceTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    device_ = Open({{}, GetParam(), false});
    ASSERT_NE(device_, nullptr);
  }
  DeviceMemory OnDevice(std::size_t bytes) {
    Result<std::byte*> memory = device_->AllocateOnDevice(bytes);
    EXPECT_TRUE(memory) << memory.error().Describe();
    return {*device_, memory ? *memory : nullptr};
  }
  DeviceMemory Pinned(std::size_t bytes) {
    Result<std::byte*> memory = device_->AllocatePinned(bytes);
    EXPECT_TRUE(memory) << memory.error().Describe();
    return {*device_, memory ? *memory : nullptr};
  }
  std::unique_ptr<DeviceStream> Stream() {
    Result<std::unique_ptr<DeviceStream>> stream = device_->MakeStream();
    EXPECT_TRUE(stream) << stream.error().Describe();
    return stream ? std::move(*stream) : nullptr;
  }
  static Status Finish(DeviceStream& stream) { return stream.Wait(*stream.Mark()); }

  std::shared_ptr<Device> device_;
};

void Number(std::byte* data, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 2654435761u + seed * 977u) >> 13);
}

bool HoldsOnly(const std::byte* data, std::size_t bytes, int value) {
  return std::all_of(data, data + bytes, [&](std::byte b) { return b == static_cast<std::byte>(value); });
}

TEST_P(SyclDeviceTest, MemoryIsAlignedAndMayBeNothing) {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 4097, 1 << 20}) {
    const DeviceMemory device = OnDevice(bytes);
    const DeviceMemory pinned = Pinned(bytes);
    ASSERT_TRUE(device.data() != nullptr && pinned.data() != nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device.data()) % 64, 0u) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pinned.data()) % 64, 0u) << bytes;
  }
  device_->Free(nullptr);
}

TEST_P(SyclDeviceTest, MemoryThatCannotBeIsRefused) {
  for (const std::size_t bytes : {std::size_t{1} << 50, ~std::size_t{0}, ~std::size_t{0} - 63}) {
    for (const bool pinned : {false, true}) {
      const auto memory = pinned ? device_->AllocatePinned(bytes) : device_->AllocateOnDevice(bytes);
      ASSERT_FALSE(memory) << bytes;
      EXPECT_EQ(memory.error().code, ErrorCode::kOutOfMemory);
      EXPECT_NE(memory.error().message.find(device_->properties().name), std::string::npos);
      EXPECT_NE(memory.error().message.find(std::to_string(bytes)), std::string::npos) << memory.error().message;
    }
  }
  // The device is still of use.
  EXPECT_NE(OnDevice(64).data(), nullptr);
}

TEST_P(SyclDeviceTest, CopiesKeepEveryByteAtAnySizeAndPlace) {
  const auto stream = Stream();
  constexpr std::size_t kRoom = 1000100;
  const DeviceMemory from = Pinned(kRoom);
  const DeviceMemory first = OnDevice(kRoom);
  const DeviceMemory second = OnDevice(kRoom);
  const DeviceMemory to = Pinned(kRoom);
  unsigned seed = 0;
  for (const std::size_t bytes : {1, 2, 3, 63, 64, 65, 4095, 1000003}) {
    for (const std::size_t offset : {0, 1, 7, 64}) {
      Number(from.data(), kRoom, ++seed);
      std::fill_n(to.data(), kRoom, std::byte{0xee});
      stream->Copy(first.data() + offset, from.data(), bytes);
      stream->Copy(second.data(), first.data() + offset, bytes);
      stream->Copy(to.data() + offset, second.data(), bytes);
      const Status status = Finish(*stream);
      ASSERT_TRUE(status) << status.error().Describe();
      EXPECT_TRUE(std::equal(from.data(), from.data() + bytes, to.data() + offset)) << bytes << " at " << offset;
      EXPECT_TRUE(HoldsOnly(to.data(), offset, 0xee)) << bytes << " at " << offset;
      EXPECT_TRUE(HoldsOnly(to.data() + offset + bytes, kRoom - offset - bytes, 0xee)) << bytes << " at " << offset;
    }
  }
}

TEST_P(SyclDeviceTest, FillsTouchWhatTheyShould) {
  const auto stream = Stream();
  constexpr std::size_t kRoom = 5000;
  const DeviceMemory memory = OnDevice(kRoom);
  const DeviceMemory to = Pinned(kRoom);
  for (const std::size_t bytes : {0, 1, 13, 64, 4097}) {
    stream->Fill(memory.data(), 1, kRoom);
    stream->Fill(memory.data() + 3, 0xc3, bytes);
    stream->Copy(to.data(), memory.data(), kRoom);
    ASSERT_TRUE(Finish(*stream));
    EXPECT_TRUE(HoldsOnly(to.data(), 3, 1));
    EXPECT_TRUE(HoldsOnly(to.data() + 3, bytes, 0xc3));
    EXPECT_TRUE(HoldsOnly(to.data() + 3 + bytes, kRoom - 3 - bytes, 1));
  }
}

TEST_P(SyclDeviceTest, CommandsRunInOrder) {
  const auto stream = Stream();
  // The first command of each pair is the longer one, so that a queue without order would be caught.
  constexpr std::size_t kBytes = 4 << 20;
  constexpr int kRounds = 100;
  const DeviceMemory memory = OnDevice(kBytes);
  const DeviceMemory ends = Pinned(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    stream->Fill(memory.data(), static_cast<std::uint8_t>(round), kBytes);
    stream->Copy(ends.data() + round, memory.data() + kBytes - 1, 1);
  }
  ASSERT_TRUE(Finish(*stream));
  for (int round = 0; round < kRounds; ++round) EXPECT_EQ(ends.data()[round], static_cast<std::byte>(round));
}

TEST_P(SyclDeviceTest, AStreamWaitsForAnotherWithoutTheHost) {
  const auto writer = Stream();
  const auto reader = Stream();
  constexpr std::size_t kBytes = 16 << 20;
  const DeviceMemory memory = OnDevice(kBytes);
  const DeviceMemory seen = Pinned(kBytes);
  for (int round = 1; round <= 20; ++round) {
    const std::uint64_t waits = device_->counters().host_waits;
    for (int i = 0; i < 4; ++i) writer->Fill(memory.data(), static_cast<std::uint8_t>(255 - i), kBytes);
    writer->Fill(memory.data(), static_cast<std::uint8_t>(round), kBytes);
    reader->WaitFor(*writer->Mark());
    reader->Copy(seen.data(), memory.data(), kBytes);
    // The writer must not be ahead of the reader in the next round.
    writer->WaitFor(*reader->Mark());
    EXPECT_EQ(device_->counters().host_waits, waits);
    ASSERT_TRUE(Finish(*reader));
    EXPECT_EQ(device_->counters().host_waits, waits + 1);
    ASSERT_TRUE(HoldsOnly(seen.data(), kBytes, round)) << round;
  }
  ASSERT_TRUE(Finish(*writer));
}

TEST_P(SyclDeviceTest, AMarkHoldsWhatTheStreamWaitsFor) {
  const auto writer = Stream();
  const auto idle = Stream();
  constexpr std::size_t kBytes = 32 << 20;
  const DeviceMemory memory = OnDevice(kBytes);
  const DeviceMemory seen = Pinned(kBytes);
  for (int round = 1; round <= 5; ++round) {
    writer->Fill(memory.data(), static_cast<std::uint8_t>(round), kBytes);
    writer->Copy(seen.data(), memory.data(), kBytes);
    idle->WaitFor(*writer->Mark());
    ASSERT_TRUE(idle->Wait(*idle->Mark()));
    ASSERT_TRUE(HoldsOnly(seen.data(), kBytes, round)) << round;
  }
}

TEST_P(SyclDeviceTest, AnEmptyStreamIsAtItsEnd) {
  const auto stream = Stream();
  stream->Copy(nullptr, nullptr, 0);
  stream->Fill(nullptr, 0, 0);
  EXPECT_TRUE(Finish(*stream));
}

TEST_P(SyclDeviceTest, CountsWhatItDoes) {
  const auto stream = Stream();
  const DeviceMemory memory = OnDevice(4096);
  const DeviceMemory pinned = Pinned(4096);
  const DeviceCounters before = device_->counters();
  for (int i = 0; i < 3; ++i) stream->Copy(memory.data(), pinned.data(), 4096);
  stream->Copy(memory.data(), pinned.data(), 0);
  const auto mark = stream->Mark();
  ASSERT_TRUE(stream->Wait(*mark));
  ASSERT_TRUE(stream->Wait(*mark));
  const DeviceCounters after = device_->counters();
  EXPECT_EQ(after.copies, before.copies + 3);
  EXPECT_EQ(after.launches, before.launches);
  EXPECT_EQ(after.host_waits, before.host_waits + 2);
  EXPECT_EQ(after.replays, before.replays);
}

TEST_P(SyclDeviceTest, AGraphIsReplayedWithTheMemorysNewContent) {
  ASSERT_TRUE(device_->properties().has_graphs);
  const auto stream = Stream();
  const auto other = Stream();
  constexpr std::size_t kBytes = 300001;
  const DeviceMemory from = Pinned(kBytes);
  const DeviceMemory first = OnDevice(kBytes);
  const DeviceMemory second = OnDevice(kBytes);
  const DeviceMemory to = Pinned(kBytes);
  const DeviceMemory apart = Pinned(kBytes);
  std::fill_n(to.data(), kBytes, std::byte{0x11});
  const DeviceCounters before = device_->counters();
  stream->BeginRecording();
  stream->Fill(second.data(), 0x77, kBytes);
  stream->Copy(first.data(), from.data(), kBytes);
  stream->Copy(second.data(), first.data(), kBytes - 1);
  stream->Copy(to.data(), second.data(), kBytes);
  // Of another stream: not recorded, but run.
  Number(from.data(), kBytes, 1);
  other->Copy(apart.data(), from.data(), kBytes);
  ASSERT_TRUE(Finish(*other));
  EXPECT_TRUE(std::equal(from.data(), from.data() + kBytes, apart.data()));
  Result<std::unique_ptr<DeviceGraph>> graph = stream->EndRecording();
  ASSERT_TRUE(graph) << graph.error().Describe();
  EXPECT_TRUE(HoldsOnly(to.data(), kBytes, 0x11));
  EXPECT_EQ(device_->counters().copies, before.copies + 1);
  for (unsigned round = 1; round <= 20; ++round) {
    Number(from.data(), kBytes, round);
    // Before and after the graph, in order with it.
    stream->Fill(first.data(), 0x22, kBytes);
    stream->Replay(**graph);
    stream->Copy(apart.data(), second.data(), kBytes);
    ASSERT_TRUE(Finish(*stream));
    ASSERT_TRUE(std::equal(from.data(), from.data() + kBytes - 1, to.data())) << round;
    EXPECT_EQ(to.data()[kBytes - 1], std::byte{0x77});
    ASSERT_TRUE(std::equal(to.data(), to.data() + kBytes, apart.data())) << round;
  }
  EXPECT_EQ(device_->counters().replays, before.replays + 20);
}

TEST_P(SyclDeviceTest, ReplaysFollowEachOtherWithoutTheHost) {
  const auto stream = Stream();
  constexpr std::size_t kBytes = 1 << 20;
  constexpr int kRounds = 30;
  const DeviceMemory a = OnDevice(kBytes + 1);
  const DeviceMemory b = OnDevice(kBytes + 1);
  const DeviceMemory to = Pinned(kBytes + 1);
  // Each replay moves everything by one byte, so that the number of replays shows, and their order.
  stream->BeginRecording();
  stream->Copy(b.data() + 1, a.data(), kBytes);
  stream->Copy(a.data() + 1, b.data() + 1, kBytes);
  Result<std::unique_ptr<DeviceGraph>> graph = stream->EndRecording();
  ASSERT_TRUE(graph) << graph.error().Describe();
  const DeviceMemory from = Pinned(kBytes + 1);
  Number(from.data(), kBytes + 1, 5);
  stream->Copy(a.data(), from.data(), kBytes + 1);
  for (int round = 0; round < kRounds; ++round) stream->Replay(**graph);
  stream->Copy(to.data(), a.data(), kBytes + 1);
  ASSERT_TRUE(Finish(*stream));
  EXPECT_TRUE(HoldsOnly(to.data(), kRounds, static_cast<int>(from.data()[0])));
  EXPECT_TRUE(std::equal(from.data(), from.data() + kBytes - kRounds, to.data() + kRounds));
}

TEST_P(SyclDeviceTest, TheFirstFailureIsKept) {
  const auto stream = Stream();
  const auto other = Stream();
  const DeviceMemory memory = OnDevice(64);
  const DeviceMemory pinned = Pinned(64);
  std::fill_n(pinned.data(), 64, std::byte{5});
  stream->Fill(memory.data(), 9, 64);
  ASSERT_TRUE(Finish(*stream));
  stream->Copy(nullptr, pinned.data(), 64);
  stream->Copy(pinned.data(), memory.data(), 64);
  for (int i = 0; i < 2; ++i) {
    const Status status = Finish(*stream);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(device_->properties().name), std::string::npos);
  }
  EXPECT_TRUE(HoldsOnly(pinned.data(), 64, 5));
  stream->BeginRecording();
  EXPECT_FALSE(stream->EndRecording());
  // Other streams go on.
  other->Copy(pinned.data(), memory.data(), 64);
  EXPECT_TRUE(Finish(*other));
  EXPECT_TRUE(HoldsOnly(pinned.data(), 64, 9));
}

TEST_P(SyclDeviceTest, UnknownModulesAreRefused) {
  const auto kernel = device_->FindKernel("no_such_module", "some_kernel");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::kNotFound);
  EXPECT_NE(kernel.error().message.find("no_such_module"), std::string::npos) << kernel.error().message;
}

TEST_P(SyclDeviceTest, SizesGrowAndShrink) {
  const auto stream = Stream();
  unsigned seed = 0;
  for (const std::size_t bytes : {9, 20, 1283 * 723, 17 * 17, 3840 * 2160, 1, 1283 * 723, 9}) {
    const DeviceMemory from = Pinned(bytes);
    const DeviceMemory memory = OnDevice(bytes);
    const DeviceMemory to = Pinned(bytes);
    Number(from.data(), bytes, ++seed);
    stream->Copy(memory.data(), from.data(), bytes);
    stream->Copy(to.data(), memory.data(), bytes);
    ASSERT_TRUE(Finish(*stream));
    EXPECT_TRUE(std::equal(from.data(), from.data() + bytes, to.data())) << bytes;
  }
}

TEST_P(SyclDeviceTest, WithoutProfilingThereAreNoTimes) {
  const auto stream = Stream();
  const DeviceMemory memory = OnDevice(64);
  stream->Fill(memory.data(), 9, 64);
  ASSERT_TRUE(Finish(*stream));
  EXPECT_TRUE(stream->TakeTimings().empty());
}

TEST_P(SyclDeviceTest, ProfilingSumsTimesByName) {
  const std::shared_ptr<Device> device = Open({{}, GetParam(), true});
  ASSERT_NE(device, nullptr);
  EXPECT_FALSE(device->properties().has_graphs);
  constexpr std::size_t kBytes = 1 << 20;
  const DeviceMemory memory(*device, *device->AllocateOnDevice(kBytes));
  const DeviceMemory second(*device, *device->AllocateOnDevice(kBytes));
  const DeviceMemory pinned(*device, *device->AllocatePinned(kBytes));
  const auto stream = *device->MakeStream();
  const auto counts = [&] {
    std::map<std::string, std::uint64_t> sums;
    for (const DeviceTiming& timing : stream->TakeTimings()) {
      sums[timing.name] += timing.count;
      EXPECT_GT(timing.nanoseconds, 0u) << timing.name;
    }
    return sums;
  };
  stream->Fill(memory.data(), 1, kBytes);
  for (int i = 0; i < 2; ++i) stream->Copy(second.data(), memory.data(), kBytes);
  for (int i = 0; i < 3; ++i) stream->Copy(pinned.data(), memory.data(), kBytes);
  for (int i = 0; i < 4; ++i) stream->Copy(memory.data(), pinned.data(), kBytes);
  ASSERT_TRUE(Finish(*stream));
  const std::map<std::string, std::uint64_t> expected = {
      {"fill", 1}, {"copy", 2}, {"copy to host", 3}, {"copy to device", 4}};
  EXPECT_EQ(counts(), expected);
  EXPECT_TRUE(counts().empty());
  // More than are kept apart until somebody asks.
  constexpr std::uint64_t kMany = 10000;
  for (std::uint64_t i = 0; i < kMany; ++i) stream->Fill(memory.data(), 1, 64);
  ASSERT_TRUE(Finish(*stream));
  EXPECT_EQ(counts()["fill"], kMany);
  stream->BeginRecording();
  const auto graph = stream->EndRecording();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::kUnsupported);
}

INSTANTIATE_TEST_SUITE_P(Queues, SyclDeviceTest, testing::Values(false, true),
                         [](const auto& queue) { return queue.param ? "OutOfOrder" : "InOrder"; });

}  // namespace
}  // namespace lockstep
