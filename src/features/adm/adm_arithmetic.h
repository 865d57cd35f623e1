// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ADM: wavelet, decoupling, contrast weighting, masking and cubes of one pixel, and the row bodies that every
// backend runs.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

// Notation: S = 0 … 3 is the wavelet scale, bands are h, v, d (0, 1, 2). Signed results that may leave 32 or 64 bits
// (contrast factors of csf mode 1 do that) are computed modulo 2^32 or 2^64 through unsigned types, as the reference's
// machine code does.

/// A picture or band of which the caller keeps all rows (`row_mask` = -1) or, as a ring, the last few (`row_mask` =
/// rows kept - 1). Columns -1 and one or two past the last belong to the line where a body says so.
template <class T>
struct AdmRows {
  T* data;
  i64 stride;  // elements
  i32 row_mask;

  LOCKSTEP_KERNEL T* Row(i32 y) const { return data + static_cast<i64>(y & row_mask) * stride; }
};

struct AdmRange {
  i32 begin;
  i32 end;
};

/// The columns that work-item `row` computes: none where a launch was rounded up beyond the last row. (The sums of this
/// metric are integers, so unlike float row chains they tolerate loops of unequal length in one group.)
LOCKSTEP_KERNEL AdmRange AdmLiveColumns(AdmRange columns, bool live) {
  return {columns.begin, live ? columns.end : columns.begin};
}

LOCKSTEP_KERNEL u32 AdmMagnitude(i32 value) {
  const u32 bits = static_cast<u32>(value);
  return value < 0 ? 0u - bits : bits;
}

LOCKSTEP_KERNEL i32 AdmAdd(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b)); }
LOCKSTEP_KERNEL i32 AdmSubtract(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) - static_cast<u32>(b)); }

/// 2^(shift - 1), or 0 for shift = 0: what rounds a right shift to nearest.
LOCKSTEP_KERNEL u64 AdmHalf(i32 shift) { return (1ull << shift) >> 1; }

/// in    value != 0
LOCKSTEP_KERNEL i32 AdmLeadingZeros(u32 value) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<i32>(value));
#else
  return __builtin_clz(value);
#endif
}

/// max(0, 17 - leading zeros): how far a magnitude is shifted to become a number of 15 bits (16 when rounding carries).
LOCKSTEP_KERNEL i32 AdmNormalisingShift(u32 magnitude) {
  const i32 zeros = AdmLeadingZeros(magnitude | 1u);
  return zeros < 17 ? 17 - zeros : 0;
}

/// Row or column that tap k of output i reads, for index = 2i - 1 + k.
/// edge    mirrored, the border sample not repeated at the start but repeated at the end
/// source  spec adm.md, Wavelet
LOCKSTEP_KERNEL i32 AdmMirror(i32 index, i32 length) {
  return index < 0 ? -index : (index >= length ? 2 * length - 1 - index : index);
}

/// db2 taps in Q15. The low-pass ones add up to 46342, the high-pass ones to 0; their magnitudes add up to 54822.
template <class Sum>
LOCKSTEP_KERNEL constexpr Sum AdmLowPass(Sum a, Sum b, Sum c, Sum d) {
  return 15826 * a + 27411 * b + 7345 * c - 4240 * d;
}
template <class Sum>
LOCKSTEP_KERNEL constexpr Sum AdmHighPass(Sum a, Sum b, Sum c, Sum d) {
  return 27411 * c - 4240 * a - 7345 * b - 15826 * d;
}

template <class Sum>
LOCKSTEP_KERNEL Sum AdmRoundShift(Sum sum, i32 shift) {
  return (sum + static_cast<Sum>(AdmHalf(shift))) >> shift;
}

