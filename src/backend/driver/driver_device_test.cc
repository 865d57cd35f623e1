// SPDX-License-Identifier: BSD-2-Clause-Patent
// Devices and streams over a driver that is made up, whose every call can fail.
#include "backend/driver/driver_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockstep {
namespace {

constexpr DriverCode kFailure = 700;
constexpr DriverCode kOutOfMemory = 2;

/// What the made-up driver has seen; outlives the device.
struct DriverLog {
  std::map<std::string, int> calls;
  std::string failing;  // the call that fails …
  int failing_at = 1;   // … at this count of it
  DriverCode code = kFailure;
  std::set<void*> streams;
  std::set<void*> events;
  std::set<void*> graphs;
  std::map<void*, bool> memory;  // whether it is pinned
  int faults = 0;                // handles that do not exist, memory freed as the other kind, …
};

class MadeUpDriver final : public DriverApi {
 public:
  explicit MadeUpDriver(DriverLog& log) : log_(log) {}
  ~MadeUpDriver() override {
    for (const auto& [memory, pinned] : log_.memory) ::operator delete(memory);
  }

  std::string Describe(DriverCode code) const override { return "code " + std::to_string(code); }
  bool IsOutOfMemory(DriverCode code) const override { return code == kOutOfMemory; }
  DriverCode MakeCurrent() override { return Call("MakeCurrent"); }
  DriverCode AllocateOnDevice(void** memory, std::size_t bytes) override { return Allocate(memory, bytes, false); }
  DriverCode AllocatePinned(void** memory, std::size_t bytes) override { return Allocate(memory, bytes, true); }
  DriverCode FreeOnDevice(void* memory) override { return Free(memory, false); }
  DriverCode FreePinned(void* memory) override { return Free(memory, true); }
  bool IsOnDevice(const void* address) override {
    const auto found = log_.memory.find(const_cast<void*>(address));
    return found != log_.memory.end() && !found->second;
  }
  DriverCode CreateStream(DriverHandle* stream) override { return Make("CreateStream", log_.streams, stream); }
  DriverCode DestroyStream(DriverHandle stream) override { return Destroy("DestroyStream", log_.streams, stream); }
  DriverCode SynchronizeStream(DriverHandle /*stream*/) override { return Call("SynchronizeStream"); }
  DriverCode Copy(void* to, const void* from, std::size_t bytes, DriverHandle /*stream*/) override {
    const DriverCode code = Call("Copy");
    if (code == 0) std::memcpy(to, from, bytes);
    return code;
  }
  DriverCode CopyRows(void* /*to*/, std::size_t /*to_pitch*/, const void* /*from*/, std::size_t /*from_pitch*/,
                      std::size_t /*row_bytes*/, std::size_t /*rows*/, DriverHandle /*stream*/) override {
    return Call("CopyRows");
  }
  DriverCode Fill(void* to, std::uint8_t value, std::size_t bytes, DriverHandle /*stream*/) override {
    const DriverCode code = Call("Fill");
    if (code == 0) std::memset(to, value, bytes);
    return code;
  }
  DriverCode Launch(DriverHandle /*kernel*/, const LaunchShape& /*shape*/, const void* /*arguments*/,
                    std::size_t /*argument_bytes*/, DriverHandle /*stream*/) override {
    return Call("Launch");
  }
  DriverCode CreateEvent(DriverHandle* event, bool /*is_timed*/) override {
    return Make("CreateEvent", log_.events, event);
  }
  DriverCode DestroyEvent(DriverHandle event) override { return Destroy("DestroyEvent", log_.events, event); }
  DriverCode RecordEvent(DriverHandle event, DriverHandle /*stream*/) override { return Use("RecordEvent", event); }
  DriverCode WaitForEvent(DriverHandle event, DriverHandle /*stream*/) override { return Use("WaitForEvent", event); }
  DriverCode SynchronizeEvent(DriverHandle event) override { return Use("SynchronizeEvent", event); }
  DriverCode QueryEvent(DriverHandle event, bool* is_done) override {
    *is_done = true;
    return Use("QueryEvent", event);
  }
  DriverCode MillisecondsBetween(DriverHandle /*begin*/, DriverHandle /*end*/, float* milliseconds) override {
    *milliseconds = 0.5F;
    return Call("MillisecondsBetween");
  }
  DriverCode BeginCapture(DriverHandle /*stream*/) override { return Call("BeginCapture"); }
  DriverCode EndCapture(DriverHandle /*stream*/, DriverHandle* graph) override {
    return Make("EndCapture", log_.graphs, graph);
  }
  DriverCode LaunchGraph(DriverHandle graph, DriverHandle /*stream*/) override {
    if (log_.graphs.count(graph) == 0) ++log_.faults;
    return Call("LaunchGraph");
  }
  DriverCode DestroyGraph(DriverHandle graph) override { return Destroy("DestroyGraph", log_.graphs, graph); }
  DriverCode LoadModule(const void* /*image*/, DriverHandle* /*module*/, std::string* /*log*/) override {
    return Call("LoadModule");
  }
  DriverCode FindKernel(DriverHandle /*module*/, const char* /*name*/, DriverHandle* /*kernel*/,
                        bool* /*found*/) override {
    return Call("FindKernel");
  }
  DriverCode AllowLocalMemory(DriverHandle /*kernel*/, int /*bytes*/) override { return Call("AllowLocalMemory"); }

