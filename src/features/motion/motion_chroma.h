// SPDX-License-Identifier: BSD-2-Clause-Patent
// What motion_add_uv asks of a picture format; the same for integer and float motion.
#pragma once

#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Mirroring two samples at an edge needs three.
inline constexpr PlaneSize kMinimumMotionSize = {3, 3};

/// errors  kUnsupported: no chroma planes, or `chroma`, their size as the metric reads them, is too small
[[nodiscard]] Status CheckMotionChroma(const VideoFormat& format, PlaneSize chroma);

}  // namespace lockstep