/// Types and shifts of scale S. `Input` is the low band of the scale before (scale 0 reads samples), `Line` a vertical
/// result, `Band` a detail band, `Low` the low band.
/// exact   greatest magnitudes, from 2^15 for a centred 16-bit sample on: Line 27411, Low and Band 22930; then Line
///         1.26e9, Band 2.11e9; Line 1.76e9, Band 1.48e9; Line 1.24e9, Band 2.07e9. The sums of scale 0 and the
///         vertical ones of scale 1 fit 32 bits.
template <i32 S>
struct AdmScale {
  using Input = i32;
  using Line = i32;
  using Low = i32;
  using Band = i32;
  using VerticalSum = i64;
  using HorizontalSum = i64;
  static constexpr i32 kVerticalShift = 16;
  static constexpr i32 kHorizontalShift = S == 2 ? 16 : 15;
};
template <>
struct AdmScale<0> {
  using Line = i16;
  using Low = i16;
  using Band = i16;
  using VerticalSum = i32;
  using HorizontalSum = i32;
  static constexpr i32 kVerticalShift = 0;  // not used: vertically it is the bit depth
  static constexpr i32 kHorizontalShift = 16;
};
template <>
struct AdmScale<1> {
  using Input = i16;
  using Line = i32;
  using Low = i32;
  using Band = i32;
  using VerticalSum = i32;
  using HorizontalSum = i64;
  static constexpr i32 kVerticalShift = 0;
  static constexpr i32 kHorizontalShift = 15;
};

/// Vertical results, even and odd columns apart, so that the horizontal taps read four neighbouring runs.
/// edge    odd[-1] and the first even and odd value past the end hold what the mirror rule reads there
template <class T>
struct AdmLines {
  AdmRows<T> even;
  AdmRows<T> odd;
};

template <i32 S, class Input>
struct AdmVerticalArgs {
  AdmRows<const Input> input;
  AdmLines<typename AdmScale<S>::Line> low;
  AdmLines<typename AdmScale<S>::Line> high;
  AdmRange pairs;  // of columns; pair c holds columns 2c and 2c + 1
  i32 width;
  i32 height;
  i32 row_end;
  i32 bit_depth;  // scale 0 only
};

/// One column of the vertical pass.
/// in      four inputs; at scale 0 samples, centred here so that 32 bits hold the sums: the reference subtracts
///         46342 * 2^(bit_depth - 1) from the low-pass sum instead
template <i32 S, class Input>
LOCKSTEP_KERNEL void AdmVertical(Input a, Input b, Input c, Input d, i32 bit_depth, typename AdmScale<S>::Line& low,
                                 typename AdmScale<S>::Line& high) {
  using Sum = typename AdmScale<S>::VerticalSum;
  using Line = typename AdmScale<S>::Line;
  if constexpr (S == 0) {
    const i32 half = 1 << (bit_depth - 1);
    const i16 ca = static_cast<i16>(a - half);
    const i16 cb = static_cast<i16>(b - half);
    const i16 cc = static_cast<i16>(c - half);
    const i16 cd = static_cast<i16>(d - half);
    low = static_cast<Line>((AdmLowPass<Sum>(ca, cb, cc, cd) + half) >> bit_depth);
    high = static_cast<Line>((AdmHighPass<Sum>(ca, cb, cc, cd) + half) >> bit_depth);
  } else {
    constexpr i32 kShift = AdmScale<S>::kVerticalShift;
    low = static_cast<Line>(AdmRoundShift(AdmLowPass<Sum>(a, b, c, d), kShift));
    high = static_cast<Line>(AdmRoundShift(AdmHighPass<Sum>(a, b, c, d), kShift));
  }
}

template <i32 S, class Input, class Line>
LOCKSTEP_KERNEL void AdmVerticalPairs(const Input* __restrict a, const Input* __restrict b, const Input* __restrict c,
                                      const Input* __restrict d, Line* __restrict low_even, Line* __restrict low_odd,
                                      Line* __restrict high_even, Line* __restrict high_odd, AdmRange pairs,
                                      i32 bit_depth) {
  for (i32 x = pairs.begin; x < pairs.end; ++x) {
    AdmVertical<S>(a[2 * x], b[2 * x], c[2 * x], d[2 * x], bit_depth, low_even[x], high_even[x]);
    AdmVertical<S>(a[2 * x + 1], b[2 * x + 1], c[2 * x + 1], d[2 * x + 1], bit_depth, low_odd[x], high_odd[x]);
  }
}

/// What the horizontal taps read beyond the picture.
template <class T>
LOCKSTEP_KERNEL void AdmMirrorLine(const AdmLines<T>& lines, i32 row, AdmRange pairs, i32 width) {
  T* even = lines.even.Row(row);
  T* odd = lines.odd.Row(row);
  if (pairs.begin == 0) odd[-1] = odd[0];
  const i32 outputs = (width + 1) / 2;
  if (pairs.end == outputs) {
    if (width % 2 != 0) odd[outputs - 1] = even[outputs - 1];
    even[outputs] = odd[outputs - 1 - width % 2];
  }
}

