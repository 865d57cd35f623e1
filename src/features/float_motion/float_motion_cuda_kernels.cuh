// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's kernels for CUDA devices of compute capability 8.0 and above: filters and row chains of a few frames
// in one pass, no filtered picture is stored.
#pragma once

#include "features/device/device_kernel.h"
#include "features/float_motion/float_motion_cuda_arguments.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_FLOAT_MOTION_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_FLOAT_MOTION_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

// A group filters the same few rows of up to four pictures that follow each other, in tiles of kTile columns from left
// to right, and adds the differences of neighbours. Three things happen at a time: while the filtering warps are at
// tile n, vertical results of tile n + 1 come into being, and the last warp adds tile n - 1 to the chains, a row of a
// frame each lane. Storing filtered pictures instead would cost more, in memory traffic.

/// Four neighbouring samples.
template <class Sample>
struct FloatMotionQuad;
template <>
struct FloatMotionQuad<u8> {
  using Type = u32;
};
template <>
struct FloatMotionQuad<u16> {
  using Type = uint2;
};

template <class Sample>
class FloatMotionRows {
 public:
  using Quad = typename FloatMotionQuad<Sample>::Type;
  static constexpr i32 kTile = 64;
  static constexpr i32 kRing = 3;  // tiles of vertical results that exist at a time
  struct Shared {
    // Four floats more, so that eight rows use different banks.
    alignas(16) float vertical[kFloatMotionGroupFrames + 1][kFloatMotionGroupRows][kRing * kTile + 4];
    alignas(16) float differences[2][kFloatMotionGroupFrames][kFloatMotionGroupRows][kTile + 4];
  };

  /// in    frames: the first of `count` ones
  __device__ __forceinline__ FloatMotionRows(const FloatMotionCudaArgs* frames, i32 count, i32 first_row,
                                             Shared& shared)
      : frames_(frames), count_(count), first_row_(first_row), shared_(shared) {
    thread_ = static_cast<i32>(threadIdx.x);
    width_ = frames->width;
    taps_ = frames->taps;
    // A tile of differences starts kLag columns before that of the vertical results.
    tiles_ = (width_ + kLag + kTile - 1) / kTile;
  }

  __device__ __forceinline__ void Run() {
    const bool filters = thread_ < kFloatMotionFilterThreads;
    const i32 picture = thread_ / 32;
    const i32 lane = thread_ % 32;
    const i32 frame = min(lane / kFloatMotionGroupRows, count_ - 1);
    const i32 row = lane % kFloatMotionGroupRows;
    float sum = 0.0f;
    if (filters) Start(picture, lane);
    LOCKSTEP_ROLLED
    for (i32 tile = -1; tile <= tiles_; ++tile) {
      if (filters) {
        if (picture <= count_ && (tile + 1) * kTile < width_) FilterVertically(picture, tile + 1);
        Load(tile + 2);
        if (tile >= 0 && tile < tiles_) FilterHorizontally(tile);
      } else if (tile >= 1) {
        sum = AddTile(shared_.differences[(tile - 1) & 1][frame][row], sum);
      }
      __syncthreads();
    }
    const i32 y = first_row_ + row;
    if (!filters && lane < count_ * kFloatMotionGroupRows && y < frames_->height) {
      Global(frames_[frame].row_sads)[y] = sum;
    }
  }

 private:
  static constexpr i32 kLag = 4;
  static constexpr i32 kLaneRows = 4;                // vertical results of a lane, times four columns
  static constexpr i32 kSampleRows = kLaneRows + 4;  // that they read
  static_assert(kTile / 4 * (kFloatMotionGroupRows / kLaneRows) == 32);
  static_assert(kTile / 4 * kFloatMotionGroupRows == kFloatMotionFilterThreads);

  /// What a thread that filters knows of its picture. The warps of pictures that are not there look at the last one.
  __device__ __forceinline__ void Start(i32 picture, i32 lane) {
    quad_ = lane % (kTile / 4) * 4;
    lane_row_ = lane / (kTile / 4) * kLaneRows;
    const FloatMotionCudaArgs& args = frames_[max(min(picture, count_) - 1, 0)];
    samples_ = Global(static_cast<const Sample*>(picture == 0 ? args.previous : args.current));
    const u32 stride = static_cast<u32>(picture == 0 ? args.previous_stride : args.current_stride);
    const i32 height = args.height;
    inverse_scaler_ = args.inverse_scaler;
    // 2^23 and half of the samples' range.
    offset_ = 8388608.0f + 128.0f / inverse_scaler_;
    LOCKSTEP_UNROLL
    for (i32 r = 0; r < kSampleRows; ++r) {
      const i32 y = min(first_row_ + lane_row_ + r - 2, height + 1);
      rows_[r] = static_cast<u32>(Mirror(y, height)) * stride;
    }
    Load(0);
  }

