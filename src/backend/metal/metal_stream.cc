// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream on a Metal queue. Written, never run.
#include "backend/metal/metal_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

class MetalEvent final : public DeviceEvent {
 public:
  MetalEvent(NS::SharedPtr<MTL::SharedEvent> of, std::uint64_t at) : event(std::move(of)), value(at) {}
  NS::SharedPtr<MTL::SharedEvent> event;
  std::uint64_t value;
};

// As copy_kernels.metal has them.
struct CopyRowsArguments {
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t from_pitch;
  std::uint64_t to_pitch;
  std::uint64_t row_bytes;
  std::uint64_t rows;
};
struct FillArguments {
  std::uint64_t to;
  std::uint64_t bytes;
  std::uint32_t value;
  std::uint32_t padding;
};

constexpr std::uint64_t kMaxCopyGroups = 1024;
constexpr int kCopyGroupSize = 256;

}  // namespace

MetalStream::MetalStream(MetalDevice& device, NS::SharedPtr<MTL::CommandQueue> queue,
                         NS::SharedPtr<MTL::SharedEvent> event, const DeviceKernel& copy_rows, const DeviceKernel& fill)
    : device_(device),
      queue_(std::move(queue)),
      event_(std::move(event)),
      copy_rows_(static_cast<const MetalKernel&>(copy_rows)),
      fill_(static_cast<const MetalKernel&>(fill)),
      state_(std::make_shared<State>()) {}

MetalStream::~MetalStream() {
  // The caller frees memory that commands may still use; the queue runs its command buffers one after the other.
  if (encoder_) encoder_->endEncoding();
  encoder_.reset();
  MTL::CommandBuffer* const last = Commands();
  last->commit();
  last->waitUntilCompleted();
}

void MetalStream::Fail(const std::string& reason) {
  state_->failure.Keep({ErrorCode::kInternal, fmt::format("{}: {}", device_.properties().name, reason), {}, {}, {}});
}

MTL::CommandBuffer* MetalStream::Commands() {
  if (!commands_) commands_ = NS::RetainPtr(queue_->commandBuffer());
  return commands_.get();
}

void MetalStream::Commit(std::string_view name) {
  if (encoder_) encoder_->endEncoding();
  encoder_.reset();
  const auto commands = std::exchange(commands_, {});
  if (!commands) return;
  commands->addCompletedHandler([state = state_, name = std::string(name), device = device_.properties().name,
                                 measured = device_.profiling() && !name.empty()](MTL::CommandBuffer* done) {
    if (done->status() == MTL::CommandBufferStatusError) {
      const NS::Error* const error = done->error();
      const char* const words = error != nullptr ? error->localizedDescription()->utf8String() : "it has failed";
      state->failure.Keep({ErrorCode::kInternal, fmt::format("{}: {}", device, words), {}, {}, {}});
    }
    if (!measured) return;
    constexpr double kNanosecondsPerSecond = 1e9;
    const std::lock_guard lock(state->mutex);
    DeviceTiming& timing = state->timings[name];
    timing.name = name;
    timing.count += 1;
    timing.nanoseconds +=
        static_cast<std::uint64_t>((done->GPUEndTime() - done->GPUStartTime()) * kNanosecondsPerSecond);
  });
  commands->commit();
}

void MetalStream::Encode(std::string_view name, const MetalKernel& kernel, const void* arguments,
                         std::size_t argument_bytes, std::uint64_t groups, int group_size) {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  if (state_->failure.has_failed()) return;
  if (!encoder_) {
    // One after the other within the encoder.
    encoder_ = NS::RetainPtr(Commands()->computeCommandEncoder(MTL::DispatchTypeSerial));
    device_.UseMemory(*encoder_);
  }
  encoder_->setComputePipelineState(kernel.pipeline());
  encoder_->setBytes(arguments, argument_bytes, 0);
  encoder_->dispatchThreadgroups(MTL::Size(groups, 1, 1), MTL::Size(static_cast<NS::UInteger>(group_size), 1, 1));
  // Times are those of command buffers.
  if (device_.profiling()) Commit(name);
}

void MetalStream::Copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPiece = 4096;
  const std::size_t whole = bytes / kPiece;
  CopyRows(to, kPiece, from, kPiece, kPiece, whole);
  const std::size_t done = whole * kPiece;
  CopyRows(static_cast<std::byte*>(to) + done, kPiece, static_cast<const std::byte*>(from) + done, kPiece, bytes - done,
           1);
}

void MetalStream::CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t row_bytes, std::size_t rows) {
  if (row_bytes == 0 || rows == 0) return;
  const CopyRowsArguments arguments = {
      device_.AddressOf(from), device_.AddressOf(to), from_pitch, to_pitch, row_bytes, rows};
  if (arguments.from == 0 || arguments.to == 0) return Fail("a copy of memory that is not the device's");
  Encode("copy", copy_rows_, &arguments, sizeof(arguments), std::min<std::uint64_t>(rows, kMaxCopyGroups),
         kCopyGroupSize);
  ++device_.mutable_counters().copies;
}

void MetalStream::Fill(void* to, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return;
  const FillArguments arguments = {device_.AddressOf(to), bytes, value, 0};
  if (arguments.to == 0) return Fail("a fill of memory that is not the device's");
  const std::uint64_t groups = (bytes + kCopyGroupSize - 1) / kCopyGroupSize;
  Encode("fill", fill_, &arguments, sizeof(arguments), std::min(groups, kMaxCopyGroups), kCopyGroupSize);
}

void MetalStream::Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
                         const LaunchShape& shape) {
  if (shape.groups == 0) return;
  const auto& own = static_cast<const MetalKernel&>(kernel);
  Encode(own.name(), own, arguments, argument_bytes, shape.groups, shape.group_size);
  ++device_.mutable_counters().launches;
}

std::shared_ptr<DeviceEvent> MetalStream::Mark() {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  if (encoder_) encoder_->endEncoding();
  encoder_.reset();
  Commands()->encodeSignalEvent(event_.get(), ++last_value_);
  Commit({});
  return std::make_shared<MetalEvent>(event_, last_value_);
}

void MetalStream::WaitFor(const DeviceEvent& event) {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  const auto& other = static_cast<const MetalEvent&>(event);
  if (encoder_) encoder_->endEncoding();
  encoder_.reset();
  Commands()->encodeWait(other.event.get(), other.value);
}

void MetalStream::WaitForNative(std::uintptr_t /*native_stream*/) {
  Fail("streams of applications are not known here");
}

Status MetalStream::Wait(const DeviceEvent& event) {
  const auto& own = static_cast<const MetalEvent&>(event);
  ++device_.mutable_counters().host_waits;
  // After a failure the event may never come.
  constexpr std::uint64_t kMilliseconds = 100;
  while (!state_->failure.has_failed() && !own.event->waitUntilSignaledValue(own.value, kMilliseconds)) {
  }
  return status();
}

void MetalStream::BeginRecording() { Fail("streams cannot be recorded"); }

Result<std::unique_ptr<DeviceGraph>> MetalStream::EndRecording() { return status().error(); }

void MetalStream::Replay(DeviceGraph& /*graph*/) { Fail("streams cannot be recorded"); }

std::vector<DeviceTiming> MetalStream::TakeTimings() {
  std::vector<DeviceTiming> timings;
  const std::lock_guard lock(state_->mutex);
  for (auto& [name, timing] : state_->timings) timings.push_back(std::move(timing));
  state_->timings.clear();
  return timings;
}

}  // namespace lockstep