/// Vertical low-pass and high-pass results of output row `row`.
/// in      Input: u8 or u16 samples at scale 0, otherwise AdmScale<S>::Input
/// edge    AdmMirror for rows; the lines get their mirrored columns where `pairs` reaches an end
template <i32 S, class Input>
LOCKSTEP_KERNEL void AdmVerticalRow(const AdmVerticalArgs<S, Input>& args, i32 row) {
  const bool live = row < args.row_end;
  const i32 y = LiveRow(row, args.row_end);
  const Input* a = args.input.Row(AdmMirror(2 * y - 1, args.height));
  const Input* b = args.input.Row(2 * y);
  const Input* c = args.input.Row(AdmMirror(2 * y + 1, args.height));
  const Input* d = args.input.Row(AdmMirror(2 * y + 2, args.height));
  const i32 whole = args.pairs.end <= args.width / 2 ? args.pairs.end : args.width / 2;
  AdmVerticalPairs<S>(a, b, c, d, args.low.even.Row(y), args.low.odd.Row(y), args.high.even.Row(y),
                      args.high.odd.Row(y), AdmLiveColumns({args.pairs.begin, whole}, live), args.bit_depth);
  if (live) {
    if (whole < args.pairs.end) {  // the last column of an odd width has no partner
      AdmVertical<S>(a[2 * whole], b[2 * whole], c[2 * whole], d[2 * whole], args.bit_depth,
                     args.low.even.Row(y)[whole], args.high.even.Row(y)[whole]);
    }
    AdmMirrorLine(args.low, y, args.pairs, args.width);
    AdmMirrorLine(args.high, y, args.pairs, args.width);
  }
}

/// Horizontal low-pass of four neighbouring vertical results, or high-pass.
template <i32 S, class Line>
LOCKSTEP_KERNEL i32 AdmHorizontalLow(Line a, Line b, Line c, Line d) {
  using Sum = typename AdmScale<S>::HorizontalSum;
  return static_cast<i32>(AdmRoundShift(AdmLowPass<Sum>(a, b, c, d), AdmScale<S>::kHorizontalShift));
}
template <i32 S, class Line>
LOCKSTEP_KERNEL i32 AdmHorizontalHigh(Line a, Line b, Line c, Line d) {
  using Sum = typename AdmScale<S>::HorizontalSum;
  return static_cast<i32>(AdmRoundShift(AdmHighPass<Sum>(a, b, c, d), AdmScale<S>::kHorizontalShift));
}

template <i32 S>
struct AdmLowBandArgs {
  AdmLines<const typename AdmScale<S>::Line> low;
  AdmRows<typename AdmScale<S>::Low> band;
  AdmRange columns;
  i32 row_end;
};

template <i32 S, class Line, class Band>
LOCKSTEP_KERNEL void AdmLowColumns(const Line* __restrict even, const Line* __restrict odd, Band* __restrict band,
                                   AdmRange columns) {
  for (i32 x = columns.begin; x < columns.end; ++x) {
    band[x] = static_cast<Band>(AdmHorizontalLow<S>(odd[x - 1], even[x], odd[x], even[x + 1]));
  }
}
template <i32 S, class Line, class Band>
LOCKSTEP_KERNEL void AdmHighColumns(const Line* __restrict even, const Line* __restrict odd, Band* __restrict band,
                                    AdmRange columns) {
  for (i32 x = columns.begin; x < columns.end; ++x) {
    band[x] = static_cast<Band>(AdmHorizontalHigh<S>(odd[x - 1], even[x], odd[x], even[x + 1]));
  }
}

/// The low band of one row: the input of the next scale.
template <i32 S>
LOCKSTEP_KERNEL void AdmLowBandRow(const AdmLowBandArgs<S>& args, i32 row) {
  const i32 y = LiveRow(row, args.row_end);
  AdmLowColumns<S>(args.low.even.Row(y), args.low.odd.Row(y), args.band.Row(y),
                   AdmLiveColumns(args.columns, row < args.row_end));
}

