// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels of motion and motion_v2 for CUDA from compute capability 8.0 on: a warp walks down a strip of columns
// with the differences of five rows in registers.
#pragma once

#include "features/device/device_kernel.h"
#include "features/motion/motion_arithmetic.h"
#include "features/motion/motion_cuda_arguments.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_MOTION_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_MOTION_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

/// floor((sum of taps * value) / 2^shift + 1/2) of five values, the outer and the inner two of them added. The sum is
/// twice that with the taps' halves, 1785, 8002, 13193, 8002, 1785, and the outer two once more, whose taps are odd.
/// in      |value| <= 65535, 9 <= shift <= 16
/// exact   the halves add up to 32767, which leaves room in 32 bits for the outer values and the rounding constant;
///         floors nest
__device__ __forceinline__ i32 MotionCudaFilter(i32 outer, i32 inner, i32 middle, i32 shift) {
  static_assert(2 * 1785 + 1 == kMotionTap0 && 2 * 8002 == kMotionTap1 && 2 * 13193 == kMotionTap2);
  const i32 rounding = (outer >> 1) + (1 << (shift - 2));
  return (1785 * outer + (8002 * inner + (13193 * middle + rounding))) >> (shift - 1);
}

/// Differences of 8-bit samples, and their vertical filter, in binary32: integers below 2^24, so that nothing rounds
/// and it does not matter whether a product and a sum are one instruction. Devices have twice the rate for them.
struct MotionCudaFloats {
  using Difference = float;
  static constexpr int kBytes = 1;

  static __device__ __forceinline__ float Subtract(const u32 (&previous)[1], const u32 (&current)[1], int i) {
    // 2^23 plus the sample, whose bits are the lowest byte.
    constexpr u32 kTwoTo23 = 0x4b000000u;
    const u32 selector = 0x7540u + static_cast<u32>(i);
    return __uint_as_float(__byte_perm(previous[0], kTwoTo23, selector)) -
           __uint_as_float(__byte_perm(current[0], kTwoTo23, selector));
  }
  /// exact   |sum| <= 255 * 65536 + 128 < 2^24. 1.5 * 2^23 plus a 256th of it, rounded down, has the floor in its lower
  ///         bits
  static __device__ __forceinline__ i32 Filter(float a, float b, float c, float d, float e, i32 /*bit_depth*/) {
    constexpr float kShift = 12582912.0f;
    constexpr i32 kShiftBits = 0x4b400000;
    const float outer = a + e;
    const float inner = b + d;
    const float sum = __fmaf_rn(outer, kMotionTap0, __fmaf_rn(inner, kMotionTap1, __fmaf_rn(c, kMotionTap2, 128.0f)));
    return __float_as_int(__fmaf_rd(sum, 1.0f / 256, kShift)) - kShiftBits;
  }
};

/// Differences of 9 … 16 bit samples.
struct MotionCudaIntegers {
  using Difference = i32;
  static constexpr int kBytes = 2;

  static __device__ __forceinline__ i32 Subtract(const u32 (&previous)[2], const u32 (&current)[2], int i) {
    const int shift = 16 * (i & 1);
    return static_cast<i32>((previous[i >> 1] >> shift) & 0xffffu) -
           static_cast<i32>((current[i >> 1] >> shift) & 0xffffu);
  }
  static __device__ __forceinline__ i32 Filter(i32 a, i32 b, i32 c, i32 d, i32 e, i32 bit_depth) {
    return MotionCudaFilter(a + e, b + d, c, bit_depth);
  }
};

/// A row that any row can stand for: mirrored where the filter reads, and somewhere in the plane beyond that.
__device__ __forceinline__ i32 MotionCudaMirror(i32 row, i32 height) {
  return min(max(Mirror(row, height), 0), height - 1);
}

/// `count` samples of a row from column x on, up to four; the others are 0.
template <int kBytes>
__device__ __forceinline__ void MotionCudaLoad(const u8* row, i32 x, i32 count, u32 (&words)[kBytes]) {
  LOCKSTEP_UNROLL
  for (int i = 0; i < kBytes; ++i) words[i] = 0;
  if (count == kMotionCudaLaneColumns) {
    if constexpr (kBytes == 1) {
      words[0] = *reinterpret_cast<const u32*>(row + x);
    } else {
      const uint2 both = *reinterpret_cast<const uint2*>(row + 2 * x);
      words[0] = both.x;
      words[1] = both.y;
    }
  } else if (count > 0) {
    // One lane where a row ends. What is behind the end has never been written.
    LOCKSTEP_UNROLL
    for (int i = 0; i < kMotionCudaLaneColumns - 1; ++i) {
      if (i >= count) continue;
      const u32 sample = kBytes == 1 ? u32{row[x + i]} : u32{reinterpret_cast<const u16*>(row)[x + i]};
      words[i * kBytes / 4] |= sample << (8 * (i * kBytes % 4));
    }
  }
}

/// Mirrors vertically filtered differences at a row's ends; the vertical filter treats all columns alike.
/// in      filtered: of columns x - 2 … x + 5, right where the row has them
__device__ __forceinline__ void MotionCudaMirrorEnds(i32 (&filtered)[kMotionCudaLaneColumns + 4], i32 x, i32 width) {
  if (x == 0) {
    filtered[0] = filtered[4];
    filtered[1] = filtered[3];
  }
  // The two columns behind the last one are at rest + 2 and rest + 3.
  const i32 rest = width - x;
  LOCKSTEP_UNROLL
  for (int i = 1; i <= kMotionCudaLaneColumns + 1; ++i) {
    if (rest != i) continue;
    filtered[i + 2] = filtered[i];
    if (i <= kMotionCudaLaneColumns) filtered[i + 3] = filtered[i - 1];
  }
}

