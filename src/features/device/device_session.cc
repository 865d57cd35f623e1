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
static_assert(kKernelGroup == LaunchShape::kGroupSize);

std::size_t AlignUp(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

const Frame& PictureOf(const BatchFrame& frame, bool is_distorted) {
  return is_distorted ? *frame.distorted : *frame.reference;
}

GatherArgs GatherOf(const PlaneView& from, int shift, std::size_t row_bytes, std::byte* to, std::size_t to_pitch) {
  constexpr std::size_t kWordBytes = 8;
  const auto from_pitch = static_cast<std::size_t>(from.stride_bytes);
  const bool has_words = reinterpret_cast<std::uintptr_t>(from.data) % kWordBytes == 0 && from_pitch % kWordBytes == 0;
  GatherArgs args;
  args.from = reinterpret_cast<const u8*>(from.data);
  args.to = reinterpret_cast<u8*>(to);
  args.from_pitch = static_cast<i64>(from_pitch);
  args.to_pitch = static_cast<i64>(to_pitch);
  args.words = has_words ? static_cast<i32>(row_bytes / kWordBytes) : 0;
  args.row_bytes = static_cast<i32>(row_bytes);
  args.height = from.height;
  args.shift = shift;
  return args;
}

// Whether a plane goes to the device from where it is. Small ones are quicker together.
bool UploadsItself(const Frame& picture, std::size_t plane_bytes) {
  constexpr std::size_t kWorthACopy = std::size_t{1} << 19;
  switch (picture.memory()) {
    case FrameMemory::kHost:
      return false;
    case FrameMemory::kPinned:
      return plane_bytes >= kWorthACopy;
    case FrameMemory::kDevice:
      return true;
  }
  return false;
}

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
    metric.program = feature->MakeDeviceProgram(device_.properties().traits);
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
  const bool concurrent = device_.properties().traits.concurrent_streams;
  for (std::size_t f = 0; f < metrics_.size(); ++f) metrics_[f].stream = concurrent ? f : 0;
  compute_.resize(concurrent ? metrics_.size() : 1);
  const auto make = [&](std::unique_ptr<DeviceStream>& stream) -> Status {
    Result<std::unique_ptr<DeviceStream>> made = device_.MakeStream();
    if (!made) return std::move(made).error();
    stream = *std::move(made);
    return {};
  };
  if (Status status = make(upload_); !status) return status;
  if (Status status = make(download_); !status) return status;
  for (std::unique_ptr<DeviceStream>& stream : compute_) {
    if (Status status = make(stream); !status) return status;
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
    // Metrics of one stream run one after the other.
    const bool shares = compute_.size() == 1;
    metric.scratch = shares ? 0 : scratch_bytes_;
    scratch_bytes_ = shares ? std::max(scratch_bytes_, AlignUp(metric.needs.scratch))
                            : scratch_bytes_ + AlignUp(metric.needs.scratch);
  }
  // While one batch is uploaded, those pending before it are computed and read the pictures of those before them.
  const std::size_t slots = kMaximumPending + (static_cast<std::size_t>(lead_in) + batch - 1) / batch;
  slots_.resize(slots);
  for (Slot& slot : slots_) slot.graphs.resize(compute_.size());

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
    if (Status status = allocate(slot.device_results, results_bytes_, false); !status) return status;
    if (Status status = allocate(slot.results, results_bytes_, true); !status) return status;
  }
  // The first frames of a sequence look at pictures that do not exist, and some kernels at what lies behind the end of
  // a row; what they find is not used, but it is the same in every run.
  upload_->Fill(pictures_.data(), 0, pictures);
  if (prepared != 0) upload_->Fill(prepared_.data(), 0, prepared);
  if (scratch_bytes_ != 0) upload_->Fill(scratch_.data(), 0, scratch_bytes_ * batch);
  for (const Slot& slot : slots_) {
    if (results_bytes_ != 0) upload_->Fill(slot.device_results.data(), 0, results_bytes_);
  }
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
  if (scratch_bytes_ != 0) out.scratch = scratch_.data() + frame * scratch_bytes_ + metric.scratch;
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
        static_assert(kAlignment % DeviceSteps::kArgumentAlignment == 0);
        const std::size_t offset = arguments.size();
        for (const DeviceSteps& frame : frames) {
          const std::span<const std::byte> block = frame.arguments(frame.steps()[k]);
          arguments.insert(arguments.end(), block.begin(), block.end());
        }
        if (s != 0) continue;
        step = {{}, from.work_items(), from.lanes_shift, {}, from.argument_bytes, offset};
        for (const char* name : from.kernels) {
          Result<const DeviceKernel*> kernel = device_.FindKernel(metric.program->module(), name);
          if (!kernel) return std::move(kernel).error();
          step.kernels.push_back(*kernel);
        }
        for (int n = 1; from.plan && n <= options_.batch; ++n) step.plans.push_back(from.plan(n));
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