template <i32 S>
struct AdmDetailBandsArgs {
  AdmLines<const typename AdmScale<S>::Line> low;
  AdmLines<const typename AdmScale<S>::Line> high;
  AdmRows<typename AdmScale<S>::Band> bands[3];
  AdmRange columns;
  i32 row_end;
};

/// The three detail bands of one row: h (vertical high-pass), v (horizontal high-pass), d (both).
template <i32 S>
LOCKSTEP_KERNEL void AdmDetailBandsRow(const AdmDetailBandsArgs<S>& args, i32 row) {
  const i32 y = LiveRow(row, args.row_end);
  const AdmRange columns = AdmLiveColumns(args.columns, row < args.row_end);
  AdmLowColumns<S>(args.high.even.Row(y), args.high.odd.Row(y), args.bands[0].Row(y), columns);
  AdmHighColumns<S>(args.low.even.Row(y), args.low.odd.Row(y), args.bands[1].Row(y), columns);
  AdmHighColumns<S>(args.high.even.Row(y), args.high.odd.Row(y), args.bands[2].Row(y), columns);
}

/// The two steps that the reference takes in binary64 for each pixel. A backend without binary64 passes a type of its
/// own with the same results in integers.
struct AdmBinary64Steps {
  using GainLimit = double;

  /// Whether the angle between the (h, v) vectors of both pictures is below one degree.
  /// in      product = o.t, reference_square = |o|^2, distorted_square = |t|^2
  /// exact   the integers are rounded to binary32 first; every later product is rounded to binary64. The reference
  ///         divides each by 4096 as well, which scales both sides by the same power of two.
  /// source  spec adm.md, Decoupling; the constant is binary32 of cos(1 degree)^2
  template <class Integer>
  static LOCKSTEP_KERNEL bool IsNear(Integer product, Integer reference_square, Integer distorted_square) {
    const double p = static_cast<double>(static_cast<float>(product));
    const double o = static_cast<double>(static_cast<float>(reference_square));
    const double t = static_cast<double>(static_cast<float>(distorted_square));
    const double cosine_square = static_cast<double>(0x1.ffd814p-1f);
    return static_cast<bool>(static_cast<i32>(p >= 0.0) & static_cast<i32>(p * p >= (cosine_square * o) * t));
  }

  /// restored * limit, but not beyond `distorted`, truncated.
  /// in      magnitudes
  static LOCKSTEP_KERNEL i32 LimitGain(i32 restored, i32 distorted, GainLimit limit) {
    const double gained = static_cast<double>(restored) * limit;
    const double bound = static_cast<double>(distorted);
    return static_cast<i32>(gained < bound ? gained : bound);
  }
};

/// Entries 0 … 32768 of the division table: floor(2^30 / i), and 0 for i = 0.
inline constexpr i32 kAdmReciprocals = 32769;
inline constexpr i32 kAdmReciprocalOne = 1 << 30;

/// value where sign = 0, -value where sign = -1.
LOCKSTEP_KERNEL i32 AdmWithSign(i32 value, i32 sign) { return (value ^ sign) - sign; }

/// The part of a distorted coefficient that is the reference coefficient `o`, attenuated or (near pixels) enhanced.
/// in      o, t: reference and distorted coefficient of one band; neither is the least integer
/// exact   ratio t / o in Q15, clamped to 0 … 1. A coefficient of the other sign counts as 0: ratio and result are
///         0 then, as for o = 0. The reference also tells near pixels with ratio * o = 0 apart, to the same effect.
template <i32 S, class Steps>
LOCKSTEP_KERNEL i32 AdmRestore(i32 o, i32 t, bool near, const i32* reciprocals, typename Steps::GainLimit limit) {
  // No branches: signs are as good as random.
  const i32 sign = o >> 31;
  const i32 directed = AdmWithSign(t, sign);
  const i32 along = directed > 0 ? directed : 0;
  u32 divisor = static_cast<u32>(AdmWithSign(o, sign));
  i32 shift = 0;
  if constexpr (S > 0) {
    shift = AdmNormalisingShift(divisor);
    divisor = (divisor + static_cast<u32>(AdmHalf(shift))) >> shift;
  }
  const i64 product = static_cast<i64>(reciprocals[divisor]) * along;
  const i64 quotient = (product + (i64{1} << (14 + shift))) >> (15 + shift);
  const i32 ratio = static_cast<i32>(quotient < 32768 ? quotient : 32768);
  i32 restored;
  if constexpr (S == 0) {
    restored = (ratio * o + 16384) >> 15;
  } else {
    restored = static_cast<i32>((static_cast<i64>(ratio) * o + 16384) >> 15);
  }
  const i32 limited = AdmWithSign(Steps::LimitGain(AdmWithSign(restored, sign), along, limit), sign);
  return restored ^ ((restored ^ limited) & -static_cast<i32>(near));
}

