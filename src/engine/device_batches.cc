// SPDX-License-Identifier: BSD-2-Clause-Patent
// The host waits once a batch: for its results, while the device has the next one already.
#include "engine/device_batches.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

// At 576x324 one launch would take as long as its work.
constexpr std::int64_t kBatchPixels = std::int64_t{1} << 21;
constexpr int kLargestAutomaticBatch = 8;
// Of a device with kernels of its own: four pictures of 3840x2160.
constexpr std::int64_t kTunedBatchPixels = std::int64_t{1} << 25;
constexpr int kLargestTunedBatch = 32;

}  // namespace

int AutomaticBatch(const VideoFormat& format, const DeviceTraits& traits) {
  const std::int64_t pixels = std::int64_t{format.width} * format.height;
  if (!traits.tuned.empty()) {
    return static_cast<int>(std::clamp<std::int64_t>(kTunedBatchPixels / pixels, 1, kLargestTunedBatch));
  }
  return static_cast<int>(std::clamp<std::int64_t>(kBatchPixels / pixels, 1, kLargestAutomaticBatch));
}

DeviceFacts::DeviceFacts(std::span<const Feature* const> features, const WantedFrames& wanted,
                         const PipelineOptions& options)
    : options_(options) {
  for (const Feature* feature : features) facts_.emplace_back(feature->fact_count(), wanted.FirstFact(*feature));
}

void DeviceFacts::Put(std::size_t feature, std::int64_t frame, std::span<const Fact> facts) {
  const std::lock_guard lock(mutex_);
  facts_[feature].Set(frame, facts);
}

void DeviceFacts::FrameDone() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (options_.on_progress) options_.on_progress(done_);
}

DeviceBatches::DeviceBatches(std::span<const Feature* const> features, const WantedFrames& wanted,
                             DeviceSession& session, int batch, DeviceFacts& facts)
    : features_(features),
      wanted_(wanted),
      session_(session),
      batch_(static_cast<std::size_t>(batch)),
      all_facts_(facts) {
  for (Batch& each : batches_) {
    each.entries.resize(batch_);
    each.frames.resize(batch_);
    for (BatchFrame& frame : each.frames) frame.wanted.resize(features_.size());
  }
  for (std::size_t i = 0; i < batch_; ++i) {
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (!session_.program(f).collects_long()) continue;
      const auto facts_of_feature = static_cast<std::size_t>(features_[f]->fact_count());
      long_facts_.push_back({i, f, false, std::vector<Fact>(facts_of_feature)});
    }
  }
}

DeviceBatches::~DeviceBatches() {
  if (!is_finished_) session_.Close();
}

Status DeviceBatches::Add(FramePair pair, std::int64_t index, bool is_lead_in) {
  if (index != next_index_) history_ = {};
  next_index_ = index + 1;
  is_finished_ = false;
  Batch& batch = filling();
  Entry& entry = batch.entries[batch.size];
  entry.index = index;
  entry.is_lead_in = is_lead_in;
  entry.earlier = history_;
  entry.pair = std::move(pair);
  BatchFrame& frame = batch.frames[batch.size];
  frame.reference = entry.pair.reference.get();
  frame.distorted = entry.pair.distorted.get();
  for (std::size_t f = 0; f < features_.size(); ++f) {
    frame.wanted[f] = !is_lead_in && wanted_.Wants(*features_[f], index) ? 1 : 0;
  }
  history_[1] = std::exchange(history_[0], entry.pair.reference);
  ++batch.size;
  return batch.size == batch_ ? Submit() : Status();
}

Status DeviceBatches::Finish() {
  if (filling().size > 0) {
    if (Status status = Submit(); !status) return status;
  }
  while (session_.pending() > 0) {
    if (Status status = Take(); !status) return status;
  }
  is_finished_ = true;
  return {};
}

Status DeviceBatches::Submit() {
  const Batch& batch = filling();
  session_.Submit(std::span(batch.frames).first(batch.size));
  ++submitted_;
  return session_.pending() == DeviceSession::kMaximumPending ? Take() : Status();
}

FrameWindow DeviceBatches::WindowOf(const Entry& entry) {
  FrameWindow window;
  window.index = entry.index;
  window.reference = entry.pair.reference.get();
  window.distorted = entry.pair.distorted.get();
  window.earlier_reference = {window.reference, entry.earlier[0].get(), entry.earlier[1].get()};
  return window;
}

bool DeviceBatches::HasToFetch(std::size_t feature, std::size_t frame, const FrameWindow& window) const {
  const auto is_elsewhere = [](const Frame* picture) {
    return picture != nullptr && picture->memory() == FrameMemory::kDevice;
  };
  return session_.program(feature).NeedsPictures(session_.results(feature, frame)) &&
         (is_elsewhere(window.reference) || is_elsewhere(window.distorted));
}

void DeviceBatches::TakeLongFacts(const Batch& batch) {
  session_.ForEach(static_cast<int>(long_facts_.size()), [&](int number) {
    LongFacts& place = long_facts_[static_cast<std::size_t>(number)];
    place.is_taken = false;
    if (place.frame >= batch.size || batch.frames[place.frame].wanted[place.feature] == 0) return;
    const FrameWindow window = WindowOf(batch.entries[place.frame]);
    if (HasToFetch(place.feature, place.frame, window)) return;
    std::fill(place.facts.begin(), place.facts.end(), 0);
    session_.program(place.feature).Collect(window, session_.results(place.feature, place.frame), place.facts);
    place.is_taken = true;
  });
  for (const LongFacts& place : long_facts_) {
    if (place.is_taken) all_facts_.Put(place.feature, batch.entries[place.frame].index, place.facts);
  }
}

Status DeviceBatches::Take() {
  if (Status status = session_.Take(); !status) return status;
  Batch& batch = batches_[taken_++ % batches_.size()];
  TakeLongFacts(batch);
  auto long_facts = long_facts_.begin();
  for (std::size_t i = 0; i < batch.size; ++i) {
    Entry& entry = batch.entries[i];
    FrameWindow window = WindowOf(entry);
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (session_.program(f).collects_long() && (long_facts++)->is_taken) continue;
      if (batch.frames[i].wanted[f] == 0) continue;
      if (HasToFetch(f, i, window)) {
        if (Status status = FetchPictures(i, window); !status) return status;
      }
      facts_.assign(static_cast<std::size_t>(features_[f]->fact_count()), 0);
      session_.program(f).Collect(window, session_.results(f, i), facts_);
      all_facts_.Put(f, entry.index, facts_);
    }
    if (!entry.is_lead_in) all_facts_.FrameDone();
    entry.pair = {};
    entry.earlier = {};
  }
  batch.size = 0;
  return {};
}

Status DeviceBatches::FetchPictures(std::size_t frame, FrameWindow& window) {
  for (const bool is_distorted : {false, true}) {
    const Frame*& picture = is_distorted ? window.distorted : window.reference;
    if (picture == nullptr || picture->memory() != FrameMemory::kDevice) continue;
    Frame& fetched = fetched_[is_distorted ? 1 : 0];
    if (Status status = session_.ReadPicture(frame, is_distorted, fetched); !status) return status;
    picture = &fetched;
  }
  window.earlier_reference[0] = window.reference;
  return {};
}

}  // namespace lockstep
