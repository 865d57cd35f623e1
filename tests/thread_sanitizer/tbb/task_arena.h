// SPDX-License-Identifier: BSD-2-Clause-Patent
// A stand-in for oneTBB's task_arena under the thread sanitizer: see parallel_pipeline.h.
#pragma once

namespace tbb {

class task_arena {
 public:
  explicit task_arena(int /*concurrency*/) {}
  template <class Body>
  void execute(const Body& body) {
    body();
  }
};

namespace this_task_arena {

template <class Call>
void isolate(const Call& call) {
  call();
}

}  // namespace this_task_arena

}  // namespace tbb