/// Whether the (h, v) vectors of both pictures are near.
/// exact   scale 0: the three sums are at most 2 * 22930^2 and fit 32 bits; scales 1 … 3: 2^63
template <i32 S, class Steps>
LOCKSTEP_KERNEL bool AdmIsNear(i32 reference_h, i32 reference_v, i32 distorted_h, i32 distorted_v) {
  using Square = typename AdmScale<S>::HorizontalSum;
  const Square oh = reference_h;
  const Square ov = reference_v;
  const Square th = distorted_h;
  const Square tv = distorted_v;
  return Steps::template IsNear<Square>(oh * th + ov * tv, oh * oh + ov * ov, th * th + tv * tv);
}

template <i32 S, class Steps>
struct AdmDecoupleArgs {
  AdmRows<const typename AdmScale<S>::Band> reference[3];
  AdmRows<const typename AdmScale<S>::Band> distorted[3];
  AdmRows<typename AdmScale<S>::Band> restored[3];
  AdmRows<typename AdmScale<S>::Band> impairment[3];
  const i32* reciprocals;  // [kAdmReciprocals]
  typename Steps::GainLimit gain_limit;
  AdmRange columns;
  i32 row_end;
};

/// Splits the distorted bands of one row into restored detail and additive impairment.
template <i32 S, class Steps>
LOCKSTEP_KERNEL void AdmDecoupleRow(const AdmDecoupleArgs<S, Steps>& args, i32 row) {
  using Band = typename AdmScale<S>::Band;
  const i32 y = LiveRow(row, args.row_end);
  const AdmRange columns = AdmLiveColumns(args.columns, row < args.row_end);
  const i32* reciprocals = args.reciprocals;
  const typename Steps::GainLimit limit = args.gain_limit;
  const Band* reference_h = args.reference[0].Row(y);
  const Band* reference_v = args.reference[1].Row(y);
  const Band* reference_d = args.reference[2].Row(y);
  const Band* distorted_h = args.distorted[0].Row(y);
  const Band* distorted_v = args.distorted[1].Row(y);
  const Band* distorted_d = args.distorted[2].Row(y);
  Band* restored_h = args.restored[0].Row(y);
  Band* restored_v = args.restored[1].Row(y);
  Band* restored_d = args.restored[2].Row(y);
  Band* impairment_h = args.impairment[0].Row(y);
  Band* impairment_v = args.impairment[1].Row(y);
  Band* impairment_d = args.impairment[2].Row(y);
  for (i32 x = columns.begin; x < columns.end; ++x) {
    const i32 oh = reference_h[x];
    const i32 ov = reference_v[x];
    const i32 od = reference_d[x];
    const i32 th = distorted_h[x];
    const i32 tv = distorted_v[x];
    const i32 td = distorted_d[x];
    const bool near = AdmIsNear<S, Steps>(oh, ov, th, tv);
    const i32 rh = AdmRestore<S, Steps>(oh, th, near, reciprocals, limit);
    const i32 rv = AdmRestore<S, Steps>(ov, tv, near, reciprocals, limit);
    const i32 rd = AdmRestore<S, Steps>(od, td, near, reciprocals, limit);
    restored_h[x] = static_cast<Band>(rh);
    restored_v[x] = static_cast<Band>(rv);
    restored_d[x] = static_cast<Band>(rd);
    impairment_h[x] = static_cast<Band>(th - rh);
    impairment_v[x] = static_cast<Band>(tv - rv);
    impairment_d[x] = static_cast<Band>(td - rd);
  }
}

/// Contrast sensitivity factors of one scale in fixed point: Q21 (h, v) and Q23 (d) in 16 bits at scale 0, Q32 above.
struct AdmFactors {
  u32 hv;
  u32 d;
};

/// The two masking terms of one pixel, summed over the bands: as one of eight neighbours, and as the centre.
struct AdmMaskTerms {
  i32 neighbour;
  i32 centre;
};

