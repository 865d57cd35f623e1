// SPDX-License-Identifier: BSD-2-Clause-Patent
// Everything that FFmpeg's libraries can demux and decode.
#pragma once

#include <memory>
#include <string>

#include "media/byte_source.h"
#include "media/video_reader.h"

namespace lockstep {

/// Opens the best video stream and decodes its first picture, which tells the format. FFmpeg reads through `source`
/// only, so paths are never taken for protocols and playlists cannot pull in other files.
/// FFmpeg's log level is one variable for the whole process; opening sets it to quiet, since everything that matters is
/// returned as an error or a warning.
/// errors  kFormat, kUnsupported (codec, pixel format), kInvalidArgument (raw video), kTruncated (no picture)
[[nodiscard]] Result<std::unique_ptr<VideoReader>> OpenFfmpeg(std::unique_ptr<ByteSource> source,
                                                              const OpenOptions& options);

}  // namespace lockstep
