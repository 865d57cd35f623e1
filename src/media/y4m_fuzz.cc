// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fuzzes the y4m reader with whole files.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "media/byte_source.h"
#include "media/y4m_reader.h"

namespace {

bool SamePicture(const lockstep::Frame& a, const lockstep::Frame& b) {
  if (a.format() != b.format()) return false;
  for (int p = 0; p < a.format().plane_count(); ++p) {
    const lockstep::PlaneView of_a = a.plane(p);
    const lockstep::PlaneView of_b = b.plane(p);
    const std::size_t row =
        static_cast<std::size_t>(of_a.width) * static_cast<std::size_t>(a.format().bytes_per_sample());
    for (int y = 0; y < of_a.height; ++y) {
      if (std::memcmp(of_a.row<std::byte>(y), of_b.row<std::byte>(y), row) != 0) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  for (const bool strict : {false, true}) {
    Result<std::unique_ptr<VideoReader>> reader =
        OpenY4m(MemoryByteSource("fuzz", std::as_bytes(std::span(data, size))), {.strict = strict});
    if (!reader) {
      if (reader.error().file != "fuzz" || reader.error().message.empty()) std::abort();
      continue;
    }
    const VideoFormat format = (*reader)->info().format;
    if (format.width < 1 || format.height < 1 || format.bit_depth < 8 || format.bit_depth > 16) std::abort();
    // A frame of a file is never larger than the file, but for 4:1:1, whose chroma grows at most fourfold for one
    // column.
    if (format.frame_bytes() > 4 * size) std::abort();
    // Every other frame is skipped, so that both ways end at the same places.
    Frame frame;
    Frame placed;
    std::size_t frames = 0;
    for (bool more = true; more;) {
      const PictureRange places = (*reader)->PlacedPictures();
      const bool has_place = places.begin < places.end && (*reader)->ReadPlaced(places.begin, placed);
      if (places.begin < places.end) (void)(*reader)->ReadPlaced(places.end - 1, frame);
      Result<bool> read = (*reader)->Read(frame);
      // What was found in its place is what is there in order.
      if (has_place && !(read && *read && SamePicture(frame, placed))) std::abort();
      more = read && *read;
      if (!read && read.error().file != "fuzz") std::abort();
      if (!more) break;
      if (frame.format() != format) std::abort();
      ++frames;
      Result<std::int64_t> skipped = (*reader)->Skip(1);
      more = skipped && *skipped == 1;
      if (more) ++frames;
    }
    if (frames > size / 7) std::abort();
  }
  return 0;
}