/// |value * factor|, weighted by contrast sensitivity.
/// exact   scale 0 rounds h and v to nearest in Q15, d upwards in Q16 before the last halving, and keeps 16 bits;
///         scales 1 … 3 keep 32 (and the magnitude of -2^31, which only csf mode 1 can reach, is -2^31).
template <i32 S>
LOCKSTEP_KERNEL i32 AdmWeight(i32 value, u32 factor, bool diagonal) {
  if constexpr (S == 0) {
    const i32 product = static_cast<i32>(factor) * value;  // at most 65535 * 22930
    const i32 weighted = (product + (diagonal ? 65535 : 16384)) >> (diagonal ? 17 : 15);
    return static_cast<i32>(AdmMagnitude(static_cast<i16>(weighted)));
  } else {
    const i64 product = static_cast<i64>(factor) * value;  // below 2^32 * 2^31 - 2^27
    return static_cast<i32>(AdmMagnitude(static_cast<i32>((product + (1 << 27)) >> 28)));
  }
}
template <i32 S, bool kDiagonal>
LOCKSTEP_KERNEL i32 AdmWeight(i32 value, u32 factor) {
  return AdmWeight<S>(value, factor, kDiagonal);
}

/// One thirtieth and one fifteenth of a weighted magnitude.
/// exact   scale 0: rounded to nearest and wrapped to 16 bits, which makes the centre term negative from 15360 on.
///         Scales 1 … 3: the reference's rounding constant 2^31 is negative in 32 bits, so results are one lower than
///         rounding to nearest, and -1 for 0.
template <i32 S>
LOCKSTEP_KERNEL AdmMaskTerms AdmMask(i32 weighted) {
  if constexpr (S == 0) {
    return {static_cast<i16>((4369 * weighted + 2048) >> 12), static_cast<i16>((8738 * weighted + 2048) >> 12)};
  } else {
    const i64 wide = weighted;
    return {static_cast<i32>((143165577 * wide - (i64{1} << 31)) >> 32),
            static_cast<i32>((286331153 * wide - (i64{1} << 31)) >> 32)};
  }
}

template <i32 S>
struct AdmThresholdArgs {
  AdmRows<const typename AdmScale<S>::Band> source[3];  // restored detail, or additive impairment
  AdmRows<i32> weighted[3];                             // scales 1 … 3: weighted magnitudes
  AdmRows<i32> neighbour;                               // scratch, one column more on either side
  AdmRows<i32> triples;                                 // neighbour terms of columns x - 1, x, x + 1
  AdmRows<i32> centre;                                  // the centre term less the neighbour term
  AdmFactors factors;
  AdmRange columns;  // of the terms
  AdmRange inner;    // of the triples; lies within `columns` by one column or touches the border with it
  i32 width;
  i32 row_end;
};

template <i32 S, class Band>
LOCKSTEP_KERNEL void AdmMaskTermColumns(const Band* __restrict h, const Band* __restrict v, const Band* __restrict d,
                                        i32* __restrict weighted_h, i32* __restrict weighted_v,
                                        i32* __restrict weighted_d, i32* __restrict neighbour, i32* __restrict centre,
                                        AdmFactors factors, AdmRange columns) {
  for (i32 x = columns.begin; x < columns.end; ++x) {
    const i32 wh = AdmWeight<S, false>(h[x], factors.hv);
    const i32 wv = AdmWeight<S, false>(v[x], factors.hv);
    const i32 wd = AdmWeight<S, true>(d[x], factors.d);
    if constexpr (S > 0) {
      weighted_h[x] = wh;
      weighted_v[x] = wv;
      weighted_d[x] = wd;
    }
    const AdmMaskTerms mh = AdmMask<S>(wh);
    const AdmMaskTerms mv = AdmMask<S>(wv);
    const AdmMaskTerms md = AdmMask<S>(wd);
    const i32 sum = AdmAdd(AdmAdd(mh.neighbour, mv.neighbour), md.neighbour);
    neighbour[x] = sum;
    centre[x] = AdmSubtract(AdmAdd(AdmAdd(mh.centre, mv.centre), md.centre), sum);
  }
}

