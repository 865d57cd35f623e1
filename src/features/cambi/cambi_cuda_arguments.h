// SPDX-License-Identifier: BSD-2-Clause-Patent
// What cambi's tuned CUDA program and its kernels agree upon: argument blocks, results, how scales are cut.
#pragma once

#include "features/cambi/cambi_arithmetic.h"
#include "features/cambi/cambi_kernels.h"

namespace lockstep {

inline constexpr i32 kCambiCudaWarpLanes = 32;
/// Warps of a block, where a warp has work of its own.
inline constexpr i32 kCambiCudaWarps = 8;
/// Codes: a warp does 4 columns a lane and so many rows.
inline constexpr i32 kCambiCudaLaneColumns = 4;
inline constexpr i32 kCambiCudaCodeColumns = kCambiCudaWarpLanes * kCambiCudaLaneColumns;
inline constexpr i32 kCambiCudaCodeRows = 32;
/// Mode filter: one column a lane and so many rows.
inline constexpr i32 kCambiCudaModeRows = 8;
/// Shared memory of such a block on scale 0: bits of flat pixels in 21 rows of 4 words, for each warp.
inline constexpr i32 kCambiCudaMaskBytes = kCambiCudaWarps * 21 * 4 * 4;
/// Contrasts that a block counts by their digits.
inline constexpr i32 kCambiCudaPoolPixels = 1 << 14;
/// Most columns of a block that looks for contrasts, one a lane.
inline constexpr i32 kCambiCudaMostColumns = 448;
/// A column's count of a code is a byte.
static_assert(kCambiMaximumWindow < 256);

/// What kernels add to, for one scale.
struct CambiCudaSums {
  u64 units;     // sum of the contrasts
  u64 positive;  // how many are not 0
  u64 greater;   // sum of those whose upper two digits are greater than those of the smallest one that is pooled
  u64 unused;    // fills up 16 bytes
  u32 totals[kCambiDigits][kCambiDigitValues];  // by the digits behind those of the smallest one that is pooled
};

struct CambiCudaScale {
  u16* marked;       // [height][stride]
  float* contrasts;  // [height][width]
  i32 width;
  i32 height;
  i32 stride;
  i32 pooled;
};

/// One picture.
struct alignas(16) CambiCudaArguments {
  const u8* luma;
  u16* codes;  // of scale 0, not filtered yet; [height][stride] of that scale
  /// [height][flat_stride]: a bit for each pixel that equals its right and its lower neighbour, word 1 has the first
  /// 32 columns; words 0 and the last one are 0
  u32* flat;
  CambiCudaSums* sums;  // [kCambiScales], 0 before
  const float* reciprocals;
  const CambiVisibility* visibility;
  CambiCudaScale scales[kCambiScales];
  i32 width;
  i32 height;
  i32 pitch;  // of luma, bytes
  i32 bit_depth;
  i32 removes_dither;
  i32 step;  // 2: scale 0 has half the size
  i32 flat_stride;
  i32 mask_threshold;
  i32 radius;  // of the window
  i32 first_code;
  i32 code_count;
  i32 unused[3];
};

/// Words of a row of CambiCudaArguments::flat.
LOCKSTEP_KERNEL i32 CambiCudaFlatStride(i32 width) {
  const i32 strips = (width + kCambiCudaCodeColumns - 1) / kCambiCudaCodeColumns;
  return 2 + strips * (kCambiCudaCodeColumns / 32);
}

/// Codes from one row to the next; the lanes of a warp may write a whole strip.
LOCKSTEP_KERNEL i32 CambiCudaStride(i32 width) {
  return (width + kCambiCudaCodeColumns - 1) / kCambiCudaCodeColumns * kCambiCudaCodeColumns;
}

/// Columns to the left and to the right of those whose contrasts a block finds: the radius, up to words of 4 counts.
LOCKSTEP_KERNEL i32 CambiCudaHalo(i32 radius) { return (radius + 3) / 4 * 4; }

/// Words of counts that hold a window, wherever it begins in the first one; at least 2.
LOCKSTEP_KERNEL i32 CambiCudaWindowWords(i32 radius) {
  const i32 words = (2 * radius + 1 + 3 + 3) / 4;
  return words > 2 ? words : 2;
}

/// Shared memory of a block of so many columns: a byte for each column and code, and a word that windows may reach.
LOCKSTEP_KERNEL i32 CambiCudaContrastBytes(i32 columns, i32 code_count) { return columns * code_count + 4; }

/// How a block that looks for contrasts, or a scale, is cut.
LOCKSTEP_KERNEL i32 CambiCudaParts(i32 length, i32 part) { return (length + part - 1) / part; }

}  // namespace lockstep
