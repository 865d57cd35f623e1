// SPDX-License-Identifier: BSD-2-Clause-Patent
// A metric's own pair of binary32 planes: reference and distorted picture of one size.
#pragma once

#include <cstddef>

#include "base/aligned_buffer.h"
#include "base/kernel_prelude.h"

namespace lockstep {

/// Floats between the starts of two rows of `width`: whole registers may be read and written at a row's end.
[[nodiscard]] inline i64 FloatRowStride(int width) { return (width + 15) / 16 * 16 + 16; }

class FloatPlanePair {
 public:
  /// The content is lost. Throws std::bad_alloc.
  void Reset(int width, int height) {
    stride_ = FloatRowStride(width);
    plane_size_ = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height);
    memory_.Resize(2 * plane_size_ * sizeof(float));
  }
  /// in      index 0: reference, 1: distorted
  [[nodiscard]] float* plane(int index) { return memory_.as<float>() + (index == 0 ? 0 : plane_size_); }
  [[nodiscard]] i64 stride() const { return stride_; }

 private:
  AlignedBuffer memory_;
  i64 stride_ = 0;
  std::size_t plane_size_ = 0;
};

}  // namespace lockstep
