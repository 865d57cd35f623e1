// SPDX-License-Identifier: BSD-2-Clause-Patent
// Signals become stop requests, and a run that does not stop is ended. Each case has a process of its own.
#include "apps/command_line/interruption.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>

namespace lockstep {
namespace {

/// Wait status of a child that runs `body` and exits with its result.
int StatusOfChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

void WaitForStop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, token, [] { return false; });
}

TEST(Interruptions, EndWithoutASignal) {
  const int status = StatusOfChild([] {
    const Interruption interruption;
    return interruption.signal() == 0 && !interruption.token().stop_requested() ? 7 : 1;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Interruptions, SignalsBecomeStopRequests) {
  for (const int number : {SIGINT, SIGTERM}) {
    const int status = StatusOfChild([number] {
      const Interruption interruption;
      ::kill(::getpid(), number);
      WaitForStop(interruption.token());
      return interruption.signal();
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), number);
  }
}

TEST(Interruptions, SecondSignalEndsTheProcess) {
  const int status = StatusOfChild([] {
    const Interruption interruption;
    ::kill(::getpid(), SIGTERM);
    WaitForStop(interruption.token());
    // Only the waiting thread takes it, and not before it has unblocked it.
    ::kill(::getpid(), SIGTERM);
    ::pause();
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Interruptions, RunThatHangsIsEnded) {
  const int status = StatusOfChild([] {
    const Interruption interruption;
    ::kill(::getpid(), SIGINT);
    ::pause();
    return 0;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
}

TEST(Interruptions, IgnoredSignalsStayIgnored) {
  const int status = StatusOfChild([] {
    std::signal(SIGINT, SIG_IGN);
    const Interruption interruption;
    ::kill(::getpid(), SIGINT);
    ::kill(::getpid(), SIGTERM);
    WaitForStop(interruption.token());
    return interruption.signal();
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), SIGTERM);
}

TEST(Interruptions, SignalsWorkAsBeforeAfterwards) {
  const int status = StatusOfChild([] {
    { const Interruption interruption; }
    ::raise(SIGTERM);
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace lockstep