void DeviceSession::ForEach(int count, const std::function<void(int)>& work) const {
  if (options_.for_each && count > 1) {
    options_.for_each(count, work);
    return;
  }
  for (int i = 0; i < count; ++i) work(i);
}

// Only sessions that get pictures in pageable memory need it.
Status DeviceSession::EnsureStaging(Slot& slot) {
  if (slot.staging.data() != nullptr) return {};
  Result<std::byte*> data = device_.AllocatePinned(frame_bytes_ * static_cast<std::size_t>(options_.batch));
  if (!data) return std::move(data).error();
  slot.staging = DeviceMemory(device_, *data);
  return {};
}

void DeviceSession::StageRows(Slot& slot, std::span<const BatchFrame> frames) {
  // Pieces that keep several threads busy even with one frame, but are worth waking a thread for.
  constexpr std::size_t kPieceBytes = std::size_t{1} << 19;
  staged_rows_.clear();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const PlaneLayout& layout : planes_) {
      const Frame& picture = PictureOf(frames[i], layout.is_distorted);
      if (UploadsItself(picture, layout.pitch * static_cast<std::size_t>(layout.size.height))) continue;
      StagedRows piece;
      piece.from = picture.plane(layout.plane);
      piece.to = slot.staging.data() + i * frame_bytes_ + layout.offset;
      piece.pitch = layout.pitch;
      piece.row_bytes = static_cast<std::size_t>(layout.size.width * format_.bytes_per_sample());
      const int rows = static_cast<int>(std::max<std::size_t>(kPieceBytes / layout.pitch, 1));
      for (piece.begin = 0; piece.begin < layout.size.height; piece.begin = piece.end) {
        piece.end = std::min(piece.begin + rows, layout.size.height);
        staged_rows_.push_back(piece);
      }
    }
  }
  ForEach(static_cast<int>(staged_rows_.size()), [&](int index) {
    const StagedRows& piece = staged_rows_[static_cast<std::size_t>(index)];
    for (int y = piece.begin; y < piece.end; ++y) {
      std::memcpy(piece.to + static_cast<std::size_t>(y) * piece.pitch, piece.from.row<std::byte>(y), piece.row_bytes);
    }
  });
}

Status DeviceSession::Upload(std::size_t slot_index, std::span<const BatchFrame> frames) {
  Slot& slot = slots_[slot_index];
  const auto plane_bytes = [](const PlaneLayout& layout) {
    return layout.pitch * static_cast<std::size_t>(layout.size.height);
  };
  // Neighbouring staged planes are one copy.
  std::size_t staged_begin = 0;
  std::size_t staged_end = 0;
  bool has_staging = false;
  const auto copy_staged = [&] {
    if (staged_end > staged_begin) {
      upload_->Copy(PictureAt(slot_index, 0) + staged_begin, slot.staging.data() + staged_begin,
                    staged_end - staged_begin);
    }
  };
  awaited_.clear();
  gathered_.clear();
  gathered_shifted_.clear();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const PlaneLayout& layout : planes_) {
      const Frame& picture = PictureOf(frames[i], layout.is_distorted);
      const std::size_t offset = i * frame_bytes_ + layout.offset;
      if (!UploadsItself(picture, plane_bytes(layout))) {
        if (!has_staging) {
          if (Status status = EnsureStaging(slot); !status) return status;
          StageRows(slot, frames);
          has_staging = true;
        }
        if (offset != staged_end) {
          copy_staged();
          staged_begin = offset;
        }
        staged_end = offset + plane_bytes(layout);
        continue;
      }
      const std::uintptr_t native = picture.native_stream();
      if (native != 0 && std::find(awaited_.begin(), awaited_.end(), native) == awaited_.end()) {
        upload_->WaitForNative(native);
        awaited_.push_back(native);
      }
      const PlaneView view = picture.plane(layout.plane);
      const auto row_bytes = static_cast<std::size_t>(layout.size.width * format_.bytes_per_sample());
      const auto pitch = static_cast<std::size_t>(view.stride_bytes);
      const auto rows = static_cast<std::size_t>(layout.size.height);
      std::byte* const to = PictureAt(slot_index, 0) + offset;
      if (picture.memory() == FrameMemory::kDevice) {
        // A kernel that reads elsewhere would take the device from the whole process.
        if (!device_.CanRead(view.data)) {
          return Error{ErrorCode::kInvalidArgument,
                       fmt::format("a picture that is said to be in device memory is not in that of {}",
                                   device_.properties().name),
                       {},
                       {},
                       "pictures"};
        }
        const int shift = picture.sample_shift();
        (shift == 0 ? gathered_ : gathered_shifted_).push_back(GatherOf(view, shift, row_bytes, to, layout.pitch));
      } else if (pitch == layout.pitch) {
        upload_->Copy(to, view.data, pitch * (rows - 1) + row_bytes);
      } else {
        upload_->CopyRows(to, layout.pitch, view.data, pitch, row_bytes, rows);
      }
    }
  }
  copy_staged();
  return Gather(slot);
}