  /// Samples of a tile, for the next FilterVertically(). Past the last column, those of the last quad.
  __device__ __forceinline__ void Load(i32 tile) {
    const u32 column = static_cast<u32>(min(tile * kTile + quad_, (width_ - 1) / 4 * 4));
    LOCKSTEP_UNROLL
    for (i32 r = 0; r < kSampleRows; ++r) loaded_[r] = *reinterpret_cast<const Quad*>(samples_ + (rows_[r] + column));
  }

  /// FloatMotionSample() of one of the loaded columns.
  /// exact   the bits of 2^23 + sample, less 2^23 and half of the range, then a power of two: no step rounds
  __device__ __forceinline__ float Convert(Quad quad, i32 column) const {
    constexpr u32 kTwo23 = 0x4b000000u;
    if constexpr (sizeof(Sample) == 1) {
      return __uint_as_float(__byte_perm(quad, kTwo23, 0x7440u + static_cast<u32>(column))) - offset_;
    } else {
      const u32 two = column < 2 ? quad.x : quad.y;
      const u32 bits = __byte_perm(two, kTwo23, column % 2 == 0 ? 0x7410u : 0x7432u);
      return (__uint_as_float(bits) - offset_) * inverse_scaler_;
    }
  }

  /// Place of a column in a row of vertical results.
  static __device__ __forceinline__ i32 PlaceOf(i32 x) { return x / kTile % kRing * kTile + x % kTile; }

  __device__ __forceinline__ void FilterVertically(i32 picture, i32 tile) const {
    float results[kLaneRows][4];
    LOCKSTEP_UNROLL
    for (i32 c = 0; c < 4; ++c) {
      float s[kSampleRows];
      LOCKSTEP_UNROLL
      for (i32 r = 0; r < kSampleRows; ++r) s[r] = Convert(loaded_[r], c);
      LOCKSTEP_UNROLL
      for (i32 r = 0; r < kLaneRows; ++r) {
        results[r][c] = FloatMotionFilter5(taps_, s[r], s[r + 1], s[r + 2], s[r + 3], s[r + 4]);
      }
    }
    const i32 column = tile * kTile + quad_;
    const bool reaches_end = column + 4 > width_ - 3;
    LOCKSTEP_UNROLL
    for (i32 r = 0; r < kLaneRows; ++r) {
      float* const row = shared_.vertical[picture][lane_row_ + r];
      if (!reaches_end) {
        *reinterpret_cast<float4*>(row + tile % kRing * kTile + quad_) =
            make_float4(results[r][0], results[r][1], results[r][2], results[r][3]);
      } else {
        StoreEnd(row, column, results[r]);
      }
    }
  }

  /// The last columns, and the two past them that mirror those before the last.
  __device__ __forceinline__ void StoreEnd(float* row, i32 column, const float (&values)[4]) const {
    LOCKSTEP_UNROLL
    for (i32 c = 0; c < 4; ++c) {
      const i32 x = column + c;
      if (x < width_) row[PlaceOf(x)] = values[c];
      if (x == width_ - 2) row[PlaceOf(width_)] = values[c];
      if (x == width_ - 3) row[PlaceOf(width_ + 1)] = values[c];
    }
  }

