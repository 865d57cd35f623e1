// SPDX-License-Identifier: BSD-2-Clause-Patent
// Feeds one device session: pairs of pictures go in, are given to the device in batches, and facts come out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "base/pool.h"
#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "engine/wanted_frames.h"
#include "features/device/device_session.h"
#include "features/feature.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Where the facts of all devices of a run go. Thread safe but for Take(), which comes after everything else.
class DeviceFacts {
 public:
  /// Everything outlives this object.
  DeviceFacts(std::span<const Feature* const> features, const WantedFrames& wanted, const PipelineOptions& options);

  void Put(std::size_t feature, std::int64_t frame, std::span<const Fact> facts);
  /// Everything of one more frame has been put. Lead-in pictures are not reported.
  void FrameDone();
  [[nodiscard]] std::vector<FactTable> Take() { return std::move(facts_); }

 private:
  const PipelineOptions& options_;
  std::mutex mutex_;
  std::vector<FactTable> facts_;
  std::int64_t done_ = 0;
};

/// Frames in one launch where nobody asks for a number: enough pixels that launching does not outweigh computing, and
/// where a device has kernels of its own, that each launch fills it for a while.
[[nodiscard]] int AutomaticBatch(const VideoFormat& format, const DeviceTraits& traits);

/// Most pairs that a DeviceBatches holds, besides the two reference pictures before them.
[[nodiscard]] constexpr int HeldPairs(int batch) { return DeviceSession::kMaximumPending * batch; }

/// One thread at a time.
class DeviceBatches {
 public:
  /// Everything outlives this object.
  DeviceBatches(std::span<const Feature* const> features, const WantedFrames& wanted, DeviceSession& session, int batch,
                DeviceFacts& facts);
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;
  /// Without a Finish() that succeeded the session is closed, because the device may still copy from the pairs.
  ~DeviceBatches();

  /// The next pair that the device sees. Where `index` does not follow the pair before, the pictures that its facts
  /// look back to must have come directly before it, as lead-in.
  /// in      is_lead_in: only later frames look at this pair; it has no facts of its own
  /// errors  what the device reports
  [[nodiscard]] Status Add(FramePair pair, std::int64_t index, bool is_lead_in);

  /// Gives the rest to the device and waits for all of it.
  /// errors  what the device reports
  [[nodiscard]] Status Finish();

 private:
  static constexpr std::size_t kMaximumLeadIn = 2;

  struct Entry {
    FramePair pair;
    std::array<Pool<Frame>::Ref, kMaximumLeadIn> earlier;  // reference pictures; [k] is k + 1 frames earlier
    std::int64_t index = 0;
    bool is_lead_in = false;
  };
  struct Batch {
    std::vector<Entry> entries;
    std::vector<BatchFrame> frames;
    std::size_t size = 0;
  };

  // Facts of one metric and frame, taken while other frames' are.
  struct LongFacts {
    std::size_t frame = 0;
    std::size_t feature = 0;
    bool is_taken = false;
    std::vector<Fact> facts;
  };

  [[nodiscard]] Status Submit();
  [[nodiscard]] Status Take();
  [[nodiscard]] static FrameWindow WindowOf(const Entry& entry);
  /// Whether Collect() looks into pictures that are not on the host.
  [[nodiscard]] bool HasToFetch(std::size_t feature, std::size_t frame, const FrameWindow& window) const;
  /// Facts of the metrics that collect long, all frames at the same time.
  void TakeLongFacts(const Batch& batch);
  /// Puts this frame's pictures of the batch that was taken last on the host, where they are not yet.
  [[nodiscard]] Status FetchPictures(std::size_t frame, FrameWindow& window);
  [[nodiscard]] Batch& filling() { return batches_[submitted_ % batches_.size()]; }

  std::span<const Feature* const> features_;
  const WantedFrames& wanted_;
  DeviceSession& session_;
  std::size_t batch_;
  DeviceFacts& all_facts_;
  std::array<Batch, DeviceSession::kMaximumPending> batches_;  // one is filled while one less is pending
  std::size_t submitted_ = 0;
  std::size_t taken_ = 0;
  bool is_finished_ = false;
  std::array<Pool<Frame>::Ref, kMaximumLeadIn> history_;
  std::int64_t next_index_ = -1;
  std::vector<Fact> facts_;
  std::vector<LongFacts> long_facts_;  // [frame of the batch][metric that collects long]
  std::array<Frame, 2> fetched_;
};

}  // namespace lockstep
