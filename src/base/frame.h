// SPDX-License-Identifier: BSD-2-Clause-Patent
// One picture in memory: planes with aligned rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// A picture that owns its planes. Rows start at multiples of 64 bytes and are followed by at least 64 readable bytes.
class Frame {
 public:
  Frame() = default;
  explicit Frame(const VideoFormat& format) { Reset(format); }

  /// Gives the frame a new format; the content is undefined afterwards. Reuses the allocation where it is large enough.
  void Reset(const VideoFormat& format) {
    format_ = format;
    std::size_t offset = 0;
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneSize size = format.plane_size(p);
      const std::size_t row =
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(format.bytes_per_sample());
      strides_[static_cast<std::size_t>(p)] =
          (row + 2 * AlignedBuffer::kAlignment - 1) & ~(AlignedBuffer::kAlignment - 1);
      offsets_[static_cast<std::size_t>(p)] = offset;
      offset += strides_[static_cast<std::size_t>(p)] * static_cast<std::size_t>(size.height);
    }
    buffer_.Resize(offset + AlignedBuffer::kAlignment);
  }

  [[nodiscard]] const VideoFormat& format() const { return format_; }

  [[nodiscard]] PlaneView plane(int index) const {
    const auto p = static_cast<std::size_t>(index);
    const PlaneSize size = format_.plane_size(index);
    return {buffer_.data() + offsets_[p], static_cast<std::ptrdiff_t>(strides_[p]), size.width, size.height};
  }
  [[nodiscard]] MutablePlaneView mutable_plane(int index) {
    const auto p = static_cast<std::size_t>(index);
    const PlaneSize size = format_.plane_size(index);
    return {buffer_.data() + offsets_[p], static_cast<std::ptrdiff_t>(strides_[p]), size.width, size.height};
  }

 private:
  VideoFormat format_;
  std::array<std::size_t, 3> strides_{};
  std::array<std::size_t, 3> offsets_{};
  AlignedBuffer buffer_;
};

}  // namespace lockstep
