// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes of planes and taps of filters, settled when the metric is created.
#include "features/speed/speed_plane.h"

#include <algorithm>

#include "features/resize/gaussian_filter.h"

namespace lockstep {

SpeedGeometry MakeSpeedGeometry(PlaneSize plane, double prescale) {
  SpeedGeometry geometry;
  geometry.plane = plane;
  geometry.scaled = {ResizedLength(plane.width, prescale), ResizedLength(plane.height, prescale)};
  geometry.resized = !(prescale - 1.0 < 1e-3 && prescale - 1.0 > -1e-3) && geometry.scaled != plane;
  if (!geometry.resized) {
    geometry.scaled = {std::min(geometry.scaled.width, plane.width), std::min(geometry.scaled.height, plane.height)};
  }
  geometry.prepared = {geometry.scaled.width / kSpeedDecimation, geometry.scaled.height / kSpeedDecimation};
  geometry.blocks_across = geometry.prepared.width / kSpeedBlock;
  geometry.blocks_down = geometry.prepared.height / kSpeedBlock;
  return geometry;
}

std::optional<SpeedTaps> MakeSpeedTaps(double kernel_scale) {
  if (!IsKernelScale(kernel_scale)) return std::nullopt;
  // Of the dyadic scales' filters of 2^(4 - scale) + 1 samples, those of scale 1 and 4.
  const int low_pass = GaussianTapCount(9, kernel_scale);
  const int local_mean = GaussianTapCount(2, kernel_scale);
  return SpeedTaps{GaussianTaps(low_pass, static_cast<float>(static_cast<double>(2 * low_pass) / 5.0)),
                   GaussianTaps(local_mean, static_cast<float>(local_mean) / 5.0f)};
}

}  // namespace lockstep
