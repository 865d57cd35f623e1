// SPDX-License-Identifier: BSD-2-Clause-Patent
// What speed_chroma's CUDA kernels and the program that launches them share.
#pragma once

#include "features/speed/speed_arithmetic.h"
#include "features/speed/speed_kernels.h"

namespace lockstep {

/// Taps of the anti-alias filter that has kernels of its own: those of kernel scale 1.
inline constexpr i32 kSpeedCudaTaps = 9;
inline constexpr i32 kSpeedFilterThreads = 256;

/// Bytes for the filtered columns of a row of the decimated plane.
LOCKSTEP_KERNEL constexpr i32 SpeedFilterSharedBytes(i32 width) { return width * kSpeedCudaTaps * 4; }

/// One row of a decimated plane is a group's. GroupPlan::plan is the number of groups of a frame.
struct alignas(16) SpeedCudaFilterArgs {
  const void* planes[kSpeedPlanes];  // first sample
  i32 strides[kSpeedPlanes];         // in samples
  float* decimated;                  // [height][kSpeedPlanes][width]
  const float* taps;                 // [kSpeedCudaTaps]
  const SpeedResizeTap* columns;     // [width][kSpeedCudaTaps][taps of the resize]
  const SpeedResizeTap* rows;        // [height][kSpeedCudaTaps][taps of the resize]
  i32 width;                         // of the decimated plane
  float inverse_scaler;              // 2^(8 - depth)
};

/// Warps that add up chains, one a thread, and another one that brings what they read.
inline constexpr i32 kSpeedChainThreads = 128;
inline constexpr i32 kSpeedGroupThreads = kSpeedChainThreads + 32;
/// Groups that share the pairs of a plane.
inline constexpr i32 kSpeedGroupsOfPlane = (kSpeedPairs + kSpeedChainThreads - 1) / kSpeedChainThreads;
inline constexpr i32 kSpeedGroupsOfFrame = kSpeedGroupsOfPlane * kSpeedPlanes;
/// Columns of a row are added in steps of so many; those behind the last one add zeros.
inline constexpr i32 kSpeedStep = 8;
/// The most rows of the window that are in shared memory at a time.
inline constexpr i32 kSpeedChunkRows = 8;

/// Elements from row to row in shared memory: neighbouring positions, five a row, use different banks of 8 bytes, and
/// the last step does not leave the row.
LOCKSTEP_KERNEL constexpr i32 SpeedSharedStride(i32 window_width) {
  return (window_width + kSpeedBlock + kSpeedStep + 15) / 16 * 16 + kSpeedBlock;
}

/// Bytes for two chunks of `rows` rows of the window.
LOCKSTEP_KERNEL constexpr i32 SpeedSharedBytes(i32 window_width, i32 rows) {
  return 2 * 8 * SpeedSharedStride(window_width) * (rows + kSpeedBlock - 1);
}

/// GroupPlan::plan is the number of rows in a chunk.
struct alignas(16) SpeedCudaArgs {
  const float* prepared;  // as in SpeedStatisticsArgs
  double* sums;           // [kSpeedPairs][kSpeedPlanes]
  const i32* pairs;       // [kSpeedPairs]
  i32 width;              // of the window
  i32 height;
};

}  // namespace lockstep
