// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream on a SYCL queue, kept in their order by the queue or by events.
#include "backend/sycl/sycl_stream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

struct SyclEvent final : DeviceEvent {
  explicit SyclEvent(sycl::event place) : event(std::move(place)) {}
  sycl::event event;
};

struct SyclGraph final : DeviceGraph {
  using Executable = syclexp::command_graph<syclexp::graph_state::executable>;
  explicit SyclGraph(Executable commands) : graph(std::move(commands)) {}
  Executable graph;
};

}  // namespace

SyclStream::SyclStream(SyclDevice& device, SyclQueue queue) : device_(device), queue_(std::move(queue)) {}

SyclStream::~SyclStream() {
  // The caller frees memory that commands may still use.
  try {
    if (last_) WaitOnHost(*last_);
  } catch (...) {
    queue_.failure->Keep(CurrentSyclError(device_.properties().name));
  }
  if (failure_.has_failed()) queue_.failure->Keep(failure_.status().error());
  if (recording_) queue_.failure->Keep({ErrorCode::kInternal, "left while recording", {}, {}, {}});
  device_.GiveBack(std::move(queue_));
}

template <class Function>
void SyclStream::Guard(const Function& function) {
  if (has_failed()) return;
  try {
    function();
  } catch (...) {
    failure_.Keep(CurrentSyclError(device_.properties().name));
  }
}

// Gives one command to the queue, or to the recording. False when it was not run.
template <class Function>
bool SyclStream::Submit(std::string_view name, const Function& add) {
  bool run = false;
  Guard([&] {
    const std::lock_guard lock(device_.submission());
    if (recording_) {
      recording_->last = recording_->queue.queue.submit([&](sycl::handler& handler) {
        if (device_.out_of_order() && recording_->last) handler.depends_on(*recording_->last);
        add(handler);
      });
      return;
    }
    last_ = queue_.queue.submit([&](sycl::handler& handler) {
      if (device_.out_of_order() && last_) handler.depends_on(*last_);
      if (!awaited_.empty()) handler.depends_on(awaited_);
      add(handler);
    });
    awaited_.clear();
    run = true;
  });
  if (run && device_.profiling()) {
    Guard([&] { Measure(name, *last_); });
  }
  return run;
}

Status SyclStream::status() const {
  Status own = failure_.status();
  return own ? queue_.failure->status() : own;
}

void SyclStream::Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::string_view name = device_.profiling() ? CopyName(to, from) : "copy";
  const bool run = Submit(name, [&](sycl::handler& handler) { handler.memcpy(to, from, bytes); });
  if (run) ++device_.mutable_counters().copies;
}

void SyclStream::CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                          std::size_t row_bytes, std::size_t rows) {
  if (row_bytes == 0 || rows == 0) return;
  const std::string_view name = device_.profiling() ? CopyName(to, from) : "copy";
  const bool run = Submit(name, [&](sycl::handler& handler) {
    handler.ext_oneapi_memcpy2d(to, to_pitch, from, from_pitch, row_bytes, rows);
  });
  if (run) ++device_.mutable_counters().copies;
}

void SyclStream::Fill(void* to, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return;
  Submit("fill", [&](sycl::handler& handler) { handler.memset(to, value, bytes); });
}

void SyclStream::Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
                        const LaunchShape& shape) {
  if (shape.groups == 0) return;
  const auto group_size = static_cast<std::size_t>(shape.group_size);
  const auto& own = static_cast<const SyclKernel&>(kernel);
  const bool run = Submit(own.name(), [&](sycl::handler& handler) {
    handler.set_arg(0, syclexp::raw_kernel_arg(arguments, argument_bytes));
    handler.parallel_for(sycl::nd_range<1>(shape.groups * group_size, group_size), own.kernel());
  });
  if (run) ++device_.mutable_counters().launches;
}

std::shared_ptr<DeviceEvent> SyclStream::Mark() {
  // What the stream waits for is a part of it, also when no command came after.
  if (!awaited_.empty()) Submit("wait", [&](sycl::handler& handler) { handler.ext_oneapi_barrier(); });
  return std::make_shared<SyclEvent>(last_ ? *last_ : sycl::event());
}

