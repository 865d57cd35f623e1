// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream on a Metal queue. Written, never run.
#pragma once

#include <Metal/Metal.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "backend/first_failure.h"
#include "backend/metal/metal_device.h"

namespace lockstep {

class MetalStream final : public DeviceStream {
 public:
  /// in    copy_rows, fill of copy_kernels.metal
  MetalStream(MetalDevice& device, NS::SharedPtr<MTL::CommandQueue> queue, NS::SharedPtr<MTL::SharedEvent> event,
              const DeviceKernel& copy_rows, const DeviceKernel& fill);
  MetalStream(const MetalStream&) = delete;
  MetalStream& operator=(const MetalStream&) = delete;
  ~MetalStream() override;

  void Copy(void* to, const void* from, std::size_t bytes) override;
  void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                std::size_t rows) override;
  void Fill(void* to, std::uint8_t value, std::size_t bytes) override;
  void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
              const LaunchShape& shape) override;
  [[nodiscard]] std::shared_ptr<DeviceEvent> Mark() override;
  void WaitFor(const DeviceEvent& event) override;
  void WaitForNative(std::uintptr_t native_stream) override;
  [[nodiscard]] Status Wait(const DeviceEvent& event) override;
  [[nodiscard]] Status status() const override { return state_->failure.status(); }
  void BeginRecording() override;
  [[nodiscard]] Result<std::unique_ptr<DeviceGraph>> EndRecording() override;
  void Replay(DeviceGraph& graph) override;
  [[nodiscard]] std::vector<DeviceTiming> TakeTimings() override;

 private:
  /// What Metal's threads report to; they may do so after the stream is gone.
  struct State {
    FirstFailure failure;
    std::mutex mutex;
    std::map<std::string, DeviceTiming, std::less<>> timings;
  };

  void Encode(std::string_view name, const MetalKernel& kernel, const void* arguments, std::size_t argument_bytes,
              std::uint64_t groups, int group_size);
  MTL::CommandBuffer* Commands();
  void Commit(std::string_view name);
  void Fail(const std::string& reason);

  MetalDevice& device_;
  NS::SharedPtr<MTL::CommandQueue> queue_;
  NS::SharedPtr<MTL::SharedEvent> event_;
  const MetalKernel& copy_rows_;
  const MetalKernel& fill_;
  std::shared_ptr<State> state_;
  NS::SharedPtr<MTL::CommandBuffer> commands_;         // not committed yet
  NS::SharedPtr<MTL::ComputeCommandEncoder> encoder_;  // of commands_, open
  std::uint64_t last_value_ = 0;                       // that event_ will have
};

}  // namespace lockstep
