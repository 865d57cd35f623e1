// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED by vector instructions: every chain keeps its order, and a register holds values of different chains.
#pragma once

#include "features/speed/speed_algebra.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Rows and planes in binary32 have room for so many more values, which vector code reads and overwrites.
inline constexpr i32 kSpeedSlack = 16;

/// The anti-alias filter down the columns of one row of samples.
struct SpeedLowPassArgs {
  const void* const* later;    // [count] rows of samples
  const void* const* earlier;  // nullptr: no differences
  const float* taps;
  i32 count;
  i32 width;
  float inverse_scaler;
  float* filtered;
};

/// One tap of it on a resized row.
struct SpeedResizeArgs {
  const float* const* lines;  // [side] rows of the source
  const float* line_weights;  // [side]
  const i32* positions;       // [side * pitch], tap by tap
  const float* weights;       // [side * pitch]
  i64 pitch;
  i32 side;         // taps of the resize on either axis
  bool normalised;  // divided by the sum of the weights
  i32 width;
  float tap;
  float* sums;
};

struct SpeedLocalMeanArgs {
  const float* decimated;
  i32 width;  // also between the rows of all planes
  i32 height;
  const float* taps;
  i32 count;
  float* vertical;  // scratch, a plane
  float* line;      // scratch, a row with count - 1 more
  float* prepared;
};

struct SpeedSimd {
  void (*low_pass)(const SpeedLowPassArgs& args) = nullptr;
  void (*resize)(const SpeedResizeArgs& args) = nullptr;
  void (*local_mean)(const SpeedLocalMeanArgs& args) = nullptr;
  SpeedCovarianceFunction covariances = nullptr;
  SpeedBlocksFunction blocks = nullptr;

  [[nodiscard]] bool is_available() const { return low_pass != nullptr; }
};

/// Of no use where there is only the scalar code.
[[nodiscard]] SpeedSimd ChooseSpeedSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
