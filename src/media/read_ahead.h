// SPDX-License-Identifier: BSD-2-Clause-Patent
// The threads of one input that read ahead of the metrics, never further than its queue is deep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/frame.h"
#include "base/pool.h"
#include "lockstep/result.h"
#include "media/video_reader.h"

namespace lockstep {

/// Next() and the accessors are for one thread at a time; Cancel() may be called from any.
class ReadAhead {
 public:
  /// Starts reading. Where the reader's pictures have known places in a file, up to max(threads, 1) threads read
  /// different ones; whatever is unusual there, and every other input, is read in order by one thread. What Next()
  /// delivers does not depend on that. At most max(depth, 1) pictures are read or wait, and one more for every further
  /// thread that has started. `frames` must outlive this object and every reference that Next() gave out. Throws
  /// std::bad_alloc or std::system_error (no thread).
  ReadAhead(std::unique_ptr<VideoReader> reader, Pool<Frame>& frames, std::size_t depth, unsigned threads = 1);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Cancels and waits for the threads.
  ~ReadAhead();

  /// The next picture, waiting for it; an empty reference after the last one. Pictures read before an error are
  /// delivered first; the error is then returned by every call.
  [[nodiscard]] Result<Pool<Frame>::Ref> Next();

  /// Next() and a blocked read return kCancelled.
  void Cancel();

  [[nodiscard]] const VideoInfo& info() const { return reader_->info(); }

  /// The reader's warnings about what Next() has delivered, in order; all of them once it returned the end or an error.
  /// How far the threads have read ahead makes no difference.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Entry {
    Pool<Frame>::Ref picture;
    std::size_t warnings = 0;  // of the reader when it had read the picture
    bool ready = false;
  };

  // Pictures are numbered from the first one that this object reads.
  [[nodiscard]] Entry& EntryOf(std::int64_t number) { return queue_[static_cast<std::size_t>(number) % queue_.size()]; }
  [[nodiscard]] std::int64_t free_places() const { return released_ + capacity_ - claimed_; }
  [[nodiscard]] bool MayClaim() const;
  [[nodiscard]] bool MayEndPlaced() const { return claimed_ >= placed_end_ && runs_in_progress_ == 0; }
  [[nodiscard]] Error Cancelled() const;

  void Run();
  [[nodiscard]] bool ReadInOrder(std::int64_t pictures);
  [[nodiscard]] Result<bool> ReadOne();
  [[nodiscard]] bool StartPlaced();
  void ReadPlaced();
  [[nodiscard]] std::int64_t ReadRun(std::int64_t first, std::int64_t end);
  void EndPlaced();
  void Deliver(std::int64_t first, std::int64_t end);
  void TakeWarnings();
  void TakeReady();

  std::unique_ptr<VideoReader> reader_;
  Pool<Frame>& frames_;
  unsigned threads_;
  mutable std::mutex mutex_;
  std::condition_variable space_;
  std::condition_variable pictures_;

  std::vector<Entry> queue_;   // a ring; a claimed entry belongs to its reading thread until it is ready
  std::int64_t capacity_;      // entries in use, at most queue_.size()
  std::int64_t claimed_ = 0;   // pictures that are read, or being read
  std::int64_t released_ = 0;  // pictures whose places others may take
  int idle_readers_ = 0;
  bool consumer_waits_ = false;

  // Reading by place: pictures [claimed_, placed_end_) by whoever has time, the rest in order.
  std::int64_t placed_end_ = 0;
  std::int64_t reader_number_ = 0;  // the reader's number of picture 0
  std::int64_t run_ = 1;            // pictures claimed at once
  int runs_in_progress_ = 0;
  bool placed_ended_ = false;
  std::vector<std::thread> more_threads_;  // started by the first one, joined after it

  std::vector<std::string> warnings_;  // of the reader; its own list belongs to the thread that reads in order
  bool finished_ = false;
  std::optional<Error> failure_;
  Error no_memory_;  // made while there is some
  std::atomic<bool> cancelled_{false};

  // Of the thread that calls Next().
  std::vector<Entry> taken_;  // handed out without the lock, though their places are still held
  std::size_t next_taken_ = 0;
  std::int64_t delivered_ = 0;
  std::size_t delivered_warnings_ = 0;

  std::thread thread_;
};

}  // namespace lockstep
