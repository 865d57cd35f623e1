// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma's kernels for CUDA devices of compute capability 8.0 and above: the anti-alias filter of the usual size;
// means and sums of products of a prepared plane, in binary64 where the metric defines them so.
#pragma once

#include "features/device/device_kernel.h"
#include "features/speed/speed_cuda_arguments.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_SPEED_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_SPEED_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

/// SpeedScaledSample() with all that it reads on its way at the same time.
template <class Sample, i32 kTaps>
__device__ __forceinline__ float SpeedCudaFilteredColumn(const SpeedCudaFilterArgs& args, const Sample* plane,
                                                         i32 stride, const SpeedResizeTap (&x)[kTaps],
                                                         const SpeedResizeTap* y) {
  Sample samples[kSpeedCudaTaps][kTaps][kTaps];
  float weights[kSpeedCudaTaps][kTaps];
  LOCKSTEP_UNROLL
  for (i32 k = 0; k < kSpeedCudaTaps; ++k) {
    LOCKSTEP_UNROLL
    for (i32 j = 0; j < kTaps; ++j) {
      const Sample* const row = plane + y[k * kTaps + j].position * stride;
      weights[k][j] = y[k * kTaps + j].weight;
      LOCKSTEP_UNROLL
      for (i32 i = 0; i < kTaps; ++i) samples[k][j][i] = row[x[i].position];
    }
  }
  const float* const taps = Global(args.taps);
  float sum = 0.0f;
  LOCKSTEP_UNROLL
  for (i32 k = 0; k < kSpeedCudaTaps; ++k) {
    float scaled = 0.0f;
    LOCKSTEP_UNROLL
    for (i32 j = 0; j < kTaps; ++j) {
      LOCKSTEP_UNROLL
      for (i32 i = 0; i < kTaps; ++i) {
        const float sample = SpeedSample(samples[k][j][i], args.inverse_scaler);
        // A single weight is 1.
        scaled = kTaps == 1 ? sample : SpeedFilterStep(scaled, x[i].weight * weights[k][j], sample);
      }
    }
    sum = SpeedFilterStep(sum, taps[k], scaled);
  }
  return sum;
}

template <class Sample, i32 kTaps>
__device__ __forceinline__ void SpeedCudaFilter(const GroupLaunch& launch) {
  const i32 frame = static_cast<i32>(blockIdx.x) / launch.plan;
  const i32 row = static_cast<i32>(blockIdx.x) - frame * launch.plan;
  const SpeedCudaFilterArgs& args = static_cast<const SpeedCudaFilterArgs*>(launch.frames)[frame];
  const Sample* const plane = Global(static_cast<const Sample*>(args.planes[row % kSpeedPlanes]));
  const i32 stride = args.strides[row % kSpeedPlanes];
  const SpeedResizeTap* const y = Global(args.rows) + row / kSpeedPlanes * kSpeedCudaTaps * kTaps;
  float* const filtered = reinterpret_cast<float*>(DynamicShared());
  const i32 thread = static_cast<i32>(threadIdx.x);
  const i32 columns = args.width * kSpeedCudaTaps;
  LOCKSTEP_ROLLED
  for (i32 column = thread; column < columns; column += kSpeedFilterThreads) {
    SpeedResizeTap x[kTaps];
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kTaps; ++i) x[i] = Global(args.columns)[column * kTaps + i];
    filtered[column] = SpeedCudaFilteredColumn<Sample, kTaps>(args, plane, stride, x, y);
  }
  __syncthreads();
  LOCKSTEP_ROLLED
  for (i32 column = thread; column < args.width; column += kSpeedFilterThreads) {
    float sum = 0.0f;
    LOCKSTEP_UNROLL
    for (i32 k = 0; k < kSpeedCudaTaps; ++k) {
      sum = SpeedFilterStep(sum, Global(args.taps)[k], filtered[column * kSpeedCudaTaps + k]);
    }
    Global(args.decimated)[row * args.width + column] = sum;
  }
}

// A chain is as long as the window has samples, and each of its additions waits for the one before. All that a group
// does is to keep everything else out of that time: the last warp brings rows to shared memory, widened already, while
// the others add those before; products of a step are made while those of the last one are added.
class SpeedStatistics {
 public:
  // Of a lane of the last warp, on their way at a time.
  static constexpr i32 kSpeedLoads = 4;