/// The sum of absolute filtered differences. A warp takes a strip of columns and launch.plan rows.
template <class Arithmetic>
__device__ __forceinline__ void MotionCudaSad(const GroupLaunch& launch) {
  constexpr u32 kAllLanes = 0xffffffffu;
  constexpr int kBytes = Arithmetic::kBytes;
  constexpr int kTaps = 5;
  constexpr int kRows = kMotionCudaLoadRows;
  constexpr int kColumns = kMotionCudaLaneColumns;
  const auto* const frames = Global(static_cast<const MotionCudaArguments*>(launch.frames));
  const i32 lane = static_cast<i32>(threadIdx.x) & (kMotionCudaWarpLanes - 1);
  const i32 item =
      static_cast<i32>(blockIdx.x) * kMotionCudaWarps + static_cast<i32>(threadIdx.x) / kMotionCudaWarpLanes;
  const i32 column_strips = MotionCudaColumnStrips(frames->width);
  const i32 row_strips = MotionCudaRowStrips(frames->height, launch.plan);
  const i32 frame = item / column_strips / row_strips;
  if (frame >= launch.frame_count) return;
  const MotionCudaArguments args = frames[frame];
  const i32 width = args.width;
  const i32 height = args.height;
  const i32 strip = item % column_strips;
  const bool at_end = strip == 0 || strip >= column_strips - 2;
  const i32 x = strip * kMotionCudaStripColumns + (lane - 1) * kColumns;
  const i32 y_begin = item / column_strips % row_strips * launch.plan;
  const i32 y_end = min(y_begin + launch.plan, height);
  const i32 count = x < 0 ? 0 : min(max(width - x, 0), kColumns);
  const u8* const previous_plane = Global(args.previous);
  const u8* const current_plane = Global(args.current);
  const auto load = [&](i32 y, u32(&previous)[kBytes], u32(&current)[kBytes]) {
    const i64 row = MotionCudaMirror(y, height);
    MotionCudaLoad<kBytes>(previous_plane + row * args.previous_pitch, x, count, previous);
    MotionCudaLoad<kBytes>(current_plane + row * args.current_pitch, x, count, current);
  };

  // Row y of the differences is at y modulo 5, counted from the strip's first row less 2.
  typename Arithmetic::Difference differences[kTaps][kColumns];
  u32 previous[kRows][kBytes];
  u32 current[kRows][kBytes];
  LOCKSTEP_UNROLL
  for (int i = 0; i < kTaps - 1; ++i) load(y_begin - 2 + i, previous[i], current[i]);
  LOCKSTEP_UNROLL
  for (int i = 0; i < kTaps - 1; ++i) {
    LOCKSTEP_UNROLL
    for (int k = 0; k < kColumns; ++k) differences[i][k] = Arithmetic::Subtract(previous[i], current[i], k);
  }
  u32 sums[kColumns] = {0, 0, 0, 0};
  LOCKSTEP_ROLLED
  for (i32 y = y_begin; y < y_end; y += kRows) {
    // All loads are on their way before the first is needed.
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) load(y + i + 2, previous[i], current[i]);
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int k = 0; k < kColumns; ++k) {
        differences[(i + 4) % kTaps][k] = Arithmetic::Subtract(previous[i], current[i], k);
      }
      i32 filtered[kColumns + 4];  // from column x - 2 on
      LOCKSTEP_UNROLL
      for (int k = 0; k < kColumns; ++k) {
        filtered[k + 2] =
            Arithmetic::Filter(differences[i][k], differences[(i + 1) % kTaps][k], differences[(i + 2) % kTaps][k],
                               differences[(i + 3) % kTaps][k], differences[(i + 4) % kTaps][k], args.bit_depth);
      }
      filtered[0] = __shfl_up_sync(kAllLanes, filtered[4], 1);
      filtered[1] = __shfl_up_sync(kAllLanes, filtered[5], 1);
      filtered[6] = __shfl_down_sync(kAllLanes, filtered[2], 1);
      filtered[7] = __shfl_down_sync(kAllLanes, filtered[3], 1);
      if (at_end) MotionCudaMirrorEnds(filtered, x, width);
      if (y + i < y_end) {
        LOCKSTEP_UNROLL
        for (int k = 0; k < kColumns; ++k) {
          const i32 value =
              MotionCudaFilter(filtered[k] + filtered[k + 4], filtered[k + 1] + filtered[k + 3], filtered[k + 2], 16);
          sums[k] += MotionMagnitude(value);
        }
      }
    }
  }
  const bool counts = lane >= 1 && lane <= kMotionCudaWarpLanes - 2;
  u32 sum = 0;
  LOCKSTEP_UNROLL
  for (int k = 0; k < kColumns; ++k) sum += counts && x + k < width ? sums[k] : 0;
  sum = __reduce_add_sync(kAllLanes, sum);
  if (lane == 0) atomicAdd(Global(args.sad), static_cast<u64>(sum));
}

}  // namespace lockstep

#endif

// Six blocks, and with them the registers that a lane needs, have room on a multiprocessor.
#define LOCKSTEP_MOTION_CUDA_KERNEL(name, arithmetic)                                                         \
  extern "C" __global__ void __launch_bounds__(lockstep::kMotionCudaWarps* lockstep::kMotionCudaWarpLanes, 6) \
      lockstep_motion_##name(const __grid_constant__ lockstep::GroupLaunch launch) {                          \
    LOCKSTEP_MOTION_CUDA_BODY(lockstep::MotionCudaSad<lockstep::arithmetic>(launch);)                         \
  }

LOCKSTEP_MOTION_CUDA_KERNEL(strips_u8, MotionCudaFloats)
LOCKSTEP_MOTION_CUDA_KERNEL(strips_u16, MotionCudaIntegers)
