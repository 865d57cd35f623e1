// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream of CUDA or HIP.
#include "backend/driver/driver_stream.h"

#include <utility>

namespace lockstep {
namespace {

class DriverEvent final : public DeviceEvent {
 public:
  DriverEvent(DriverDevice& of, DriverHandle event) : device(of), handle(event) {}
  DriverEvent(const DriverEvent&) = delete;
  DriverEvent& operator=(const DriverEvent&) = delete;
  ~DriverEvent() override {
    if (handle != nullptr) device.GiveBackEvent(handle);
  }
  DriverDevice& device;
  DriverHandle handle;  // nullptr: of a stream that had failed
};

class DriverGraph final : public DeviceGraph {
 public:
  DriverGraph(DriverApi& of, DriverHandle graph) : api(of), handle(graph) {}
  DriverGraph(const DriverGraph&) = delete;
  DriverGraph& operator=(const DriverGraph&) = delete;
  ~DriverGraph() override {
    if (api.MakeCurrent() == 0) api.DestroyGraph(handle);
  }
  DriverApi& api;
  DriverHandle handle;
};

}  // namespace

DriverStream::~DriverStream() {
  DriverApi& api = device_.api();
  if (api.MakeCurrent() != 0) return;
  if (is_recording_) {
    DriverHandle graph = nullptr;
    if (api.EndCapture(stream_, &graph) == 0) api.DestroyGraph(graph);
  }
  // The caller frees memory that commands may still use.
  api.SynchronizeStream(stream_);
  for (const Measured& one : measured_) {
    device_.GiveBackEvent(one.begin);
    device_.GiveBackEvent(one.end);
  }
  api.DestroyStream(stream_);
}

template <class Command>
bool DriverStream::Run(std::string_view action, const Command& command) {
  if (failure_.has_failed()) return false;
  DriverCode code = device_.api().MakeCurrent();
  if (code == 0) code = command();
  if (code != 0) failure_.Keep(device_.ErrorOf(code, action));
  return code == 0;
}

template <class Command>
bool DriverStream::Submit(std::string_view name, const Command& command) {
  if (!device_.profiling()) return Run(name, command);
  Measured measured = {name, nullptr, nullptr};
  const bool run = Run(name, [&] {
    DriverApi& api = device_.api();
    DriverCode code = device_.TakeEvent(&measured.begin);
    if (code == 0) code = device_.TakeEvent(&measured.end);
    if (code == 0) code = api.RecordEvent(measured.begin, stream_);
    if (code == 0) code = command();
    if (code == 0) code = api.RecordEvent(measured.end, stream_);
    return code;
  });
  if (run) {
    measured_.push_back(measured);
    // Bounds the memory of a caller that never asks for the times.
    constexpr std::size_t kMaxMeasured = 4096;
    if (measured_.size() >= kMaxMeasured) {
      Run("a wait", [&] { return device_.api().SynchronizeEvent(measured_.front().end); });
      SumFinished();
    }
  } else {
    for (const DriverHandle event : {measured.begin, measured.end}) {
      if (event != nullptr) device_.GiveBackEvent(event);
    }
  }
  return run;
}

std::string_view DriverStream::CopyName(const void* to, const void* from) const {
  if (!device_.profiling() || device_.api().MakeCurrent() != 0) return "copy";
  const bool to_device = device_.api().IsOnDevice(to);
  const bool from_device = device_.api().IsOnDevice(from);
  if (to_device == from_device) return "copy";
  return to_device ? "copy to device" : "copy to host";
}

void DriverStream::Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const bool run = Submit(CopyName(to, from), [&] { return device_.api().Copy(to, from, bytes, stream_); });
  if (run && !is_recording_) ++device_.mutable_counters().copies;
}

void DriverStream::CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t row_bytes, std::size_t rows) {
  if (row_bytes == 0 || rows == 0) return;
  const bool run = Submit(CopyName(to, from), [&] {
    return device_.api().CopyRows(to, to_pitch, from, from_pitch, row_bytes, rows, stream_);
  });
  if (run && !is_recording_) ++device_.mutable_counters().copies;
}

void DriverStream::Fill(void* to, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return;
  Submit("fill", [&] { return device_.api().Fill(to, value, bytes, stream_); });
}

