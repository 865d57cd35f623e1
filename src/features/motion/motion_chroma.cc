// SPDX-License-Identifier: BSD-2-Clause-Patent
// Refusals of motion_add_uv.
#include "features/motion/motion_chroma.h"

#include <fmt/format.h>

namespace lockstep {

Status CheckMotionChroma(const VideoFormat& format, PlaneSize chroma) {
  if (format.pixel_format == PixelFormat::kYuv400) {
    return Error{
        ErrorCode::kUnsupported, "option motion_add_uv: the pictures are 4:0:0 and have no chroma", {}, {}, {}};
  }
  if (chroma.width < kMinimumMotionSize.width || chroma.height < kMinimumMotionSize.height) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("option motion_add_uv: chroma planes are {}x{}, but this metric needs at least {}x{}",
                             chroma.width, chroma.height, kMinimumMotionSize.width, kMinimumMotionSize.height),
                 {},
                 {},
                 {}};
  }
  return {};
}

}  // namespace lockstep
