// SPDX-License-Identifier: BSD-2-Clause-Patent
// Metrics of one run on one device: pictures uploaded once for all of them, batches of frames, results read back.
#include "features/device/device_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kAlignment = 64;
static_assert(kKernelGroup == DeviceStream::kGroupSize);

std::size_t AlignUp(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Result<std::unique_ptr<DeviceSession>> DeviceSession::Create(Device& device, const VideoFormat& format,
                                                             std::span<const Feature* const> features,
                                                             const DeviceSessionOptions& options) {
  std::unique_ptr<DeviceSession> session(new DeviceSession(device, format, options));
  if (Status status = session->Prepare(features); !status) return std::move(status).error();
  return session;
}

Status DeviceSession::Prepare(std::span<const Feature* const> features) {
  for (const Feature* feature : features) {
    Metric metric;
    metric.feature = feature;
    metric.program = feature->MakeDeviceProgram();
    if (metric.program == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("cannot compute '{}'; use the cpu backend",
                               feature->columns().empty() ? std::string() : feature->columns().front().raw_name),
                   {},
                   {},
                   fmt::format("backend {}", device_.properties().backend)};
    }
    metric.needs = metric.program->needs();
    metrics_.push_back(std::move(metric));
  }
  for (std::unique_ptr<DeviceStream>* stream : {&upload_, &compute_}) {
    Result<std::unique_ptr<DeviceStream>> made = device_.MakeStream();
    if (!made) return std::move(made).error();
    *stream = *std::move(made);
  }
  LayOutFrame();
  if (Status status = Allocate(); !status) return status;
  if (Status status = FillTables(); !status) return status;
  if (Status status = MakeSteps(); !status) return status;
  if (Status status = upload_->Wait(*upload_->Mark()); !status) return status;
  setup_.clear();
  return {};
}

void DeviceSession::LayOutFrame() {
  const auto any = [&](bool (Feature::*needs)() const) {
    return std::any_of(metrics_.begin(), metrics_.end(), [&](const Metric& m) { return (m.feature->*needs)(); });
  };
  const int planes = any(&Feature::needs_chroma) ? format_.plane_count() : 1;
  for (const bool is_distorted : {false, true}) {
    if (is_distorted && !any(&Feature::needs_distorted)) continue;
    for (int p = 0; p < planes; ++p) {
      PlaneLayout layout;
      layout.offset = frame_bytes_;
      layout.size = format_.plane_size(p);
      layout.pitch = AlignUp(static_cast<std::size_t>(layout.size.width * format_.bytes_per_sample()));
      layout.is_distorted = is_distorted;
      layout.plane = p;
      frame_bytes_ += layout.pitch * static_cast<std::size_t>(layout.size.height);
      planes_.push_back(layout);
    }
  }
}

Status DeviceSession::Allocate() {
  const auto batch = static_cast<std::size_t>(options_.batch);
  int lead_in = 0;
  std::size_t tables = 0;
  for (Metric& metric : metrics_) {
    lead_in = std::max(lead_in, metric.feature->reach().picture_lead_in);
    metric.table = tables;
    tables += AlignUp(metric.needs.table);
    metric.prepared = prepared_bytes_;
    prepared_bytes_ += AlignUp(metric.needs.prepared);
    metric.results = results_bytes_;
    results_bytes_ += AlignUp(metric.needs.results) * batch;
    // Metrics run one after the other.
    scratch_bytes_ = std::max(scratch_bytes_, AlignUp(metric.needs.scratch));
  }
  // While one batch is uploaded, the one before is computed and reads the pictures of those before it.
  const std::size_t slots = 2 + (static_cast<std::size_t>(lead_in) + batch - 1) / batch;
  slots_.resize(slots);

  const auto allocate = [&](DeviceMemory& memory, std::size_t bytes, bool pinned) -> Status {
    if (bytes == 0) return {};
    Result<std::byte*> data = pinned ? device_.AllocatePinned(bytes) : device_.AllocateOnDevice(bytes);
    if (!data) return std::move(data).error();
    memory = DeviceMemory(device_, *data);
    return {};
  };
  const std::size_t pictures = frame_bytes_ * batch * slots;
  const std::size_t prepared = prepared_bytes_ * batch * slots;
  if (Status status = allocate(tables_, tables, false); !status) return status;
  if (Status status = allocate(pictures_, pictures, false); !status) return status;
  if (Status status = allocate(prepared_, prepared, false); !status) return status;
  if (Status status = allocate(scratch_, scratch_bytes_ * batch, false); !status) return status;
  for (Slot& slot : slots_) {
    if (Status status = allocate(slot.staging, frame_bytes_ * batch, true); !status) return status;
    if (Status status = allocate(slot.device_results, results_bytes_, false); !status) return status;
    if (Status status = allocate(slot.results, results_bytes_, true); !status) return status;
  }
  // The first frames of a sequence look at pictures that do not exist; what they find is not used, but it is the same
  // in every run.
  upload_->Fill(pictures_.data(), 0, pictures);
  if (prepared != 0) upload_->Fill(prepared_.data(), 0, prepared);
  return {};
}

