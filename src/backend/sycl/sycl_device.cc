// SPDX-License-Identifier: BSD-2-Clause-Patent
// A SYCL device that is open.
#include "backend/sycl/sycl_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backend/sycl/device_choice.h"
#include "backend/sycl/sub_group_size.h"
#include "backend/sycl/sycl_stream.h"

namespace lockstep {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

sycl::kernel_bundle<sycl::bundle_state::executable> Load(const sycl::context& context, const KernelModule& module,
                                                         std::size_t sub_group_size) {
  std::string log;
  try {
    auto source = syclexp::create_kernel_bundle_from_source(
        context, syclexp::source_language::spirv, WithSubGroupSize(module, static_cast<std::uint32_t>(sub_group_size)));
    return syclexp::build(source, syclexp::properties{syclexp::save_log{&log}});
  } catch (const sycl::exception& exception) {
    if (log.empty()) throw;
    throw sycl::exception(exception.code(), std::string(exception.what()) + "\n" + log);
  }
}

}  // namespace

SyclDevice::SyclDevice(const sycl::device& device, const DeviceSelection& selection)
    : device_(device),
      context_(device),
      out_of_order_(selection.out_of_order),
      profiling_(selection.profiling),
      sub_group_size_(selection.sub_group_size != 0 ? static_cast<std::size_t>(selection.sub_group_size)
                                                    : BestSubGroupSize(device)) {
  properties_.backend = "sycl";
  properties_.name = device_.get_info<sycl::info::device::name>();
  properties_.is_processor = device_.is_cpu();
  // The time of a single kernel is known outside of graphs only.
  properties_.has_graphs = !profiling_ && (device_.has(sycl::aspect::ext_oneapi_graph) ||
                                           device_.has(sycl::aspect::ext_oneapi_limited_graph));
  if (profiling_ && !device_.has(sycl::aspect::queue_profiling)) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported), "it measures no times");
  }
  for (const KernelModule& module : KernelModules()) modules_[module.name];
}

// Queues are used again and never destroyed: Intel's CPU runtime can wait for ever when an out-of-order queue goes
// while its last command is still winding up, although the command's event is complete.
SyclQueue SyclDevice::TakeQueue() {
  {
    const std::lock_guard lock(queues_mutex_);
    if (!idle_queues_.empty()) {
      SyclQueue queue = std::move(idle_queues_.back());
      idle_queues_.pop_back();
      return queue;
    }
  }
  return MakeQueue();
}

void SyclDevice::GiveBack(SyclQueue queue) {
  const std::lock_guard lock(queues_mutex_);
  (queue.failure->has_failed() ? failed_queues_ : idle_queues_).push_back(std::move(queue));
}

SyclQueue SyclDevice::MakeQueue() const {
  const auto failure = std::make_shared<FirstFailure>();
  const auto keep = [failure, name = properties_.name](const sycl::exception_list& exceptions) {
    for (const std::exception_ptr& one : exceptions) {
      try {
        std::rethrow_exception(one);
      } catch (...) {
        failure->Keep(CurrentSyclError(name));
      }
    }
  };
  using sycl::property::queue::enable_profiling;
  using sycl::property::queue::in_order;
  sycl::property_list properties;
  if (out_of_order_ && profiling_) properties = {enable_profiling()};
  if (!out_of_order_ && profiling_) properties = {in_order(), enable_profiling()};
  if (!out_of_order_ && !profiling_) properties = {in_order()};
  return {sycl::queue(context_, device_, keep, properties), failure};
}

Result<std::byte*> SyclDevice::Allocate(std::size_t bytes, sycl::usm::alloc kind, const char* place) {
  constexpr std::size_t kAlignment = 64;
  void* memory = nullptr;
  std::string reason;
  try {
    // Never nothing, so that an address says whether there is memory.
    memory = sycl::aligned_alloc(kAlignment, std::max(bytes, kAlignment), device_, context_, kind);
  } catch (const std::exception& exception) {
    reason = std::string(" (") + exception.what() + ")";
  }
  if (memory != nullptr) return static_cast<std::byte*>(memory);
  return Error{ErrorCode::kOutOfMemory,
               fmt::format("{}: no room for {} bytes of {}{}", properties_.name, bytes, place, reason),
               {},
               {},
               {}};
}

Result<std::byte*> SyclDevice::AllocateOnDevice(std::size_t bytes) {
  return Allocate(bytes, sycl::usm::alloc::device, "device memory");
}

Result<std::byte*> SyclDevice::AllocatePinned(std::size_t bytes) {
  return Allocate(bytes, sycl::usm::alloc::host, "host memory for copies");
}

void SyclDevice::Free(std::byte* memory) {
  if (memory == nullptr) return;
  try {
    sycl::free(memory, context_);
  } catch (const std::exception&) {
    // Nobody could do anything about it; a device that is gone has freed everything.
    return;
  }
}

SyclDevice::Module* SyclDevice::FindModule(std::string_view name) {
  const auto found = modules_.find(name);
  return found != modules_.end() ? &found->second : nullptr;
}

Result<const DeviceKernel*> SyclDevice::FindKernel(std::string_view module, std::string_view name) {
  const auto unknown = [&](std::string_view what) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no kernel {} {}", properties_.name, what, name), {}, {}, {}};
  };
  Module* const found = FindModule(module);
  if (found == nullptr) return unknown(fmt::format("module {}, asked for", module));
  const std::lock_guard lock(found->mutex);
  const auto known = found->kernels.find(name);
  if (known != found->kernels.end()) return known->second.get();
  try {
    if (!found->bundle) {
      const auto modules = KernelModules();
      found->bundle = Load(
          context_,
          *std::find_if(modules.begin(), modules.end(), [&](const KernelModule& one) { return one.name == module; }),
          sub_group_size_);
    }
    const std::string entry = fmt::format("__sycl_kernel_lockstep_{}_{}", module, name);
    if (!found->bundle->ext_oneapi_has_kernel(entry)) return unknown(module);
    auto kernel =
        std::make_unique<SyclKernel>(fmt::format("{} {}", module, name), found->bundle->ext_oneapi_get_kernel(entry));
    return found->kernels.emplace(name, std::move(kernel)).first->second.get();
  } catch (...) {
    return CurrentSyclError(fmt::format("{}: kernel module {}", properties_.name, module));
  }
}

Result<std::unique_ptr<DeviceStream>> SyclDevice::MakeStream() {
  try {
    return std::unique_ptr<DeviceStream>(new SyclStream(*this, TakeQueue()));
  } catch (...) {
    return CurrentSyclError(properties_.name);
  }
}

DeviceCounters SyclDevice::counters() const {
  DeviceCounters counters;
  counters.host_waits = counters_.host_waits;
  counters.launches = counters_.launches;
  counters.copies = counters_.copies;
  counters.replays = counters_.replays;
  return counters;
}

}  // namespace lockstep