// One launch for all planes of a kind: copies of their own cost more than what they copy.
Status DeviceSession::Gather(Slot& slot) {
  if (gathered_.empty() && gathered_shifted_.empty()) return {};
  const std::size_t most = sizeof(GatherArgs) * planes_.size() * static_cast<std::size_t>(options_.batch);
  if (slot.gathered.data() == nullptr) {
    Result<std::byte*> on_device = device_.AllocateOnDevice(most);
    if (!on_device) return std::move(on_device).error();
    slot.gathered = DeviceMemory(device_, *on_device);
    Result<std::byte*> pinned = device_.AllocatePinned(most);
    if (!pinned) return std::move(pinned).error();
    slot.gathered_staging = DeviceMemory(device_, *pinned);
  }
  std::size_t offset = 0;
  for (const auto& [name, planes] : {std::pair<const char*, std::span<const GatherArgs>>("gather", gathered_),
                                     {"gather_shifted", gathered_shifted_}}) {
    if (planes.empty()) continue;
    Result<const DeviceKernel*> kernel = device_.FindKernel("picture", name);
    if (!kernel) return std::move(kernel).error();
    DeviceStep step;
    step.lanes_shift = DeviceSteps::kLanesShift;
    for (const GatherArgs& plane : planes) step.rows = std::max(step.rows, plane.height);
    std::byte* const arguments = slot.gathered.data() + offset;
    std::memcpy(slot.gathered_staging.data() + offset, planes.data(), planes.size_bytes());
    upload_->Copy(arguments, slot.gathered_staging.data() + offset, planes.size_bytes());
    const KernelLaunch launch = {arguments, step.work_items(), step.lanes_shift};
    upload_->Launch(**kernel, &launch, sizeof(launch),
                    {static_cast<std::uint64_t>(step.work_items() / LaunchShape::kGroupSize) * planes.size(),
                     LaunchShape::kGroupSize, 0});
    offset += planes.size_bytes();
  }
  return {};
}

void DeviceSession::Launch(DeviceStream& stream, const Step& step, const Slot& slot, std::size_t begin,
                           std::size_t end) {
  const std::byte* const blocks = slot.arguments.data() + step.arguments + begin * step.argument_bytes;
  const std::size_t frames = end - begin;
  if (step.plans.empty()) {
    const KernelLaunch launch = {blocks, step.work_items, step.lanes_shift};
    stream.Launch(
        *step.kernels.front(), &launch, sizeof(launch),
        {static_cast<std::uint64_t>(step.work_items / LaunchShape::kGroupSize) * frames, LaunchShape::kGroupSize, 0});
    return;
  }
  const GroupPlan& plan = step.plans[frames - 1];
  const GroupLaunch launch = {blocks, static_cast<i32>(frames), plan.plan};
  stream.Launch(*step.kernels[static_cast<std::size_t>(plan.kernel)], &launch, sizeof(launch),
                {plan.groups, plan.group_size, plan.local_bytes});
}

