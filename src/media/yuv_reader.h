// SPDX-License-Identifier: BSD-2-Clause-Patent
// Raw planar video: nothing but samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "media/byte_source.h"
#include "media/video_reader.h"

namespace lockstep {

/// options.raw must be set.
/// errors  kInvalidArgument (the format, naming the field), kTruncated (no whole frame, or any tail when strict)
[[nodiscard]] Result<std::unique_ptr<VideoReader>> OpenYuv(std::unique_ptr<ByteSource> source,
                                                           const OpenOptions& options);

/// Formats near `declared` of which a file of `file_bytes` holds a whole number of frames, as text for a message:
/// "; 1 frame of 352x288 420 10 bit would fit". Empty when there are none.
[[nodiscard]] std::string FormatsThatFit(std::int64_t file_bytes, const VideoFormat& declared);

}  // namespace lockstep
