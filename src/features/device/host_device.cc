// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that is the host: kernels run work-item by work-item, and only when somebody waits for them.
#include "features/device/host_device.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/device/kernel_list.h"

namespace lockstep {
namespace {

using Command = std::function<void()>;

class HostKernel final : public DeviceKernel {
 public:
  explicit HostKernel(const KernelDescription& description) : description_(description) {}
  [[nodiscard]] const KernelDescription& description() const { return description_; }

 private:
  const KernelDescription& description_;
};

struct Counters {
  HostFault fault;
  std::atomic<int> copies_begun{0};
  std::atomic<int> launches_begun{0};
  std::atomic<std::uint64_t> host_waits{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> replays{0};
};

class HostGraph final : public DeviceGraph {
 public:
  std::vector<Command> commands;
};

class HostStream;

class HostEvent final : public DeviceEvent {
 public:
  HostEvent(HostStream& of, std::uint64_t at) : stream(of), position(at) {}
  HostStream& stream;
  std::uint64_t position;  // commands of the stream before it
};

class HostStream final : public DeviceStream {
 public:
  HostStream(HostOrder order, Counters& counters) : order_(order), counters_(counters) {}

  void Copy(void* to, const void* from, std::size_t bytes) override {
    if (!recording_) ++counters_.copies;
    Add(
        [=, this] {
          if (Fails(++counters_.copies_begun, counters_.fault.copy, "copy")) return;
          std::memcpy(to, from, bytes);
        },
        true);
  }
  void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                std::size_t rows) override {
    if (!recording_) ++counters_.copies;
    Add(
        [=, this] {
          if (Fails(++counters_.copies_begun, counters_.fault.copy, "copy")) return;
          for (std::size_t y = 0; y < rows; ++y) {
            std::memcpy(static_cast<std::byte*>(to) + y * to_pitch,
                        static_cast<const std::byte*>(from) + y * from_pitch, row_bytes);
          }
        },
        true);
  }
  void Fill(void* to, std::uint8_t value, std::size_t bytes) override {
    Add([=] { std::memset(to, value, bytes); }, true);
  }
  void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
              const LaunchShape& shape) override {
    if (!recording_) ++counters_.launches;
    KernelLaunch launch;
    std::memcpy(&launch, arguments, argument_bytes);
    const KernelDescription& description = static_cast<const HostKernel&>(kernel).description();
    Add([=, &description, this] {
      if (Fails(++counters_.launches_begun, counters_.fault.launch, description.name)) return;
      const std::uint64_t work_items = shape.groups * LaunchShape::kGroupSize;
      for (std::uint64_t item = 0; item < work_items; ++item) description.run(launch, static_cast<i32>(item));
    });
  }
  std::shared_ptr<DeviceEvent> Mark() override { return std::make_shared<HostEvent>(*this, given_); }
  void WaitFor(const DeviceEvent& event) override {
    const auto& other = static_cast<const HostEvent&>(event);
    Add([&stream = other.stream, position = other.position] { stream.RunUntil(position); });
  }
  void WaitForNative(std::uintptr_t /*native_stream*/) override {}
  Status Wait(const DeviceEvent& event) override {
    ++counters_.host_waits;
    const auto& other = static_cast<const HostEvent&>(event);
    other.stream.RunUntil(other.position);
    return status();
  }
  Status status() const override {
    if (failure_) return *failure_;
    return {};
  }
  void BeginRecording() override { recording_ = std::make_unique<HostGraph>(); }
  Result<std::unique_ptr<DeviceGraph>> EndRecording() override {
    return std::unique_ptr<DeviceGraph>(std::move(recording_));
  }
  void Replay(DeviceGraph& graph) override {
    ++counters_.replays;
    for (const Command& command : static_cast<HostGraph&>(graph).commands) Add(command);
  }
  std::vector<DeviceTiming> TakeTimings() override { return {}; }

 private:
  void Add(Command command, bool is_copy = false) {
    if (recording_) {
      recording_->commands.push_back(std::move(command));
      return;
    }
    ++given_;
    if (is_copy && pending_.empty() && order_ == HostOrder::kEarlyCopies) {
      ++done_;
      command();
      return;
    }
    pending_.push_back(std::move(command));
  }
  bool Fails(int number, int failing, const char* what) {
    if (number != failing || failure_) return failure_.has_value();
    failure_ = Error{ErrorCode::kInternal, fmt::format("host: {} {} fails", what, number), {}, {}, {}};
    return true;
  }
  void RunUntil(std::uint64_t position) {
    while (done_ < position) {
      const Command command = std::move(pending_.front());
      pending_.pop_front();
      ++done_;
      command();
    }
  }

  HostOrder order_;
  Counters& counters_;
  std::deque<Command> pending_;
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
  std::unique_ptr<HostGraph> recording_;
  std::optional<Error> failure_;
};

class HostDevice final : public Device {
 public:
  HostDevice(HostOrder order, HostFault fault) : order_(order) {
    counters_.fault = fault;
    properties_.backend = "host";
    properties_.name = "host";
    properties_.is_processor = true;
    properties_.has_graphs = true;
    for (const KernelDescription& description : KernelList()) {
      kernels_.try_emplace({description.module, description.name}, description);
    }
  }

  const DeviceProperties& properties() const override { return properties_; }
  Result<std::byte*> AllocateOnDevice(std::size_t bytes) override { return Allocate(bytes); }
  Result<std::byte*> AllocatePinned(std::size_t bytes) override { return Allocate(bytes); }
  void Free(std::byte* memory) override {
    const std::lock_guard lock(mutex_);
    memory_.erase(memory);
  }
  Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override {
    const auto found = kernels_.find({std::string(module), std::string(name)});
    if (found == kernels_.end()) {
      return Error{ErrorCode::kNotFound, fmt::format("there is no kernel {} in module {}", name, module), {}, {}, {}};
    }
    return &found->second;
  }
  Result<std::unique_ptr<DeviceStream>> MakeStream() override {
    return std::unique_ptr<DeviceStream>(std::make_unique<HostStream>(order_, counters_));
  }
  DeviceCounters counters() const override {
    return {counters_.host_waits, counters_.launches, counters_.copies, counters_.replays};
  }

 private:
  Result<std::byte*> Allocate(std::size_t bytes) {
    AlignedBuffer buffer;
    buffer.Resize(bytes);
    std::byte* const data = buffer.data();
    // What nobody has written shows.
    std::memset(data, 0xa5, bytes);
    const std::lock_guard lock(mutex_);
    memory_.emplace(data, std::move(buffer));
    return data;
  }

  HostOrder order_;
  DeviceProperties properties_;
  std::map<std::pair<std::string, std::string>, HostKernel> kernels_;
  std::mutex mutex_;
  std::map<std::byte*, AlignedBuffer> memory_;
  Counters counters_;
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(HostOrder order, HostFault fault) {
  return std::make_unique<HostDevice>(order, fault);
}

}  // namespace lockstep
