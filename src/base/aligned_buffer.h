// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory aligned for the widest vector loads, zeroed on allocation and owned by one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace lockstep {

/// 64-byte aligned storage. Growing does not keep the content; shrinking keeps the allocation.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes) { Resize(bytes); }

  /// Throws std::bad_alloc; the engine turns it into ErrorCode::kOutOfMemory.
  void Resize(std::size_t bytes) {
    if (bytes > capacity_) {
      // calloc's pages take memory only once they are written, so a size that a file merely claims costs nothing.
      if (bytes > SIZE_MAX - kAlignment) throw std::bad_alloc();
      capacity_ = size_ = 0;
      block_.reset(std::calloc(bytes + kAlignment, 1));
      if (!block_) throw std::bad_alloc();
      capacity_ = bytes;
    }
    size_ = bytes;
  }

  [[nodiscard]] std::byte* data() { return const_cast<std::byte*>(std::as_const(*this).data()); }
  [[nodiscard]] const std::byte* data() const {
    const auto* start = static_cast<const std::byte*>(block_.get());
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(start) % kAlignment;
    return beyond == 0 ? start : start + (kAlignment - beyond);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data());
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(data());
  }

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  std::unique_ptr<void, Free> block_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace lockstep
