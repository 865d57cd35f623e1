// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pairs are counted references, so that both sides hold the same pictures.
#include "engine/shared_source.h"

#include <utility>

namespace lockstep {

void SharedSource::Close(std::size_t index) {
  const std::lock_guard lock(mutex_);
  waiting_.at(index).is_closed = true;
  waiting_.at(index).pairs.clear();
  changed_.notify_all();
}

void SharedSource::Cancel() {
  source_.Cancel();
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  changed_.notify_all();
}

Result<bool> SharedSource::Next(std::size_t index, FramePair& pair) {
  Waiting& own = waiting_.at(index);
  Waiting& other = waiting_.at(1 - index);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_cancelled_) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
    if (!own.pairs.empty()) {
      pair = std::move(own.pairs.front());
      own.pairs.pop_front();
      changed_.notify_all();
      return true;
    }
    if (failure_) return *failure_;
    if (is_ended_) return false;
    if (!is_reading_ && (other.is_closed || other.pairs.size() < most_waiting_)) return Read(lock, other, pair);
    changed_.wait(lock);
  }
}

Result<bool> SharedSource::Read(std::unique_lock<std::mutex>& lock, Waiting& other, FramePair& pair) {
  // The other side must not wait for a reader that an exception has ended.
  struct Reading {
    SharedSource& shared;
    std::unique_lock<std::mutex>& lock;
    explicit Reading(SharedSource& source, std::unique_lock<std::mutex>& held) : shared(source), lock(held) {
      shared.is_reading_ = true;
      lock.unlock();
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
      if (!lock.owns_lock()) lock.lock();
      shared.is_reading_ = false;
      shared.changed_.notify_all();
    }
  };
  const Reading reading(*this, lock);
  Result<bool> more = source_.Next(pair);
  lock.lock();
  if (!more) {
    failure_ = more.error();
  } else if (!*more) {
    is_ended_ = true;
  } else if (!other.is_closed) {
    other.pairs.push_back(pair);
  }
  return more;
}

}  // namespace lockstep
