// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scales of float_ms_ssim: the low-pass kernel between them, and the exponents of their terms.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

inline constexpr i32 kMsSsimScales = 5;

/// The smallest side whose fifth scale, halved with integer division, still holds a window of 11.
inline constexpr i32 kMsSsimMinimumSide = 11 << (kMsSsimScales - 1);

/// Exponents of the means. Only the last scale's luminance counts.
struct MsSsimExponents {
  float luminance;
  float contrast;
  float structure;
};

inline constexpr MsSsimExponents kMsSsimExponents[kMsSsimScales] = {
    {0.0f, 0.0448f, 0.0448f}, {0.0f, 0.2856f, 0.2856f},    {0.0f, 0.3001f, 0.3001f},
    {0.0f, 0.2363f, 0.2363f}, {0.1333f, 0.1333f, 0.1333f},
};

inline constexpr i32 kMsSsimTaps = 9;
inline constexpr i32 kMsSsimRadius = kMsSsimTaps / 2;

/// Biorthogonal 9/7 low-pass filter in two dimensions, as a table: it is not quite a product of two filters.
/// One quarter with the centre; the others are its mirror images.
inline constexpr float kMsSsimQuarter[kMsSsimRadius + 1][kMsSsimRadius + 1] = {
    {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
    {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
    {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
    {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
    {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f},
};

struct MsSsimKernel {
  float values[kMsSsimTaps * kMsSsimTaps];  // rows from top to bottom
};

constexpr MsSsimKernel MakeMsSsimKernel() {
  MsSsimKernel kernel = {};
  for (i32 v = 0; v < kMsSsimTaps; ++v) {
    for (i32 u = 0; u < kMsSsimTaps; ++u) {
      const i32 row = v <= kMsSsimRadius ? v : kMsSsimTaps - 1 - v;
      const i32 column = u <= kMsSsimRadius ? u : kMsSsimTaps - 1 - u;
      kernel.values[v * kMsSsimTaps + u] = kMsSsimQuarter[row][column];
    }
  }
  return kernel;
}

inline constexpr MsSsimKernel kMsSsimKernel = MakeMsSsimKernel();

}  // namespace lockstep
