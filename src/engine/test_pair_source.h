// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of pipelines: sources of made pictures that can end, fail, block and be cancelled; facts compared.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/frame_pipeline.h"
#include "engine/pair_source.h"
#include "features/feature.h"
#include "features/test_run.h"

namespace lockstep {

/// Pairs first … end - 1, as Fill() makes them.
class TestPairSource : public PairSource {
 public:
  TestPairSource(std::int64_t first, std::int64_t end) : next_(first), end_(end) {}

  Result<bool> Next(FramePair& pair) override {
    if (cancelled_) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
    if (next_ == fail_at_) return Error{ErrorCode::kFormat, "broken", "clip", next_, {}};
    if (next_ == end_) return false;
    pair.reference = frames_.Acquire();
    pair.distorted = frames_.Acquire();
    Fill(next_, *pair.reference, *pair.distorted);
    ++next_;
    return true;
  }
  void Cancel() override { cancelled_ = true; }
  void FailAt(std::int64_t frame) { fail_at_ = frame; }
  [[nodiscard]] std::size_t frames_made() const { return frames_.size(); }

 protected:
  virtual void Fill(std::int64_t number, Frame& reference, Frame& distorted) const = 0;

 private:
  Pool<Frame> frames_;
  std::int64_t next_;
  std::int64_t end_;
  std::int64_t fail_at_ = -1;
  std::atomic<bool> cancelled_{false};
};

/// Noise, of which no picture is like another.
class NoiseSource : public TestPairSource {
 public:
  NoiseSource(const VideoFormat& format, std::int64_t first, std::int64_t end)
      : TestPairSource(first, end), format_(format) {}

 protected:
  void Fill(std::int64_t number, Frame& reference, Frame& distorted) const override {
    reference = test_run::NoiseFrame(format_, static_cast<std::uint64_t>(2 * number));
    distorted = test_run::NoiseFrame(format_, static_cast<std::uint64_t>(2 * number + 1));
  }

 private:
  VideoFormat format_;
};

/// After five pairs it waits for pictures that do not come, until it is cancelled.
class BlockedSource : public NoiseSource {
 public:
  using NoiseSource::NoiseSource;
  Result<bool> Next(FramePair& pair) override {
    if (++calls_ > 5) is_cancelled_.wait(false);
    return NoiseSource::Next(pair);
  }
  void Cancel() override {
    NoiseSource::Cancel();
    is_cancelled_ = true;
    is_cancelled_.notify_all();
  }

 private:
  int calls_ = 0;
  std::atomic<bool> is_cancelled_{false};
};

inline void ExpectEqualFacts(const FactTable& actual, const FactTable& expected, const std::string& what) {
  ASSERT_EQ(actual.first(), expected.first()) << what;
  ASSERT_EQ(actual.end(), expected.end()) << what;
  for (std::int64_t frame = expected.first(); frame < expected.end(); ++frame) {
    ASSERT_EQ(actual.Has(frame), expected.Has(frame)) << what << " frame " << frame;
    if (!expected.Has(frame)) continue;
    for (std::size_t i = 0; i < expected.Row(frame).size(); ++i) {
      ASSERT_EQ(actual.Row(frame)[i], expected.Row(frame)[i]) << what << " frame " << frame << " fact " << i;
    }
  }
}

/// run(source, options) of a pipeline ends soon after a stop, while it works and while it waits for pictures.
template <class Run>
void ExpectCancelling(const VideoFormat& format, const Run& run) {
  const auto stop_it = [&](PairSource& source) {
    std::stop_source stop;
    PipelineOptions options;
    options.stop = stop.get_token();
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    const auto result = run(source, options);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  };
  NoiseSource endless(format, 0, 1'000'000);
  stop_it(endless);
  BlockedSource blocked(format, 0, 1000);
  stop_it(blocked);
}

}  // namespace lockstep
