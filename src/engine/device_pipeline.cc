// SPDX-License-Identifier: BSD-2-Clause-Patent
// One thread: reads a batch, gives it to the device, and takes the facts of the batch before while it runs.
#include "engine/device_pipeline.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include "engine/wanted_frames.h"
#include "features/device/device_session.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaximumLeadIn = 2;

// Enough pixels that launching does not outweigh computing; at 576x324 one launch would take as long as its work.
constexpr std::int64_t kBatchPixels = std::int64_t{1} << 21;
constexpr int kLargestAutomaticBatch = 8;

int AutomaticBatch(const VideoFormat& format) {
  const std::int64_t pixels = std::int64_t{format.width} * format.height;
  return static_cast<int>(std::clamp<std::int64_t>(kBatchPixels / pixels, 1, kLargestAutomaticBatch));
}

struct Batch {
  std::int64_t first = 0;  // frame number
  std::vector<FramePair> pairs;
  std::vector<BatchFrame> frames;
  std::array<FramePair, kMaximumLeadIn> earlier;  // [k]: k + 1 frames before the first one
};

class DevicePipeline {
 public:
  DevicePipeline(std::span<const Feature* const> features, PairSource& source, const PipelineOptions& options,
                 DeviceSession& session, int batch)
      : features_(features),
        source_(source),
        options_(options),
        wanted_(options),
        session_(session),
        batch_(static_cast<std::size_t>(batch)),
        next_picture_(options.first_picture) {
    for (const Feature* feature : features_) facts_.emplace_back(feature->fact_count(), wanted_.FirstFact(*feature));
  }

  Result<PipelineResult> Run() {
    const std::stop_callback on_stop(options_.stop, [this] { source_.Cancel(); });
    bool more = true;
    while (more) {
      Batch batch;
      Result<bool> read = Read(batch);
      if (!read) return std::move(read).error();
      more = *read;
      if (batch.pairs.empty()) break;
      session_.Submit(batch.frames);
      pending_.push_back(std::move(batch));
      if (session_.pending() == DeviceSession::kMaximumPending) {
        if (Status status = Take(); !status) return std::move(status).error();
      }
    }
    while (!pending_.empty()) {
      if (Status status = Take(); !status) return std::move(status).error();
    }
    for (std::size_t f = 0; f < features_.size(); ++f) {
      facts_[f].Extend(std::max(std::min(next_picture_, wanted_.EndFact(*features_[f])), facts_[f].first()));
    }
    return PipelineResult{std::move(facts_), next_picture_};
  }

 private:
  // False at the end of the sequence.
  Result<bool> Read(Batch& batch) {
    batch.first = next_picture_;
    batch.earlier = history_;
    while (batch.pairs.size() < batch_) {
      if (options_.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
      FramePair pair;
      Result<bool> more = source_.Next(pair);
      if (!more) return std::move(more).error();
      if (!*more) return false;
      BatchFrame frame;
      frame.reference = pair.reference.get();
      frame.distorted = pair.distorted.get();
      for (const Feature* feature : features_) frame.wanted.push_back(wanted_.Wants(*feature, next_picture_) ? 1 : 0);
      batch.frames.push_back(std::move(frame));
      history_[1] = std::exchange(history_[0], pair);
      batch.pairs.push_back(std::move(pair));
      ++next_picture_;
    }
    return true;
  }

  Status Take() {
    if (Status status = session_.Take(); !status) return status;
    const Batch batch = std::move(pending_.front());
    pending_.pop_front();
    std::vector<Fact> facts;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      const FrameWindow window = WindowOf(batch, i);
      for (std::size_t f = 0; f < features_.size(); ++f) {
        if (batch.frames[i].wanted[f] == 0) continue;
        facts.assign(static_cast<std::size_t>(features_[f]->fact_count()), 0);
        session_.program(f).Collect(window, session_.results(f, i), facts);
        facts_[f].Set(window.index, facts);
      }
      if (options_.on_progress) options_.on_progress(window.index + 1 - options_.first_picture);
    }
    return {};
  }

  static FrameWindow WindowOf(const Batch& batch, std::size_t i) {
    FrameWindow window;
    window.index = batch.first + static_cast<std::int64_t>(i);
    window.reference = batch.pairs[i].reference.get();
    window.distorted = batch.pairs[i].distorted.get();
    for (std::size_t k = 0; k < window.earlier_reference.size(); ++k) {
      window.earlier_reference[k] =
          i >= k ? batch.pairs[i - k].reference.get() : batch.earlier[k - i - 1].reference.get();
    }
    return window;
  }

  std::span<const Feature* const> features_;
  PairSource& source_;
  const PipelineOptions& options_;
  WantedFrames wanted_;
  DeviceSession& session_;
  std::size_t batch_;
  std::vector<FactTable> facts_;
  std::array<FramePair, kMaximumLeadIn> history_;  // [0] is the pair before the next one
  std::deque<Batch> pending_;
  std::int64_t next_picture_;
};

}  // namespace

Result<DevicePipelineResult> RunDevicePipeline(std::span<const Feature* const> features, const VideoFormat& format,
                                               PairSource& source, const PipelineOptions& options, Device& device,
                                               const DevicePipelineOptions& device_options) {
  const DeviceProperties& properties = device.properties();
  if (device_options.graphs == GraphUse::kAlways && !properties.has_graphs) {
    return Error{ErrorCode::kUnsupported, fmt::format("{} cannot record graphs", properties.name), {}, {}, "graph"};
  }
  try {
    DevicePipelineResult result;
    DeviceSessionOptions session_options;
    session_options.batch = device_options.batch != 0 ? device_options.batch : AutomaticBatch(format);
    // A graph saves launches, which cost nothing to speak of on a processor.
    session_options.use_graphs =
        device_options.graphs == GraphUse::kAlways ||
        (device_options.graphs == GraphUse::kAutomatic && properties.has_graphs && !properties.is_processor);
    // Copying into pinned memory is bound by one processor's speed long before the bus is.
    const std::size_t threads = std::max<std::size_t>(options.threads, 1);
    tbb::task_arena arena(static_cast<int>(threads));
    if (threads > 1) {
      session_options.for_each = [&arena](int count, const std::function<void(int)>& work) {
        arena.execute([&] { tbb::parallel_for(0, count, work, tbb::simple_partitioner()); });
      };
    }
    Result<std::unique_ptr<DeviceSession>> session = DeviceSession::Create(device, format, features, session_options);
    if (!session) return std::move(session).error();
    DevicePipeline pipeline(features, source, options, **session, session_options.batch);
    Result<PipelineResult> facts = pipeline.Run();
    if (!facts) return std::move(facts).error();
    result.facts = *std::move(facts);
    result.timings = (*session)->TakeTimings();
    return result;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory for the pictures and the results", {}, {}, {}};
  }
}

}  // namespace lockstep
