// SPDX-License-Identifier: BSD-2-Clause-Patent
// The reading thread and its bounded queue.
#include "media/read_ahead.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace lockstep {

ReadAhead::ReadAhead(std::unique_ptr<VideoReader> reader, Pool<Frame>& frames, std::size_t depth)
    : reader_(std::move(reader)), frames_(frames), queue_(std::max<std::size_t>(depth, 1)) {
  thread_ = std::thread([this] { Run(); });
}

ReadAhead::~ReadAhead() {
  Cancel();
  thread_.join();
}

void ReadAhead::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  reader_->Cancel();
  space_.notify_all();
  pictures_.notify_all();
}

Result<Pool<Frame>::Ref> ReadAhead::Next() {
  std::unique_lock lock(mutex_);
  pictures_.wait(lock, [this] { return count_ > 0 || finished_ || cancelled_; });
  if (cancelled_) return Error{ErrorCode::kCancelled, "reading was cancelled", reader_->info().path, {}, {}};
  if (count_ > 0) {
    const auto [picture, warnings] = std::exchange(queue_[first_], {});
    delivered_warnings_ = warnings;
    first_ = (first_ + 1) % queue_.size();
    --count_;
    space_.notify_one();
    return picture;
  }
  delivered_warnings_ = warnings_.size();
  if (failure_) return *failure_;
  return Pool<Frame>::Ref();
}

std::vector<std::string> ReadAhead::warnings() const {
  const std::lock_guard lock(mutex_);
  return {warnings_.begin(), warnings_.begin() + static_cast<std::ptrdiff_t>(delivered_warnings_)};
}

// With the lock, on the reading thread.
void ReadAhead::TakeWarnings() {
  const std::vector<std::string>& all = reader_->warnings();
  warnings_.insert(warnings_.end(), all.begin() + static_cast<std::ptrdiff_t>(warnings_.size()), all.end());
}

void ReadAhead::Run() {
  Result<bool> more = true;
  while (more && *more) {
    // An exception that left this thread would end the program.
    try {
      more = ReadOne();
    } catch (const std::bad_alloc&) {
      more = Error{ErrorCode::kOutOfMemory, "no memory to read ahead", reader_->info().path, {}, {}};
    } catch (const std::exception& exception) {
      more = Error{ErrorCode::kInternal, exception.what(), reader_->info().path, {}, {}};
    }
  }
  const std::lock_guard lock(mutex_);
  TakeWarnings();
  finished_ = true;
  if (!more) failure_ = std::move(more).error();
  pictures_.notify_all();
}

// False when there is nothing more to read.
Result<bool> ReadAhead::ReadOne() {
  {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return count_ < queue_.size() || cancelled_; });
    if (cancelled_) return false;
  }
  Pool<Frame>::Ref picture = frames_.Acquire();
  Result<bool> read = reader_->Read(*picture);
  if (!read || !*read) return read;
  const std::lock_guard lock(mutex_);
  TakeWarnings();
  queue_[(first_ + count_) % queue_.size()] = {std::move(picture), warnings_.size()};
  ++count_;
  pictures_.notify_one();
  return true;
}

}  // namespace lockstep
