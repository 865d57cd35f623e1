// SPDX-License-Identifier: BSD-2-Clause-Patent
// Resizing of binary32 planes before a metric, in the four ways that libvmaf's extractors offer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "features/resize/resize_arithmetic.h"
#include "lockstep/video_format.h"

namespace lockstep {

enum class ResizeMethod : std::uint8_t { kNearest, kBilinear, kBicubic, kLanczos4 };

/// The choices of an option that names a method.
inline constexpr const char* kResizeMethods = "nearest bilinear bicubic lanczos4";

/// nullopt: no such method.
[[nodiscard]] std::optional<ResizeMethod> ParseResizeMethod(std::string_view name);

/// Samples that an axis has after resizing, halves rounded up.
[[nodiscard]] inline int ResizedLength(int length, double factor) {
  return static_cast<int>(static_cast<double>(length) * factor + 0.5);
}

/// Source samples that each target sample reads along one axis: 1, 2, 4 or 8.
[[nodiscard]] int ResizeTaps(ResizeMethod method);

/// The smallest side of a source that the method can reflect at its edges.
[[nodiscard]] int ResizeMinimum(ResizeMethod method);

/// Positions and weights of one axis.
class ResizeAxis {
 public:
  ResizeAxis() = default;
  /// in      source >= ResizeMinimum(method), target >= 1
  /// edge    mirror, border sample not repeated; a bilinear target before the first sample takes its fraction from the
  ///         reflected position, as libvmaf does
  /// exact   binary32 steps in the order of the reference; sines correctly rounded
  ResizeAxis(ResizeMethod method, int source, int target);

  [[nodiscard]] ResizeAxisView view() const { return {positions_.data(), weights_.data()}; }
  /// [target * ResizeTaps(method)], for a device to copy.
  [[nodiscard]] const std::vector<i32>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<float>& weights() const { return weights_; }

 private:
  std::vector<i32> positions_;
  std::vector<float> weights_;
};

/// A resize of planes of one size; immutable, thread safe.
class PlaneResize {
 public:
  /// in      sides of the source >= ResizeMinimum(method)
  PlaneResize(ResizeMethod method, PlaneSize source, PlaneSize target);

  [[nodiscard]] const ResizeAxis& columns() const { return columns_; }
  [[nodiscard]] const ResizeAxis& rows() const { return rows_; }

  /// Rows [begin, end) of the target. Equal sizes copy. Allocates nothing.
  /// in      strides in samples
  void Rows(const float* source, std::int64_t source_stride, int begin, int end, float* target,
            std::int64_t target_stride) const;

 private:
  ResizeMethod method_;
  PlaneSize source_;
  PlaneSize target_;
  ResizeAxis columns_;
  ResizeAxis rows_;
};

}  // namespace lockstep
