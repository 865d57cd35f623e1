// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Metal device that is open. Written, never run.
#pragma once

#include <Metal/Metal.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "backend/device.h"

namespace lockstep {

class MetalKernel final : public DeviceKernel {
 public:
  MetalKernel(std::string name, NS::SharedPtr<MTL::ComputePipelineState> pipeline)
      : name_(std::move(name)), pipeline_(std::move(pipeline)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const MTL::ComputePipelineState* pipeline() const { return pipeline_.get(); }

 private:
  std::string name_;
  NS::SharedPtr<MTL::ComputePipelineState> pipeline_;
};

class MetalDevice final : public Device {
 public:
  struct Counters {
    std::atomic<std::uint64_t> host_waits{0};
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> copies{0};
  };

  MetalDevice(NS::SharedPtr<MTL::Device> device, bool profiling);

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  /// The address is the device's; only kernels can use it.
  [[nodiscard]] Result<std::byte*> AllocateOnDevice(std::size_t bytes) override;
  [[nodiscard]] Result<std::byte*> AllocatePinned(std::size_t bytes) override;
  void Free(std::byte* memory) override;
  [[nodiscard]] Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override;
  [[nodiscard]] Result<std::unique_ptr<DeviceStream>> MakeStream() override;
  [[nodiscard]] DeviceCounters counters() const override;

  [[nodiscard]] bool profiling() const { return profiling_; }
  [[nodiscard]] Counters& mutable_counters() { return counters_; }
  /// The device's address of a place in memory of either kind; 0: it is of neither.
  [[nodiscard]] std::uint64_t AddressOf(const void* place) const;
  /// Tells an encoder of all memory: kernels find theirs through addresses in argument blocks.
  void UseMemory(MTL::ComputeCommandEncoder& encoder) const;

 private:
  struct Block {
    NS::SharedPtr<MTL::Buffer> buffer;
    std::size_t bytes = 0;
    std::uint64_t address = 0;  // on the device
  };
  struct Module {
    NS::SharedPtr<MTL::Library> library;
    std::map<std::string, MetalKernel, std::less<>> kernels;
  };

  [[nodiscard]] Result<std::byte*> Allocate(std::size_t bytes, bool pinned);
  [[nodiscard]] const Block* FindBlock(const std::byte* place) const;

  NS::SharedPtr<MTL::Device> device_;
  DeviceProperties properties_;
  bool profiling_;
  Counters counters_;
  mutable std::mutex memory_mutex_;
  std::map<const std::byte*, Block> blocks_;  // by the address that was handed out
  std::mutex modules_mutex_;
  std::map<std::string, Module, std::less<>> modules_;
};

}  // namespace lockstep
