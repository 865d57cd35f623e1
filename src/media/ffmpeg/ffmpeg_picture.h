// SPDX-License-Identifier: BSD-2-Clause-Patent
// From FFmpeg's pictures to ours: exact where the samples exist in ours, through libswscale where they do not.
#pragma once

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
}

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/frame.h"
#include "lockstep/result.h"

struct SwsContext;

namespace lockstep {

/// FFmpeg's name for planar samples as Frame stores them; AV_PIX_FMT_NONE where it has none (11, 13 and 15 bit).
[[nodiscard]] AVPixelFormat FfmpegPixelFormat(const VideoFormat& format);

struct SwsContextDeleter {
  void operator()(SwsContext* context) const;
};
using SwsContextPointer = std::unique_ptr<SwsContext, SwsContextDeleter>;

/// Converts the decoded pictures of one stream, all of one size and pixel format.
class FfmpegPictureConverter {
 public:
  /// errors  kUnsupported, naming the pixel format
  [[nodiscard]] static Result<std::unique_ptr<FfmpegPictureConverter>> Create(const AVFrame& first);

  [[nodiscard]] const VideoFormat& format() const { return format_; }

  /// What the conversion changes, for the user; empty when every sample is kept.
  [[nodiscard]] const std::string& note() const { return note_; }

  /// The source is RGB of some kind, which becomes limited range whatever its own.
  [[nodiscard]] bool is_from_rgb() const { return is_from_rgb_; }

  /// `picture` must look like the first one. `out` gets format().
  [[nodiscard]] Status Convert(const AVFrame& picture, Frame& out);

 private:
  FfmpegPictureConverter() = default;
  void CopyComponents(const AVFrame& picture, Frame& out);

  VideoFormat format_;
  std::string note_;
  SwsContextPointer scaler_;  // null: samples are copied
  bool is_from_rgb_ = false;
  bool chroma_is_411_ = false;
  std::vector<std::uint8_t> chroma_411_row_;
};

}  // namespace lockstep
