// SPDX-License-Identifier: BSD-2-Clause-Patent
// One picture in memory: planes with aligned rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/aligned_buffer.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// A plane somebody else owns. `stride_bytes` may exceed the row; the padding's content is never part of a score.
struct PlaneView {
  const std::byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
  int width = 0;
  int height = 0;

  template <class Sample>
  [[nodiscard]] const Sample* row(int y) const {
    return reinterpret_cast<const Sample*>(data + stride_bytes * y);
  }
};

struct MutablePlaneView {
  std::byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
  int width = 0;
  int height = 0;

  template <class Sample>
  [[nodiscard]] Sample* row(int y) const {
    return reinterpret_cast<Sample*>(data + stride_bytes * y);
  }
};

/// Where the planes of a picture are.
enum class FrameMemory : std::uint8_t {
  kHost,
  kPinned,  // on the host; a device copies from it by itself
  kDevice,  // only a device reads it
};

/// Memory for frames from somewhere else than the heap. Thread safe.
class FrameAllocator {
 public:
  virtual ~FrameAllocator() = default;
  /// 64-byte aligned pinned memory; nullptr when there is none left.
  [[nodiscard]] virtual std::byte* Allocate(std::size_t bytes) = 0;
  virtual void Free(std::byte* memory) = 0;
};

/// A picture that owns its planes, or refers to somebody else's. Rows of its own start at multiples of 64 bytes. In
/// host memory they are followed by at least 64 readable bytes; in pinned memory only by what fills up 64 bytes.
class Frame {
 public:
  Frame() = default;
  explicit Frame(const VideoFormat& format) { Reset(format); }

  /// A picture in memory of somebody else, which `owner` keeps until the frame is gone or gets another format.
  /// in    planes as the format has them, missing ones empty; on the host with aligned rows and readable bytes behind
  ///       them as above; native_stream the device's stream that still writes the picture, 0: none; sample_shift only
  ///       for two bytes a sample in device memory
  [[nodiscard]] static Frame Wrap(const VideoFormat& format, const std::array<PlaneView, 3>& planes, FrameMemory memory,
                                  std::shared_ptr<const void> owner, std::uintptr_t native_stream = 0,
                                  int sample_shift = 0) {
    Frame frame;
    frame.format_ = format;
    frame.wrapped_ = planes;
    frame.memory_ = memory;
    frame.owner_ = std::move(owner);
    frame.native_stream_ = native_stream;
    frame.sample_shift_ = sample_shift;
    frame.is_wrapped_ = true;
    return frame;
  }

  /// Memory comes from there from now on; nullptr: from the heap. The content is lost.
  void UseAllocator(std::shared_ptr<FrameAllocator> allocator) {
    if (allocator == allocator_) return;
    *this = Frame();
    allocator_ = std::move(allocator);
    if (allocator_ != nullptr) memory_ = FrameMemory::kPinned;
  }

  [[nodiscard]] FrameMemory memory() const { return memory_; }
  [[nodiscard]] std::uintptr_t native_stream() const { return native_stream_; }
  /// Bits that samples lie above their value.
  [[nodiscard]] int sample_shift() const { return sample_shift_; }

  /// Gives the frame a new format; the content is undefined afterwards. Reuses the allocation where it is large enough.
  /// Throws std::bad_alloc.
  void Reset(const VideoFormat& format) {
    if (is_wrapped_) *this = Frame();
    format_ = format;
    // Without bytes between the rows a plane is one copy.
    const std::size_t behind = allocator_ == nullptr ? AlignedBuffer::kAlignment : 0;
    std::size_t offset = 0;
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneSize size = format.plane_size(p);
      const std::size_t row =
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(format.bytes_per_sample());
      strides_[static_cast<std::size_t>(p)] =
          (row + behind + AlignedBuffer::kAlignment - 1) & ~(AlignedBuffer::kAlignment - 1);
      offsets_[static_cast<std::size_t>(p)] = offset;
      offset += strides_[static_cast<std::size_t>(p)] * static_cast<std::size_t>(size.height);
    }
    if (allocator_ == nullptr) {
      buffer_.Resize(offset + AlignedBuffer::kAlignment);
    } else if (offset > pinned_bytes_) {
      pinned_.reset();
      pinned_bytes_ = 0;
      std::byte* const memory = allocator_->Allocate(offset);
      if (memory == nullptr) throw std::bad_alloc();
      pinned_ = {memory, [allocator = allocator_](std::byte* data) { allocator->Free(data); }};
      pinned_bytes_ = offset;
    }
  }

  [[nodiscard]] const VideoFormat& format() const { return format_; }

  [[nodiscard]] PlaneView plane(int index) const {
    const auto p = static_cast<std::size_t>(index);
    if (is_wrapped_) return wrapped_[p];
    const PlaneSize size = format_.plane_size(index);
    return {data() + offsets_[p], static_cast<std::ptrdiff_t>(strides_[p]), size.width, size.height};
  }
  /// in    the frame owns its planes
  [[nodiscard]] MutablePlaneView mutable_plane(int index) {
    const auto p = static_cast<std::size_t>(index);
    const PlaneSize size = format_.plane_size(index);
    return {const_cast<std::byte*>(data()) + offsets_[p], static_cast<std::ptrdiff_t>(strides_[p]), size.width,
            size.height};
  }

 private:
  [[nodiscard]] const std::byte* data() const { return pinned_ != nullptr ? pinned_.get() : buffer_.data(); }

  VideoFormat format_;
  std::array<std::size_t, 3> strides_{};
  std::array<std::size_t, 3> offsets_{};
  AlignedBuffer buffer_;
  std::shared_ptr<FrameAllocator> allocator_;
  std::shared_ptr<std::byte> pinned_;
  std::size_t pinned_bytes_ = 0;
  std::array<PlaneView, 3> wrapped_{};
  std::shared_ptr<const void> owner_;
  std::uintptr_t native_stream_ = 0;
  int sample_shift_ = 0;
  FrameMemory memory_ = FrameMemory::kHost;
  bool is_wrapped_ = false;
};

}  // namespace lockstep
