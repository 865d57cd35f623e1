// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of adm: wavelet, decoupling with the masking terms, numerators and denominators of one scale.
#pragma once

#include "features/adm/adm_arithmetic.h"
#include "features/adm/adm_integer_steps.h"
#include "features/device/device_kernel.h"

namespace lockstep {

// Planes hold the rows and columns of AdmAxis::wavelet, which kernels count from 0. Where such a plane ends inside of
// its band, no inner coefficient looks beyond the end, so that the rules for edges of a band serve for edges of a
// plane.
//
// A launch goes through several planes, `rows` rows of each: those of both pictures, or of both parts, which are
// restored detail and additive impairment.

struct AdmPlaneRow {
  i32 plane;
  i32 row;
};

LOCKSTEP_KERNEL AdmPlaneRow AdmFindRow(KernelItem item, i32 planes, i32 rows) {
  const i32 row = LiveRow(item.row, planes * rows);
  const i32 plane = row / rows;
  return {plane, row - plane * rows};
}

/// Column at which a lane of a row ends: idle rows have none. (The sums of this metric are integers, so unlike float
/// row chains they tolerate loops of unequal length in one group.)
LOCKSTEP_KERNEL i32 AdmColumnEnd(KernelItem item, i32 rows, i32 end) { return item.row < rows ? end : 0; }

struct AdmVerticalKernelArgs {
  const void* input[2];  // samples or low band of either picture, from the column of the first result on
  void* low[2];          // results; they have the columns that the horizontal taps read
  void* high[2];
  i32 input_stride[2];
  i32 input_begin;   // row of the picture or band with which `input` starts
  i32 input_height;  // of the picture or band
  i32 row_begin;     // row of the output with which the results start
  i32 rows;
  i32 columns;
  i32 stride;  // of the results
  i32 bit_depth;
};

/// Vertical low-pass and high-pass results of both pictures.
/// in      Input: u8 or u16 samples at scale 0, otherwise AdmScale<S>::Input
/// edge    AdmMirror for rows
template <i32 S, class Input>
LOCKSTEP_KERNEL void AdmVerticalKernel(const AdmVerticalKernelArgs& args, KernelItem item) {
  using Line = typename AdmScale<S>::Line;
  const AdmPlaneRow at = AdmFindRow(item, 2, args.rows);
  const Input* input = static_cast<const Input*>(args.input[at.plane]);
  const i64 input_stride = args.input_stride[at.plane];
  const i32 begin = args.input_begin;
  const i32 height = args.input_height;
  const i32 bit_depth = args.bit_depth;
  const i32 second = 2 * (args.row_begin + at.row);
  const Input* a = input + (AdmMirror(second - 1, height) - begin) * input_stride;
  const Input* b = input + (second - begin) * input_stride;
  const Input* c = input + (AdmMirror(second + 1, height) - begin) * input_stride;
  const Input* d = input + (AdmMirror(second + 2, height) - begin) * input_stride;
  const i64 to = i64{at.row} * args.stride;
  Line* low = static_cast<Line*>(args.low[at.plane]) + to;
  Line* high = static_cast<Line*>(args.high[at.plane]) + to;
  const i32 end = AdmColumnEnd(item, 2 * args.rows, args.columns);
  for (i32 x = item.lane; x < end; x += item.lanes) {
    AdmVertical<S>(a[x], b[x], c[x], d[x], bit_depth, low[x], high[x]);
  }
}

/// Each plane of vertical results gives two bands. Those of vertical low-pass results come first: they give the low
/// band, and the detail planes may be left out.
struct AdmHorizontalKernelArgs {
  const void* lines[4];
  void* low_pass[4];   // low band of either picture, then h
  void* high_pass[4];  // v, then d
  i32 planes;          // 2 or 4
  i32 rows;
  i32 columns;
  i32 column_begin;  // column of the output with which the bands start
  i32 line_begin;    // column of the picture or band with which the lines start
  i32 line_width;    // of the picture or band
  i32 line_stride;
  i32 stride;  // of the bands
};

/// edge    AdmMirror for columns
template <i32 S>
LOCKSTEP_KERNEL void AdmHorizontalKernel(const AdmHorizontalKernelArgs& args, KernelItem item) {
  using Line = typename AdmScale<S>::Line;
  using Band = typename AdmScale<S>::Band;
  const AdmPlaneRow at = AdmFindRow(item, args.planes, args.rows);
  const Line* line = static_cast<const Line*>(args.lines[at.plane]) + i64{at.row} * args.line_stride;
  const i64 to = i64{at.row} * args.stride;
  Band* low_pass = static_cast<Band*>(args.low_pass[at.plane]) + to;
  Band* high_pass = static_cast<Band*>(args.high_pass[at.plane]) + to;
  const i32 column_begin = args.column_begin;
  const i32 begin = args.line_begin;
  const i32 width = args.line_width;
  const i32 end = AdmColumnEnd(item, args.planes * args.rows, args.columns);
  for (i32 x = item.lane; x < end; x += item.lanes) {
    const i32 second = 2 * (column_begin + x);
    const Line a = line[AdmMirror(second - 1, width) - begin];
    const Line b = line[second - begin];
    const Line c = line[AdmMirror(second + 1, width) - begin];
    const Line d = line[AdmMirror(second + 2, width) - begin];
    low_pass[x] = static_cast<Band>(AdmHorizontalLow<S>(a, b, c, d));
    high_pass[x] = static_cast<Band>(AdmHorizontalHigh<S>(a, b, c, d));
  }
}

struct AdmDenominatorKernelArgs {
  const void* reference;  // bands h, v, d
  u64* parts;             // [rows][kKernelLanes][3]
  i64 band_stride;        // between bands
  i32 stride;
  i32 row_begin;
  i32 rows;
  AdmRange columns;
  i32 cube_shift;
};

/// Sums of every lane's coefficients in the inner rows and columns.
template <i32 S>
LOCKSTEP_KERNEL void AdmDenominatorKernel(const AdmDenominatorKernelArgs& args, KernelItem item) {
  using Band = typename AdmScale<S>::Band;
  const i32 row = LiveRow(item.row, args.rows);
  const i64 band_stride = args.band_stride;
  const Band* h = static_cast<const Band*>(args.reference) + i64{args.row_begin + row} * args.stride;
  const Band* v = h + band_stride;
  const Band* d = v + band_stride;
  const i32 cube_shift = args.cube_shift;
  const i32 end = AdmColumnEnd(item, args.rows, args.columns.end);
  u64 sum_h = 0;
  u64 sum_v = 0;
  u64 sum_d = 0;
  for (i32 x = args.columns.begin + item.lane; x < end; x += item.lanes) {
    sum_h += AdmCoefficientCube<S>(h[x], cube_shift);
    sum_v += AdmCoefficientCube<S>(v[x], cube_shift);
    sum_d += AdmCoefficientCube<S>(d[x], cube_shift);
  }
  if (item.row < args.rows) {
    u64* parts = args.parts + (i64{row} * item.lanes + item.lane) * 3;
    parts[0] = sum_h;
    parts[1] = sum_v;
    parts[2] = sum_d;
  }
}

template <class Limit>
struct AdmDecoupleKernelArgs {
  void* reference;    // bands h, v, d; becomes restored detail
  void* distorted;    // becomes additive impairment
  i32* neighbour[2];  // masking terms of either part, summed over the bands: as neighbour,
  i32* centre[2];     // and as centre less as neighbour
  const i32* reciprocals;
  Limit gain_limit;
  i64 band_stride;
  i32 stride;
  i32 row_begin;
  i32 rows;
  AdmRange columns;
  AdmFactors factors;
};

LOCKSTEP_KERNEL AdmMaskTerms AdmAddTerms(AdmMaskTerms a, AdmMaskTerms b) {
  return {AdmAdd(a.neighbour, b.neighbour), AdmAdd(a.centre, b.centre)};
}

/// Splits the distorted bands, in place, and sums up what either part masks.
/// in      S: 0, or 1 for scales 1 … 3
template <i32 S, class Limit>
LOCKSTEP_KERNEL void AdmDecoupleKernel(const AdmDecoupleKernelArgs<Limit>& args, KernelItem item) {
  using Band = typename AdmScale<S>::Band;
  using Steps = AdmIntegerSteps<Limit>;
  const i32 row = LiveRow(item.row, args.rows);
  const i64 offset = i64{args.row_begin + row} * args.stride;
  const i64 band_stride = args.band_stride;
  Band* reference = static_cast<Band*>(args.reference) + offset;
  Band* distorted = static_cast<Band*>(args.distorted) + offset;
  i32* restored_neighbour = args.neighbour[0] + offset;
  i32* restored_centre = args.centre[0] + offset;
  i32* impairment_neighbour = args.neighbour[1] + offset;
  i32* impairment_centre = args.centre[1] + offset;
  const i32* reciprocals = args.reciprocals;
  const Limit limit = args.gain_limit;
  const AdmFactors factors = args.factors;
  const i32 end = AdmColumnEnd(item, args.rows, args.columns.end);
  for (i32 x = args.columns.begin + item.lane; x < end; x += item.lanes) {
    const bool near =
        AdmIsNear<S, Steps>(reference[x], reference[x + band_stride], distorted[x], distorted[x + band_stride]);
    AdmMaskTerms restored_terms = {0, 0};
    AdmMaskTerms impairment_terms = {0, 0};
    LOCKSTEP_ROLLED
    for (i32 band = 0; band < 3; ++band) {
      const i64 i = x + band * band_stride;
      const i32 t = distorted[i];
      const i32 restored = AdmRestore<S, Steps>(reference[i], t, near, reciprocals, limit);
      const Band impairment = static_cast<Band>(t - restored);
      reference[i] = static_cast<Band>(restored);
      distorted[i] = impairment;
      const bool diagonal = band == 2;
      const u32 factor = diagonal ? factors.d : factors.hv;
      restored_terms = AdmAddTerms(restored_terms, AdmMask<S>(AdmWeight<S>(restored, factor, diagonal)));
      impairment_terms = AdmAddTerms(impairment_terms, AdmMask<S>(AdmWeight<S>(impairment, factor, diagonal)));
    }
    restored_neighbour[x] = restored_terms.neighbour;
    restored_centre[x] = AdmSubtract(restored_terms.centre, restored_terms.neighbour);
    impairment_neighbour[x] = impairment_terms.neighbour;
    impairment_centre[x] = AdmSubtract(impairment_terms.centre, impairment_terms.neighbour);
  }
}

struct AdmNumeratorKernelArgs {
  const void* subject[2];   // restored detail, additive impairment: bands h, v, d
  const i32* neighbour[2];  // of either part; one masks the other
  const i32* centre[2];
  u64* parts;  // [parts of the picture * rows][kKernelLanes][3]
  i64 band_stride;
  i32 stride;
  i32 width;  // of the planes
  i32 height;
  i32 planes;  // 2, or 1 for restored detail alone
  i32 row_begin;
  i32 rows;
  AdmRange columns;
  AdmFactors factors;
  AdmNumeratorShifts shifts;
};

/// Cube of what is visible of one coefficient.
template <i32 S, bool kDiagonal>
LOCKSTEP_KERNEL u64 AdmSubjectCube(i32 coefficient, i32 threshold, u32 factor, i32 shift) {
  i32 value = coefficient;
  if constexpr (S > 0) value = AdmWeight<S, kDiagonal>(coefficient, factor);
  return static_cast<u64>(AdmVisibleCube<S, kDiagonal>(AdmVisible<S, kDiagonal>(value, threshold, factor), shift));
}

/// Sums of every lane's coefficients in the inner rows and columns.
/// in      S: 0, or 1 for scales 1 … 3
/// edge    row -1 is row 1, row `height` is the last one; columns alike
template <i32 S>
LOCKSTEP_KERNEL void AdmNumeratorKernel(const AdmNumeratorKernelArgs& args, KernelItem item) {
  using Band = typename AdmScale<S>::Band;
  const AdmPlaneRow at = AdmFindRow(item, args.planes, args.rows);
  const i32 mask = 1 - at.plane;
  const i32 y = args.row_begin + at.row;
  const i64 stride = args.stride;
  const i64 band_stride = args.band_stride;
  const Band* h = static_cast<const Band*>(args.subject[at.plane]) + y * stride;
  const Band* v = h + band_stride;
  const Band* d = v + band_stride;
  const i32* above = args.neighbour[mask] + (y > 0 ? y - 1 : 1) * stride;
  const i32* level = args.neighbour[mask] + y * stride;
  const i32* below = args.neighbour[mask] + (y + 1 < args.height ? y + 1 : y) * stride;
  const i32* centre = args.centre[mask] + y * stride;
  const AdmFactors factors = args.factors;
  const AdmNumeratorShifts shifts = args.shifts;
  const i32 width = args.width;
  const i32 rows = args.planes * args.rows;
  const i32 end = AdmColumnEnd(item, rows, args.columns.end);
  u64 sum_h = 0;
  u64 sum_v = 0;
  u64 sum_d = 0;
  for (i32 x = args.columns.begin + item.lane; x < end; x += item.lanes) {
    const i32 left = x > 0 ? x - 1 : 1;
    const i32 right = x + 1 < width ? x + 1 : x;
    const i32 sides = AdmAdd(AdmAdd(AdmAdd(above[left], above[right]), AdmAdd(level[left], level[right])),
                             AdmAdd(below[left], below[right]));
    const i32 middle = AdmAdd(AdmAdd(above[x], level[x]), AdmAdd(below[x], centre[x]));
    const i32 threshold = AdmAdd(sides, middle);
    sum_h += AdmSubjectCube<S, false>(h[x], threshold, factors.hv, shifts.hv);
    sum_v += AdmSubjectCube<S, false>(v[x], threshold, factors.hv, shifts.hv);
    sum_d += AdmSubjectCube<S, true>(d[x], threshold, factors.d, shifts.d);
  }
  if (item.row < rows) {
    u64* parts = args.parts + (i64{item.row} * item.lanes + item.lane) * 3;
    parts[0] = sum_h;
    parts[1] = sum_v;
    parts[2] = sum_d;
  }
}

// Scales that share a kernel are alike.
static_assert(AdmScale<2>::kVerticalShift == AdmScale<3>::kVerticalShift);
static_assert(AdmScale<1>::kHorizontalShift == AdmScale<3>::kHorizontalShift);

}  // namespace lockstep

