// SPDX-License-Identifier: BSD-2-Clause-Patent
// The reading threads and their bounded queue.
#include "media/read_ahead.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace lockstep {
namespace {

// Small pictures are claimed several at a time: the copy then outweighs the lock and a task switch many times over.
constexpr std::int64_t kRunBytes = std::int64_t{1} << 20;

// The part of the queue that is handed out under one lock. Its places stay held, so it must be small.
constexpr std::int64_t kTakenFraction = 4;

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<VideoReader> reader, Pool<Frame>& frames, std::size_t depth, unsigned threads)
    : reader_(std::move(reader)),
      frames_(frames),
      threads_(std::max(threads, 1U)),
      queue_(std::max<std::size_t>(depth, 1) + threads_ - 1),
      capacity_(static_cast<std::int64_t>(std::max<std::size_t>(depth, 1))),
      no_memory_{ErrorCode::kOutOfMemory, "no memory to read ahead", reader_->info().path, {}, {}} {
  taken_.reserve(queue_.size());
  more_threads_.reserve(threads_ - 1);
  thread_ = std::thread([this] { Run(); });
}

ReadAhead::~ReadAhead() {
  Cancel();
  thread_.join();
  for (std::thread& thread : more_threads_) thread.join();
}

void ReadAhead::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_.store(true);
  }
  reader_->Cancel();
  space_.notify_all();
  pictures_.notify_all();
}

Error ReadAhead::Cancelled() const {
  return {ErrorCode::kCancelled, "reading was cancelled", reader_->info().path, {}, {}};
}

Result<Pool<Frame>::Ref> ReadAhead::Next() {
  if (next_taken_ == taken_.size()) TakeReady();
  if (cancelled_.load()) return Cancelled();
  if (next_taken_ < taken_.size()) {
    Entry& entry = taken_[next_taken_];
    ++next_taken_;
    ++delivered_;
    delivered_warnings_ = entry.warnings;
    return std::move(entry.picture);
  }
  // Nothing follows: no other thread writes these any more.
  delivered_warnings_ = warnings_.size();
  if (failure_) return *failure_;
  return Pool<Frame>::Ref();
}

// Leaves taken_ empty at the end, after an error, and when cancelled.
void ReadAhead::TakeReady() {
  taken_.clear();
  next_taken_ = 0;
  std::unique_lock lock(mutex_);
  released_ = delivered_;
  const auto has_next = [this] { return EntryOf(delivered_).ready || finished_ || cancelled_.load(); };
  if (!has_next()) {
    if (idle_readers_ > 0 && MayClaim()) space_.notify_one();
    consumer_waits_ = true;
    pictures_.wait(lock, has_next);
    consumer_waits_ = false;
  }
  if (!EntryOf(delivered_).ready) return;
  const std::int64_t most = std::max<std::int64_t>(capacity_ / kTakenFraction, 1);
  for (std::int64_t i = 0; i < most && EntryOf(delivered_ + i).ready; ++i) {
    taken_.push_back(std::exchange(EntryOf(delivered_ + i), {}));
  }
  released_ = delivered_ + 1;
  if (idle_readers_ > 0 && MayClaim()) space_.notify_one();
}

std::vector<std::string> ReadAhead::warnings() const {
  const std::lock_guard lock(mutex_);
  return {warnings_.begin(), warnings_.begin() + static_cast<std::ptrdiff_t>(delivered_warnings_)};
}

// With the lock, on the thread that reads in order.
void ReadAhead::TakeWarnings() {
  const std::vector<std::string>& all = reader_->warnings();
  warnings_.insert(warnings_.end(), all.begin() + static_cast<std::ptrdiff_t>(warnings_.size()), all.end());
}

// With the lock.
void ReadAhead::Deliver(std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    Entry& entry = EntryOf(i);
    entry.warnings = warnings_.size();
    entry.ready = true;
  }
  if (consumer_waits_ && EntryOf(delivered_).ready) pictures_.notify_one();
}

void ReadAhead::Run() {
  // The first picture says whether the others have places.
  if (!ReadInOrder(1)) return;
  if (StartPlaced()) {
    ReadPlaced();
  } else {
    (void)ReadInOrder(std::numeric_limits<std::int64_t>::max());
  }
}