LOCKSTEP_KERNEL void AdmTripleColumns(const i32* __restrict neighbour, i32* __restrict triples, AdmRange columns) {
  for (i32 x = columns.begin; x < columns.end; ++x) {
    triples[x] = AdmAdd(AdmAdd(neighbour[x - 1], neighbour[x]), neighbour[x + 1]);
  }
}

/// Masking terms of one row of restored detail or of additive impairment.
/// edge    column -1 is column 1, column `width` is the last one
template <i32 S>
LOCKSTEP_KERNEL void AdmThresholdRow(const AdmThresholdArgs<S>& args, i32 row) {
  const bool live = row < args.row_end;
  const i32 y = LiveRow(row, args.row_end);
  i32* weighted_h = nullptr;
  i32* weighted_v = nullptr;
  i32* weighted_d = nullptr;
  if constexpr (S > 0) {
    weighted_h = args.weighted[0].Row(y);
    weighted_v = args.weighted[1].Row(y);
    weighted_d = args.weighted[2].Row(y);
  }
  i32* neighbour = args.neighbour.Row(y);
  AdmMaskTermColumns<S>(args.source[0].Row(y), args.source[1].Row(y), args.source[2].Row(y), weighted_h, weighted_v,
                        weighted_d, neighbour, args.centre.Row(y), args.factors, AdmLiveColumns(args.columns, live));
  if (live) {
    if (args.inner.begin == 0) neighbour[-1] = neighbour[1];
    if (args.inner.end == args.width) neighbour[args.width] = neighbour[args.width - 1];
  }
  AdmTripleColumns(neighbour, args.triples.Row(y), AdmLiveColumns(args.inner, live));
}

/// What is left of a coefficient above its masking threshold.
/// in      scale 0: the coefficient; scales 1 … 3: its weighted magnitude
template <i32 S, bool kDiagonal>
LOCKSTEP_KERNEL i32 AdmVisible(i32 value, i32 threshold, u32 factor) {
  i32 above;
  if constexpr (S == 0) {
    const u32 weighted = AdmMagnitude(static_cast<i32>(factor) * value);
    above = static_cast<i32>(weighted - (static_cast<u32>(threshold) << (kDiagonal ? 12 : 10)));
  } else {
    above = AdmSubtract(value, threshold);
  }
  return above > 0 ? above : 0;
}

/// visible^3, rounded after the square and after the cube.
/// exact   the square keeps 32 bits: it is negative when factors of csf mode 1 make visible^2 reach 2^60 (2^61 where 30
///         bits are shifted out), and so is the cube
template <i32 S, bool kDiagonal>
LOCKSTEP_KERNEL i64 AdmVisibleCube(i32 visible, i32 shift) {
  constexpr i32 kSquareShift = S == 0 && !kDiagonal ? 29 : 30;
  const i64 wide = visible;
  const i32 square = static_cast<i32>((wide * wide + (i64{1} << (kSquareShift - 1))) >> kSquareShift);
  return (square * wide + static_cast<i64>(AdmHalf(shift))) >> shift;
}

/// Numerators are summed over inner columns in 64 bits, rounded once a row.
struct AdmNumeratorShifts {
  i32 hv;   // a cube of h or v
  i32 d;    // a cube of d
  i32 row;  // a row's sum
};

template <i32 S>
struct AdmNumeratorArgs {
  /// Restored detail or additive impairment: coefficients at scale 0, weighted magnitudes above.
  AdmRows<const typename AdmScale<S>::Band> subject[3];
  AdmRows<const i32> triples;  // of the other part: it masks the subject
  AdmRows<const i32> centre;
  AdmRows<u64> row_sums;  // three a row, i64 bits
  AdmFactors factors;
  AdmNumeratorShifts shifts;
  AdmRange inner;
  i32 height;
  i32 row_end;
};

/// (sum + 2^(shift - 1)) >> shift of a signed sum kept modulo 2^64.
LOCKSTEP_KERNEL u64 AdmRoundRow(u64 sum, i32 shift) {
  return static_cast<u64>(static_cast<i64>(sum + AdmHalf(shift)) >> shift);
}

