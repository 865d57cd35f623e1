// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of speed_chroma: the prepared planes, their means and their sums of products, for both chroma planes of both
// pictures at once.
#pragma once

#include "exact/soft_binary64.h"
#include "features/device/device_kernel.h"
#include "features/speed/speed_arithmetic.h"

namespace lockstep {

/// Planes of a frame: U and V of the reference picture, U and V of the distorted one. Row `row` of a launch is row
/// row / kSpeedPlanes of plane row % kSpeedPlanes.
inline constexpr i32 kSpeedPlanes = 4;

/// Positions of SpeedPairs(): p in the upper half, q in the lower one.
inline constexpr i32 kSpeedPairShift = 16;

/// What a sample of the resized plane reads along one axis.
struct SpeedResizeTap {
  i32 position;
  float weight;
};

/// The anti-alias filter down the columns that the filter along the rows reads afterwards. Nothing is computed that the
/// decimation leaves out.
struct SpeedFilterColumnsArgs {
  const void* planes[kSpeedPlanes];  // first sample
  i32 strides[kSpeedPlanes];         // in samples
  float* filtered;                   // [height][kSpeedPlanes][width]
  const float* taps;                 // [tap_count], of the filter
  const SpeedResizeTap* columns;     // [width][taps of the resize]
  const SpeedResizeTap* rows;        // [height][tap_count][taps of the resize]
  i32 tap_count;
  i32 width;             // tap_count columns for each one of the decimated plane
  i32 height;            // of the decimated plane
  float inverse_scaler;  // 2^(8 - depth)
};

/// A sample of the plane that is filtered: ResizedSample() of the plane of SpeedSample().
/// in      kTaps: ResizeTaps() of the method; 1 also where there is no resize. Samples of a plane are fewer than 2^31
/// exact   a weight of 1 rounds nothing
template <class Sample, i32 kTaps>
LOCKSTEP_KERNEL float SpeedScaledSample(const Sample* plane, i32 stride, const SpeedResizeTap* x,
                                        const SpeedResizeTap* y, float inverse_scaler) {
  float sum = 0.0f;
  float weights = 0.0f;
  // One loop over both axes keeps less in registers than two.
  LOCKSTEP_ROLLED
  for (i32 tap = 0; tap < kTaps * kTaps; ++tap) {
    const SpeedResizeTap tap_y = y[tap / kTaps];
    const SpeedResizeTap tap_x = x[tap % kTaps];
    const float weight = tap_x.weight * tap_y.weight;
    weights = weights + weight;
    sum = SpeedFilterStep(sum, weight, SpeedSample(plane[tap_y.position * stride + tap_x.position], inverse_scaler));
  }
  // Only Lanczos weights are divided by their sum.
  if constexpr (kTaps == 8) {
    return Binary32Divide(sum, weights);
  } else {
    return sum;
  }
}

/// in      Sample is u8 for 8 bit, u16 above
template <class Sample, i32 kTaps>
LOCKSTEP_KERNEL void SpeedFilterColumnsKernel(const SpeedFilterColumnsArgs& args, KernelItem item) {
  const i32 rows = args.height * kSpeedPlanes;
  const i32 row = LiveRow(item.row, rows);
  const Sample* const plane = static_cast<const Sample*>(args.planes[row % kSpeedPlanes]);
  const i32 stride = args.strides[row % kSpeedPlanes];
  const SpeedResizeTap* const taps_y = args.rows + row / kSpeedPlanes * args.tap_count * kTaps;
  const float inverse_scaler = sizeof(Sample) == 1 ? 1.0f : args.inverse_scaler;
  for (i32 column = item.lane; column < args.width; column += item.lanes) {
    const SpeedResizeTap* const taps_x = args.columns + column * kTaps;
    float sum = 0.0f;
    LOCKSTEP_ROLLED
    for (i32 k = 0; k < args.tap_count; ++k) {
      sum =
          SpeedFilterStep(sum, args.taps[k],
                          SpeedScaledSample<Sample, kTaps>(plane, stride, taps_x, taps_y + k * kTaps, inverse_scaler));
    }
    if (item.row < rows) args.filtered[row * args.width + column] = sum;
  }
}

/// The anti-alias filter along the rows.
struct SpeedFilterRowsArgs {
  const float* filtered;  // [height][kSpeedPlanes][width][tap_count]
  float* decimated;       // [height][kSpeedPlanes][width]
  const float* taps;      // [tap_count]
  i32 tap_count;
  i32 width;  // of the decimated plane
  i32 height;
};

LOCKSTEP_KERNEL void SpeedFilterRowsKernel(const SpeedFilterRowsArgs& args, KernelItem item) {
  const i32 rows = args.height * kSpeedPlanes;
  const i32 row = LiveRow(item.row, rows);
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    const float* const from = args.filtered + (row * args.width + x) * args.tap_count;
    float sum = 0.0f;
    LOCKSTEP_ROLLED
    for (i32 k = 0; k < args.tap_count; ++k) sum = SpeedFilterStep(sum, args.taps[k], from[k]);
    if (item.row < rows) args.decimated[row * args.width + x] = sum;
  }
}

