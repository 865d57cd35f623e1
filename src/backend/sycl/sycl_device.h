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

#include "backend/device.h"
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
  /// A new queue of the device's kind, whose late failures go to `failure`. Throws SYCL's exceptions.
  [[nodiscard]] sycl::queue MakeQueue(const std::shared_ptr<FirstFailure>& failure) const;

 private:
  struct Module {
    std::mutex mutex;
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
    std::map<std::string, std::unique_ptr<SyclKernel>, std::less<>> kernels;
  };

  Result<std::byte*> Allocate(std::size_t bytes, sycl::usm::alloc kind, const char* place);
  Module* FindModule(std::string_view name);

  sycl::device device_;
  sycl::context context_;
  DeviceProperties properties_;
  bool out_of_order_;
  bool profiling_;
  std::shared_ptr<FirstFailure> shared_failure_ = std::make_shared<FirstFailure>();
  std::optional<sycl::queue> shared_queue_;  // of all streams, when they are out of order
  std::map<std::string, Module, std::less<>> modules_;
  SyclCounters counters_;
  std::mutex submission_;
};

}  // namespace lockstep
