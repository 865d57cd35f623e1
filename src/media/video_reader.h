// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading pictures from a file or stream, whatever its container.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/frame.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// What a file says about itself.
struct VideoInfo {
  std::string path;
  std::string container;  // "y4m", "yuv", or FFmpeg's format name
  std::string codec;      // empty for raw video
  VideoFormat format;
  double frame_rate = 0.0;                  // 0 when unknown
  std::optional<std::int64_t> frame_count;  // when known without reading: size of a regular file, container index
  std::string interlacing = "progressive";  // "progressive", "unknown", "top field first", …
  std::string chroma_location;              // empty when not tagged
  std::string range;                        // of the samples delivered: "limited", "full", empty when not tagged
};

struct OpenOptions {
  std::optional<VideoFormat> raw = {};  // set: planar raw video of this format, whatever the file's name
  bool strict = false;                  // a truncated tail is an error instead of a warning
  std::stop_token stop = {};            // a stop makes a blocked open or read fail with kCancelled
  /// Set: FFmpeg's libraries decode on this CUDA device where they and it can, otherwise on the processor with a
  /// warning. Where nobody needs chroma, 8-bit pictures then stay in the device's memory.
  std::optional<int> cuda_decoder = {};
};

/// Pictures [begin, end) of a file, numbered as errors number them.
struct PictureRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One video input, read front to back. Not thread safe; one thread at a time, unless said otherwise.
class VideoReader {
 public:
  virtual ~VideoReader() = default;
  [[nodiscard]] virtual const VideoInfo& info() const = 0;

  /// Reads the next picture into `frame` (which gets info().format).
  /// out     true: a whole picture; false: end of the stream, after which every call returns false
  /// errors  kFormat, kTruncated (strict only), kInputOutput, naming file and frame
  [[nodiscard]] virtual Result<bool> Read(Frame& frame) = 0;

  /// Reads past `count` pictures without delivering them; returns how many there were.
  [[nodiscard]] virtual Result<std::int64_t> Skip(std::int64_t count);

  /// Nobody needs chroma: from now on the chroma planes that Read() delivers may be undefined or missing, and samples
  /// of them are not checked.
  virtual void LeaveOutChroma() {}

  /// The pictures from the next one on whose places in the file follow from its size, if nothing unusual is among them.
  /// Empty where pictures can be read in order only, and before the first one, which has to be looked at.
  [[nodiscard]] virtual PictureRange PlacedPictures() const { return {}; }

  /// Reads picture `number` of PlacedPictures() from its place, in any order. Several threads at once, while nobody
  /// calls anything but Cancel().
  /// out     true: what Read() would deliver, if this holds for all pictures before it. false: something unusual is in
  ///         that place, which ContinueWith(number) and Read() will tell; `frame` is undefined
  [[nodiscard]] virtual bool ReadPlaced(std::int64_t /*number*/, Frame& /*frame*/) const { return false; }

  /// Read() goes on with picture `number` of PlacedPictures(), or with what comes after the last of them.
  virtual void ContinueWith(std::int64_t /*number*/) {}

  /// From any thread: a Read() or Skip() in progress and all later ones fail with kCancelled, even one that waits for a
  /// pipe.
  virtual void Cancel() {}

  /// What a user should know about this input, e.g. bytes of a truncated last frame. Complete once Read() said false.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 protected:
  std::vector<std::string> warnings_;
};

/// Opens "-", a pipe or a file. Raw when options.raw is set; y4m by its magic, read by our own reader; anything else
/// through FFmpeg's libraries.
///
/// errors  kNotFound, kInputOutput (missing, unreadable, a directory, empty), kFormat, kUnsupported; the message names
///         the path and what would have been accepted
[[nodiscard]] Result<std::unique_ptr<VideoReader>> OpenVideo(const std::string& path, const OpenOptions& options);

/// The error for raw video that was opened without its format.
[[nodiscard]] Error RawFormatMissing(const std::string& path);

}  // namespace lockstep