 private:
  DriverCode Call(const std::string& name) {
    const int count = ++log_.calls[name];
    return name == log_.failing && count == log_.failing_at ? log_.code : 0;
  }
  DriverCode Make(const std::string& name, std::set<void*>& all, DriverHandle* made) {
    const DriverCode code = Call(name);
    if (code != 0) return code;
    *made = &all_handles_[next_++ % all_handles_.size()];
    all.insert(*made);
    return 0;
  }
  DriverCode Destroy(const std::string& name, std::set<void*>& all, DriverHandle handle) {
    if (all.erase(handle) == 0) ++log_.faults;
    return Call(name);
  }
  DriverCode Use(const std::string& name, DriverHandle event) {
    if (log_.events.count(event) == 0) ++log_.faults;
    return Call(name);
  }
  DriverCode Allocate(void** memory, std::size_t bytes, bool pinned) {
    const DriverCode code = Call(pinned ? "AllocatePinned" : "AllocateOnDevice");
    if (code != 0) return code;
    *memory = ::operator new(bytes);
    log_.memory[*memory] = pinned;
    return 0;
  }
  DriverCode Free(void* memory, bool pinned) {
    const auto found = log_.memory.find(memory);
    if (found == log_.memory.end() || found->second != pinned) {
      ++log_.faults;
      return kFailure;
    }
    ::operator delete(memory);
    log_.memory.erase(found);
    return 0;
  }

  DriverLog& log_;
  std::vector<char> all_handles_ = std::vector<char>(1 << 16);
  std::size_t next_ = 0;
};

class DriverDeviceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Device> Open(bool profiling = false) {
    DeviceProperties properties;
    properties.backend = "made up";
    properties.name = "Device X";
    properties.has_graphs = true;
    return std::make_unique<DriverDevice>(std::make_unique<MadeUpDriver>(log_), properties, profiling);
  }
  /// One of everything that a stream does.
  static Status UseAll(Device& device) {
    Result<std::byte*> memory = device.AllocateOnDevice(256);
    if (!memory) return memory.error();
    const DeviceMemory on_device(device, *memory);
    Result<std::byte*> host = device.AllocatePinned(256);
    if (!host) return host.error();
    const DeviceMemory pinned(device, *host);
    Result<std::unique_ptr<DeviceStream>> made = device.MakeStream();
    if (!made) return made.error();
    Result<std::unique_ptr<DeviceStream>> other = device.MakeStream();
    if (!other) return other.error();
    DeviceStream& stream = **made;
    const DriverKernel kernel("module kernel", nullptr);
    const int argument = 0;
    std::unique_ptr<DeviceGraph> recorded;
    stream.Fill(pinned.data(), 7, 256);
    stream.Copy(on_device.data(), pinned.data(), 256);
    stream.CopyRows(on_device.data(), 64, pinned.data(), 32, 16, 4);
    (*other)->WaitFor(*stream.Mark());
    stream.WaitForNative(1);
    stream.BeginRecording();
    stream.Launch(kernel, &argument, sizeof(argument), {4});
    Result<std::unique_ptr<DeviceGraph>> graph = stream.EndRecording();
    if (graph) {
      recorded = *std::move(graph);
      stream.Replay(*recorded);
    }
    const std::shared_ptr<DeviceEvent> end = stream.Mark();
    Status status = stream.Wait(*end);
    if (!status) return status;
    return (*other)->Wait(*(*other)->Mark());
  }

  DriverLog log_;
};

