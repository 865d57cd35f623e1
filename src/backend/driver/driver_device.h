// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device of CUDA or HIP: memory, modules, streams.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backend/device.h"
#include "backend/driver/driver_api.h"

namespace lockstep {

class DriverKernel final : public DeviceKernel {
 public:
  DriverKernel(std::string name, DriverHandle handle) : name_(std::move(name)), handle_(handle) {}
  [[nodiscard]] const std::string& name() const { return name_; }  // "vif sums"
  [[nodiscard]] DriverHandle handle() const { return handle_; }

 private:
  std::string name_;
  DriverHandle handle_;
};

class DriverDevice final : public Device {
 public:
  struct Counters {
    std::atomic<std::uint64_t> host_waits{0};
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> copies{0};
    std::atomic<std::uint64_t> replays{0};
  };

  /// in    properties complete
  DriverDevice(std::unique_ptr<DriverApi> api, DeviceProperties properties, bool profiling);
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;
  ~DriverDevice() override;

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] Result<std::byte*> AllocateOnDevice(std::size_t bytes) override;
  [[nodiscard]] Result<std::byte*> AllocatePinned(std::size_t bytes) override;
  void Free(std::byte* memory) override;
  [[nodiscard]] bool CanRead(const void* address) override;
  [[nodiscard]] Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override;
  [[nodiscard]] Result<std::unique_ptr<DeviceStream>> MakeStream() override;
  [[nodiscard]] DeviceCounters counters() const override;

  [[nodiscard]] DriverApi& api() { return *api_; }
  [[nodiscard]] bool profiling() const { return profiling_; }
  [[nodiscard]] Counters& mutable_counters() { return counters_; }
  /// The driver's words about `code`, with the device's name.
  [[nodiscard]] Error ErrorOf(DriverCode code, std::string_view action) const;

  /// Events are used again: creating one costs as much as several launches.
  [[nodiscard]] DriverCode TakeEvent(DriverHandle* event);
  void GiveBackEvent(DriverHandle event);

 private:
  struct Module {
    const void* image = nullptr;
    DriverHandle handle = nullptr;
    std::map<std::string, DriverKernel, std::less<>> kernels;
  };

  [[nodiscard]] Result<std::byte*> Allocate(std::size_t bytes, bool pinned);

  std::unique_ptr<DriverApi> api_;
  DeviceProperties properties_;
  bool profiling_;
  Counters counters_;
  std::mutex modules_mutex_;
  std::map<std::string, Module, std::less<>> modules_;
  std::mutex memory_mutex_;
  std::unordered_set<std::byte*> pinned_;
  std::mutex events_mutex_;
  std::vector<DriverHandle> idle_events_;
};

}  // namespace lockstep