struct SpeedPrepareArgs {
  const float* decimated;  // [height][kSpeedPlanes][width]
  const float* taps;       // [tap_count], of the local mean
  float* prepared;         // [prepared_height][kSpeedPlanes][prepared_width]
  i32 tap_count;
  i32 width;  // of the decimated plane
  i32 height;
  i32 prepared_width;  // of whole blocks
  i32 prepared_height;
};

/// The local mean down a column of the decimated plane.
LOCKSTEP_KERNEL float SpeedLocalMeanColumn(const SpeedPrepareArgs& args, const float* plane, i32 stride, i32 column,
                                           i32 y) {
  float sum = 0.0f;
  LOCKSTEP_ROLLED
  for (i32 k = 0; k < args.tap_count; ++k) {
    const i32 row = Mirror(y - args.tap_count / 2 + k, args.height);
    sum = SpeedFilterStep(sum, args.taps[k], plane[row * stride + column]);
  }
  return sum;
}

LOCKSTEP_KERNEL void SpeedPrepareKernel(const SpeedPrepareArgs& args, KernelItem item) {
  const i32 rows = args.prepared_height * kSpeedPlanes;
  const i32 row = LiveRow(item.row, rows);
  const i32 y = row / kSpeedPlanes;
  const i32 stride = args.width * kSpeedPlanes;
  const float* const plane = args.decimated + row % kSpeedPlanes * args.width;
  for (i32 x = item.lane; x < args.prepared_width; x += item.lanes) {
    float mean = 0.0f;
    LOCKSTEP_ROLLED
    for (i32 k = 0; k < args.tap_count; ++k) {
      const i32 column = Mirror(x - args.tap_count / 2 + k, args.width);
      mean = SpeedFilterStep(mean, args.taps[k], SpeedLocalMeanColumn(args, plane, stride, column, y));
    }
    const float value = SpeedPrepared(plane[y * stride + x], mean);
    if (item.row < rows) args.prepared[row * args.prepared_width + x] = value;
  }
}

/// Statistics of the prepared planes: one work-item a chain.
struct SpeedStatisticsArgs {
  const float* prepared;  // [height + kSpeedBlock - 1][kSpeedPlanes][width + kSpeedBlock - 1]
  float* means;           // [kSpeedPositions][kSpeedPlanes]
  Binary64Bits* sums;     // [kSpeedPairs][kSpeedPlanes]
  const i32* pairs;       // [kSpeedPairs]
  i32 width;              // of the window
  i32 height;
};

LOCKSTEP_KERNEL i32 SpeedPreparedStride(const SpeedStatisticsArgs& args) {
  return (args.width + kSpeedBlock - 1) * kSpeedPlanes;
}