  /// in    rows: of the window in a chunk
  __device__ __forceinline__ SpeedStatistics(const SpeedCudaArgs& args, i32 group, i32 rows, u8* shared, float* means)
      : shared_(shared), means_(means), width_(args.width), height_(args.height), rows_(rows) {
    thread_ = static_cast<i32>(threadIdx.x);
    plane_ = group / kSpeedGroupsOfPlane;
    first_pair_ = (group - plane_ * kSpeedGroupsOfPlane) * kSpeedChainThreads;
    prepared_width_ = width_ + kSpeedBlock - 1;
    prepared_ = Global(args.prepared) + plane_ * prepared_width_;
    stride_ = SpeedSharedStride(width_);
    chunks_ = (height_ + rows_ - 1) / rows_;
  }

  __device__ __forceinline__ void Run(const SpeedCudaArgs& args) {
    AddMeans();
    AddProducts(args);
  }

 private:
  template <class T>
  __device__ __forceinline__ T* Buffer(i32 chunk) const {
    return reinterpret_cast<T*>(shared_) + (chunk & 1) * (stride_ * (rows_ + kSpeedBlock - 1));
  }
  /// Rows of the window in a chunk.
  __device__ __forceinline__ i32 RowsOf(i32 chunk) const { return min(rows_, height_ - chunk * rows_); }

  /// Brings a chunk, by the last warp.
  template <class T>
  __device__ __forceinline__ void Load(i32 chunk) const {
    if (chunk >= chunks_) return;
    const i32 first = chunk * rows_;
    const i32 rows = RowsOf(chunk) + kSpeedBlock - 1;
    T* const to = Buffer<T>(chunk);
    const float* from = prepared_ + static_cast<i64>(first) * kSpeedPlanes * prepared_width_;
    LOCKSTEP_ROLLED
    for (i32 y = 0; y < rows; ++y) {
      const float* const row = from + static_cast<i64>(y) * kSpeedPlanes * prepared_width_;
      LOCKSTEP_ROLLED
      for (i32 x = thread_ - kSpeedChainThreads; x < prepared_width_; x += 32 * kSpeedLoads) {
        float values[kSpeedLoads];
        LOCKSTEP_UNROLL
        for (i32 i = 0; i < kSpeedLoads; ++i) values[i] = row[min(x + 32 * i, prepared_width_ - 1)];
        LOCKSTEP_UNROLL
        for (i32 i = 0; i < kSpeedLoads; ++i) {
          if (x + 32 * i < prepared_width_) to[y * stride_ + x + 32 * i] = static_cast<T>(values[i]);
        }
      }
    }
  }

  __device__ __forceinline__ bool IsLoader() const { return thread_ >= kSpeedChainThreads; }

  /// Every chunk, in two buffers.
  /// in    adds: whether this thread has a chain
  template <class T, class Chain>
  __device__ __forceinline__ void ForChunks(Chain& chain, bool adds) {
    if (IsLoader()) Load<T>(0);
    __syncthreads();
    LOCKSTEP_ROLLED
    for (i32 chunk = 0; chunk < chunks_; ++chunk) {
      if (IsLoader()) {
        Load<T>(chunk + 1);
      } else if (adds) {
        const T* row = Buffer<T>(chunk);
        LOCKSTEP_ROLLED
        for (i32 y = RowsOf(chunk); y > 0; --y) {
          AddRow(chain, row, width_);
          row += stride_;
        }
      }
      __syncthreads();
    }
  }

