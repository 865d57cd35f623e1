// SPDX-License-Identifier: BSD-2-Clause-Patent
// FFmpeg's libraries, which are loaded when an input needs them: with everything they depend on they cost a start 20 ms
// and 25 MB.
#pragma once

#include <memory>

#include "lockstep/result.h"
#include "media/byte_source.h"
#include "media/frame_scaler.h"
#include "media/video_reader.h"

namespace lockstep {

/// What liblockstep_ffmpeg.so gives out.
struct FfmpegLibrary {
  const char* version;  // of the build; the program's own, or the interface may differ
  /// Opens the best video stream of `source`, see ffmpeg/ffmpeg_reader.h.
  Result<std::unique_ptr<VideoReader>> (*open)(std::unique_ptr<ByteSource> source, const OpenOptions& options);
  /// As FrameScaler::Create().
  Result<std::unique_ptr<FrameScaler>> (*make_scaler)(const VideoFormat& from, const VideoFormat& to);
};

/// Looked for in the folder that LOCKSTEP_PLUGINS names, else in ../lib/lockstep beside the program's folder and
/// beside the library that holds this code. Loaded once, kept to the end. Thread safe.
/// errors  kUnsupported: it is missing, or cannot be loaded (the message says why and what needs no FFmpeg)
[[nodiscard]] Result<const FfmpegLibrary*> LoadFfmpegLibrary();

}  // namespace lockstep