Status DeviceSession::FillTables() {
  for (const Metric& metric : metrics_) {
    if (metric.needs.table == 0) continue;
    Result<std::byte*> pinned = device_.AllocatePinned(metric.needs.table);
    if (!pinned) return std::move(pinned).error();
    setup_.emplace_back(device_, *pinned);
    metric.program->FillTable(*pinned);
    upload_->Copy(tables_.data() + metric.table, *pinned, metric.needs.table);
  }
  return {};
}

DeviceFrame DeviceSession::FrameAt(const Metric& metric, std::size_t slot, std::size_t frame) const {
  const auto batch = static_cast<std::size_t>(options_.batch);
  const std::size_t ring = slots_.size() * batch;
  DeviceFrame out;
  const auto sample_bytes = static_cast<std::size_t>(format_.bytes_per_sample());
  for (std::size_t k = 0; k < out.earlier_reference.size(); ++k) {
    const std::size_t place = (slot * batch + frame + 2 * ring - k) % ring;
    const std::byte* const picture = pictures_.data() + place * frame_bytes_;
    for (const PlaneLayout& layout : planes_) {
      const DevicePlane plane = {picture + layout.offset, static_cast<int>(layout.pitch / sample_bytes)};
      const auto p = static_cast<std::size_t>(layout.plane);
      if (!layout.is_distorted) {
        out.earlier_reference[k][p] = plane;
      } else if (k == 0) {
        out.distorted[p] = plane;
      }
    }
    if (metric.needs.prepared != 0) out.prepared[k] = prepared_.data() + place * prepared_bytes_ + metric.prepared;
  }
  out.reference = out.earlier_reference[0];
  if (scratch_bytes_ != 0) out.scratch = scratch_.data() + frame * scratch_bytes_;
  out.results = slots_[slot].device_results.data() + metric.results + frame * AlignUp(metric.needs.results);
  if (metric.needs.table != 0) out.table = tables_.data() + metric.table;
  return out;
}

Status DeviceSession::MakeSteps() {
  const auto batch = static_cast<std::size_t>(options_.batch);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    std::vector<std::byte> arguments;
    // Steps of all frames side by side: one block of arguments a frame.
    const auto add = [&](const Metric& metric, std::vector<Step>& steps,
                         void (DeviceProgram::*describe)(const DeviceFrame&, DeviceSteps&) const) -> Status {
      std::vector<DeviceSteps> frames(batch);
      for (std::size_t i = 0; i < batch; ++i) (*metric.program.*describe)(FrameAt(metric, s, i), frames[i]);
      const std::span<const DeviceStep> described = frames[0].steps();
      if (s == 0) steps.resize(described.size());
      for (std::size_t k = 0; k < described.size(); ++k) {
        const DeviceStep& from = described[k];
        Step& step = steps[k];
        arguments.resize(AlignUp(arguments.size()));
        const std::size_t offset = arguments.size();
        for (const DeviceSteps& frame : frames) {
          const std::span<const std::byte> block = frame.arguments(frame.steps()[k]);
          arguments.insert(arguments.end(), block.begin(), block.end());
        }
        if (s != 0) continue;
        Result<const DeviceKernel*> kernel = device_.FindKernel(metric.program->module(), from.kernel);
        if (!kernel) return std::move(kernel).error();
        step = {*kernel, from.work_items(), from.lanes_shift, from.argument_bytes, offset};
      }
      return {};
    };
    for (Metric& metric : metrics_) {
      if (Status status = add(metric, metric.picture_steps, &DeviceProgram::AddPictureSteps); !status) return status;
      if (Status status = add(metric, metric.steps, &DeviceProgram::AddSteps); !status) return status;
    }
    if (arguments.empty()) continue;
    Result<std::byte*> pinned = device_.AllocatePinned(arguments.size());
    if (!pinned) return std::move(pinned).error();
    setup_.emplace_back(device_, *pinned);
    Result<std::byte*> memory = device_.AllocateOnDevice(arguments.size());
    if (!memory) return std::move(memory).error();
    slots_[s].arguments = DeviceMemory(device_, *memory);
    std::copy(arguments.begin(), arguments.end(), *pinned);
    upload_->Copy(slots_[s].arguments.data(), *pinned, arguments.size());
  }
  return {};
}

