// SPDX-License-Identifier: BSD-2-Clause-Patent
// What float_motion's CUDA kernels and the program that launches them share.
#pragma once

#include "features/float_motion/float_motion_arithmetic.h"

namespace lockstep {

/// Rows whose chains a group of threads computes, and the most frames of which it does.
inline constexpr i32 kFloatMotionGroupRows = 8;
inline constexpr i32 kFloatMotionGroupFrames = 3;
/// A warp filters one picture vertically, and all of those filter horizontally; another warp adds.
inline constexpr i32 kFloatMotionFilterThreads = (kFloatMotionGroupFrames + 1) * 32;
inline constexpr i32 kFloatMotionGroupThreads = kFloatMotionFilterThreads + 32;

/// Two pictures of one plane. GroupPlan::plan is the number of groups that share the rows of a plane.
struct alignas(16) FloatMotionCudaArgs {
  /// Frames of a launch follow each other: the previous picture of a frame is the current one of the frame before.
  const void* previous;
  const void* current;
  float* row_sads;      // [height]
  i32 previous_stride;  // in samples; rows start at multiples of 64 bytes
  i32 current_stride;
  i32 width;   // >= 3
  i32 height;  // >= 3
  float inverse_scaler;
  FloatMotionTaps taps;  // three taps have outer = 0, one has inner = 0 as well
};

/// Groups that share the frames of a launch.
LOCKSTEP_KERNEL i32 FloatMotionFrameGroups(i32 frames) {
  return (frames + kFloatMotionGroupFrames - 1) / kFloatMotionGroupFrames;
}

}  // namespace lockstep
