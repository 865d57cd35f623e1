// SPDX-License-Identifier: BSD-2-Clause-Patent
// Float motion: low-pass filter of one picture in binary32, half-resolution sampling, and sums whose order of additions
// is fixed.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Symmetric filter taps; three taps leave `outer` unused.
struct FloatMotionTaps {
  float outer;
  float inner;
  float centre;
};

inline constexpr FloatMotionTaps kFloatMotionTaps5 = {0.054488685f, 0.244201342f, 0.402619947f};
inline constexpr FloatMotionTaps kFloatMotionTaps3 = {0.0f, 0.166378498f, 0.667243004f};

/// A sample on the 8-bit scale, centred.
/// in      inverse_scaler = 2^(8 - depth)
/// exact   multiplying by a power of two is the division by 2^(depth - 8) that the reference does
LOCKSTEP_KERNEL float FloatMotionSample(i32 sample, float inverse_scaler) {
  return static_cast<float>(sample) * inverse_scaler + -128.0f;
}

/// Five-tap filter, additions left to right.
/// exact   The reference adds the first product to zero. That could only turn -0 into +0, which no difference of two
///         filtered samples shows.
LOCKSTEP_KERNEL float FloatMotionFilter5(const FloatMotionTaps& taps, float a, float b, float c, float d, float e) {
  return taps.outer * a + taps.inner * b + taps.centre * c + taps.inner * d + taps.outer * e;
}

/// Three-tap filter, as FloatMotionFilter5().
LOCKSTEP_KERNEL float FloatMotionFilter3(const FloatMotionTaps& taps, float b, float c, float d) {
  return taps.inner * b + taps.centre * c + taps.inner * d;
}

struct FloatMotionBlurRowArgs {
  const void* picture;  // first sample of the plane
  float* blurred;
  i32 width;           // >= 3
  i32 height;          // >= 3
  i32 picture_stride;  // in samples
  i32 blurred_stride;  // in floats
  float inverse_scaler;
  FloatMotionTaps taps;
};

/// Vertically filtered sample at column x.
/// in      r0 … r4: the five mirrored rows around the output row
template <class Sample, i32 kTapCount>
LOCKSTEP_KERNEL float FloatMotionVertical(const FloatMotionBlurRowArgs& args, const Sample* r0, const Sample* r1,
                                          const Sample* r2, const Sample* r3, const Sample* r4, i32 x) {
  const float s = args.inverse_scaler;
  if constexpr (kTapCount == 1) {
    return FloatMotionSample(r2[x], s);
  } else if constexpr (kTapCount == 3) {
    return FloatMotionFilter3(args.taps, FloatMotionSample(r1[x], s), FloatMotionSample(r2[x], s),
                              FloatMotionSample(r3[x], s));
  } else {
    return FloatMotionFilter5(args.taps, FloatMotionSample(r0[x], s), FloatMotionSample(r1[x], s),
                              FloatMotionSample(r2[x], s), FloatMotionSample(r3[x], s), FloatMotionSample(r4[x], s));
  }
}

/// Columns [begin, end) of one row of the filtered picture: vertical pass, then horizontal pass.
/// in      Sample u8 for 8 bit, u16 above; kTapCount 5, 3 or 1. One tap is the reference's 0, 0, 1, 0, 0 and keeps the
///         samples as they are. 0 <= begin <= end <= width
/// edge    mirror, border sample not repeated
/// source  libvmaf 3.2.0, float_motion.c, convolution.c
template <class Sample, i32 kTapCount>
LOCKSTEP_KERNEL void FloatMotionBlurColumns(const FloatMotionBlurRowArgs& args, i32 row, i32 begin, i32 end) {
  const i32 w = args.width;
  const i32 h = args.height;
  const i32 y = LiveRow(row, h);
  const Sample* p = static_cast<const Sample*>(args.picture);
  const i64 stride = args.picture_stride;
  const Sample* r0 = p + Mirror(y - 2, h) * stride;
  const Sample* r1 = p + Mirror(y - 1, h) * stride;
  const Sample* r2 = p + y * stride;
  const Sample* r3 = p + Mirror(y + 1, h) * stride;
  const Sample* r4 = p + Mirror(y + 2, h) * stride;
  float* out = args.blurred + static_cast<i64>(y) * args.blurred_stride;
  // A window of five vertical results slides along the row.
  float v0 = FloatMotionVertical<Sample, kTapCount>(args, r0, r1, r2, r3, r4, Mirror(begin - 2, w));
  float v1 = FloatMotionVertical<Sample, kTapCount>(args, r0, r1, r2, r3, r4, Mirror(begin - 1, w));
  float v2 = FloatMotionVertical<Sample, kTapCount>(args, r0, r1, r2, r3, r4, Mirror(begin, w));
  float v3 = FloatMotionVertical<Sample, kTapCount>(args, r0, r1, r2, r3, r4, Mirror(begin + 1, w));
  for (i32 x = begin; x < end; ++x) {
    const float v4 = FloatMotionVertical<Sample, kTapCount>(args, r0, r1, r2, r3, r4, Mirror(x + 2, w));
    float value = v2;
    if constexpr (kTapCount == 3) value = FloatMotionFilter3(args.taps, v1, v2, v3);
    if constexpr (kTapCount == 5) value = FloatMotionFilter5(args.taps, v0, v1, v2, v3, v4);
    if (row < h) out[x] = value;
    v0 = v1;
    v1 = v2;
    v2 = v3;
    v3 = v4;
  }
}

