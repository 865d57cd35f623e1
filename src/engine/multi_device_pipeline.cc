// SPDX-License-Identifier: BSD-2-Clause-Patent
// The calling thread reads; one thread a device takes segments in the order of the sequence.
#include "engine/multi_device_pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/without_exceptions.h"
#include "engine/device_batches.h"
#include "engine/wanted_frames.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSegmentBytes = std::int64_t{1} << 30;
constexpr std::int64_t kLongestSegment = 256;
// Enough that a device which is twice as slow as another one delays the end by little.
constexpr std::int64_t kSegmentsOfADevice = 4;

struct Segment {
  std::int64_t first = 0;          // frame number of the first pair, which is one of lead_in where there are any
  std::vector<FramePair> lead_in;  // pairs that only later facts look at
  std::deque<FramePair> arrived;   // read, and not yet taken by the device
  std::int64_t length = 0;         // pairs that have arrived so far, without lead_in
  bool is_complete = false;
};

// Segments between the thread that reads and those of the devices.
class SegmentQueue {
 public:
  SegmentQueue(std::int64_t first_picture, int segment_length, int lead_in, std::size_t devices)
      : next_picture_(first_picture),
        length_(segment_length),
        lead_in_(static_cast<std::size_t>(lead_in)),
        limit_((devices + 1) * static_cast<std::size_t>(segment_length)) {}

  // False when nothing more is wanted.
  bool WaitForSpace() {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [&] { return waiting_ < limit_ || failure_; });
    return !failure_;
  }

  void Append(FramePair pair) {
    const std::lock_guard lock(mutex_);
    if (filling_ == nullptr) {
      filling_ = std::make_shared<Segment>();
      filling_->first = next_picture_ - static_cast<std::int64_t>(latest_.size());
      filling_->lead_in.assign(latest_.begin(), latest_.end());
      unclaimed_.push_back(filling_);
    }
    latest_.push_back(pair);
    if (latest_.size() > lead_in_) latest_.pop_front();
    filling_->arrived.push_back(std::move(pair));
    ++filling_->length;
    ++waiting_;
    ++next_picture_;
    if (filling_->length == length_) CompleteSegment();
    arrival_.notify_all();
  }

  void EndOfSequence() {
    const std::lock_guard lock(mutex_);
    CompleteSegment();
    is_ended_ = true;
    arrival_.notify_all();
  }

  // Keeps the first one.
  void Fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
    arrival_.notify_all();
    space_.notify_all();
  }

  // The oldest segment that no device has; nullptr when there will be none.
  std::shared_ptr<Segment> Claim() {
    std::unique_lock lock(mutex_);
    arrival_.wait(lock, [&] { return !unclaimed_.empty() || is_ended_ || failure_; });
    if (failure_ || unclaimed_.empty()) return nullptr;
    std::shared_ptr<Segment> segment = std::move(unclaimed_.front());
    unclaimed_.pop_front();
    return segment;
  }

  // At most `most` pairs of the segment, as soon as there are any; none at its end or when nothing more is wanted.
  void TakeArrived(Segment& segment, std::size_t most, std::vector<FramePair>& pairs) {
    pairs.clear();
    std::unique_lock lock(mutex_);
    arrival_.wait(lock, [&] { return !segment.arrived.empty() || segment.is_complete || failure_; });
    if (failure_) return;
    while (!segment.arrived.empty() && pairs.size() < most) {
      pairs.push_back(std::move(segment.arrived.front()));
      segment.arrived.pop_front();
    }
    waiting_ -= pairs.size();
    space_.notify_one();
  }

  [[nodiscard]] bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
  }
  // A stop may still come meanwhile.
  [[nodiscard]] std::optional<Error> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }
  [[nodiscard]] std::int64_t next_picture() const { return next_picture_; }

 private:
  void CompleteSegment() {
    if (filling_ == nullptr) return;
    filling_->is_complete = true;
    filling_ = nullptr;
  }

  mutable std::mutex mutex_;
  std::condition_variable arrival_;
  std::condition_variable space_;
  std::deque<std::shared_ptr<Segment>> unclaimed_;
  std::shared_ptr<Segment> filling_;
  std::deque<FramePair> latest_;  // the last pairs that were read: lead-in of the next segment
  std::int64_t next_picture_;
  std::int64_t length_;
  std::size_t lead_in_;
  std::size_t limit_;
  std::size_t waiting_ = 0;  // pairs that no device has taken
  bool is_ended_ = false;
  std::optional<Error> failure_;
};

class MultiDevicePipeline {
 public:
  MultiDevicePipeline(std::span<const Feature* const> features, const VideoFormat& format, PairSource& source,
                      const PipelineOptions& options, std::span<Device* const> devices,
                      const DevicePipelineOptions& device_options)
      : features_(features),
        format_(format),
        source_(source),
        options_(options),
        devices_(devices),
        device_options_(device_options),
        staging_threads_(options.threads),
        wanted_(options),
        facts_(features, wanted_, options),
        batch_(BatchOf(device_options, format, *devices[0])),
        segments_(options.first_picture, LengthOfSegments(), LeadIn(), devices.size()) {}

