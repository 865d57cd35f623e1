// SPDX-License-Identifier: BSD-2-Clause-Patent
// Threads that copy pictures into pinned memory, which one processor does far slower than the bus takes them.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <functional>

namespace lockstep {

/// Shared by all device sessions of a run.
class StagingThreads {
 public:
  explicit StagingThreads(unsigned threads)
      : threads_(threads < 1 ? 1 : threads),
        allowed_(tbb::global_control::max_allowed_parallelism, threads_),
        arena_(static_cast<int>(threads_)) {}
  StagingThreads(const StagingThreads&) = delete;
  StagingThreads& operator=(const StagingThreads&) = delete;

  /// DeviceSessionOptions::for_each; this object outlives what uses it.
  [[nodiscard]] std::function<void(int count, const std::function<void(int)>& work)> for_each() {
    if (threads_ <= 1) return {};
    return [this](int count, const std::function<void(int)>& work) {
      arena_.execute([&] { tbb::parallel_for(0, count, work); });
    };
  }

 private:
  unsigned threads_;
  tbb::global_control allowed_;  // TBB otherwise writes a warning where there are fewer processors than threads
  tbb::task_arena arena_;
};

}  // namespace lockstep
