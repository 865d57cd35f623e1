// SPDX-License-Identifier: BSD-2-Clause-Patent
// One sequence of picture pairs for two pipelines that run at the same time.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "engine/pair_source.h"
#include "lockstep/result.h"

namespace lockstep {

/// Each side delivers every pair of the source; whichever side comes first reads the next one. A side that is ahead by
/// `most_waiting` pairs waits for the other. Thread safe, one thread at a time for each side.
class SharedSource {
 public:
  /// in  source outlives this; most_waiting at least 1
  SharedSource(PairSource& source, std::size_t most_waiting) : source_(source), most_waiting_(most_waiting) {}
  SharedSource(const SharedSource&) = delete;
  SharedSource& operator=(const SharedSource&) = delete;

  [[nodiscard]] PairSource& side(std::size_t index) { return sides_.at(index); }

  /// This side wants no more pairs: the other one does not wait for it.
  void Close(std::size_t index);
  /// Both sides end with kCancelled.
  void Cancel();

 private:
  class Side final : public PairSource {
   public:
    Side(SharedSource& owner, std::size_t index) : owner_(owner), index_(index) {}
    [[nodiscard]] Result<bool> Next(FramePair& pair) override { return owner_.Next(index_, pair); }
    void Cancel() override { owner_.Cancel(); }

   private:
    SharedSource& owner_;
    std::size_t index_;
  };
  struct Waiting {
    std::deque<FramePair> pairs;  // read for the other side already
    bool is_closed = false;
  };

  [[nodiscard]] Result<bool> Next(std::size_t index, FramePair& pair);
  /// Reads one pair without the lock, for both sides.
  [[nodiscard]] Result<bool> Read(std::unique_lock<std::mutex>& lock, Waiting& other, FramePair& pair);

  PairSource& source_;
  std::size_t most_waiting_;
  std::array<Side, 2> sides_ = {Side(*this, 0), Side(*this, 1)};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Waiting, 2> waiting_;
  bool is_reading_ = false;
  bool is_ended_ = false;
  bool is_cancelled_ = false;
  std::optional<Error> failure_;  // of the source
};

}  // namespace lockstep
