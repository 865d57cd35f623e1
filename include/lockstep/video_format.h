// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a picture looks like: size, chroma subsampling, bit depth.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep {

enum class PixelFormat { kYuv400, kYuv420, kYuv422, kYuv444 };

struct PlaneSize {
  int width = 0;
  int height = 0;
  friend bool operator==(const PlaneSize&, const PlaneSize&) = default;
};

/// width, height    luma samples, 1 … kMaxDimension
/// bit_depth        8 … 16; 8 is stored as one byte a sample, everything above as two (native endian, LSB aligned)
/// Chroma planes are stored rounded up: 4:2:0 of 19x19 has 10x10 chroma.
struct VideoFormat {
  PixelFormat pixel_format = PixelFormat::kYuv420;
  int width = 0;
  int height = 0;
  int bit_depth = 8;

  static constexpr int kMaxDimension = 32768;

  [[nodiscard]] constexpr int plane_count() const { return pixel_format == PixelFormat::kYuv400 ? 1 : 3; }
  [[nodiscard]] constexpr int bytes_per_sample() const { return bit_depth > 8 ? 2 : 1; }
  [[nodiscard]] constexpr bool halves_width() const {
    return pixel_format == PixelFormat::kYuv420 || pixel_format == PixelFormat::kYuv422;
  }
  [[nodiscard]] constexpr bool halves_height() const { return pixel_format == PixelFormat::kYuv420; }

  /// Stored size of a plane, chroma rounded up.
  [[nodiscard]] constexpr PlaneSize plane_size(int plane) const {
    if (plane == 0) return {width, height};
    return {halves_width() ? (width + 1) / 2 : width, halves_height() ? (height + 1) / 2 : height};
  }

  /// Size of a plane as libvmaf scores it, chroma rounded down: the stored plane without its last odd column and row.
  [[nodiscard]] constexpr PlaneSize scored_plane_size(int plane) const {
    if (plane == 0) return {width, height};
    return {halves_width() ? width / 2 : width, halves_height() ? height / 2 : height};
  }

  /// Bytes of one frame in a planar file without padding.
  [[nodiscard]] constexpr std::size_t frame_bytes() const {
    std::size_t samples = 0;
    for (int plane = 0; plane < plane_count(); ++plane) {
      const PlaneSize size = plane_size(plane);
      samples += static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    }
    return samples * static_cast<std::size_t>(bytes_per_sample());
  }

  friend bool operator==(const VideoFormat&, const VideoFormat&) = default;
};

/// "400", "420", "422" or "444".
[[nodiscard]] constexpr std::string_view PixelFormatName(PixelFormat format) {
  switch (format) {
    case PixelFormat::kYuv400:
      return "400";
    case PixelFormat::kYuv420:
      return "420";
    case PixelFormat::kYuv422:
      return "422";
    case PixelFormat::kYuv444:
      return "444";
  }
  return "";
}

}  // namespace lockstep