TEST_F(DriverDeviceTest, RunsAndLeavesNothingBehind) {
  {
    const std::unique_ptr<Device> device = Open();
    const Status status = UseAll(*device);
    EXPECT_TRUE(status) << status.error().Describe();
    EXPECT_EQ(device->counters().host_waits, 2U);
    EXPECT_EQ(device->counters().copies, 2U);
    EXPECT_EQ(device->counters().launches, 0U) << "launches that are recorded do not count";
    EXPECT_EQ(device->counters().replays, 1U);
  }
  EXPECT_TRUE(log_.streams.empty());
  EXPECT_TRUE(log_.events.empty());
  EXPECT_TRUE(log_.graphs.empty());
  EXPECT_TRUE(log_.memory.empty());
  EXPECT_EQ(log_.faults, 0);
}

TEST_F(DriverDeviceTest, EveryCallMayFail) {
  {
    const std::unique_ptr<Device> device = Open();
    ASSERT_TRUE(UseAll(*device));
  }
  const std::map<std::string, int> calls = log_.calls;
  for (const auto& [name, count] : calls) {
    // What only the end of a stream or a device calls has nobody to tell.
    if (name.starts_with("Destroy") || name == "SynchronizeStream") continue;
    for (int at = 1; at <= count; ++at) {
      log_ = DriverLog();
      log_.failing = name;
      log_.failing_at = at;
      bool is_late = false;
      {
        const std::unique_ptr<Device> device = Open();
        const Status status = UseAll(*device);
        // Destructors make the device current too.
        is_late = name == "MakeCurrent" && static_cast<bool>(status);
        if (!status) {
          EXPECT_EQ(status.error().code, ErrorCode::kInternal);
          EXPECT_NE(status.error().message.find("Device X"), std::string::npos) << status.error().message;
          EXPECT_NE(status.error().message.find("code 700"), std::string::npos) << status.error().message;
        } else {
          EXPECT_TRUE(is_late) << name << " " << at << " was not noticed";
        }
      }
      EXPECT_EQ(log_.faults, 0) << name << " " << at;
      if (name != "MakeCurrent") {
        EXPECT_TRUE(log_.streams.empty() && log_.events.empty() && log_.graphs.empty() && log_.memory.empty())
            << name << " " << at;
      }
    }
  }
}

TEST_F(DriverDeviceTest, NamesTheMemoryThatIsMissing) {
  log_.failing = "AllocateOnDevice";
  log_.code = kOutOfMemory;
  const Result<std::byte*> memory = Open()->AllocateOnDevice(12345);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(memory.error().message, "Device X: no room for 12345 bytes of device memory: code 2");
}

TEST_F(DriverDeviceTest, KeepsTheFirstFailure) {
  log_.failing = "Copy";
  const std::unique_ptr<Device> device = Open();
  const std::unique_ptr<DeviceStream> stream = *device->MakeStream();
  char memory[4] = {1, 2, 3, 4};
  stream->Copy(memory, memory + 2, 2);
  stream->Fill(memory, 9, sizeof(memory));
  EXPECT_EQ(memory[0], 1) << "commands after a failure do nothing";
  const Status status = stream->Wait(*stream->Mark());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "Device X: copy: code 700");
  EXPECT_FALSE(stream->EndRecording());
}

TEST_F(DriverDeviceTest, MeasuresTimes) {
  const std::unique_ptr<Device> device = Open(true);
  EXPECT_FALSE(device->properties().has_graphs);
  const std::unique_ptr<DeviceStream> stream = *device->MakeStream();
  const DriverKernel kernel("module kernel", nullptr);
  const int argument = 0;
  const DeviceMemory memory(*device, *device->AllocateOnDevice(64));
  const DeviceMemory pinned(*device, *device->AllocatePinned(64));
  for (int i = 0; i < 10000; ++i) stream->Launch(kernel, &argument, sizeof(argument), {1});
  stream->Copy(memory.data(), pinned.data(), 64);
  stream->Copy(pinned.data(), memory.data(), 64);
  std::map<std::string, DeviceTiming> timings;
  for (const DeviceTiming& timing : stream->TakeTimings()) timings[timing.name] = timing;
  EXPECT_EQ(timings["module kernel"].count, 10000U);
  EXPECT_EQ(timings["module kernel"].nanoseconds, std::uint64_t{10000} * 500000);
  EXPECT_EQ(timings["copy to device"].count, 1U);
  EXPECT_EQ(timings["copy to host"].count, 1U);
  EXPECT_LE(log_.calls["CreateEvent"], 2 * 4097);
  EXPECT_TRUE(stream->TakeTimings().empty());
}

TEST_F(DriverDeviceTest, KnowsNoKernelWithoutModules) {
  const Result<const DeviceKernel*> kernel = Open()->FindKernel("vif", "sums");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace lockstep
