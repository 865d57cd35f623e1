// SPDX-License-Identifier: BSD-2-Clause-Patent
// A thread that waits for signals: requesting a stop takes locks, which a signal handler must not do.
#include "apps/command_line/interruption.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>

namespace lockstep {
namespace {

constexpr std::chrono::seconds kGrace{2};

bool IsIgnored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
  sigemptyset(&watched_);
  bool any = false;
  for (const int number : {SIGINT, SIGTERM}) {
    if (IsIgnored(number)) continue;
    sigaddset(&watched_, number);
    any = true;
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  if (any) thread_ = std::thread([this] { Wait(); });
}

Interruption::~Interruption() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      ended_changed_.notify_all();
      // Still in sigwait(): wake it with a signal of its own. Afterwards one would end the process.
      if (!stopping_) ::pthread_kill(thread_.native_handle(), sigismember(&watched_, SIGTERM) == 1 ? SIGTERM : SIGINT);
    }
    thread_.join();
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::Wait() {
  int number = 0;
  if (::sigwait(&watched_, &number) != 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    stopping_ = true;
  }
  signal_ = number;
  source_.request_stop();
  // From here on a second signal has its usual effect.
  ::pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
  std::unique_lock lock(mutex_);
  if (!ended_changed_.wait_for(lock, kGrace, [this] { return ended_; })) ::_exit(128 + number);
}

}  // namespace lockstep
