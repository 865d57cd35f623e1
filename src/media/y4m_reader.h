// SPDX-License-Identifier: BSD-2-Clause-Patent
// YUV4MPEG2 streams.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "media/byte_source.h"
#include "media/video_reader.h"

namespace lockstep {

/// What a y4m stream header says.
struct Y4mHeader {
  VideoFormat format;       // of the pictures delivered
  double frame_rate = 0.0;  // 0 when absent or 0:0
  std::string interlacing;
  std::string chroma_location;  // empty when the tag says nothing about it
  std::string range;            // "limited", "full", empty when there is no tag of FFmpeg's for it
  bool chroma_is_411 = false;   // file has a quarter of the columns, format says 4:2:2
  bool has_alpha = false;
};

/// Parses a header line (without its LF).
/// errors  kFormat, kUnsupported (unknown colour space tag), with the field's name
[[nodiscard]] Result<Y4mHeader> ParseY4mHeader(std::string_view line);

/// True when the stream starts with the magic of y4m. Consumes nothing.
[[nodiscard]] Result<bool> IsY4m(ByteSource& source);

[[nodiscard]] Result<std::unique_ptr<VideoReader>> OpenY4m(std::unique_ptr<ByteSource> source,
                                                           const OpenOptions& options);

}  // namespace lockstep
