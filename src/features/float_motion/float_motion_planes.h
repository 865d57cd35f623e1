// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the filtered planes of a picture lie in one block of floats, on the host and on devices.
#pragma once

#include <cstddef>
#include <vector>

#include "features/float_motion/float_motion_arithmetic.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// Floats between the starts of two rows: rows start at multiples of 64 bytes.
[[nodiscard]] std::size_t FloatMotionPitch(int width);

struct FloatMotionPlane {
  PlaneSize size;
  std::size_t offset = 0;  // in floats
  std::size_t pitch = 0;

  /// Only when the half resolution is scored.
  PlaneSize half_size;
  std::size_t half_offset = 0;
  std::size_t half_pitch = 0;
  std::vector<BilinearTap> half_columns;
  std::vector<BilinearTap> half_rows;

  /// Floats up to the end of this plane.
  [[nodiscard]] std::size_t end() const {
    if (!half_columns.empty()) return half_offset + half_pitch * static_cast<std::size_t>(half_size.height);
    return offset + pitch * static_cast<std::size_t>(size.height);
  }
};

/// The first `planes` planes, in the sizes that libvmaf scores, one after the other.
/// in    halves: each is followed by its half resolution
[[nodiscard]] std::vector<FloatMotionPlane> MakeFloatMotionPlanes(const VideoFormat& format, int planes, bool halves);

}  // namespace lockstep
