// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the filtered planes of a picture lie in one block of floats, on the host and on devices.
#include "features/float_motion/float_motion_planes.h"

#include <utility>

namespace lockstep {
namespace {

/// Positions, along one axis, of the samples of the half-resolution plane.
/// exact   the position is computed in binary64 and rounded to binary32; it lies in [0, length - 1], so that truncation
///         is floor and nothing is mirrored
std::vector<BilinearTap> HalvingTaps(int length, int half) {
  const float ratio = static_cast<float>(length) / static_cast<float>(half);
  std::vector<BilinearTap> taps(static_cast<std::size_t>(half));
  for (int i = 0; i < half; ++i) {
    const auto position = static_cast<float>((i + 0.5) * static_cast<double>(ratio) - 0.5);
    const int lower = static_cast<int>(position);
    const float fraction = position - static_cast<float>(lower);
    taps[static_cast<std::size_t>(i)] = {lower, fraction > 0.0f ? lower + 1 : lower, fraction};
  }
  return taps;
}

}  // namespace

std::size_t FloatMotionPitch(int width) { return (static_cast<std::size_t>(width) + 15) / 16 * 16; }

std::vector<FloatMotionPlane> MakeFloatMotionPlanes(const VideoFormat& format, int planes, bool halves) {
  std::vector<FloatMotionPlane> all;
  std::size_t offset = 0;
  const auto reserve = [&](PlaneSize size, std::size_t pitch) {
    const std::size_t start = offset;
    offset += pitch * static_cast<std::size_t>(size.height);
    return start;
  };
  for (int p = 0; p < planes; ++p) {
    FloatMotionPlane plane;
    plane.size = format.scored_plane_size(p);
    plane.pitch = FloatMotionPitch(plane.size.width);
    plane.offset = reserve(plane.size, plane.pitch);
    if (halves) {
      plane.half_size = {(plane.size.width + 1) / 2, (plane.size.height + 1) / 2};
      plane.half_pitch = FloatMotionPitch(plane.half_size.width);
      plane.half_offset = reserve(plane.half_size, plane.half_pitch);
      plane.half_columns = HalvingTaps(plane.size.width, plane.half_size.width);
      plane.half_rows = HalvingTaps(plane.size.height, plane.half_size.height);
    }
    all.push_back(std::move(plane));
  }
  return all;
}

}  // namespace lockstep
