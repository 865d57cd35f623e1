// SPDX-License-Identifier: BSD-2-Clause-Patent
// A SYCL device that is open.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/first_failure.h"
#include "backend/sycl/sycl_failure.h"
#include "lockstep/result.h"

namespace lockstep {

class SyclKernel final : public DeviceKernel {
 public:
  SyclKernel(std::string name, sycl::kernel kernel) : name_(std::move(name)), kernel_(std::move(kernel)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const sycl::kernel& kernel() const { return kernel_; }

 private:
  std::string name_;
  sycl::kernel kernel_;
};

/// A queue, and what the runtime reports later about its commands.
struct SyclQueue {
  sycl::queue queue;
  std::shared_ptr<FirstFailure> failure;
};

struct SyclCounters {
  std::atomic<std::uint64_t> host_waits{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> replays{0};
};

class SyclDevice final : public Device {
 public:
  /// Throws SYCL's exceptions.
  SyclDevice(const sycl::device& device, const DeviceSelection& selection);

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] Result<std::byte*> AllocateOnDevice(std::size_t bytes) override;
  [[nodiscard]] Result<std::byte*> AllocatePinned(std::size_t bytes) override;
  void Free(std::byte* memory) override;
  [[nodiscard]] Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override;
  [[nodiscard]] Result<std::unique_ptr<DeviceStream>> MakeStream() override;
  [[nodiscard]] DeviceCounters counters() const override;

  // For streams.
  [[nodiscard]] const sycl::context& context() const { return context_; }
  [[nodiscard]] const sycl::device& device() const { return device_; }
  [[nodiscard]] bool profiling() const { return profiling_; }
  [[nodiscard]] bool out_of_order() const { return out_of_order_; }
  [[nodiscard]] SyclCounters& mutable_counters() { return counters_; }
  /// To be held while a command is given to any queue: a kernel object holds the arguments of its next launch, and the
  /// runtime does not guard them for kernels loaded from SPIR-V.
  [[nodiscard]] std::mutex& submission() { return submission_; }
  /// To be held while waiting for an event of a processor: in Intel's CPU runtime a waiting thread works for any queue
  /// of the process, and two of them can come to wait for each other.
  [[nodiscard]] static std::mutex& ProcessorWaits() {
    static std::mutex waits;
    return waits;
  }
  /// A queue that nobody else uses, of the kind that the device was opened with. Throws SYCL's exceptions.
  [[nodiscard]] SyclQueue TakeQueue();
  /// All its commands have finished.
  void GiveBack(SyclQueue queue);

 private:
  struct Module {
    std::mutex mutex;
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
    std::map<std::string, std::unique_ptr<SyclKernel>, std::less<>> kernels;
  };

  Result<std::byte*> Allocate(std::size_t bytes, sycl::usm::alloc kind, const char* place);
  Module* FindModule(std::string_view name);
  [[nodiscard]] SyclQueue MakeQueue() const;

  sycl::device device_;
  sycl::context context_;
  DeviceProperties properties_;
  bool out_of_order_;
  bool profiling_;
  std::size_t sub_group_size_;
  std::map<std::string, Module, std::less<>> modules_;
  SyclCounters counters_;
  std::mutex submission_;
  std::mutex queues_mutex_;
  std::vector<SyclQueue> idle_queues_;
  std::vector<SyclQueue> failed_queues_;  // not used again, and not destroyed either
};

}  // namespace lockstep
