// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device of CUDA or HIP: memory, modules, streams.
#include "backend/driver/driver_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/driver/driver_stream.h"
#include "backend/kernel_module.h"

namespace lockstep {

DriverDevice::DriverDevice(std::unique_ptr<DriverApi> api, DeviceProperties properties, bool profiling)
    : api_(std::move(api)), properties_(std::move(properties)), profiling_(profiling) {
  // The time of a single kernel is known outside of graphs only.
  if (profiling_) properties_.has_graphs = false;
  for (const KernelModule& module : KernelModules()) modules_[module.name].image = module.begin;
}

DriverDevice::~DriverDevice() {
  // Modules and the device's context stay: they go with the process, and the driver may be gone before this object is.
  if (api_->MakeCurrent() != 0) return;
  for (const DriverHandle event : idle_events_) api_->DestroyEvent(event);
}

Error DriverDevice::ErrorOf(DriverCode code, std::string_view action) const {
  const ErrorCode own = api_->IsOutOfMemory(code) ? ErrorCode::kOutOfMemory : ErrorCode::kInternal;
  return {own, fmt::format("{}: {}: {}", properties_.name, action, api_->Describe(code)), {}, {}, {}};
}

Result<std::byte*> DriverDevice::Allocate(std::size_t bytes, bool pinned) {
  void* memory = nullptr;
  DriverCode code = api_->MakeCurrent();
  // Never nothing, so that an address says whether there is memory.
  const std::size_t wanted = std::max<std::size_t>(bytes, 64);
  if (code == 0) code = pinned ? api_->AllocatePinned(&memory, wanted) : api_->AllocateOnDevice(&memory, wanted);
  const char* const place = pinned ? "host memory for copies" : "device memory";
  if (code != 0) return ErrorOf(code, fmt::format("no room for {} bytes of {}", bytes, place));
  if (pinned) {
    const std::lock_guard lock(memory_mutex_);
    pinned_.insert(static_cast<std::byte*>(memory));
  }
  return static_cast<std::byte*>(memory);
}

Result<std::byte*> DriverDevice::AllocateOnDevice(std::size_t bytes) { return Allocate(bytes, false); }

Result<std::byte*> DriverDevice::AllocatePinned(std::size_t bytes) { return Allocate(bytes, true); }

void DriverDevice::Free(std::byte* memory) {
  if (memory == nullptr) return;
  bool pinned = false;
  {
    const std::lock_guard lock(memory_mutex_);
    pinned = pinned_.erase(memory) != 0;
  }
  // Nobody could do anything about a failure; a device that is gone has freed everything.
  if (api_->MakeCurrent() != 0) return;
  static_cast<void>(pinned ? api_->FreePinned(memory) : api_->FreeOnDevice(memory));
}

bool DriverDevice::CanRead(const void* address) { return api_->MakeCurrent() == 0 && api_->IsOnDevice(address); }

Result<const DeviceKernel*> DriverDevice::FindKernel(std::string_view module, std::string_view name) {
  const auto unknown = [&] {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: there is no kernel {} in module {}", properties_.name, name, module),
                 {},
                 {},
                 {}};
  };
  const std::lock_guard lock(modules_mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end()) return unknown();
  Module& own = found->second;
  if (const auto known = own.kernels.find(name); known != own.kernels.end()) return &known->second;
  if (const DriverCode code = api_->MakeCurrent(); code != 0) return ErrorOf(code, "cannot be used");
  if (own.handle == nullptr) {
    std::string log;
    if (const DriverCode code = api_->LoadModule(own.image, &own.handle, &log); code != 0) {
      std::replace(log.begin(), log.end(), '\n', ' ');
      Error error = ErrorOf(code, fmt::format("kernel module {}", module));
      if (!log.empty()) error.message += "; " + log;
      return error;
    }
  }
  DriverHandle kernel = nullptr;
  bool is_there = false;
  const std::string entry = fmt::format("lockstep_{}_{}", module, name);
  DriverCode code = api_->FindKernel(own.handle, entry.c_str(), &kernel, &is_there);
  if (code == 0 && !is_there) return unknown();
  constexpr int kAlwaysAllowed = 48 << 10;
  if (code == 0 && properties_.traits.local_bytes > kAlwaysAllowed) {
    code = api_->AllowLocalMemory(kernel, properties_.traits.local_bytes);
  }
  if (code != 0) return ErrorOf(code, fmt::format("kernel {} of module {}", name, module));
  return &own.kernels.try_emplace(std::string(name), fmt::format("{} {}", module, name), kernel).first->second;
}

Result<std::unique_ptr<DeviceStream>> DriverDevice::MakeStream() {
  DriverHandle stream = nullptr;
  DriverCode code = api_->MakeCurrent();
  if (code == 0) code = api_->CreateStream(&stream);
  if (code != 0) return ErrorOf(code, "a stream cannot be made");
  return std::unique_ptr<DeviceStream>(new DriverStream(*this, stream));
}

DriverCode DriverDevice::TakeEvent(DriverHandle* event) {
  {
    const std::lock_guard lock(events_mutex_);
    if (!idle_events_.empty()) {
      *event = idle_events_.back();
      idle_events_.pop_back();
      return 0;
    }
  }
  return api_->CreateEvent(event, profiling_);
}

void DriverDevice::GiveBackEvent(DriverHandle event) {
  const std::lock_guard lock(events_mutex_);
  idle_events_.push_back(event);
}

DeviceCounters DriverDevice::counters() const {
  return {counters_.host_waits, counters_.launches, counters_.copies, counters_.replays};
}

}  // namespace lockstep
