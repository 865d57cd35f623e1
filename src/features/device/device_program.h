// SPDX-License-Identifier: BSD-2-Clause-Patent
// A metric as a device runs it: memory, the kernels of a frame in their order, and the facts in what they leave.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "features/device/device_kernel.h"
#include "features/feature.h"

namespace lockstep {

/// A plane in device memory.
struct DevicePlane {
  const void* data = nullptr;
  int stride = 0;  // in samples
};

using DevicePicture = std::array<DevicePlane, 3>;

/// Addresses of one frame of a batch. They never change while a run lasts, so that argument blocks are made once.
struct DeviceFrame {
  DevicePicture reference;
  DevicePicture distorted;
  /// [k] is the reference picture k frames earlier; [0] is `reference`. Before the first frame of a sequence their
  /// content is arbitrary.
  std::array<DevicePicture, 3> earlier_reference;
  /// What the steps of AddPictureSteps() made of those pictures.
  std::array<std::byte*, 3> prepared{};
  std::byte* scratch = nullptr;
  std::byte* results = nullptr;
  const std::byte* table = nullptr;
};

/// One launch: a kernel over the rows and lanes of every frame of a batch.
struct DeviceStep {
  const char* kernel = nullptr;
  int rows = 0;
  int lanes_shift = 0;
  std::size_t argument_bytes = 0;
  std::size_t argument_offset = 0;  // in DeviceSteps::arguments()

  /// Of one frame; idle rows fill the last group.
  [[nodiscard]] int work_items() const {
    const int items = rows << lanes_shift;
    return (items + kKernelGroup - 1) / kKernelGroup * kKernelGroup;
  }
};

/// The steps of one frame in the order in which they run. Frames of one format differ in their arguments only.
class DeviceSteps {
 public:
  /// One work-item a lane: kKernelLanes for each row.
  template <class Args>
  void AddLanes(const char* kernel, int rows, const Args& args) {
    static_assert(kKernelLanes == 1 << kLanesShift);
    Add(kernel, rows, kLanesShift, args);
  }
  /// One work-item a row.
  template <class Args>
  void AddRows(const char* kernel, int rows, const Args& args) {
    Add(kernel, rows, 0, args);
  }

  [[nodiscard]] std::span<const DeviceStep> steps() const { return steps_; }
  [[nodiscard]] std::span<const std::byte> arguments(const DeviceStep& step) const {
    return std::span(arguments_).subspan(step.argument_offset, step.argument_bytes);
  }

 private:
  static constexpr int kLanesShift = 5;

  template <class Args>
  void Add(const char* kernel, int rows, int lanes_shift, const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args>);
    const std::size_t offset = arguments_.size();
    arguments_.resize(offset + sizeof(Args));
    std::memcpy(arguments_.data() + offset, &args, sizeof(Args));
    steps_.push_back({kernel, rows, lanes_shift, sizeof(Args), offset});
  }

  std::vector<DeviceStep> steps_;
  std::vector<std::byte> arguments_;
};

/// Bytes that a metric needs on the device. Every address is 64-byte aligned.
struct DeviceNeeds {
  std::size_t table = 0;     // constants, filled once by FillTable()
  std::size_t prepared = 0;  // of each reference picture, kept while later frames need it
  std::size_t scratch = 0;   // of each frame; other metrics and batches overwrite it
  std::size_t results = 0;   // of each frame, copied to the host
};

/// A metric bound to a format and its options, for a device. Immutable and thread safe, like the Feature it belongs to,
/// which outlives it.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;

  /// Name of the module that holds the kernels of the steps.
  [[nodiscard]] virtual std::string_view module() const = 0;
  [[nodiscard]] virtual DeviceNeeds needs() const = 0;
  virtual void FillTable(std::byte* /*table*/) const {}
  /// Work on a reference picture alone: reads frame.reference, fills frame.prepared[0].
  virtual void AddPictureSteps(const DeviceFrame& /*frame*/, DeviceSteps& /*steps*/) const {}
  virtual void AddSteps(const DeviceFrame& frame, DeviceSteps& steps) const = 0;
  /// Facts of a frame, the bits that Feature::Extract() gives. `window` has the pictures on the host, without what
  /// Prepare() makes. Allocates nothing.
  virtual void Collect(const FrameWindow& window, const std::byte* results, std::span<Fact> facts) const = 0;
};

/// Parts of one block of memory, one after the other, each 64-byte aligned.
class DeviceLayout {
 public:
  /// Room for `count` elements of T; returns its offset.
  template <class T>
  std::size_t Take(std::size_t count) {
    const std::size_t offset = bytes_;
    constexpr std::size_t kAlignment = 64;
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

template <class T>
[[nodiscard]] T* At(std::byte* base, std::size_t offset) {
  return reinterpret_cast<T*>(base + offset);
}
template <class T>
[[nodiscard]] const T* At(const std::byte* base, std::size_t offset) {
  return reinterpret_cast<const T*>(base + offset);
}

}  // namespace lockstep
