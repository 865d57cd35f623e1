// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes that a plane goes through in SpEED, and the taps of its filters.
#pragma once

#include <optional>
#include <vector>

#include "features/resize/resize.h"
#include "features/speed/speed_arithmetic.h"
#include "lockstep/video_format.h"

namespace lockstep {

struct SpeedGeometry {
  PlaneSize plane;     // samples that are read
  PlaneSize scaled;    // after the resize, or of the plane where there is none
  PlaneSize prepared;  // every 16th row and column of it
  i32 blocks_across = 0;
  i32 blocks_down = 0;
  bool resized = false;

  [[nodiscard]] i32 blocks() const { return blocks_across * blocks_down; }
  /// 0 or less where no block fits.
  [[nodiscard]] SpeedWindow window() const {
    return {kSpeedBlock * (blocks_across - 1) + 1, kSpeedBlock * (blocks_down - 1) + 1};
  }
};

/// The smallest side of a scaled plane that has a block.
inline constexpr int kSpeedMinimumScaled = kSpeedDecimation * kSpeedBlock;

/// exact   a prescale within 0.001 of 1 resizes nothing: libvmaf takes the scaled size all the same, and reads beyond a
///         plane where that is the larger one. Here the plane's own size limits it.
[[nodiscard]] SpeedGeometry MakeSpeedGeometry(PlaneSize plane, double prescale);

struct SpeedTaps {
  std::vector<float> low_pass;    // before the decimation, at most kSpeedMaximumLowPass
  std::vector<float> local_mean;  // at most kSpeedMaximumLocalMean
};

/// Taps for a kernel scale; nullopt where it is not one of kKernelScales.
/// exact   exponentials correctly rounded, then binary32
/// source  libvmaf 3.2.0, feature/speed.c
[[nodiscard]] std::optional<SpeedTaps> MakeSpeedTaps(double kernel_scale);

}  // namespace lockstep
