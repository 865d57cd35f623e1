// SPDX-License-Identifier: BSD-2-Clause-Patent
// Turns SIGINT and SIGTERM into a stop request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lockstep {

/// While it lives, the first SIGINT or SIGTERM asks the run to stop. A run that does not end within two seconds (it may
/// hang in a read of a pipe) and a second signal end the process. Make it before any other thread starts: threads
/// inherit the blocked signals. Signals that the parent process had switched off stay so.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// The signal that arrived, or 0. A program that ends because of it returns 128 plus this number.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  void Wait();

  sigset_t watched_;
  sigset_t before_;
  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace lockstep