void SyclStream::WaitFor(const DeviceEvent& event) {
  Guard([&] { awaited_.push_back(static_cast<const SyclEvent&>(event).event); });
}

void SyclStream::WaitForNative(std::uintptr_t /*native_stream*/) {
  Guard([] {
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "pictures of an application's own stream are not for this backend");
  });
}

void SyclStream::WaitOnHost(sycl::event event) {
  std::unique_lock<std::mutex> alone;
  if (device_.properties().is_processor) alone = std::unique_lock(SyclDevice::ProcessorWaits());
  event.wait_and_throw();
}

Status SyclStream::Wait(const DeviceEvent& event) {
  Guard([&] {
    ++device_.mutable_counters().host_waits;
    WaitOnHost(static_cast<const SyclEvent&>(event).event);
  });
  return status();
}

void SyclStream::BeginRecording() {
  Guard([&] {
    if (!device_.properties().has_graphs) {
      throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported), "commands cannot be recorded");
    }
    // On a queue of its own, whose state is then its own business.
    recording_ = Recording{device_.TakeQueue(), ModifiableGraph(device_.context(), device_.device()), {}};
    recording_->graph.begin_recording(recording_->queue.queue);
  });
}

Result<std::unique_ptr<DeviceGraph>> SyclStream::EndRecording() {
  std::unique_ptr<DeviceGraph> graph;
  Guard([&] {
    const std::lock_guard lock(device_.submission());
    recording_->graph.end_recording();
    graph = std::make_unique<SyclGraph>(recording_->graph.finalize());
  });
  if (recording_) {
    if (graph == nullptr) recording_->queue.failure->Keep(status().error());
    device_.GiveBack(std::move(recording_->queue));
    recording_.reset();
  }
  Status state = status();
  if (!state) return std::move(state).error();
  return graph;
}

void SyclStream::Replay(DeviceGraph& graph) {
  const auto& own = static_cast<const SyclGraph&>(graph);
  const bool run = Submit("replay", [&](sycl::handler& handler) { handler.ext_oneapi_graph(own.graph); });
  if (run) ++device_.mutable_counters().replays;
}

std::string_view SyclStream::CopyName(const void* to, const void* from) const {
  const auto on_device = [&](const void* address) {
    return sycl::get_pointer_type(address, device_.context()) == sycl::usm::alloc::device;
  };
  try {
    const bool to_device = on_device(to);
    const bool from_device = on_device(from);
    if (to_device && !from_device) return "copy to device";
    if (!to_device && from_device) return "copy to host";
  } catch (const std::exception&) {
    return "copy";
  }
  return "copy";
}

void SyclStream::Measure(std::string_view name, const sycl::event& event) {
  // Bounds the memory of a caller that never asks for the times.
  constexpr std::size_t kMaxMeasured = 4096;
  measured_.push_back({name, event});
  if (measured_.size() < kMaxMeasured) return;
  SumFinished();
  if (measured_.size() < kMaxMeasured) return;
  ++device_.mutable_counters().host_waits;
  WaitOnHost(measured_.front().event);
  SumFinished();
}

void SyclStream::SumFinished() {
  while (!measured_.empty()) {
    const auto& [name, event] = measured_.front();
    if (event.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete) {
      return;
    }
    auto timing = timings_.find(name);
    if (timing == timings_.end()) timing = timings_.emplace(name, DeviceTiming{std::string(name), 0, 0}).first;
    timing->second.count += 1;
    timing->second.nanoseconds += event.get_profiling_info<sycl::info::event_profiling::command_end>() -
                                  event.get_profiling_info<sycl::info::event_profiling::command_start>();
    measured_.pop_front();
  }
}

std::vector<DeviceTiming> SyclStream::TakeTimings() {
  Guard([&] { SumFinished(); });
  std::vector<DeviceTiming> timings;
  for (auto& [name, timing] : timings_) timings.push_back(std::move(timing));
  timings_.clear();
  return timings;
}

}  // namespace lockstep
