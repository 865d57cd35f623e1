// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of the similarity terms over a pair of planes, and decimation of a plane: what float_ssim and float_ms_ssim are
// made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/frame.h"
#include "base/kernel_prelude.h"
#include "features/float_ssim/float_ssim_arithmetic.h"
#include "lockstep/video_format.h"

namespace lockstep {

enum class SsimSampleType : std::uint8_t { kU8, kU16, kFloat };

/// A plane as it is stored.
struct SsimPlane {
  const void* data;  // first sample; 63 bytes after each row may be read
  i64 stride;        // in samples
  i32 width;
  i32 height;
  SsimSampleType type;
  float inverse_scaler;  // 2^(8 - depth); 1 for kFloat
};

[[nodiscard]] SsimPlane SsimPlaneOf(const PlaneView& plane, int bit_depth);
[[nodiscard]] SsimPlane SsimPlaneOf(const float* data, i64 stride, i32 width, i32 height);

/// Floats from one row of a plane of float_ssim's own to the next; such rows have the readable bytes behind them.
[[nodiscard]] inline i64 SsimPitch(i32 width) { return (static_cast<i64>(width) + 15) / 16 * 16 + 16; }

/// Line buffers of SsimStatistic() and its vector form.
[[nodiscard]] std::size_t SsimStatisticBytes(i32 width);

/// Which sums are wanted.
enum class SsimWanted : std::uint8_t { kProduct, kContrastAndStructure, kTerms, kProductAndTerms };

struct SsimStatisticArgs {
  SsimPlane reference;
  SsimPlane distorted;  // of the same size and type, at least kSsimTaps x kSsimTaps
  SsimWanted wanted;
  void* lines;  // SsimStatisticBytes(), at a multiple of 64
};

/// Sums over the (width - 10) x (height - 10) pixels that have a whole window; 0 where they are not wanted.
struct SsimSums {
  double product;  // of all three terms
  double luminance;
  double contrast;
  double structure;
};

/// Sums of the terms of float_ssim_arithmetic.h in binary64, row by row, left to right.
/// edge    none: pixels without a whole window do not count
/// source  libvmaf 3.2.0, iqa/ssim_tools.c
[[nodiscard]] SsimSums SsimStatistic(const SsimStatisticArgs& args);

/// Line buffers of SsimDecimate() and its vector forms.
[[nodiscard]] std::size_t SsimDecimateBytes(i32 width, i32 taps);

struct SsimDecimateArgs {
  SsimPlane plane;
  i32 factor;
  i32 taps;             // of the kernel, in both directions; centre taps / 2
  const float* kernel;  // [taps][taps]
  float* out;           // SsimDecimatedLength() of both sides
  i64 out_stride;       // SsimPitch() of the new width
  void* lines;          // SsimDecimateBytes(), at a multiple of 64
};

/// Every factor-th sample of every factor-th row, filtered. Products are rounded to binary32, their sum is binary64,
/// kernel rows from top to bottom and each from left to right, and is rounded once at the end.
/// edge    mirror, border sample repeated
/// source  libvmaf 3.2.0, iqa/decimate.c, iqa/convolve.c
void SsimDecimate(const SsimDecimateArgs& args);

using SsimStatisticFunction = SsimSums (*)(const SsimStatisticArgs& args);
using SsimDecimateFunction = void (*)(const SsimDecimateArgs& args);

/// A mean as libvmaf returns it: rounded to binary32.
[[nodiscard]] inline double SsimMean(double sum, const SsimPlane& plane) {
  const i64 pixels = static_cast<i64>(plane.width - kSsimBorder) * (plane.height - kSsimBorder);
  return static_cast<double>(static_cast<float>(sum / static_cast<double>(pixels)));
}

/// Greatest value that SsimDecibels() returns: infinity, or with clip_db what half a squared code value in the whole
/// picture gives, rounded up.
[[nodiscard]] double SsimDecibelLimit(const VideoFormat& format, bool clip_db);

/// -10 log10(1 - score). A score above 1, which rounding can give, is the limit, and so is NaN.
[[nodiscard]] double SsimDecibels(double score, double limit);

}  // namespace lockstep
