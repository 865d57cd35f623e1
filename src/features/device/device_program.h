// SPDX-License-Identifier: BSD-2-Clause-Patent
// A metric as a device runs it: memory, the kernels of a frame in their order, and the facts in what they leave.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
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

/// How a kernel that takes a GroupLaunch covers some frames.
struct GroupPlan {
  int kernel = 0;  // index in DeviceStep::kernels
  std::uint64_t groups = 0;
  int group_size = 0;
  int local_bytes = 0;
  i32 plan = 0;  // what the kernel is told of it
};

/// One launch: a kernel over the rows and lanes of every frame of a batch, or over groups of a plan.
struct DeviceStep {
  std::vector<const char*> kernels;  // one, or those that the plan chooses from
  int rows = 0;
  int lanes_shift = 0;
  std::size_t argument_bytes = 0;
  std::size_t argument_offset = 0;            // in DeviceSteps::arguments()
  std::function<GroupPlan(int frames)> plan;  // empty: rows and lanes

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
    Add({{kernel}, rows, kLanesShift, 0, 0, {}}, args);
  }
  /// One work-item a row.
  template <class Args>
  void AddRows(const char* kernel, int rows, const Args& args) {
    Add({{kernel}, rows, 0, 0, 0, {}}, args);
  }

  /// Groups by a plan, for kernels of one kind of device.
  template <class Args>
  void AddGroups(std::vector<const char*> kernels, std::function<GroupPlan(int frames)> plan, const Args& args) {
    // Blocks lie one behind the other.
    static_assert(sizeof(Args) % alignof(Args) == 0 && alignof(Args) <= kArgumentAlignment);
    Add({std::move(kernels), 0, 0, 0, 0, std::move(plan)}, args);
  }

  static constexpr std::size_t kArgumentAlignment = 16;
  static constexpr int kLanesShift = 5;

  [[nodiscard]] std::span<const DeviceStep> steps() const { return steps_; }
  [[nodiscard]] std::span<const std::byte> arguments(const DeviceStep& step) const {
    return std::span(arguments_).subspan(step.argument_offset, step.argument_bytes);
  }

 private:
  template <class Args>
  void Add(DeviceStep step, const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args>);
    step.argument_bytes = sizeof(Args);
    step.argument_offset = arguments_.size();
    arguments_.resize(step.argument_offset + sizeof(Args));
    std::memcpy(arguments_.data() + step.argument_offset, &args, sizeof(Args));
    steps_.push_back(std::move(step));
  }

  std::vector<DeviceStep> steps_;
  std::vector<std::byte> arguments_;
};

/// Bytes that a metric needs on the device. Every address is 64-byte aligned.
struct DeviceNeeds {
  std::size_t table = 0;      // constants, filled once by FillTable()
  std::size_t prepared = 0;   // of each reference picture, kept while later frames need it
  std::size_t scratch = 0;    // of each frame; other metrics and batches overwrite it
  std::size_t results = 0;    // of each frame, copied to the host
  bool zero_results = false;  // the results of a batch are zero before its steps
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
  /// Whether Collect() looks into the pictures of the window; otherwise it only asks which ones there are.
  [[nodiscard]] virtual bool NeedsPictures(const std::byte* /*results*/) const { return false; }
  /// Whether Collect() takes so long that frames of a batch are worth several threads.
  [[nodiscard]] virtual bool collects_long() const { return false; }
  /// Facts of a frame, the bits that Feature::Extract() gives. `window` has the pictures, without what Prepare() makes;
  /// on the host where NeedsPictures() says so. Allocates nothing, unless it has to do a frame again.
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
