// SPDX-License-Identifier: BSD-2-Clause-Patent
// A stand-in for oneTBB's parallel_for under the thread sanitizer: see parallel_pipeline.h.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tbb {

template <class Index, class Body>
void parallel_for(Index first, Index last, const Body& body) {
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (Index i = first; i < last; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tbb