/// Numerator of the three bands for one row: cubes of what is visible beside the threshold of the other part.
/// edge    row -1 is row 1, row `height` is the last one
/// exact   the rounding of the row's sum is part of the result; columns may be added in any order
template <i32 S>
LOCKSTEP_KERNEL void AdmNumeratorRow(const AdmNumeratorArgs<S>& args, i32 row) {
  const bool live = row < args.row_end;
  const i32 y = LiveRow(row, args.row_end);
  const AdmRange columns = AdmLiveColumns(args.inner, live);
  const typename AdmScale<S>::Band* h = args.subject[0].Row(y);
  const typename AdmScale<S>::Band* v = args.subject[1].Row(y);
  const typename AdmScale<S>::Band* d = args.subject[2].Row(y);
  const i32* above = args.triples.Row(y > 0 ? y - 1 : 1);
  const i32* level = args.triples.Row(y);
  const i32* below = args.triples.Row(y + 1 < args.height ? y + 1 : y);
  const i32* centre = args.centre.Row(y);
  const AdmFactors factors = args.factors;
  const AdmNumeratorShifts shifts = args.shifts;
  u64 sum_h = 0;
  u64 sum_v = 0;
  u64 sum_d = 0;
  for (i32 x = columns.begin; x < columns.end; ++x) {
    const i32 threshold = AdmAdd(AdmAdd(above[x], level[x]), AdmAdd(below[x], centre[x]));
    const i32 visible_h = AdmVisible<S, false>(h[x], threshold, factors.hv);
    const i32 visible_v = AdmVisible<S, false>(v[x], threshold, factors.hv);
    const i32 visible_d = AdmVisible<S, true>(d[x], threshold, factors.d);
    sum_h += static_cast<u64>(AdmVisibleCube<S, false>(visible_h, shifts.hv));
    sum_v += static_cast<u64>(AdmVisibleCube<S, false>(visible_v, shifts.hv));
    sum_d += static_cast<u64>(AdmVisibleCube<S, true>(visible_d, shifts.d));
  }
  if (live) {
    u64* sums = args.row_sums.Row(y);
    sums[0] = AdmRoundRow(sum_h, shifts.row);
    sums[1] = AdmRoundRow(sum_v, shifts.row);
    sums[2] = AdmRoundRow(sum_d, shifts.row);
  }
}

/// |coefficient|^3 for the denominator.
/// exact   scale 0: at most 22930^3. Scales 1 … 3: the reference rounds the square with 2^shift instead of half of it,
///         so it is floor(square / 2^shift) + 1; the cube is below 2^63.
template <i32 S>
LOCKSTEP_KERNEL u64 AdmCoefficientCube(i32 coefficient, i32 shift) {
  const u64 magnitude = AdmMagnitude(coefficient);
  if constexpr (S == 0) {
    return magnitude * magnitude * magnitude;
  } else {
    constexpr i32 kSquareShift = S == 2 ? 30 : 31;
    const u64 square = (magnitude * magnitude >> kSquareShift) + 1;
    return (square * magnitude + AdmHalf(shift)) >> shift;
  }
}

template <i32 S>
struct AdmDenominatorArgs {
  AdmRows<const typename AdmScale<S>::Band> reference[3];
  AdmRows<u64> row_sums;  // three a row
  i32 cube_shift;         // scales 1 … 3
  i32 row_shift;
  AdmRange inner;
  i32 row_end;
};

/// The same of a row of the denominator.
LOCKSTEP_KERNEL u64 AdmRoundReferenceRow(u64 sum, i32 shift) { return (sum + AdmHalf(shift)) >> shift; }

/// Denominator of the three bands for one row.
/// exact   as AdmNumeratorRow, unsigned
template <i32 S>
LOCKSTEP_KERNEL void AdmDenominatorRow(const AdmDenominatorArgs<S>& args, i32 row) {
  const bool live = row < args.row_end;
  const i32 y = LiveRow(row, args.row_end);
  const AdmRange columns = AdmLiveColumns(args.inner, live);
  const i32 cube_shift = args.cube_shift;
  const i32 row_shift = args.row_shift;
  for (i32 band = 0; band < 3; ++band) {
    const typename AdmScale<S>::Band* coefficients = args.reference[band].Row(y);
    u64 sum = 0;
    for (i32 x = columns.begin; x < columns.end; ++x) sum += AdmCoefficientCube<S>(coefficients[x], cube_shift);
    if (live) args.row_sums.Row(y)[band] = AdmRoundReferenceRow(sum, row_shift);
  }
}

}  // namespace lockstep
