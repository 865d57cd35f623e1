// SPDX-License-Identifier: BSD-2-Clause-Patent
// What vif's tuned CUDA program and its kernels agree upon: argument blocks, tables, how a picture is cut.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// A warp owns a strip of so many rows and walks right in steps of so many columns.
inline constexpr i32 kVifCudaStripRows = 16;
inline constexpr i32 kVifCudaStepColumns = 16;
/// Half of the widest filter: what a step produces lies so many columns left of what it reads, and a strip reads so
/// many rows beyond it.
inline constexpr i32 kVifCudaReach = 8;
inline constexpr i32 kVifCudaWarpLanes = 32;

/// The most steps between two stores of a lane's sums. A step has 8 pixels a lane, and log2 of a signal below 2^45 over
/// noise of 2^17 is at most 28, so that the sums of 32 lanes in units of 1 / 2048 fit 32 bits.
inline constexpr i32 kVifCudaLongestSegment = 128;
static_assert(i64{kVifCudaLongestSegment} * 8 * 32 * 28 * 2048 < (i64{1} << 31));

/// Steps that a strip of a picture takes.
LOCKSTEP_KERNEL i32 VifCudaSteps(i32 width) {
  return (width + kVifCudaReach + kVifCudaStepColumns - 1) / kVifCudaStepColumns;
}
LOCKSTEP_KERNEL i32 VifCudaStrips(i32 height) { return (height + kVifCudaStripRows - 1) / kVifCudaStripRows; }

/// Columns of a picture in scratch memory: up to a multiple of 8 bytes, in which kernels read, so that they read
/// nothing that has not been written. The steps of the scale before reach that far.
LOCKSTEP_KERNEL i32 VifCudaStoredColumns(i32 width) { return (width + 3) / 4 * 4; }

/// Filter taps as a lane holds them for matrix products: as MultiplyBytes() takes its first operand. Row i of the
/// matrix is output i, column k is input k; the tap is that at distance k - i - 8 from the middle, and for `down` at
/// distance k - 2 i - 8.
struct alignas(16) VifCudaTaps {
  u32 low[4];   // low bytes of the taps
  u32 high[4];  // high bytes
  u32 down[4];  // of the filter to the next scale, every second output: low bytes in rows 0 … 7, high ones in 8 … 15
};

/// Entry m - 32768 is 16 (T - 30720) - (m - 32768), where T is VifLog()'s entry: what lies between the logarithm in
/// units of 1 / 32768 and its linear interpolation between powers of two, which the upper word of a binary64 number
/// has.
/// exact   fits i16: the logarithm is above the line by less than 0.0861, and T is rounded by half of 16
inline constexpr i32 kVifCudaLogEntries = 32768;
inline constexpr i32 kVifCudaLogBytes = kVifCudaLogEntries * 2;

/// Sums of one scale: places in VifCudaArguments::sums.
inline constexpr i32 kVifCudaNumLog = 0;
inline constexpr i32 kVifCudaDenLog = 1;
inline constexpr i32 kVifCudaNonLogNum = 2;
inline constexpr i32 kVifCudaLogCount = 3;  // of pixels that are in the logarithms
inline constexpr i32 kVifCudaSums = 4;

/// One scale of one frame.
struct alignas(16) VifCudaArguments {
  const u8* reference;  // first sample; addresses and pitches are multiples of 16 bytes
  const u8* distorted;
  u16* next_reference;  // pictures of the next scale
  u16* next_distorted;
  u64* sums;                // [kVifCudaSums], zero before
  const i16* logs;          // [kVifCudaLogEntries]
  const VifCudaTaps* taps;  // [kVifCudaWarpLanes]
  double gain_limit;
  i32 width;
  i32 height;
  i32 reference_pitch;  // bytes
  i32 distorted_pitch;
  i32 next_columns;  // that are stored: VifCudaStoredColumns(); 0: the last scale
  i32 next_height;
  i32 next_stride;  // samples
  i32 bit_depth;    // of the samples
};

inline constexpr i32 kVifCudaMostWarps = 12;  // of a block

// Shared memory: rounding constants, the down-sampling taps of the lanes, the logarithms unless the kernel only
// down-samples; then for each warp two stages of 32 rows of a step of both pictures, and the columns of the step before
// and the arguments of the picture.
inline constexpr i32 kVifCudaDownTaps = 32;
inline constexpr i32 kVifCudaLogs = 576;
inline constexpr i32 kVifCudaPreviousBytes = 36 * 4 * kVifCudaWarpLanes;

LOCKSTEP_KERNEL i32 VifCudaSharedBytes(i32 warps, i32 sample_bytes, bool scored) {
  const i32 stages = 2 * 2 * kVifCudaWarpLanes * kVifCudaStepColumns * sample_bytes;
  constexpr auto kArgumentBytes = static_cast<i32>(sizeof(VifCudaArguments));
  return kVifCudaLogs + (scored ? kVifCudaLogBytes : 0) + warps * (stages + kVifCudaPreviousBytes + kArgumentBytes);
}

}  // namespace lockstep