  static __device__ __forceinline__ void Read(const float* from, float* to) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  /// Differences of neighbouring pictures, four columns of a row. Those of columns that do not exist are 0, which
  /// chains may add.
  __device__ __forceinline__ void FilterHorizontally(i32 tile) const {
    const i32 row = thread_ % kFloatMotionGroupRows;
    const i32 run = thread_ / kFloatMotionGroupRows;
    const i32 x = tile * kTile + run * 4 - kLag;
    // Places of the quads that start at x + 4, x and x - 4.
    const i32 after = tile % kRing * kTile + run * 4;
    const i32 end_before = (tile + kRing - 1) % kRing * kTile + kTile;
    const i32 at = run >= 1 ? after - 4 : end_before - 4;
    const i32 before = run >= 2 ? after - 8 : end_before - 8 + run * 4;
    float filtered[4] = {};
    LOCKSTEP_UNROLL
    for (i32 picture = 0; picture <= kFloatMotionGroupFrames; ++picture) {
      if (picture > count_) continue;
      const float* const from = shared_.vertical[picture][row];
      float v[12];
      Read(from + before, v);
      Read(from + at, v + 4);
      Read(from + after, v + 8);
      if (x == 0) {
        v[2] = v[6];
        v[3] = v[5];
      }
      float differences[4];
      LOCKSTEP_UNROLL
      for (i32 i = 0; i < 4; ++i) {
        const float value = FloatMotionFilter5(taps_, v[i + 2], v[i + 3], v[i + 4], v[i + 5], v[i + 6]);
        differences[i] = filtered[i] - value;
        filtered[i] = value;
      }
      if (picture == 0) continue;
      if (x < 0 || x + 4 > width_) {
        LOCKSTEP_UNROLL
        for (i32 i = 0; i < 4; ++i) differences[i] = x >= 0 && x + i < width_ ? differences[i] : 0.0f;
      }
      *reinterpret_cast<float4*>(&shared_.differences[tile & 1][picture - 1][row][run * 4]) =
          make_float4(differences[0], differences[1], differences[2], differences[3]);
    }
  }

  /// A tile's part of FloatMotionSadRow().
  static __device__ __forceinline__ float AddTile(const float* differences, float sum) {
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kTile; i += 4) {
      float four[4];
      Read(differences + i, four);
      LOCKSTEP_UNROLL
      for (i32 k = 0; k < 4; ++k) sum = FloatMotionAddDifference(sum, four[k], 0.0f);
    }
    return sum;
  }

  const FloatMotionCudaArgs* frames_;
  i32 count_;
  i32 first_row_;
  Shared& shared_;
  i32 thread_;
  i32 width_;
  i32 tiles_;
  FloatMotionTaps taps_;
  // Of a thread that filters.
  const Sample* samples_ = nullptr;
  u32 rows_[kSampleRows] = {};
  Quad loaded_[kSampleRows] = {};
  i32 quad_ = 0;
  i32 lane_row_ = 0;
  float inverse_scaler_ = 0.0f;
  float offset_ = 0.0f;
};

template <class Sample>
__device__ __forceinline__ void FloatMotionFilterAndAdd(const GroupLaunch& launch) {
  __shared__ typename FloatMotionRows<Sample>::Shared shared;
  const i32 group = static_cast<i32>(blockIdx.x);
  const i32 frame_group = group / launch.plan;
  const i32 frame_groups = FloatMotionFrameGroups(launch.frame_count);
  // As even as may be.
  const i32 first = frame_group * launch.frame_count / frame_groups;
  const i32 end = (frame_group + 1) * launch.frame_count / frame_groups;
  FloatMotionRows<Sample>(static_cast<const FloatMotionCudaArgs*>(launch.frames) + first, end - first,
                          (group - frame_group * launch.plan) * kFloatMotionGroupRows, shared)
      .Run();
}

}  // namespace lockstep
#endif

// Groups on a multiprocessor for which registers must do.
#define LOCKSTEP_FLOAT_MOTION_CUDA_KERNEL(name, groups, ...)                               \
  extern "C" __global__ void __launch_bounds__(lockstep::kFloatMotionGroupThreads, groups) \
      lockstep_float_motion_##name(const __grid_constant__ lockstep::GroupLaunch launch) { \
    LOCKSTEP_FLOAT_MOTION_CUDA_BODY(lockstep::__VA_ARGS__(launch);)                        \
  }
LOCKSTEP_FLOAT_MOTION_CUDA_KERNEL(filter_and_add_u8, 5, FloatMotionFilterAndAdd<lockstep::u8>)
LOCKSTEP_FLOAT_MOTION_CUDA_KERNEL(filter_and_add_u16, 5, FloatMotionFilterAndAdd<lockstep::u16>)
#undef LOCKSTEP_FLOAT_MOTION_CUDA_KERNEL
#undef LOCKSTEP_FLOAT_MOTION_CUDA_BODY