  Result<DevicePipelineResult> Run() {
    const std::stop_callback on_stop(options_.stop, [this] { Fail({ErrorCode::kCancelled, "cancelled", {}, {}, {}}); });
    timings_.resize(devices_.size());
    {
      std::vector<std::jthread> threads;
      try {
        for (std::size_t d = 0; d < devices_.size(); ++d) threads.emplace_back([this, d] { Work(d); });
      } catch (const std::exception& failure) {
        Fail({ErrorCode::kInternal, failure.what(), {}, {}, "threads of the devices"});
      }
      FailWhere([this] { return Read(); });
    }
    if (std::optional<Error> failure = segments_.failure()) return *std::move(failure);
    DevicePipelineResult result;
    result.facts.facts = facts_.Take();
    result.facts.end_picture = segments_.next_picture();
    wanted_.Complete(features_, result.facts.end_picture, result.facts.facts);
    for (std::vector<DeviceTiming>& timings : timings_) AddTimings(std::move(timings), result.timings);
    return result;
  }

 private:
  [[nodiscard]] int LeadIn() const {
    int lead_in = 0;
    for (const Feature* feature : features_) lead_in = std::max(lead_in, feature->reach().picture_lead_in);
    return lead_in;
  }

  [[nodiscard]] int LengthOfSegments() const {
    if (device_options_.segment != 0) return device_options_.segment;
    const bool chroma =
        std::any_of(features_.begin(), features_.end(), [](const Feature* f) { return f->needs_chroma(); });
    const std::int64_t luma_bytes = std::int64_t{format_.width} * format_.height * format_.bytes_per_sample();
    const std::int64_t picture_bytes = chroma ? static_cast<std::int64_t>(format_.frame_bytes()) : luma_bytes;
    return SegmentLength(2 * picture_bytes, batch_, LeadIn(), devices_.size(), options_.expected_pictures);
  }

  void Fail(Error error) {
    segments_.Fail(std::move(error));
    source_.Cancel();
  }

  // Exceptions must not leave a thread, and the other threads must hear of them.
  template <class Call>
  void FailWhere(Call call) {
    if (Status status = WithoutExceptions("no memory left", call); !status) Fail(std::move(status).error());
  }

  Status Read() {
    while (segments_.WaitForSpace()) {
      FramePair pair;
      const Result<bool> more = source_.Next(pair);
      if (!more) return more.error();
      if (!*more) break;
      segments_.Append(std::move(pair));
    }
    segments_.EndOfSequence();
    return {};
  }

  void Work(std::size_t d) {
    FailWhere([&]() -> Status {
      Result<OpenSession> open = MakeDeviceSession(features_, format_, *devices_[d], device_options_, staging_threads_);
      if (!open) return std::move(open).error();
      DeviceBatches batches(features_, wanted_, *open->session, open->batch, facts_);
      std::vector<FramePair> pairs;
      while (const std::shared_ptr<Segment> segment = segments_.Claim()) {
        if (Status status = RunSegment(*segment, open->batch, batches, pairs); !status) return status;
      }
      if (segments_.has_failed()) return {};
      if (Status status = batches.Finish(); !status) return status;
      timings_[d] = open->session->TakeTimings();
      return {};
    });
  }

  Status RunSegment(Segment& segment, int batch, DeviceBatches& batches, std::vector<FramePair>& pairs) {
    std::int64_t index = segment.first;
    for (FramePair& pair : segment.lead_in) {
      if (Status status = batches.Add(std::move(pair), index++, true); !status) return status;
    }
    for (;;) {
      segments_.TakeArrived(segment, static_cast<std::size_t>(batch), pairs);
      if (pairs.empty()) return {};
      for (FramePair& pair : pairs) {
        if (Status status = batches.Add(std::move(pair), index++, false); !status) return status;
      }
    }
  }

  std::span<const Feature* const> features_;
  const VideoFormat& format_;
  PairSource& source_;
  const PipelineOptions& options_;
  std::span<Device* const> devices_;
  const DevicePipelineOptions& device_options_;
  StagingThreads staging_threads_;
  WantedFrames wanted_;
  DeviceFacts facts_;
  int batch_;
  SegmentQueue segments_;
  std::vector<std::vector<DeviceTiming>> timings_;
};

}  // namespace

int SegmentLength(std::int64_t pair_bytes, int batch, int lead_in, std::size_t devices,
                  std::optional<std::int64_t> pairs) {
  std::int64_t length = std::clamp<std::int64_t>(kSegmentBytes / pair_bytes, 1, kLongestSegment);
  if (pairs) {
    const std::int64_t segments = kSegmentsOfADevice * static_cast<std::int64_t>(devices);
    length = std::min(length, std::max<std::int64_t>((*pairs - 1) / segments + 1, 1));
  }
  // Batches with lead-in pictures are not replayed from a graph, so as few as possible have any.
  const std::int64_t batches = std::max<std::int64_t>((length + lead_in) / batch, 1);
  return static_cast<int>(std::max<std::int64_t>(batches * batch - lead_in, 1));
}

Result<DevicePipelineResult> RunMultiDevicePipeline(std::span<const Feature* const> features, const VideoFormat& format,
                                                    PairSource& source, const PipelineOptions& options,
                                                    std::span<Device* const> devices,
                                                    const DevicePipelineOptions& device_options) {
  if (devices.size() == 1) return RunDevicePipeline(features, format, source, options, *devices[0], device_options);
  try {
    return MultiDevicePipeline(features, format, source, options, devices, device_options).Run();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory for the pictures and the results", {}, {}, {}};
  }
}

}  // namespace lockstep
