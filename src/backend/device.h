// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every backend offers: memory, ordered streams of copies and kernels, events, recorded streams, profiling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// A kernel that is ready to be launched. Lives as long as its device.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
};

/// A place in a stream.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
};

/// A recorded part of a stream.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// Time that the device spent on one kernel, or on copies ("copy to device", "copy to host", "copy"), "fill"s and
/// "wait"s.
struct DeviceTiming {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t nanoseconds = 0;
};

/// Adds counts and times to the rows of the same name.
inline void AddTimings(std::vector<DeviceTiming> more, std::vector<DeviceTiming>& all) {
  for (DeviceTiming& timing : more) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const DeviceTiming& t) { return t.name == timing.name; });
    if (same == all.end()) {
      all.push_back(std::move(timing));
    } else {
      same->count += timing.count;
      same->nanoseconds += timing.nanoseconds;
    }
  }
}

/// How often something happened since the device was opened.
struct DeviceCounters {
  std::uint64_t host_waits = 0;  // the host stood still until the device had finished something
  std::uint64_t launches = 0;    // outside of replays
  std::uint64_t copies = 0;      // outside of replays
  std::uint64_t replays = 0;
};

/// Groups of work-items that one launch runs.
struct LaunchShape {
  static constexpr int kGroupSize = 64;

  std::uint64_t groups = 0;
  int group_size = kGroupSize;
  int local_bytes = 0;  // of local memory that a group gets at launch
};

/// Commands run in the order in which they are given. One thread at a time uses a stream.
///
/// The first failure is kept: later commands do nothing, and Wait() and status() return it. The destructor waits until
/// nothing of the stream runs any more, also after a failure.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  /// Either address may be of the device or pinned. Returns before the copy is done.
  virtual void Copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void Fill(void* to, std::uint8_t value, std::size_t bytes) = 0;
  /// Copies `rows` rows of `row_bytes`; pitches are the bytes from one row to the next.
  virtual void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                        std::size_t rows) = 0;
  /// `arguments` are copied at once.
  /// in    work-items below 2^31; argument_bytes what the kernel was declared with; groups of the default size without
  ///       local memory for the kernels that every backend has
  virtual void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
                      const LaunchShape& shape) = 0;

  /// The end of what has been given so far.
  [[nodiscard]] virtual std::shared_ptr<DeviceEvent> Mark() = 0;
  /// Later commands of this stream start after the event of another stream; the host goes on.
  virtual void WaitFor(const DeviceEvent& event) = 0;
  /// Later commands start after everything that an application has given to a stream of its own until now.
  /// in    native_stream the backend's handle, a CUstream or hipStream_t; fails where the backend knows none
  virtual void WaitForNative(std::uintptr_t native_stream) = 0;
  /// The host waits. Blocks until the event, or a failure.
  [[nodiscard]] virtual Status Wait(const DeviceEvent& event) = 0;

  /// The failure that is kept, if there is one, without waiting.
  [[nodiscard]] virtual Status status() const = 0;

  /// Commands between the two are recorded, not run. WaitFor() and Mark() have no place there.
  virtual void BeginRecording() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<DeviceGraph>> EndRecording() = 0;
  virtual void Replay(DeviceGraph& graph) = 0;

  /// Times of everything that has finished since the last call; empty unless the device was opened for profiling.
  [[nodiscard]] virtual std::vector<DeviceTiming> TakeTimings() = 0;
};

/// What a metric may know of a device when it chooses its kernels.
struct DeviceTraits {
  std::string tuned;                // kernels of one kind of device that this one runs, "cuda80"; empty: none
  int multiprocessors = 1;          // of a device with tuned kernels
  int local_bytes = 0;              // the most local memory of a group there
  bool concurrent_streams = false;  // kernels of several streams share the device
};

struct DeviceProperties {
  std::string backend;        // "sycl"
  std::string name;           // as the driver gives it
  bool is_processor = false;  // the device is a CPU
  bool has_graphs = false;    // BeginRecording() works
  DeviceTraits traits;
};

/// A device that is open. Thread safe.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceProperties& properties() const = 0;
  /// errors  kOutOfMemory, naming the device and the bytes
  [[nodiscard]] virtual Result<std::byte*> AllocateOnDevice(std::size_t bytes) = 0;
  /// Host memory that copies run from and to without the host's help. 64-byte aligned, as device memory is.
  [[nodiscard]] virtual Result<std::byte*> AllocatePinned(std::size_t bytes) = 0;
  /// Memory of either kind; nullptr is allowed. Nothing may be running that uses it.
  virtual void Free(std::byte* memory) = 0;
  /// Whether this device's kernels may read at an address that an application calls device memory.
  [[nodiscard]] virtual bool CanRead(const void* address) { return address != nullptr; }
  /// Loads the module on its first use, which may take seconds.
  /// errors  kNotFound: no such kernel; kInternal: the driver does not take the module, with the driver's words
  [[nodiscard]] virtual Result<const DeviceKernel*> FindKernel(std::string_view module, std::string_view name) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<DeviceStream>> MakeStream() = 0;
  [[nodiscard]] virtual DeviceCounters counters() const = 0;
};

/// Memory of a device that is given back at the end.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(Device& device, std::byte* data) : device_(&device), data_(data) {}
  DeviceMemory(DeviceMemory&& other) noexcept : device_(other.device_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    return *this;
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    if (data_ != nullptr) device_->Free(data_);
  }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  Device* device_ = nullptr;
  std::byte* data_ = nullptr;
};

/// Which device, and how it is opened.
struct DeviceSelection {
  std::string device;         // its number as listed, or a part of its name; empty: the backend's best
  bool out_of_order = false;  // the queues of streams are unordered; events hold their commands in order
  bool profiling = false;
  int sub_group_size = 0;  // of the kernels, for tests; 0: the backend's best for the device
};

/// What a backend's plugin hands out. All functions are thread safe; no exception leaves them.
struct DeviceBackend {
  const char* interface;  // version and interface that it was built for; another one is refused
  /// Every device of the backend, also unusable ones with the reason; one entry without a name says why there is none.
  std::vector<DeviceInfo> (*list)();
  /// errors  kNotFound: no such device (the message lists those there are); kUnsupported: it cannot be used
  Result<std::unique_ptr<Device>> (*open)(const DeviceSelection& selection);
};

}  // namespace lockstep
