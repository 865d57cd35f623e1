// SPDX-License-Identifier: BSD-2-Clause-Patent
// What motion's tuned CUDA program and its kernels agree upon: argument blocks, how a plane is cut.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// A warp filters a strip of so many columns, four a lane; its first and last lane only have what their neighbours
/// need.
inline constexpr i32 kMotionCudaWarpLanes = 32;
inline constexpr i32 kMotionCudaLaneColumns = 4;
inline constexpr i32 kMotionCudaStripColumns = (kMotionCudaWarpLanes - 2) * kMotionCudaLaneColumns;
inline constexpr i32 kMotionCudaWarps = 4;  // of a block
/// Rows that are loaded together; strips have a multiple of it.
inline constexpr i32 kMotionCudaLoadRows = 5;
/// A lane's sum of so many rows of magnitudes below 2^16 and 4 columns, and a warp's, fit 32 bits.
inline constexpr i32 kMotionCudaMostRows = 500;
static_assert(i64{kMotionCudaMostRows} * kMotionCudaStripColumns * 65535 < (i64{1} << 32));

/// One plane of one frame.
struct alignas(16) MotionCudaArguments {
  const u8* previous;  // first sample; addresses and pitches are multiples of 8 bytes
  const u8* current;
  u64* sad;            // 0 before
  i32 width;           // >= 3
  i32 height;          // >= 3
  i32 previous_pitch;  // bytes
  i32 current_pitch;
  i32 bit_depth;
};

LOCKSTEP_KERNEL i32 MotionCudaColumnStrips(i32 width) {
  return (width + kMotionCudaStripColumns - 1) / kMotionCudaStripColumns;
}
LOCKSTEP_KERNEL i32 MotionCudaRowStrips(i32 height, i32 rows) { return (height + rows - 1) / rows; }

}  // namespace lockstep
