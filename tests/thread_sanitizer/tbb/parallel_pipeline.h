// SPDX-License-Identifier: BSD-2-Clause-Patent
// A stand-in for the part of oneTBB that the engine uses, for builds under the thread sanitizer only.
//
// oneTBB's library is not instrumented, so the sanitizer cannot see how it hands work from thread to thread and calls
// every hand-over a race. Here the same interface runs on plain threads and mutexes: one thread a token, stages in the
// order that oneTBB promises and no other. What the sanitizer reports is then the engine's own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {

enum class filter_mode { parallel, serial_in_order };

class flow_control {
 public:
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  bool stopped_ = false;
};

namespace stand_in {

struct Stage {
  filter_mode mode;
  std::function<void*(void*, flow_control&)> body;
};

// Lets tokens through a serial stage one by one, in the order of their numbers.
struct Turnstile {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t next = 0;
};

class Pipeline {
 public:
  explicit Pipeline(const std::vector<Stage>& stages) : stages_(stages), turnstiles_(stages.size()) {}

  void Run(std::size_t token_count) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < token_count; ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void Work() {
    for (;;) {
      void* item = nullptr;
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(input_mutex_);
        if (ended_ || Failed()) return;
        flow_control flow;
        if (!Guarded([&] { item = stages_[0].body(nullptr, flow); }) || flow.stopped()) {
          ended_ = true;
          return;
        }
        number = next_number_++;
      }
      for (std::size_t s = 1; s < stages_.size(); ++s) {
        flow_control unused;
        if (stages_[s].mode == filter_mode::parallel) {
          if (!Guarded([&] { item = stages_[s].body(item, unused); })) return;
          continue;
        }
        Turnstile& turnstile = turnstiles_[s];
        std::unique_lock lock(turnstile.mutex);
        turnstile.changed.wait(lock, [&] { return turnstile.next == number || Failed(); });
        if (Failed() || !Guarded([&] { item = stages_[s].body(item, unused); })) return;
        ++turnstile.next;
        turnstile.changed.notify_all();
      }
    }
  }

  template <class Body>
  bool Guarded(Body body) {
    try {
      body();
      return true;
    } catch (...) {
      {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      for (Turnstile& turnstile : turnstiles_) turnstile.changed.notify_all();
      return false;
    }
  }

  [[nodiscard]] bool Failed() {
    const std::lock_guard lock(failure_mutex_);
    return failure_ != nullptr;
  }

  const std::vector<Stage>& stages_;
  std::vector<Turnstile> turnstiles_;
  std::mutex input_mutex_;
  bool ended_ = false;
  std::uint64_t next_number_ = 0;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace stand_in

template <class In, class Out>
class filter {
 public:
  explicit filter(std::vector<stand_in::Stage> stages) : stages_(std::move(stages)) {}
  [[nodiscard]] const std::vector<stand_in::Stage>& stages() const { return stages_; }

 private:
  std::vector<stand_in::Stage> stages_;
};

template <class In, class Out, class Body>
filter<In, Out> make_filter(filter_mode mode, const Body& body) {
  static_assert(std::is_void_v<In> || std::is_pointer_v<In>, "tokens are pointers");
  static_assert(std::is_void_v<Out> || std::is_pointer_v<Out>, "tokens are pointers");
  stand_in::Stage stage{mode, {}};
  if constexpr (std::is_void_v<In>) {
    stage.body = [body](void*, flow_control& flow) -> void* { return body(flow); };
  } else if constexpr (std::is_void_v<Out>) {
    stage.body = [body](void* item, flow_control&) -> void* {
      body(static_cast<In>(item));
      return nullptr;
    };
  } else {
    stage.body = [body](void* item, flow_control&) -> void* { return body(static_cast<In>(item)); };
  }
  return filter<In, Out>({std::move(stage)});
}

template <class In, class Middle, class Out>
filter<In, Out> operator&(const filter<In, Middle>& first, const filter<Middle, Out>& second) {
  std::vector<stand_in::Stage> stages = first.stages();
  stages.insert(stages.end(), second.stages().begin(), second.stages().end());
  return filter<In, Out>(std::move(stages));
}

inline void parallel_pipeline(std::size_t token_count, const filter<void, void>& filters) {
  stand_in::Pipeline(filters.stages()).Run(token_count);
}

}  // namespace tbb