  /// Adds a row to a chain: while values are added, those of the next step are made.
  /// exact   A chain that begins at +0 is never -0, so that the +0 behind the last column changes nothing.
  template <class Chain, class T>
  static __device__ __forceinline__ void AddRow(Chain& chain, const T* row, i32 width) {
    T values[kSpeedStep];
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kSpeedStep; ++i) values[i] = i < width ? chain.Value(row, i) : T{0};
    i32 x = kSpeedStep;
    LOCKSTEP_ROLLED
    for (; x + kSpeedStep <= width; x += kSpeedStep) {
      T next[kSpeedStep];
      LOCKSTEP_UNROLL
      for (i32 i = 0; i < kSpeedStep; ++i) {
        next[i] = chain.Value(row, x + i);
        chain.sum = chain.sum + values[i];
      }
      LOCKSTEP_UNROLL
      for (i32 i = 0; i < kSpeedStep; ++i) values[i] = next[i];
    }
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kSpeedStep; ++i) chain.sum = chain.sum + values[i];
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kSpeedStep; ++i) chain.sum = chain.sum + (x + i < width ? chain.Value(row, x + i) : T{0});
  }

  struct Mean {
    i32 offset;
    float sum;

    __device__ __forceinline__ float Value(const float* row, i32 x) const { return row[offset + x]; }
  };

  struct Covariance {
    i32 offset_p;
    i32 offset_q;
    double mean_p;
    double mean_q;
    double sum;

    __device__ __forceinline__ double Value(const double* row, i32 x) const {
      return (row[offset_p + x] - mean_p) * (row[offset_q + x] - mean_q);
    }
  };

  __device__ __forceinline__ i32 OffsetOf(i32 position) const {
    return position / kSpeedBlock * stride_ + position % kSpeedBlock;
  }

  /// The means of all positions, by the first warp; other groups of the plane do the same.
  __device__ __forceinline__ void AddMeans() {
    Mean mean = {OffsetOf(min(thread_, kSpeedPositions - 1)), 0.0f};
    ForChunks<float>(mean, thread_ < kSpeedPositions);
    if (thread_ < kSpeedPositions) means_[thread_] = Binary32Divide(mean.sum, static_cast<float>(width_ * height_));
    __syncthreads();
  }

  __device__ __forceinline__ void AddProducts(const SpeedCudaArgs& args) {
    const i32 pair = first_pair_ + min(thread_, kSpeedChainThreads - 1);
    const i32 positions = Global(args.pairs)[min(pair, kSpeedPairs - 1)];
    const i32 p = positions >> kSpeedPairShift;
    const i32 q = positions & ((1 << kSpeedPairShift) - 1);
    Covariance covariance = {OffsetOf(p), OffsetOf(q), static_cast<double>(means_[p]), static_cast<double>(means_[q]),
                             0.0};
    ForChunks<double>(covariance, pair < kSpeedPairs);
    if (!IsLoader() && pair < kSpeedPairs) Global(args.sums)[pair * kSpeedPlanes + plane_] = covariance.sum;
  }

  u8* shared_;
  float* means_;
  i32 thread_;
  i32 plane_;
  i32 first_pair_;
  const float* prepared_;
  i32 prepared_width_;
  i32 stride_;
  i32 width_;
  i32 height_;
  i32 rows_;
  i32 chunks_;
};

__device__ __forceinline__ void SpeedStatisticsOfGroup(const GroupLaunch& launch) {
  __shared__ float means[kSpeedPositions];
  const i32 frame = static_cast<i32>(blockIdx.x) / kSpeedGroupsOfFrame;
  const SpeedCudaArgs& args = static_cast<const SpeedCudaArgs*>(launch.frames)[frame];
  SpeedStatistics(args, static_cast<i32>(blockIdx.x) - frame * kSpeedGroupsOfFrame, launch.plan, DynamicShared(), means)
      .Run(args);
}

}  // namespace lockstep
#endif

#define LOCKSTEP_SPEED_CUDA_KERNEL(name, threads, ...)                              \
  extern "C" __global__ void __launch_bounds__(lockstep::threads, 1)                \
      lockstep_speed_##name(const __grid_constant__ lockstep::GroupLaunch launch) { \
    LOCKSTEP_SPEED_CUDA_BODY(lockstep::__VA_ARGS__(launch);)                        \
  }
LOCKSTEP_SPEED_CUDA_KERNEL(filter_nearest_u8, kSpeedFilterThreads, SpeedCudaFilter<lockstep::u8, 1>)
LOCKSTEP_SPEED_CUDA_KERNEL(filter_nearest_u16, kSpeedFilterThreads, SpeedCudaFilter<lockstep::u16, 1>)
LOCKSTEP_SPEED_CUDA_KERNEL(filter_bilinear_u8, kSpeedFilterThreads, SpeedCudaFilter<lockstep::u8, 2>)
LOCKSTEP_SPEED_CUDA_KERNEL(filter_bilinear_u16, kSpeedFilterThreads, SpeedCudaFilter<lockstep::u16, 2>)
LOCKSTEP_SPEED_CUDA_KERNEL(statistics, kSpeedGroupThreads, SpeedStatisticsOfGroup)
#undef LOCKSTEP_SPEED_CUDA_KERNEL
#undef LOCKSTEP_SPEED_CUDA_BODY
