// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fuzzes the raw reader: any declared format against any number of bytes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "media/byte_source.h"
#include "media/yuv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  struct Geometry {
    std::int16_t width;
    std::int16_t height;
    std::int8_t bit_depth;
    std::uint8_t pixel_format;
  } geometry;
  if (size < sizeof(geometry)) return 0;
  std::memcpy(&geometry, data, sizeof(geometry));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size)).subspan(sizeof(geometry));
  constexpr std::array kFormats{PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444};
  const VideoFormat format{kFormats[geometry.pixel_format % kFormats.size()], geometry.width, geometry.height,
                           geometry.bit_depth};

  Result<std::unique_ptr<VideoReader>> reader = OpenYuv(MemoryByteSource("fuzz", bytes), {.raw = format});
  if (!reader) {
    if (reader.error().file != "fuzz" || reader.error().message.empty()) std::abort();
    return 0;
  }
  if ((*reader)->info().format != format) std::abort();
  Frame frame;
  std::size_t position = 0;
  for (bool by_place = false;; by_place = !by_place) {
    // Every other picture is read from its place, if it has one.
    const PictureRange places = (*reader)->PlacedPictures();
    Result<bool> read = false;
    if (by_place && places.begin < places.end && (*reader)->ReadPlaced(places.begin, frame)) {
      (*reader)->ContinueWith(places.begin + 1);
      read = true;
    } else {
      read = (*reader)->Read(frame);
    }
    if (!read || !*read) {
      // All that is left without an error is less than a frame.
      if (read && bytes.size() - position >= format.frame_bytes()) std::abort();
      break;
    }
    // The planes are the bytes, in order.
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneView plane = frame.plane(p);
      const std::size_t row =
          static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(format.bytes_per_sample());
      for (int y = 0; y < plane.height; ++y) {
        if (std::memcmp(plane.row<std::byte>(y), bytes.data() + position, row) != 0) std::abort();
        position += row;
      }
    }
  }
  return 0;
}