void DeviceSession::Compute(std::size_t stream_index, std::size_t slot_index, std::span<const BatchFrame> frames) {
  const Slot& slot = slots_[slot_index];
  DeviceStream& stream = *compute_[stream_index];
  for (std::size_t f = 0; f < metrics_.size(); ++f) {
    const Metric& metric = metrics_[f];
    if (metric.stream != stream_index) continue;
    if (metric.needs.zero_results) {
      stream.Fill(slot.device_results.data() + metric.results, 0, AlignUp(metric.needs.results) * frames.size());
    }
    for (const Step& step : metric.picture_steps) Launch(stream, step, slot, 0, frames.size());
    const auto wanted = [&](std::size_t i) { return frames[i].wanted[f] != 0; };
    std::size_t begin = 0;
    while (begin < frames.size()) {
      std::size_t end = begin;
      while (end < frames.size() && wanted(end)) ++end;
      if (end > begin) {
        for (const Step& step : metric.steps) Launch(stream, step, slot, begin, end);
      }
      begin = end + 1;
    }
  }
}

void DeviceSession::Submit(std::span<const BatchFrame> frames) {
  const std::size_t index = submitted_++ % slots_.size();
  ++pending_;
  Slot& slot = slots_[index];
  if (Status status = Upload(index, frames); !status && !failure_) failure_ = std::move(status).error();
  const std::shared_ptr<DeviceEvent> uploaded = upload_->Mark();
  const bool is_whole =
      frames.size() == static_cast<std::size_t>(options_.batch) &&
      std::all_of(frames.begin(), frames.end(), [](const BatchFrame& frame) {
        return std::all_of(frame.wanted.begin(), frame.wanted.end(), [](std::uint8_t wanted) { return wanted != 0; });
      });
  for (std::size_t s = 0; s < compute_.size(); ++s) {
    DeviceStream& stream = *compute_[s];
    stream.WaitFor(*uploaded);
    if (options_.use_graphs && is_whole) {
      std::unique_ptr<DeviceGraph>& graph = slot.graphs[s];
      if (graph == nullptr) {
        stream.BeginRecording();
        Compute(s, index, frames);
        Result<std::unique_ptr<DeviceGraph>> recorded = stream.EndRecording();
        if (recorded) graph = *std::move(recorded);
      }
      // A stream that could not record keeps the error for Take().
      if (graph != nullptr) stream.Replay(*graph);
    } else {
      Compute(s, index, frames);
    }
    download_->WaitFor(*stream.Mark());
  }
  if (results_bytes_ != 0) download_->Copy(slot.results.data(), slot.device_results.data(), results_bytes_);
  slot.done = download_->Mark();
}

Status DeviceSession::Take() {
  Slot& slot = slots_[taken_++ % slots_.size()];
  --pending_;
  if (failure_) return *failure_;
  if (Status status = download_->Wait(*slot.done); !status) return status;
  // Kernels run on whatever is there when an upload has failed, and results are copied when a kernel has.
  if (Status status = upload_->status(); !status) return status;
  for (const std::unique_ptr<DeviceStream>& stream : compute_) {
    if (Status status = stream->status(); !status) return status;
  }
  return {};
}

void DeviceSession::Close() {
  upload_.reset();
  compute_.clear();
  download_.reset();
}

Status DeviceSession::ReadPicture(std::size_t frame, bool is_distorted, Frame& picture) {
  picture.Reset(format_);
  const std::size_t slot = (taken_ - 1) % slots_.size();
  if (Status status = EnsureStaging(slots_[slot]); !status) return status;
  std::byte* const staging = slots_[slot].staging.data();
  download_->Copy(staging, PictureAt(slot, frame), frame_bytes_);
  if (Status status = download_->Wait(*download_->Mark()); !status) return status;
  for (const PlaneLayout& layout : planes_) {
    if (layout.is_distorted != is_distorted) continue;
    const MutablePlaneView plane = picture.mutable_plane(layout.plane);
    const auto row_bytes = static_cast<std::size_t>(layout.size.width * format_.bytes_per_sample());
    for (int y = 0; y < layout.size.height; ++y) {
      std::memcpy(plane.row<std::byte>(y), staging + layout.offset + static_cast<std::size_t>(y) * layout.pitch,
                  row_bytes);
    }
  }
  return {};
}

const std::byte* DeviceSession::results(std::size_t feature, std::size_t frame) const {
  const Metric& metric = metrics_[feature];
  return slots_[(taken_ - 1) % slots_.size()].results.data() + metric.results + frame * AlignUp(metric.needs.results);
}

std::vector<DeviceTiming> DeviceSession::TakeTimings() {
  std::vector<DeviceTiming> all;
  std::vector<DeviceStream*> streams = {upload_.get(), download_.get()};
  for (const std::unique_ptr<DeviceStream>& stream : compute_) streams.push_back(stream.get());
  for (DeviceStream* stream : streams) AddTimings(stream->TakeTimings(), all);
  return all;
}

}  // namespace lockstep
