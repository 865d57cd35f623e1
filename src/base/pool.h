// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reference-counted objects that return to a free list, so that a running pipeline allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep {

/// Hands out T objects through counted references; an object goes back to the pool when its last reference ends.
/// Every reference must end before the pool does. Thread safe.
template <class T>
class Pool {
  struct Node {
    T value;
    std::atomic<int> references{0};
    Pool* owner = nullptr;
  };

 public:
  class Ref {
   public:
    Ref() = default;
    Ref(const Ref& other) : node_(other.node_) {
      if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
    }
    Ref(Ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~Ref() { Release(); }

    explicit operator bool() const { return node_ != nullptr; }
    T& operator*() const { return node_->value; }
    T* operator->() const { return &node_->value; }
    [[nodiscard]] T* get() const { return node_ != nullptr ? &node_->value : nullptr; }

   private:
    friend class Pool;
    explicit Ref(Node* node) : node_(node) { node_->references.store(1, std::memory_order_relaxed); }
    void Release() {
      if (node_ != nullptr && node_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        node_->owner->Return(node_);
      node_ = nullptr;
    }
    Node* node_ = nullptr;
  };

  /// `reset` runs on an object as it returns to the pool, for instance to drop references that it holds.
  explicit Pool(std::function<void(T&)> reset = {}) : reset_(std::move(reset)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Before the first Acquire(): `prepare` runs on every object that is made.
  void PrepareWith(std::function<void(T&)> prepare) { prepare_ = std::move(prepare); }

  [[nodiscard]] Ref Acquire() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      auto node = std::make_unique<Node>();
      node->owner = this;
      if (prepare_) prepare_(node->value);
      all_.push_back(std::move(node));
      free_.reserve(all_.capacity());
      return Ref(all_.back().get());
    }
    Node* node = free_.back();
    free_.pop_back();
    return Ref(node);
  }

  /// Objects ever made: the high-water mark of those in use at once.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  void Return(Node* node) {
    if (reset_) reset_(node->value);
    const std::lock_guard lock(mutex_);
    free_.push_back(node);
  }

  std::function<void(T&)> reset_;
  std::function<void(T&)> prepare_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Node>> all_;
  std::vector<Node*> free_;
};

}  // namespace lockstep
