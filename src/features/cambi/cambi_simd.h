// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes by vector instructions, on bands of rows.
#pragma once

#include "features/cambi/cambi_arithmetic.h"
#include "features/cambi/cambi_planes.h"
#include "features/cambi/cambi_pooling.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Elements before column 0 of a buffered row.
inline constexpr i32 kCambiLead = 64;
/// Columns whose histograms are kept at the same time. With fewer the columns beside a strip count too much, and with
/// more the codes of a few rows no longer stay in a second-level cache of 1 MiB.
inline constexpr i32 kCambiStrip = 1024;
/// Columns of a histogram: a strip, and what the windows of pixels half a window outside of it reach, in whole
/// registers. An odd number of cache lines keeps neighbouring codes from competing for the same ones.
inline constexpr i64 kCambiCountStride = kCambiStrip + 160;
/// Pixels of a strip and half a window on each side.
inline constexpr i32 kCambiStripRuns = kCambiStrip + kCambiMaximumWindow - 1;
/// Rows of runs: those of a window, and the one that leaves it.
inline constexpr i32 kCambiRunRows = kCambiMaximumWindow + 1;

/// Neighbouring pixels of one row with the same code, all in the mask.
struct CambiRun {
  u16 begin;  // column, from the first one of the strip and its left margin on
  u16 length;
  u16 code;  // from the first one that counts on
};

/// Scratch memory of one band. Rows have kCambiLead elements before and 64 after them.
struct CambiLineBuffers {
  i64 row_stride;
  u16* samples;    // 4 rows of codes before anti-dithering
  u16* codes;      // 16 rows
  u16* flat;       // 16 rows of CambiIsFlat()
  u16* sums;       // a row of sums of 7 flat pixels above each other
  u16* full;       // a row of marked codes before its size is halved
  u16* marked;     // 4 rows
  u16* modes;      // 4 rows filtered along the row
  u16* counts;     // kCambiCountStride columns of each code that counts and of D below the first; all 0
  u32* present;    // for each of them the number of pixels in the rows of the window; all 0
  CambiRun* runs;  // kCambiRunRows of kCambiStripRuns
};

/// The first scale: from samples to filtered marked codes.
struct CambiFirstScaleArgs {
  const u8* samples;  // first byte of luma; 63 bytes after each row may be read
  i64 stride_bytes;
  i32 bit_depth;
  i32 width;  // of the picture at full resolution
  i32 height;
  const i32* columns;  // of resampled pictures, else nullptr
  const i32* rows;
  bool removes_dither;
  i32 step;  // 2: half the size
  CambiCodePlane filtered;
  CambiLineBuffers lines;
  i32 begin;  // rows of `filtered`
  i32 end;
};

/// A scale from the one before.
struct CambiNextScaleArgs {
  CambiCodePlane larger;
  CambiCodePlane filtered;
  CambiLineBuffers lines;
  i32 begin;
  i32 end;
};

struct CambiContrastArgs {
  CambiCodePlane marked;
  CambiContrastPlane contrasts;
  CambiCodes codes;
  i32 steps;             // D
  const u32* visible;    // for each code that counts; bit d - 1: a step of d is visible
  const float* weights;  // [d]
  const float* reciprocals;
  i32 window;
  CambiLineBuffers lines;
  i32 begin;
  i32 end;
};

struct CambiSimd {
  void (*first_scale)(const CambiFirstScaleArgs& args);  // nullptr: there is only the scalar code
  void (*next_scale)(const CambiNextScaleArgs& args);
  CambiTotal (*contrasts)(const CambiContrastArgs& args);
};

[[nodiscard]] CambiSimd ChooseCambiSimd(CpuTarget target);

}  // namespace lockstep
