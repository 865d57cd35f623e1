// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures in memory that a device copies from by itself.
#pragma once

#include <memory>
#include <utility>

#include "backend/device.h"
#include "base/frame.h"

namespace lockstep {

/// Keeps the device open as long as a frame lives.
class PinnedFrames final : public FrameAllocator {
 public:
  explicit PinnedFrames(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  [[nodiscard]] std::byte* Allocate(std::size_t bytes) override {
    Result<std::byte*> memory = device_->AllocatePinned(bytes);
    return memory ? *memory : nullptr;
  }
  void Free(std::byte* memory) override { device_->Free(memory); }

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace lockstep