void DriverStream::Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
                          const LaunchShape& shape) {
  if (shape.groups == 0) return;
  const auto& own = static_cast<const DriverKernel&>(kernel);
  const bool run =
      Submit(own.name(), [&] { return device_.api().Launch(own.handle(), shape, arguments, argument_bytes, stream_); });
  if (run && !is_recording_) ++device_.mutable_counters().launches;
}

std::shared_ptr<DeviceEvent> DriverStream::Mark() {
  auto event = std::make_shared<DriverEvent>(device_, nullptr);
  Run("an event", [&] {
    const DriverCode code = device_.TakeEvent(&event->handle);
    return code != 0 ? code : device_.api().RecordEvent(event->handle, stream_);
  });
  return event;
}

void DriverStream::WaitFor(const DeviceEvent& event) {
  const DriverHandle handle = static_cast<const DriverEvent&>(event).handle;
  if (handle == nullptr) return;
  Run("a wait", [&] { return device_.api().WaitForEvent(handle, stream_); });
}

void DriverStream::WaitForNative(std::uintptr_t native_stream) {
  Run("a wait for the application's stream", [&] {
    DriverHandle event = nullptr;
    DriverCode code = device_.TakeEvent(&event);
    if (code != 0) return code;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the application's handle comes as a number
    const auto stream = reinterpret_cast<DriverHandle>(native_stream);
    code = device_.api().RecordEvent(event, stream);
    if (code == 0) code = device_.api().WaitForEvent(event, stream_);
    device_.GiveBackEvent(event);
    return code;
  });
}

Status DriverStream::Wait(const DeviceEvent& event) {
  const DriverHandle handle = static_cast<const DriverEvent&>(event).handle;
  if (handle != nullptr) {
    ++device_.mutable_counters().host_waits;
    // Failures of the device show here, whatever command they belong to.
    Run("the device's work", [&] { return device_.api().SynchronizeEvent(handle); });
  }
  return status();
}

void DriverStream::BeginRecording() {
  is_recording_ = Run("recording", [&] { return device_.api().BeginCapture(stream_); });
}

Result<std::unique_ptr<DeviceGraph>> DriverStream::EndRecording() {
  if (is_recording_) {
    is_recording_ = false;
    DriverApi& api = device_.api();
    DriverHandle graph = nullptr;
    DriverCode code = api.MakeCurrent();
    if (code == 0) code = api.EndCapture(stream_, &graph);
    if (code == 0) {
      auto recorded = std::make_unique<DriverGraph>(api, graph);
      if (!failure_.has_failed()) return std::unique_ptr<DeviceGraph>(std::move(recorded));
    } else {
      failure_.Keep(device_.ErrorOf(code, "recording"));
    }
  }
  return status().error();
}

void DriverStream::Replay(DeviceGraph& graph) {
  const bool run =
      Submit("replay", [&] { return device_.api().LaunchGraph(static_cast<DriverGraph&>(graph).handle, stream_); });
  if (run) ++device_.mutable_counters().replays;
}

void DriverStream::SumFinished() {
  constexpr float kNanosecondsPerMillisecond = 1e6F;
  while (!measured_.empty()) {
    const Measured one = measured_.front();
    bool is_done = false;
    float milliseconds = 0.0F;
    DriverApi& api = device_.api();
    if (api.QueryEvent(one.end, &is_done) != 0 || !is_done) return;
    if (api.MillisecondsBetween(one.begin, one.end, &milliseconds) != 0) return;
    auto timing = timings_.find(one.name);
    if (timing == timings_.end()) {
      timing = timings_.emplace(one.name, DeviceTiming{std::string(one.name), 0, 0}).first;
    }
    timing->second.count += 1;
    timing->second.nanoseconds += static_cast<std::uint64_t>(milliseconds * kNanosecondsPerMillisecond);
    device_.GiveBackEvent(one.begin);
    device_.GiveBackEvent(one.end);
    measured_.pop_front();
  }
}

std::vector<DeviceTiming> DriverStream::TakeTimings() {
  Run("times", [&] {
    SumFinished();
    return 0;
  });
  std::vector<DeviceTiming> timings;
  for (auto& [name, timing] : timings_) timings.push_back(std::move(timing));
  timings_.clear();
  return timings;
}

}  // namespace lockstep