/// FloatMotionBlurColumns() of one whole row.
template <class Sample, i32 kTapCount>
LOCKSTEP_KERNEL void FloatMotionBlurRow(const FloatMotionBlurRowArgs& args, i32 row) {
  FloatMotionBlurColumns<Sample, kTapCount>(args, row, 0, args.width);
}

/// Where a sample of a smaller plane lies between two of the larger one, along one axis.
struct BilinearTap {
  i32 lower;
  i32 upper;
  float fraction;  // of the way from lower to upper
};

/// Value between four samples; products and sums left to right.
LOCKSTEP_KERNEL float Bilinear(const float* upper_row, const float* lower_row, const BilinearTap& x, float dy) {
  const float dx = x.fraction;
  return ((1.0f - dy) * (1.0f - dx)) * upper_row[x.lower] + ((1.0f - dy) * dx) * upper_row[x.upper] +
         (dy * (1.0f - dx)) * lower_row[x.lower] + (dy * dx) * lower_row[x.upper];
}

struct FloatMotionHalveRowArgs {
  const float* blurred;
  float* halved;
  const BilinearTap* columns;  // [width]
  const BilinearTap* rows;     // [height]
  i32 width;                   // of the smaller plane
  i32 height;
  i32 blurred_stride;  // in floats
  i32 halved_stride;
};

/// The columns first, first + step, … of one row of the half-resolution plane.
/// source  libvmaf 3.2.0, common/blur_array.c and float_motion.c (bilinear scaling)
LOCKSTEP_KERNEL void FloatMotionHalveRow(const FloatMotionHalveRowArgs& args, i32 row, i32 first = 0, i32 step = 1) {
  const i32 y = LiveRow(row, args.height);
  const BilinearTap at = args.rows[y];
  const float* upper_row = args.blurred + static_cast<i64>(at.lower) * args.blurred_stride;
  const float* lower_row = args.blurred + static_cast<i64>(at.upper) * args.blurred_stride;
  float* out = args.halved + static_cast<i64>(y) * args.halved_stride;
  for (i32 x = first; x < args.width; x += step) {
    const float value = Bilinear(upper_row, lower_row, args.columns[x], at.fraction);
    if (row < args.height) out[x] = value;
  }
}

/// One step of a row chain.
LOCKSTEP_KERNEL float FloatMotionAddDifference(float sum, float a, float b) { return sum + __builtin_fabsf(a - b); }

struct FloatMotionSadRowArgs {
  const float* previous;
  const float* current;
  float* row_sads;  // [height]
  i32 width;
  i32 height;
  i32 stride;  // in floats, of both planes
};

/// Row chain: absolute differences of one row added left to right in one binary32 accumulator.
LOCKSTEP_KERNEL void FloatMotionSadRow(const FloatMotionSadRowArgs& args, i32 row) {
  const i32 y = LiveRow(row, args.height);
  const float* previous = args.previous + static_cast<i64>(y) * args.stride;
  const float* current = args.current + static_cast<i64>(y) * args.stride;
  float sum = 0.0f;
  for (i32 x = 0; x < args.width; ++x) sum = FloatMotionAddDifference(sum, previous[x], current[x]);
  if (row < args.height) args.row_sads[y] = sum;
}

/// The score of one plane, on the host, from the row chains of any backend: rows added top to bottom in binary32, then
/// divided by the number of samples in binary32.
LOCKSTEP_KERNEL float FloatMotionScoreFromRowSads(const float* row_sads, i32 width, i32 height) {
  float total = 0.0f;
  for (i32 y = 0; y < height; ++y) total = total + row_sads[y];
  return total / static_cast<float>(width * height);
}

}  // namespace lockstep
