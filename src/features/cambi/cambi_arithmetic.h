// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's formulas: 10-bit codes, the mask of flat areas, the mode filter and the contrast of one pixel.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

inline constexpr i32 kCambiScales = 5;
inline constexpr i32 kCambiMaximumContrasts = 32;  // D
inline constexpr i32 kCambiMaximumWindow = 65;
inline constexpr i32 kCambiMaximumPixels = kCambiMaximumWindow * kCambiMaximumWindow;
/// Rounding takes 16-bit white to 1024.
inline constexpr i32 kCambiMaximumCode = 1024;
inline constexpr i32 kCambiMaskRadius = 3;
/// Set in a code outside the mask. Such marked codes stay one plane through filters and decimation.
inline constexpr u16 kCambiMark = 0x8000;

/// Which contrasts count for a code, as tables of (transfer function, options).
struct CambiVisibility {
  i32 contrasts;                           // D, a power of two from 1 to 32
  i32 low_limit;                           // code of the darkest luminance at which banding is visible
  i32 limits[kCambiMaximumContrasts + 1];  // [d]: the highest code at which a step of d is visible; [0] is unused
};

/// How often each scale counts.
LOCKSTEP_KERNEL i32 CambiScaleWeight(i32 scale) { return 16 >> scale; }

/// Width or height of the next scale, whose sample (x, y) is sample (2x, 2y) of this one.
LOCKSTEP_KERNEL i32 CambiHalf(i32 length) { return (length + 1) >> 1; }

/// A sample as a 10-bit code.
/// in      bit_depth 8 … 16
/// exact   halves are rounded up, without a clamp: 16-bit 65535 gives 1024
LOCKSTEP_KERNEL u16 CambiCode(u32 sample, i32 bit_depth) {
  if (bit_depth <= 10) return static_cast<u16>(sample << (10 - bit_depth));
  return static_cast<u16>((sample + (1u << (bit_depth - 11))) >> (bit_depth - 10));
}

/// Anti-dithering: the mean of a pixel and its right, lower and lower right neighbours; in the last column or row the
/// mean of the two that are there. The last pixel of the picture keeps its code.
/// exact   rounded down
LOCKSTEP_KERNEL u16 CambiMeanOfFour(u32 own, u32 right, u32 below, u32 below_right) {
  return static_cast<u16>((own + right + below + below_right) >> 2);
}
LOCKSTEP_KERNEL u16 CambiMeanOfTwo(u32 own, u32 other) { return static_cast<u16>((own + other) >> 1); }

/// 1 where a pixel equals its right and its lower neighbour; a neighbour outside the picture is equal.
LOCKSTEP_KERNEL i32 CambiIsFlat(u32 own, u32 right, u32 below) { return own == right && own == below ? 1 : 0; }

/// A pixel belongs to the mask when more than this many of the 7 x 7 pixels around it are flat; those outside the
/// picture are not.
/// in      size of the picture before any decimation
LOCKSTEP_KERNEL i32 CambiMaskThreshold(i32 width, i32 height) {
  const u32 blocks = static_cast<u32>(width / 64) * static_cast<u32>(height / 64);
  i32 log = 0;  // rounded up; 0 for no block, too
  while (log < 31 && (1u << log) < blocks) ++log;
  return (49 + 3 * (log - 11) - 1) >> 1;
}

/// The code that occurs twice among three, else the smallest of them.
LOCKSTEP_KERNEL u16 CambiMode(u16 a, u16 b, u16 c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  const u16 least = a < b ? a : b;
  return least < c ? least : c;
}

/// Side of the window on every scale; odd.
/// in      size of the picture at full resolution
LOCKSTEP_KERNEL i32 CambiWindow(i32 window_size, i32 width, i32 height, bool has_speedup) {
  u32 side = static_cast<u32>(window_size) * static_cast<u32>(width + height) / 375u >> 4;
  if (has_speedup) side = (side + 1) >> 1;
  return static_cast<i32>(side | 1u);
}

/// What a contrast of d codes counts, d = 1 … 32.
LOCKSTEP_KERNEL i32 CambiContrastWeight(i32 d) {
  if (d <= 4) return d;
  if (d == 5) return 4;
  if (d <= 7) return 5;
  if (d <= 11) return 6;
  if (d <= 15) return 7;
  return d <= 22 ? 8 : 9;
}

/// Whether pixels of this code are compared with those d codes away. That the lower limit meets the code plus D, and
/// not the code, is libvmaf's definition.
/// in      D contrasts, and the limits of CambiVisibility
LOCKSTEP_KERNEL bool CambiIsVisible(i32 contrasts, i32 limit, i32 low_limit, i32 code, i32 d) {
  return code <= limit && code + contrasts + d > low_limit;
}
LOCKSTEP_KERNEL bool CambiIsVisible(const CambiVisibility& visibility, i32 code, i32 d) {
  return CambiIsVisible(visibility.contrasts, visibility.limits[d], visibility.low_limit, code, d);
}

/// Codes below first or from end on influence no contrast.
struct CambiCodes {
  i32 first;
  i32 end;
};
LOCKSTEP_KERNEL CambiCodes CambiCodesThatCount(const CambiVisibility& visibility) {
  i32 highest = 0;
  for (i32 d = 1; d <= visibility.contrasts; ++d) {
    if (visibility.limits[d] > highest) highest = visibility.limits[d];
  }
  const i32 first = visibility.low_limit - 3 * visibility.contrasts + 1;
  return {first > 0 ? first : 0, highest + visibility.contrasts + 1};
}

/// Contrast of a pixel with those d codes away, of which the greater of the two counts is `others`.
/// in      1 <= own, own + others <= 4225; weight = CambiContrastWeight(d); reciprocal = the table's [own + others]
/// exact   own * others < 2^23, so that only the product with the weight and that with the reciprocal round
LOCKSTEP_KERNEL float CambiContrast(i32 weight, i32 own, i32 others, float reciprocal) {
  return static_cast<float>(weight) * static_cast<float>(own * others) * reciprocal;
}

}  // namespace lockstep
