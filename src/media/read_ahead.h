// SPDX-License-Identifier: BSD-2-Clause-Patent
// One thread per input that reads ahead of the metrics, never further than its queue is deep.
#pragma once

#include <condition_variable>
#include <cstddef>
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
  /// Starts reading. At most max(depth, 1) pictures wait in the queue, plus one being read. `frames` must outlive this
  /// object and every reference that Next() gave out. Throws std::bad_alloc or std::system_error (no thread).
  ReadAhead(std::unique_ptr<VideoReader> reader, Pool<Frame>& frames, std::size_t depth);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Cancels and waits for the thread.
  ~ReadAhead();

  /// The next picture, waiting for it; an empty reference after the last one. Pictures read before an error are
  /// delivered first; the error is then returned by every call.
  [[nodiscard]] Result<Pool<Frame>::Ref> Next();

  /// Next() and a blocked read return kCancelled.
  void Cancel();

  [[nodiscard]] const VideoInfo& info() const { return reader_->info(); }

  /// The reader's warnings about what Next() has delivered, in order; all of them once it returned the end or an error.
  /// How far the thread has read ahead makes no difference.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void Run();
  [[nodiscard]] Result<bool> ReadOne();
  void TakeWarnings();

  struct Entry {
    Pool<Frame>::Ref picture;
    std::size_t warnings = 0;  // of the reader when it had read the picture
  };

  std::unique_ptr<VideoReader> reader_;
  Pool<Frame>& frames_;
  mutable std::mutex mutex_;
  std::condition_variable space_;
  std::condition_variable pictures_;
  std::vector<Entry> queue_;  // a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<std::string> warnings_;  // of the reader; its own list belongs to the thread
  std::size_t delivered_warnings_ = 0;
  bool finished_ = false;
  bool cancelled_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

}  // namespace lockstep
