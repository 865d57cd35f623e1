// SPDX-License-Identifier: BSD-2-Clause-Patent
// What adm's CUDA kernels and the program that launches them share: argument blocks, plans, layouts.
#pragma once

#include "features/adm/adm_arithmetic.h"

namespace lockstep {

/// Output columns that a warp owns. Its 32 lanes compute two each; one column on either side is a neighbour's, and the
/// last lane only loads what the horizontal taps of the others read.
inline constexpr i32 kAdmStripColumns = 60;
/// Sums of a row: kSums of the device program times three bands.
inline constexpr i32 kAdmRowSums = 9;
/// Columns that a lane loads at once. Bands are written in runs of as many, so that nothing unwritten is read.
inline constexpr i32 kAdmQuad = 4;

/// Rows in a segment, strips and segments of a frame, in the 31 bits of GroupPlan::plan: a group finds its place
/// without a look at memory.
struct AdmSegmentPlan {
  i32 rows;
  i32 strips;
  i32 segments;

  static constexpr i32 kMaximumRows = (1 << 7) - 1;
  static constexpr i32 kMaximumStrips = (1 << 10) - 1;
  static constexpr i32 kMaximumSegments = (1 << 14) - 1;
};

LOCKSTEP_KERNEL i32 AdmPackPlan(AdmSegmentPlan plan) { return plan.rows << 24 | plan.strips << 14 | plan.segments; }
LOCKSTEP_KERNEL AdmSegmentPlan AdmUnpackPlan(i32 plan) {
  return {plan >> 24, plan >> 14 & AdmSegmentPlan::kMaximumStrips, plan & AdmSegmentPlan::kMaximumSegments};
}

/// One scale of one frame. Ranges and positions count as AdmAxis does, also where memory holds a part of a band only:
/// pointers are those of its first row and column, whether they exist or not.
struct alignas(16) AdmCudaScaleArgs {
  const void* input[2];  // samples or low band of either picture; quads are aligned
  void* low[2];          // low bands, the input of the next scale; not written at the last one
  u64* row_sums;         // [kAdmRowSums][strips][inner rows], unrounded
  const i32* reciprocals;
  u64 gain_limit;        // binary64; general kernels
  i32 whole_gain_limit;  // the same where it is an integer
  i32 input_stride[2];   // in elements
  i32 low_stride;
  i32 input_width;
  i32 input_height;
  AdmRange input_columns;  // that may be read: multiples of kAdmQuad
  i32 bit_depth;           // scale 0
  i32 first_column;        // that the first strip owns; even
  i32 outputs;             // columns of a band
  AdmRange low_columns;    // multiples of kAdmQuad
  AdmRange inner_columns;
  i32 output_rows;
  AdmRange rows;  // computed
  AdmRange low_rows;
  AdmRange detail_rows;
  AdmRange inner_rows;
  AdmFactors factors;
  AdmNumeratorShifts shifts;
  i32 denominator_cube_shift;
};

/// Rounded and added rows of a frame.
struct alignas(16) AdmCudaSumArgs {
  const u64* row_sums[4];
  u64* sums;  // [4][kAdmRowSums]
  i32 rows[4];
  i32 strips[4];
  i32 denominator_shift[4];
  i32 numerator_shift[4];
};

}  // namespace lockstep
