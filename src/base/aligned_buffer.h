// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory aligned for the widest vector loads, zeroed on allocation and owned by one object.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

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
      data_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment})));
      std::memset(data_.get(), 0, bytes);
      capacity_ = bytes;
    }
    size_ = bytes;
  }

  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace lockstep
