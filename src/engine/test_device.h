// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of pipelines: the host device to derive from, so that a test changes what it looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "features/device/host_device.h"

namespace lockstep {

class HostStreamBase : public DeviceStream {
 public:
  explicit HostStreamBase(std::unique_ptr<DeviceStream> host) : host_(std::move(host)) {}
  void Copy(void* to, const void* from, std::size_t bytes) override { host_->Copy(to, from, bytes); }
  void Fill(void* to, std::uint8_t value, std::size_t bytes) override { host_->Fill(to, value, bytes); }
  void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                std::size_t rows) override {
    host_->CopyRows(to, to_pitch, from, from_pitch, row_bytes, rows);
  }
  void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
              const LaunchShape& shape) override {
    host_->Launch(kernel, arguments, argument_bytes, shape);
  }
  std::shared_ptr<DeviceEvent> Mark() override { return host_->Mark(); }
  void WaitFor(const DeviceEvent& event) override { host_->WaitFor(event); }
  void WaitForNative(std::uintptr_t native_stream) override { host_->WaitForNative(native_stream); }
  Status Wait(const DeviceEvent& event) override { return host_->Wait(event); }
  Status status() const override { return host_->status(); }
  void BeginRecording() override { host_->BeginRecording(); }
  Result<std::unique_ptr<DeviceGraph>> EndRecording() override { return host_->EndRecording(); }
  void Replay(DeviceGraph& graph) override { host_->Replay(graph); }
  std::vector<DeviceTiming> TakeTimings() override { return host_->TakeTimings(); }

 private:
  std::unique_ptr<DeviceStream> host_;
};

class HostDeviceBase : public Device {
 public:
  const DeviceProperties& properties() const override { return host_->properties(); }
  Result<std::byte*> AllocateOnDevice(std::size_t bytes) override { return host_->AllocateOnDevice(bytes); }
  Result<std::byte*> AllocatePinned(std::size_t bytes) override { return host_->AllocatePinned(bytes); }
  void Free(std::byte* memory) override { host_->Free(memory); }
  Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) override {
    return host_->FindKernel(module, name);
  }
  DeviceCounters counters() const override { return host_->counters(); }

 protected:
  /// What a derived device's streams are made of.
  std::unique_ptr<DeviceStream> MakeHostStream() { return *host_->MakeStream(); }

 private:
  std::unique_ptr<Device> host_ = MakeHostDevice(HostOrder::kLate);
};

}  // namespace lockstep