/// The prepared sample where the window of a position begins.
LOCKSTEP_KERNEL const float* SpeedWindowStart(const SpeedStatisticsArgs& args, i32 plane, i32 position) {
  const i32 row = position / kSpeedBlock;
  const i32 column = position - row * kSpeedBlock;
  return args.prepared + row * SpeedPreparedStride(args) + plane * (args.width + kSpeedBlock - 1) + column;
}

/// SpeedMean() of every position.
LOCKSTEP_KERNEL void SpeedMeansKernel(const SpeedStatisticsArgs& args, KernelItem item) {
  const i32 rows = kSpeedPositions * kSpeedPlanes;
  const i32 row = LiveRow(item.row, rows);
  const float* const start = SpeedWindowStart(args, row % kSpeedPlanes, row / kSpeedPlanes);
  const i32 stride = SpeedPreparedStride(args);
  float sum = 0.0f;
  LOCKSTEP_ROLLED
  for (i32 y = 0; y < args.height; ++y) {
    LOCKSTEP_ROLLED
    for (i32 x = 0; x < args.width; ++x) sum = sum + start[y * stride + x];
  }
  const float mean = Binary32Divide(sum, static_cast<float>(args.width * args.height));
  if (item.row < rows) args.means[row] = mean;
}

/// Sums of the covariance matrix, before they are divided by the number of samples: chains in binary64, row by row.
LOCKSTEP_KERNEL void SpeedCovariancesKernel(const SpeedStatisticsArgs& args, KernelItem item) {
  const i32 rows = kSpeedPairs * kSpeedPlanes;
  const i32 row = LiveRow(item.row, rows);
  const i32 plane = row % kSpeedPlanes;
  const i32 pair = args.pairs[row / kSpeedPlanes];
  const i32 p = pair >> kSpeedPairShift;
  const i32 q = pair & ((1 << kSpeedPairShift) - 1);
  const float* const start_p = SpeedWindowStart(args, plane, p);
  const float* const start_q = SpeedWindowStart(args, plane, q);
  const Binary64Bits mean_p = Binary64FromBinary32(args.means[p * kSpeedPlanes + plane]);
  const Binary64Bits mean_q = Binary64FromBinary32(args.means[q * kSpeedPlanes + plane]);
  const i32 stride = SpeedPreparedStride(args);
  Binary64Bits sum = 0;
  LOCKSTEP_ROLLED
  for (i32 y = 0; y < args.height; ++y) {
    LOCKSTEP_ROLLED
    for (i32 x = 0; x < args.width; ++x) {
      const Binary64Bits a = Binary64Subtract(Binary64FromBinary32(start_p[y * stride + x]), mean_p);
      const Binary64Bits b = Binary64Subtract(Binary64FromBinary32(start_q[y * stride + x]), mean_q);
      sum = Binary64Add(sum, Binary64MultiplyNormal(a, b));
    }
  }
  if (item.row < rows) args.sums[row] = sum;
}

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_SPEED_FILTER_COLUMNS(X, resize, taps)                                                  \
  X(filter_columns_##resize##_u8, SpeedFilterColumnsArgs, SpeedFilterColumnsKernel<lockstep::u8, taps>) \
  X(filter_columns_##resize##_u16, SpeedFilterColumnsArgs, SpeedFilterColumnsKernel<lockstep::u16, taps>)
#define LOCKSTEP_SPEED_KERNELS(X)                            \
  LOCKSTEP_SPEED_FILTER_COLUMNS(X, nearest, 1)               \
  LOCKSTEP_SPEED_FILTER_COLUMNS(X, bilinear, 2)              \
  LOCKSTEP_SPEED_FILTER_COLUMNS(X, bicubic, 4)               \
  LOCKSTEP_SPEED_FILTER_COLUMNS(X, lanczos4, 8)              \
  X(filter_rows, SpeedFilterRowsArgs, SpeedFilterRowsKernel) \
  X(prepare, SpeedPrepareArgs, SpeedPrepareKernel)           \
  X(means, SpeedStatisticsArgs, SpeedMeansKernel)            \
  X(covariances, SpeedStatisticsArgs, SpeedCovariancesKernel)
