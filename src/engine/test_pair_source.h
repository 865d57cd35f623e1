// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of pipelines: a source of made pictures that can end, fail and be cancelled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/pair_source.h"

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

}  // namespace lockstep