// False after the end, an error, or a cancellation.
bool ReadAhead::ReadInOrder(std::int64_t pictures) {
  Result<bool> more = true;
  for (std::int64_t i = 0; i < pictures && more && *more; ++i) {
    // An exception that left this thread would end the program.
    try {
      more = ReadOne();
    } catch (const std::bad_alloc&) {
      more = std::move(no_memory_);
    } catch (const std::exception& exception) {
      more = Error{ErrorCode::kInternal, exception.what(), reader_->info().path, {}, {}};
    }
  }
  if (more && *more) return true;
  const std::lock_guard lock(mutex_);
  TakeWarnings();
  finished_ = true;
  if (!more) failure_ = std::move(more).error();
  pictures_.notify_all();
  return false;
}

// False when there is nothing more to read.
Result<bool> ReadAhead::ReadOne() {
  {
    std::unique_lock lock(mutex_);
    ++idle_readers_;
    space_.wait(lock, [this] { return free_places() > 0 || cancelled_.load(); });
    --idle_readers_;
    if (cancelled_.load()) return false;
    ++claimed_;
  }
  Entry& entry = EntryOf(claimed_ - 1);
  entry.picture = frames_.Acquire();
  Result<bool> read = reader_->Read(*entry.picture);
  if (!read || !*read) {
    entry.picture = {};
    return read;
  }
  const std::lock_guard lock(mutex_);
  TakeWarnings();
  Deliver(claimed_ - 1, claimed_);
  return true;
}

// With the lock: whether a reading thread that is idle would find something to do.
bool ReadAhead::MayClaim() const {
  if (placed_ended_ || placed_end_ == 0) return free_places() > 0;
  const std::int64_t left = std::min(run_, placed_end_ - claimed_);
  return left > 0 && free_places() >= left;
}

// After the first picture, on its thread. False: pictures have no places.
bool ReadAhead::StartPlaced() {
  const PictureRange places = reader_->PlacedPictures();
  if (places.begin == places.end) return false;
  const std::lock_guard lock(mutex_);
  reader_number_ = places.begin - claimed_;
  placed_end_ = places.end - reader_number_;
  try {
    const std::int64_t useful = std::min<std::int64_t>(threads_, places.end - places.begin);
    while (static_cast<std::int64_t>(more_threads_.size()) + 1 < useful) {
      more_threads_.emplace_back([this] { ReadPlaced(); });
      ++capacity_;
    }
  } catch (const std::exception&) {
    // Fewer will do.
  }
  const auto picture_bytes = static_cast<std::int64_t>(reader_->info().format.frame_bytes());
  // A thread waits for places for all of its run, so that a long one would leave places unused.
  const std::int64_t share = capacity_ / (4 * (static_cast<std::int64_t>(more_threads_.size()) + 1));
  run_ = std::max<std::int64_t>(std::min(kRunBytes / picture_bytes, share), 1);
  return true;
}

void ReadAhead::ReadPlaced() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_readers_;
    space_.wait(lock, [this] { return MayClaim() || MayEndPlaced() || placed_ended_ || cancelled_.load(); });
    --idle_readers_;
    if (placed_ended_ || cancelled_.load()) return;
    if (MayEndPlaced()) break;
    const std::int64_t first = claimed_;
    const std::int64_t end = std::min(first + run_, placed_end_);
    claimed_ = end;
    ++runs_in_progress_;
    if (idle_readers_ > 0 && MayClaim()) space_.notify_one();
    lock.unlock();
    const std::int64_t read_end = ReadRun(first, end);
    lock.lock();
    --runs_in_progress_;
    if (read_end < end) placed_end_ = std::min(placed_end_, read_end);
    Deliver(first, read_end);
  }
  EndPlaced();
  lock.unlock();
  (void)ReadInOrder(std::numeric_limits<std::int64_t>::max());
}

// Up to the first picture that is not as usual, whose number it returns.
std::int64_t ReadAhead::ReadRun(std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    // Read() meets the same trouble, and there is a place for its error.
    try {
      Entry& entry = EntryOf(i);
      entry.picture = frames_.Acquire();
      if (!reader_->ReadPlaced(reader_number_ + i, *entry.picture)) return i;
    } catch (const std::exception&) {
      return i;
    }
  }
  return end;
}

// With the lock, while no thread reads. Everything before placed_end_ is ready, so that Next() has not come further.
void ReadAhead::EndPlaced() {
  placed_ended_ = true;
  for (std::int64_t i = placed_end_; i < claimed_; ++i) EntryOf(i) = {};
  claimed_ = placed_end_;
  space_.notify_all();
  reader_->ContinueWith(reader_number_ + placed_end_);
}

}  // namespace lockstep