void DeviceSession::Stage(Slot& slot, std::span<const BatchFrame> frames) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::byte* const to = slot.staging.data() + i * frame_bytes_;
    for (const PlaneLayout& layout : planes_) {
      const PlaneView view = (layout.is_distorted ? frames[i].distorted : frames[i].reference)->plane(layout.plane);
      const auto row_bytes = static_cast<std::size_t>(layout.size.width * format_.bytes_per_sample());
      for (int y = 0; y < layout.size.height; ++y) {
        std::memcpy(to + layout.offset + static_cast<std::size_t>(y) * layout.pitch, view.row<std::byte>(y), row_bytes);
      }
    }
  }
}

void DeviceSession::Upload(DeviceStream& stream, std::size_t slot, std::size_t frames) const {
  const std::size_t offset = slot * static_cast<std::size_t>(options_.batch) * frame_bytes_;
  stream.Copy(pictures_.data() + offset, slots_[slot].staging.data(), frames * frame_bytes_);
}

void DeviceSession::Launch(const Step& step, const Slot& slot, std::size_t begin, std::size_t end) {
  const KernelLaunch launch = {slot.arguments.data() + step.arguments + begin * step.argument_bytes, step.work_items,
                               step.lanes_shift};
  compute_->Launch(*step.kernel, &launch, sizeof(launch), static_cast<std::uint64_t>(step.work_items) * (end - begin));
}

void DeviceSession::Compute(std::size_t slot_index, std::span<const BatchFrame> frames) {
  const Slot& slot = slots_[slot_index];
  for (std::size_t f = 0; f < metrics_.size(); ++f) {
    const Metric& metric = metrics_[f];
    for (const Step& step : metric.picture_steps) Launch(step, slot, 0, frames.size());
    const auto wanted = [&](std::size_t i) { return frames[i].wanted[f] != 0; };
    std::size_t begin = 0;
    while (begin < frames.size()) {
      std::size_t end = begin;
      while (end < frames.size() && wanted(end)) ++end;
      if (end > begin) {
        for (const Step& step : metric.steps) Launch(step, slot, begin, end);
      }
      begin = end + 1;
    }
  }
  if (results_bytes_ != 0) compute_->Copy(slot.results.data(), slot.device_results.data(), results_bytes_);
}

void DeviceSession::Submit(std::span<const BatchFrame> frames) {
  const std::size_t index = submitted_++ % slots_.size();
  ++pending_;
  Slot& slot = slots_[index];
  Stage(slot, frames);
  const bool is_whole =
      frames.size() == static_cast<std::size_t>(options_.batch) &&
      std::all_of(frames.begin(), frames.end(), [](const BatchFrame& frame) {
        return std::all_of(frame.wanted.begin(), frame.wanted.end(), [](std::uint8_t wanted) { return wanted != 0; });
      });
  if (options_.use_graphs && is_whole) {
    if (slot.graph == nullptr) {
      compute_->BeginRecording();
      Upload(*compute_, index, frames.size());
      Compute(index, frames);
      Result<std::unique_ptr<DeviceGraph>> graph = compute_->EndRecording();
      if (graph) slot.graph = *std::move(graph);
    }
    // A stream that could not record keeps the error for Take().
    if (slot.graph != nullptr) compute_->Replay(*slot.graph);
  } else {
    Upload(*upload_, index, frames.size());
    compute_->WaitFor(*upload_->Mark());
    Compute(index, frames);
  }
  slot.done = compute_->Mark();
}

Status DeviceSession::Take() {
  Slot& slot = slots_[taken_++ % slots_.size()];
  --pending_;
  if (Status status = compute_->Wait(*slot.done); !status) return status;
  // Kernels run on whatever is there when an upload has failed.
  return upload_->status();
}

const std::byte* DeviceSession::results(std::size_t feature, std::size_t frame) const {
  const Metric& metric = metrics_[feature];
  return slots_[(taken_ - 1) % slots_.size()].results.data() + metric.results + frame * AlignUp(metric.needs.results);
}

std::vector<DeviceTiming> DeviceSession::TakeTimings() {
  std::vector<DeviceTiming> all;
  for (DeviceStream* stream : {upload_.get(), compute_.get()}) {
    for (DeviceTiming& timing : stream->TakeTimings()) {
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
  return all;
}

}  // namespace lockstep