// name, type of the arguments, body; s1, s2: the first scale of those that a kernel is for
#define LOCKSTEP_ADM_KERNELS(X)                                                                     \
  X(vertical_s0_u8, AdmVerticalKernelArgs, AdmVerticalKernel<0, lockstep::u8>)                      \
  X(vertical_s0_u16, AdmVerticalKernelArgs, AdmVerticalKernel<0, lockstep::u16>)                    \
  X(vertical_s1, AdmVerticalKernelArgs, AdmVerticalKernel<1, lockstep::i16>)                        \
  X(vertical_s2, AdmVerticalKernelArgs, AdmVerticalKernel<2, lockstep::i32>)                        \
  X(horizontal_s0, AdmHorizontalKernelArgs, AdmHorizontalKernel<0>)                                 \
  X(horizontal_s1, AdmHorizontalKernelArgs, AdmHorizontalKernel<1>)                                 \
  X(horizontal_s2, AdmHorizontalKernelArgs, AdmHorizontalKernel<2>)                                 \
  X(denominator_s0, AdmDenominatorKernelArgs, AdmDenominatorKernel<0>)                              \
  X(denominator_s1, AdmDenominatorKernelArgs, AdmDenominatorKernel<1>)                              \
  X(denominator_s2, AdmDenominatorKernelArgs, AdmDenominatorKernel<2>)                              \
  X(decouple_s0, AdmDecoupleKernelArgs<i32>, AdmDecoupleKernel<0, i32>)                             \
  X(decouple_s1, AdmDecoupleKernelArgs<i32>, AdmDecoupleKernel<1, i32>)                             \
  X(decouple_s0_any_limit, AdmDecoupleKernelArgs<Binary64Bits>, AdmDecoupleKernel<0, Binary64Bits>) \
  X(decouple_s1_any_limit, AdmDecoupleKernelArgs<Binary64Bits>, AdmDecoupleKernel<1, Binary64Bits>) \
  X(numerator_s0, AdmNumeratorKernelArgs, AdmNumeratorKernel<0>)                                    \
  X(numerator_s1, AdmNumeratorKernelArgs, AdmNumeratorKernel<1>)                                    \
  X(sum_lanes, LaneSumArgs, SumLanes)
