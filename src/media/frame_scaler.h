// SPDX-License-Identifier: BSD-2-Clause-Patent
// Bringing pictures of one format to another: bicubic, by libswscale.
#pragma once

#include <memory>

#include "base/frame.h"
#include "lockstep/result.h"

namespace lockstep {

/// Scales, changes chroma subsampling and bit depth, on the calling thread, with the same result every time. Samples
/// keep their range (limited stays limited). Where only the bit depth grows, samples are shifted. Chroma that the
/// source lacks becomes neutral grey.
class FrameScaler {
 public:
  /// errors  kUnsupported: a depth that libswscale has no name for (11, 13, 15), a size that it refuses, no FFmpeg
  [[nodiscard]] static Result<std::unique_ptr<FrameScaler>> Create(const VideoFormat& from, const VideoFormat& to);
  virtual ~FrameScaler() = default;

  /// `in` has the format that Create() was told; `out` gets the target's. They are different objects.
  [[nodiscard]] virtual Status Scale(const Frame& in, Frame& out) = 0;
};

}  // namespace lockstep
