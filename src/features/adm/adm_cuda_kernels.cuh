// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's kernels for CUDA devices of compute capability 8.0 and above: a scale in one pass, nothing but the next low
// band and sums of rows leave the registers.
#pragma once

#include "features/adm/adm_cuda_arguments.h"
#include "features/adm/adm_integer_steps.h"
#include "features/device/device_kernel.h"
#if defined(__CUDACC__)
#include "features/device/cuda_warp.cuh"
#endif

// Code for older devices, which a newer one gets as well where a build has nothing better for it, must not pass for
// the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LOCKSTEP_ADM_CUDA_BODY(...) __trap();
#else
#define LOCKSTEP_ADM_CUDA_BODY(...) __VA_ARGS__

namespace lockstep {

// A group is one warp. It owns a strip of kAdmStripColumns output columns and walks down the rows of a segment: wavelet
// of both pictures, decoupling, contrast weights, masking terms of three rows, cubes. As a warp is a whole group,
// everything but the lane is uniform, and the compiler knows it.
//
// There are two kinds of kernels. General ones know the edges of rows, and decouple and weight with the formulas of
// adm_arithmetic.h as they are. Fast ones are for the scales of AdmHasFastKernels() (adm_cuda.h) and rearrange
// integers; their bounds start from the greatest magnitudes that AdmScale gives: coefficients at most 22930 at scale 0,
// below 2.12e9 above.

inline constexpr u32 kAdmAllLanes = 0xffffffffu;

/// a * b + c. In one instruction: left to itself, the compiler widens the operands by instructions of their own.
__device__ __forceinline__ u64 AdmWideMultiplyAdd(u32 a, u32 b, u64 c) {
#if defined(__CUDA_ARCH__)
  u64 result;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(result) : "r"(a), "r"(b), "l"(c));
  return result;
#else
  return static_cast<u64>(a) * b + c;
#endif
}

__device__ __forceinline__ i64 AdmWideMultiplyAddSigned(i32 a, i32 b, i64 c) {
#if defined(__CUDA_ARCH__)
  i64 result;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(result) : "r"(a), "r"(b), "l"(c));
  return result;
#else
  return static_cast<i64>(a) * b + c;
#endif
}

/// An address that the compiler takes as it is instead of making it anew, out of its parts, for every use.
template <class T>
__device__ __forceinline__ T* AdmKept(T* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(address));
#endif
  return address;
}

/// sum + two signed taps of 16 bits * the bytes at kFirst and kFirst + 1.
template <i32 kFirst>
__device__ __forceinline__ i32 AdmTwoTaps(u32 taps, u32 bytes, i32 sum) {
  static_assert(kFirst == 0 || kFirst == 2);
#if defined(__CUDA_ARCH__)
  // No intrinsic has this mixture of signs.
  i32 result;
  if constexpr (kFirst == 0) {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
  } else {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
  }
  return result;
#else
  const i32 first = static_cast<i16>(taps) * static_cast<u8>(bytes >> (8 * kFirst));
  return sum + first + static_cast<i16>(taps >> 16) * static_cast<u8>(bytes >> (8 * kFirst + 8));
#endif
}

__device__ constexpr u32 AdmPackTaps(i32 first, i32 second) {
  return static_cast<u32>(static_cast<u16>(first)) | static_cast<u32>(static_cast<u16>(second)) << 16;
}

/// kAdmQuad neighbouring columns of a row, as they are loaded.
template <class Input>
struct AdmQuad;
template <>
struct AdmQuad<u8> {
  using Type = u32;
};
template <>
struct AdmQuad<u16> {
  using Type = uint2;
};
template <>
struct AdmQuad<i16> {
  using Type = uint2;
};
template <>
struct AdmQuad<i32> {
  using Type = int4;
};

__device__ __forceinline__ i32 AdmColumn(uint2 quad, i32 column, u16 /*type*/) {
  const u32 two = column < 2 ? quad.x : quad.y;
  return static_cast<i32>(column % 2 == 0 ? two & 0xffffu : two >> 16);
}
__device__ __forceinline__ i32 AdmColumn(uint2 quad, i32 column, i16 /*type*/) {
  const u32 two = column < 2 ? quad.x : quad.y;
  return column % 2 == 0 ? static_cast<i16>(two) : static_cast<i32>(two) >> 16;
}
__device__ __forceinline__ i32 AdmColumn(int4 quad, i32 column, i32 /*type*/) {
  return column == 0 ? quad.x : (column == 1 ? quad.y : (column == 2 ? quad.z : quad.w));
}

/// The same of any four columns, one by one.
template <class Input>
__device__ __forceinline__ typename AdmQuad<Input>::Type AdmGather(const Input* row, const i32 (&columns)[kAdmQuad]) {
  const Input a = row[columns[0]];
  const Input b = row[columns[1]];
  const Input c = row[columns[2]];
  const Input d = row[columns[3]];
  if constexpr (sizeof(Input) == 1) {
    return a | b << 8 | c << 16 | static_cast<u32>(d) << 24;
  } else if constexpr (sizeof(Input) == 2) {
    return make_uint2(AdmPackTaps(a, b), AdmPackTaps(c, d));
  } else {
    return make_int4(a, b, c, d);
  }
}

/// Two rows of four columns. Bytes are zipped, so that one register holds both rows of two columns, as dp2a wants them.
template <class Input>
struct AdmRowPair {
  typename AdmQuad<Input>::Type first;
  typename AdmQuad<Input>::Type second;

  __device__ __forceinline__ void Set(typename AdmQuad<Input>::Type upper, typename AdmQuad<Input>::Type lower) {
    if constexpr (sizeof(Input) == 1) {
      first = __byte_perm(upper, lower, 0x5140);
      second = __byte_perm(upper, lower, 0x7362);
    } else {
      first = upper;
      second = lower;
    }
  }
};

/// Vertical results of four columns.
struct AdmLineQuad {
  i32 low[kAdmQuad];
  i32 high[kAdmQuad];
};

inline constexpr i32 kAdmLowGain = AdmLowPass<i32>(1, 1, 1, 1);

/// AdmVertical() for samples, which it centres by the sum instead of one by one.
/// exact   modulo 2^32; the centred sums fit 32 bits
template <class Sample>
__device__ __forceinline__ AdmLineQuad AdmFilterSamples(const AdmRowPair<Sample>& upper,
                                                        const AdmRowPair<Sample>& lower, i32 bit_depth) {
  AdmLineQuad line;
  if constexpr (sizeof(Sample) == 1) {
    constexpr u32 kLow01 = AdmPackTaps(AdmLowPass<i32>(1, 0, 0, 0), AdmLowPass<i32>(0, 1, 0, 0));
    constexpr u32 kLow23 = AdmPackTaps(AdmLowPass<i32>(0, 0, 1, 0), AdmLowPass<i32>(0, 0, 0, 1));
    constexpr u32 kHigh01 = AdmPackTaps(AdmHighPass<i32>(1, 0, 0, 0), AdmHighPass<i32>(0, 1, 0, 0));
    constexpr u32 kHigh23 = AdmPackTaps(AdmHighPass<i32>(0, 0, 1, 0), AdmHighPass<i32>(0, 0, 0, 1));
    constexpr i32 kHalf = 1 << 7;
    constexpr i32 kLowStart = kHalf - kAdmLowGain * kHalf;
    LOCKSTEP_UNROLL
    for (i32 c = 0; c < kAdmQuad; c += 2) {
      const u32 a = c == 0 ? upper.first : upper.second;
      const u32 b = c == 0 ? lower.first : lower.second;
      line.low[c] = AdmTwoTaps<0>(kLow23, b, AdmTwoTaps<0>(kLow01, a, kLowStart)) >> 8;
      line.low[c + 1] = AdmTwoTaps<2>(kLow23, b, AdmTwoTaps<2>(kLow01, a, kLowStart)) >> 8;
      line.high[c] = AdmTwoTaps<0>(kHigh23, b, AdmTwoTaps<0>(kHigh01, a, kHalf)) >> 8;
      line.high[c + 1] = AdmTwoTaps<2>(kHigh23, b, AdmTwoTaps<2>(kHigh01, a, kHalf)) >> 8;
    }
  } else {
    const u32 half = 1u << (bit_depth - 1);
    const u32 low_start = half - static_cast<u32>(kAdmLowGain) * half;
    LOCKSTEP_UNROLL
    for (i32 c = 0; c < kAdmQuad; ++c) {
      const u32 v0 = static_cast<u32>(AdmColumn(upper.first, c, Sample{}));
      const u32 v1 = static_cast<u32>(AdmColumn(upper.second, c, Sample{}));
      const u32 v2 = static_cast<u32>(AdmColumn(lower.first, c, Sample{}));
      const u32 v3 = static_cast<u32>(AdmColumn(lower.second, c, Sample{}));
      line.low[c] = static_cast<i32>(AdmLowPass<u32>(v0, v1, v2, v3) + low_start) >> bit_depth;
      line.high[c] = static_cast<i32>(AdmHighPass<u32>(v0, v1, v2, v3) + half) >> bit_depth;
    }
  }
  return line;
}

template <i32 S, class Input>
__device__ __forceinline__ AdmLineQuad AdmFilterRows(const AdmRowPair<Input>& upper, const AdmRowPair<Input>& lower,
                                                     i32 bit_depth) {
  if constexpr (S == 0) {
    return AdmFilterSamples<Input>(upper, lower, bit_depth);
  } else {
    AdmLineQuad line;
    LOCKSTEP_UNROLL
    for (i32 c = 0; c < kAdmQuad; ++c) {
      AdmVertical<S, i32>(AdmColumn(upper.first, c, Input{}), AdmColumn(upper.second, c, Input{}),
                          AdmColumn(lower.first, c, Input{}), AdmColumn(lower.second, c, Input{}), bit_depth,
                          line.low[c], line.high[c]);
    }
    return line;
  }
}

/// AdmBinary64Steps::IsNear() in binary32 where that decides.
/// out     whether it does not
/// exact   S = 0: the three sums are exact and rounded once, as the definition rounds them; products add 3 * 2^-24 of
///         the right side. S > 0: |oh th| + |ov tv| <= |o| |t|, so that roundings of operands, products and sums move
///         either side by less than 12 * 2^-24 |o|^2 |t|^2, those of the definition included. Both are less than
///         2^-18. Nothing overflows: |o|^2 |t|^2 < 2^127. Zeros are exact.
template <i32 S>
__device__ __forceinline__ bool AdmIsNearFast(i32 oh, i32 ov, i32 th, i32 tv, bool& undecided) {
  float product;
  float reference_square;
  float distorted_square;
  if constexpr (S == 0) {
    product = static_cast<float>(oh * th + ov * tv);
    reference_square = static_cast<float>(oh * oh + ov * ov);
    distorted_square = static_cast<float>(th * th + tv * tv);
  } else {
    const float a = static_cast<float>(oh);
    const float b = static_cast<float>(ov);
    const float c = static_cast<float>(th);
    const float d = static_cast<float>(tv);
    product = a * c + b * d;
    reference_square = a * a + b * b;
    distorted_square = c * c + d * d;
  }
  const float left = product * fabsf(product);
  const float right = (reference_square * 0x1.ffd814p-1f) * distorted_square;
  undecided = fabsf(left - right) < right * 0x1p-18f;
  return left >= right;
}

/// Magnitude of AdmRestore().
/// in      divisor = |o|, sign = o >> 31
/// exact   unsigned 32 bits hold everything: S = 0: reciprocal * min(along, |o| + 1) <= 2^31 (the clamp to |o| + 1
///         keeps ratios of 1 and above), ratio * |o| < 2^30, restored * limit < 2^22. S > 0: with m = |o| in 15 bits,
///         reciprocal * (m + 1) <= 2^31 and reciprocal * low < 2^32, for low < 2^16 only where m >= 2^14; restored is
///         clamped so that limited * limit < 2^31, which no coefficient reaches by 100.
template <i32 S>
__device__ __forceinline__ u32 AdmRestoreFast(u32 divisor, i32 sign, i32 t, bool near, const i32* __restrict__ table,
                                              u32 limit, u32 greatest) {
  const i32 directed = AdmWithSign(t, sign);
  const u32 along = static_cast<u32>(directed > 0 ? directed : 0);
  // -1 for negative o: the reference rounds the signed product.
  const u32 half = 16384u + static_cast<u32>(sign);
  u32 restored;
  if constexpr (S == 0) {
    const u32 reciprocal = static_cast<u32>(__ldg(table + divisor));
    const u32 ratio = min((reciprocal * min(along, divisor + 1) + 16384u) >> 15, 32768u);
    restored = (ratio * divisor + half) >> 15;
    if (near) restored = min(restored * limit, along);
  } else {
    const i32 shift = max(17 - __clz(static_cast<i32>(divisor)), 0);
    const u32 m = (divisor + ((1u << shift) >> 1)) >> shift;
    const u32 reciprocal = static_cast<u32>(__ldg(table + m));
    const u32 high = along >> shift;
    const u32 low = along - (high << shift);
    const u32 ratio = min((reciprocal * min(high, m + 1) + ((reciprocal * low) >> shift) + 16384u) >> 15, 32768u);
    restored = ratio * (divisor >> 15) + ((ratio * (divisor & 32767u) + half) >> 15);
    if (near) restored = min(min(restored, greatest) * limit, along);
  }
  return restored;
}

/// AdmWeight() and AdmMask() of one part of a coefficient, added to the terms of its pixel.
/// out     what AdmVisible() takes
/// exact   fast, S = 0: nothing wraps to 16 bits but the centre term. Fast, S > 0: factors are below 2^28, so weighted
///         magnitudes are not above those of coefficients; terms are 1 larger than AdmMask()'s, see kMissing.
template <i32 S, bool kDiagonal, bool kGeneral>
__device__ __forceinline__ void AdmAddMaskTerms(i32 value, u32 factor, i32& neighbour, i32& centre, i32& weighted) {
  if constexpr (kGeneral) {
    weighted = AdmWeight<S, kDiagonal>(value, factor);
    const AdmMaskTerms terms = AdmMask<S>(weighted);
    neighbour = AdmAdd(neighbour, terms.neighbour);
    centre = AdmAdd(centre, terms.centre);
  } else if constexpr (S == 0) {
    const i32 product = value * static_cast<i32>(factor);
    weighted = abs((product + (kDiagonal ? 65535 : 16384)) >> (kDiagonal ? 17 : 15));
    neighbour += (weighted * 4369 + 2048) >> 12;
    centre += static_cast<i16>((weighted * 8738 + 2048) >> 12);
  } else {
    const i64 product = static_cast<i64>(value) * static_cast<i32>(factor);
    weighted = abs(static_cast<i32>((product + (1 << 27)) >> 28));
    const u64 wide = static_cast<u32>(weighted);
    neighbour += static_cast<i32>((wide * 143165577u + (u64{1} << 31)) >> 32);
    centre += static_cast<i32>((wide * 286331153u + (u64{1} << 31)) >> 32);
  }
}

/// Sum over a lane's columns of AdmCoefficientCube().
/// exact   S = 0: magnitude^2 < 2^30. S > 0: the square fits 32 bits, as magnitude < 2^31
template <i32 S>
__device__ __forceinline__ u64 AdmAddCoefficientCube(u64 sum, u32 magnitude, u64 half, i32 shift) {
  if constexpr (S == 0) {
    return AdmWideMultiplyAdd(magnitude * magnitude, magnitude, sum);
  } else {
    constexpr i32 kSquareShift = S == 2 ? 30 : 31;
    const u32 square =
        static_cast<u32>(AdmWideMultiplyAdd(magnitude, magnitude, u64{1} << kSquareShift) >> kSquareShift);
    return sum + (AdmWideMultiplyAdd(square, magnitude, half) >> shift);
  }
}

/// AdmVisibleCube().
/// exact   the square is cut to 32 bits before it counts as signed. S = 0: it stays below 2^31
template <i32 S, bool kDiagonal>
__device__ __forceinline__ u64 AdmVisibleCubeFast(u32 visible, u64 half, i32 shift) {
  constexpr i32 kSquareShift = S == 0 && !kDiagonal ? 29 : 30;
  const u32 square =
      static_cast<u32>(AdmWideMultiplyAdd(visible, visible, u64{1} << (kSquareShift - 1)) >> kSquareShift);
  if constexpr (S == 0) return AdmWideMultiplyAdd(square, visible, half) >> shift;
  return static_cast<u64>(
      AdmWideMultiplyAddSigned(static_cast<i32>(square), static_cast<i32>(visible), static_cast<i64>(half)) >> shift);
}

/// What the numerators of a row need once the row below is known. A part of the distorted picture is restored detail
/// (0) or additive impairment (1).
template <i32 S>
struct AdmRowTerms {
  static constexpr i32 kSubjects = S == 0 ? 1 : 2;
  i32 triples[2][2];              // [part][column]: neighbour terms of three columns
  i32 centre[2][2];               // the centre term less the neighbour term
  u32 subjects[2][3][kSubjects];  // [part][band]: weighted magnitudes; S = 0: magnitudes of both columns, 16 bits each
};

/// A warp on its way down a strip.
template <i32 S, class Input, bool kGeneral>
class AdmStripWalk {
 public:
  using Quad = typename AdmQuad<Input>::Type;
  using Low = typename AdmScale<S>::Low;

  static constexpr i32 kFlushedRows = 3;
  // A column more, so that lanes that add a row each use different banks.
  using Sums = u64[kFlushedRows * kAdmRowSums][33];

  __device__ __forceinline__ AdmStripWalk(const AdmCudaScaleArgs& args, const AdmSegmentPlan& plan, i32 strip,
                                          i32 segment, Sums& sums)
      : args_(args), sums_(sums) {
    lane_ = static_cast<i32>(threadIdx.x);
    const i32 begin = args.rows.begin + segment * plan.rows;
    const i32 end = min(begin + plan.rows, args.rows.end);
    first_row_ = max(begin - 1, args.rows.begin);
    last_row_ = min(end, args.rows.end - 1);
    low_rows_ = {max(begin, args.low_rows.begin), min(end, args.low_rows.end)};
    inner_rows_ = {max(begin, args.inner_rows.begin), min(end, args.inner_rows.end)};
    strip_begin_ = args.first_column + strip * kAdmStripColumns - 1;
    column_ = strip_begin_ + 2 * lane_;
    const i32 first_input = 2 * strip_begin_ - 2;  // a multiple of kAdmQuad
    const i32 own_input = first_input + kAdmQuad * lane_;
    const i32 readable = min(max(own_input, args.input_columns.begin), args.input_columns.end - kAdmQuad);
    if constexpr (kGeneral) {
      gathers_ = first_input < 0 || first_input + 32 * kAdmQuad > args.input_width;
      touches_ends_ = strip_begin_ < 0 || strip_begin_ + kAdmStripColumns + 1 >= args.outputs;
      LOCKSTEP_UNROLL
      for (i32 k = 0; k < kAdmQuad; ++k) {
        const i32 last = min(args.input_columns.end, args.input_width) - 1;
        gathered_[k] = min(max(AdmMirror(own_input + k, args.input_width), args.input_columns.begin), last);
      }
    }
    LOCKSTEP_UNROLL
    for (i32 p = 0; p < 2; ++p) {
      input_[p] = Global(AdmKept(static_cast<const Input*>(args.input[p]) + (kGeneral ? 0 : readable)));
      low_[p] = Global(static_cast<Low*>(args.low[p])) + column_;
    }
    if constexpr (kGeneral) readable_ = readable;
    LOCKSTEP_UNROLL
    for (i32 q = 0; q < 2; ++q) {
      const i32 place = 2 * lane_ + q;
      const bool owned = place >= 1 && place <= kAdmStripColumns;
      inner_[q] = owned && column_ + q >= args.inner_columns.begin && column_ + q < args.inner_columns.end;
      stored_[q] = owned && column_ + q >= args.low_columns.begin && column_ + q < args.low_columns.end;
    }
    const i32 sum_rows = args.inner_rows.end - args.inner_rows.begin;
    row_sums_ = Global(args.row_sums) + (static_cast<i64>(strip) * sum_rows - args.inner_rows.begin);
    sum_stride_ = plan.strips * sum_rows;
    numerator_half_[0] = AdmHalf(args.shifts.hv);
    numerator_half_[1] = AdmHalf(args.shifts.d);
    denominator_half_ = AdmHalf(args.denominator_cube_shift);
    reciprocals_ = Global(args.reciprocals);
    greatest_ = 0x7fffffffu / static_cast<u32>(args.whole_gain_limit);
  }

  __device__ __forceinline__ void Walk() {
    Quad next[2][2];
    AdmRowPair<Input> upper[2];
    Load(first_row_, next);
    LOCKSTEP_UNROLL
    for (i32 p = 0; p < 2; ++p) upper[p].Set(next[p][0], next[p][1]);
    Load(first_row_ + 1, next);
    AdmRowTerms<S> previous = {};
    i32 above[2][2] = {};  // triples two rows up
    LOCKSTEP_ROLLED
    for (i32 y = first_row_; y <= last_row_; ++y) {
      AdmRowPair<Input> lower[2];
      LOCKSTEP_UNROLL
      for (i32 p = 0; p < 2; ++p) lower[p].Set(next[p][0], next[p][1]);
      // One row ahead of its use.
      Load(y + 2, next);
      const bool detail = y >= args_.detail_rows.begin && y < args_.detail_rows.end;
      i32 bands[2][3][2] = {};
      LOCKSTEP_UNROLL
      for (i32 p = 0; p < 2; ++p) Transform(p, y, detail, upper[p], lower[p], bands[p]);
      LOCKSTEP_UNROLL
      for (i32 p = 0; p < 2; ++p) upper[p] = lower[p];
      if (!detail) continue;
      if (waiting_ == 0) first_waiting_ = y;
      AddDenominators(y >= inner_rows_.begin && y < inner_rows_.end, bands[0]);
      AdmRowTerms<S> current;
      Decouple(bands, current);
      AddTriples(current);
      // Row -1 is row 1.
      if (y == 1) Copy(current.triples, above);
      AddNumerators(y > inner_rows_.begin && y <= inner_rows_.end, above, previous, current.triples);
      if (++waiting_ == kFlushedRows) Flush();
      Copy(previous.triples, above);
      previous = current;
    }
    // Below the last row of a band is that row.
    if (inner_rows_.end == args_.output_rows) {
      if (waiting_ == 0) first_waiting_ = args_.output_rows;
      LOCKSTEP_UNROLL
      for (i32 b = 0; b < 3; ++b) sums_[waiting_ * kAdmRowSums + b][lane_] = 0;
      AddNumerators(true, above, previous, previous.triples);
      ++waiting_;
    }
    if (waiting_ != 0) Flush();
  }

 private:
  static __device__ __forceinline__ void Copy(const i32 (&from)[2][2], i32 (&to)[2][2]) {
    LOCKSTEP_UNROLL
    for (i32 part = 0; part < 2; ++part) {
      LOCKSTEP_UNROLL
      for (i32 q = 0; q < 2; ++q) to[part][q] = from[part][q];
    }
  }

  /// Rows 2 * pair - 1 and 2 * pair of both pictures.
  __device__ __forceinline__ void Load(i32 pair, Quad (&rows)[2][2]) const {
    const i32 y = 2 * min(pair, last_row_ + 1);
    const i32 upper = AdmMirror(y - 1, args_.input_height);
    const i32 lower = AdmMirror(y, args_.input_height);
    LOCKSTEP_UNROLL
    for (i32 p = 0; p < 2; ++p) {
      const u32 stride = static_cast<u32>(args_.input_stride[p]);
      rows[p][0] = LoadQuad(input_[p] + static_cast<u32>(upper) * stride);
      rows[p][1] = LoadQuad(input_[p] + static_cast<u32>(lower) * stride);
    }
  }
  __device__ __forceinline__ Quad LoadQuad(const Input* row) const {
    if constexpr (kGeneral) {
      if (gathers_) return AdmGather<Input>(row, gathered_);
      return *reinterpret_cast<const Quad*>(row + readable_);
    } else {
      return *reinterpret_cast<const Quad*>(row);
    }
  }

  /// Bands of one picture, of which the low one is stored.
  __device__ __forceinline__ void Transform(i32 picture, i32 y, bool detail, const AdmRowPair<Input>& upper,
                                            const AdmRowPair<Input>& lower, i32 (&bands)[3][2]) const {
    const AdmLineQuad line = AdmFilterRows<S, Input>(upper, lower, args_.bit_depth);
    // Output column_ reads columns 1 … 4 of the lane's quad and the next one's, column_ + 1 reads 3 … 6.
    const i32(&l)[kAdmQuad] = line.low;
    const i32 l4 = __shfl_down_sync(kAdmAllLanes, l[0], 1);
    const i32 l5 = __shfl_down_sync(kAdmAllLanes, l[1], 1);
    const i32 l6 = __shfl_down_sync(kAdmAllLanes, l[2], 1);
    if constexpr (S < 3) {
      if (y >= low_rows_.begin && y < low_rows_.end) {
        Low* const to = low_[picture] + static_cast<u32>(y) * static_cast<u32>(args_.low_stride);
        const i32 first = AdmHorizontalLow<S>(l[1], l[2], l[3], l4);
        const i32 second = AdmHorizontalLow<S>(l[3], l4, l5, l6);
        if (stored_[0]) to[0] = static_cast<Low>(first);
        if (stored_[1]) to[1] = static_cast<Low>(second);
      }
    }
    if (!detail) return;
    const i32(&h)[kAdmQuad] = line.high;
    const i32 h4 = __shfl_down_sync(kAdmAllLanes, h[0], 1);
    const i32 h5 = __shfl_down_sync(kAdmAllLanes, h[1], 1);
    const i32 h6 = __shfl_down_sync(kAdmAllLanes, h[2], 1);
    bands[0][0] = AdmHorizontalLow<S>(h[1], h[2], h[3], h4);
    bands[0][1] = AdmHorizontalLow<S>(h[3], h4, h5, h6);
    bands[1][0] = AdmHorizontalHigh<S>(l[1], l[2], l[3], l4);
    bands[1][1] = AdmHorizontalHigh<S>(l[3], l4, l5, l6);
    bands[2][0] = AdmHorizontalHigh<S>(h[1], h[2], h[3], h4);
    bands[2][1] = AdmHorizontalHigh<S>(h[3], h4, h5, h6);
  }

  __device__ __forceinline__ void AddDenominators(bool counts, const i32 (&bands)[3][2]) {
    LOCKSTEP_UNROLL
    for (i32 b = 0; b < 3; ++b) {
      u64 sum = 0;
      if (counts) {
        LOCKSTEP_UNROLL
        for (i32 q = 0; q < 2; ++q) {
          const u32 magnitude = inner_[q] ? AdmMagnitude(bands[b][q]) : 0u;
          sum = AdmAddCoefficientCube<S>(sum, magnitude, denominator_half_, args_.denominator_cube_shift);
        }
      }
      sums_[waiting_ * kAdmRowSums + b][lane_] = sum;
    }
  }

  __device__ __forceinline__ void FindNear(const i32 (&bands)[2][3][2], bool (&near)[2]) const {
    bool undecided[2];
    LOCKSTEP_UNROLL
    for (i32 q = 0; q < 2; ++q) {
      near[q] = AdmIsNearFast<S>(bands[0][0][q], bands[0][1][q], bands[1][0][q], bands[1][1][q], undecided[q]);
    }
    if (!undecided[0] && !undecided[1]) return;
    // Seldom, so the code stands here once.
    LOCKSTEP_ROLLED
    for (i32 q = 0; q < 2; ++q) {
      const bool second = q == 1;
      const bool exact = AdmIsNear<S, AdmIntegerSteps<i32>>(
          second ? bands[0][0][1] : bands[0][0][0], second ? bands[0][1][1] : bands[0][1][0],
          second ? bands[1][0][1] : bands[1][0][0], second ? bands[1][1][1] : bands[1][1][0]);
      if (second) {
        near[1] = exact;
      } else {
        near[0] = exact;
      }
    }
  }

  /// Restored detail and additive impairment, and what they mask.
  __device__ __forceinline__ void Decouple(const i32 (&bands)[2][3][2], AdmRowTerms<S>& terms) const {
    bool near[2];
    FindNear(bands, near);
    LOCKSTEP_UNROLL
    for (i32 q = 0; q < 2; ++q) {
      LOCKSTEP_UNROLL
      for (i32 part = 0; part < 2; ++part) {
        terms.triples[part][q] = 0;  // the neighbour term for now
        terms.centre[part][q] = 0;
      }
      AddBand<false>(0, q, bands[0][0][q], bands[1][0][q], near[q], terms);
      AddBand<false>(1, q, bands[0][1][q], bands[1][1][q], near[q], terms);
      AddBand<true>(2, q, bands[0][2][q], bands[1][2][q], near[q], terms);
      LOCKSTEP_UNROLL
      for (i32 part = 0; part < 2; ++part) {
        terms.centre[part][q] = AdmSubtract(terms.centre[part][q], terms.triples[part][q]);
      }
    }
  }

  template <bool kDiagonal>
  __device__ __forceinline__ void AddBand(i32 band, i32 q, i32 o, i32 t, bool near, AdmRowTerms<S>& terms) const {
    const i32 sign = o >> 31;
    u32 magnitude;
    i32 restored;
    if constexpr (kGeneral) {
      restored = AdmRestore<S, AdmIntegerSteps<Binary64Bits>>(o, t, near, reciprocals_, args_.gain_limit);
      magnitude = AdmMagnitude(restored);
    } else {
      magnitude = AdmRestoreFast<S>(AdmMagnitude(o), sign, t, near, reciprocals_,
                                    static_cast<u32>(args_.whole_gain_limit), greatest_);
      restored = AdmWithSign(static_cast<i32>(magnitude), sign);
    }
    const u32 factor = kDiagonal ? args_.factors.d : args_.factors.hv;
    LOCKSTEP_UNROLL
    for (i32 part = 0; part < 2; ++part) {
      const i32 value = part == 0 ? restored : t - restored;
      i32 weighted;
      AdmAddMaskTerms<S, kDiagonal, kGeneral>(value, factor, terms.triples[part][q], terms.centre[part][q], weighted);
      u32& subject = terms.subjects[part][band][S == 0 ? 0 : q];
      if constexpr (S == 0) {
        const u32 size = part == 0 ? magnitude : AdmMagnitude(value);
        subject = q == 0 ? size : __byte_perm(subject, size, 0x5410);
      } else {
        subject = static_cast<u32>(weighted);
      }
    }
  }

  /// Neighbour terms of three columns each. Column -1 is column 1, the one past the last is the last.
  __device__ __forceinline__ void AddTriples(AdmRowTerms<S>& terms) const {
    LOCKSTEP_UNROLL
    for (i32 part = 0; part < 2; ++part) {
      i32 first = terms.triples[part][0];
      i32 second = terms.triples[part][1];
      if constexpr (kGeneral) {
        if (touches_ends_) {
          const i32 of_column_1 = __shfl_sync(kAdmAllLanes, first, 1);
          const i32 before = __shfl_up_sync(kAdmAllLanes, second, 1);
          if (column_ == -1) first = of_column_1;
          if (column_ + 1 == args_.outputs) second = first;
          if (column_ == args_.outputs) first = before;
        }
      }
      const i32 left = __shfl_up_sync(kAdmAllLanes, second, 1);
      const i32 right = __shfl_down_sync(kAdmAllLanes, first, 1);
      const i32 both = AdmAdd(first, second);
      terms.triples[part][0] = AdmAdd(both, left);
      terms.triples[part][1] = AdmAdd(both, right);
    }
  }

  /// Numerators of the row above the current one.
  __device__ __forceinline__ void AddNumerators(bool counts, const i32 (&above)[2][2], const AdmRowTerms<S>& row,
                                                const i32 (&below)[2][2]) {
    LOCKSTEP_UNROLL
    for (i32 part = 0; part < 2; ++part) {
      const i32 mask = 1 - part;
      u64 sums[3] = {0, 0, 0};
      if (counts) {
        u32 visible[3][2];
        u32 any = 0;
        LOCKSTEP_UNROLL
        for (i32 q = 0; q < 2; ++q) {
          const i32 threshold = AdmSubtract(
              AdmAdd(AdmAdd(above[mask][q], row.triples[mask][q]), AdmAdd(below[mask][q], row.centre[mask][q])),
              kMissing);
          visible[0][q] = Visible<false>(row.subjects[part][0], q, threshold);
          visible[1][q] = Visible<false>(row.subjects[part][1], q, threshold);
          visible[2][q] = Visible<true>(row.subjects[part][2], q, threshold);
          any |= visible[0][q] | visible[1][q] | visible[2][q];
        }
        // Often the whole warp is masked.
        if (__any_sync(kAdmAllLanes, any != 0)) {
          LOCKSTEP_UNROLL
          for (i32 q = 0; q < 2; ++q) {
            sums[0] += Cube<false>(visible[0][q]);
            sums[1] += Cube<false>(visible[1][q]);
            sums[2] += Cube<true>(visible[2][q]);
          }
        }
      }
      LOCKSTEP_UNROLL
      for (i32 b = 0; b < 3; ++b) sums_[waiting_ * kAdmRowSums + 3 + 3 * part + b][lane_] = sums[b];
    }
  }

  /// 24 neighbour terms and 3 centre terms, each 1 too large, in the fast kernels of scales 1 … 3.
  static constexpr i32 kMissing = S > 0 && !kGeneral ? 27 : 0;

  template <bool kDiagonal>
  __device__ __forceinline__ u32 Visible(const u32 (&subjects)[AdmRowTerms<S>::kSubjects], i32 q, i32 threshold) const {
    const u32 factor = kDiagonal ? args_.factors.d : args_.factors.hv;
    i32 value;
    if constexpr (S == 0) {
      value = static_cast<i32>(q == 0 ? subjects[0] & 0xffffu : subjects[0] >> 16);
    } else {
      value = static_cast<i32>(subjects[q]);
    }
    i32 visible;
    if constexpr (S == 0) {
      // AdmVisible() of a magnitude.
      const u32 weighted = static_cast<u32>(value) * factor;
      visible = max(static_cast<i32>(weighted - (static_cast<u32>(threshold) << (kDiagonal ? 12 : 10))), 0);
    } else {
      visible = AdmVisible<S, kDiagonal>(value, threshold, factor);
    }
    return inner_[q] ? static_cast<u32>(visible) : 0u;
  }

  template <bool kDiagonal>
  __device__ __forceinline__ u64 Cube(u32 visible) const {
    const i32 shift = S == 0 && kDiagonal ? args_.shifts.d : args_.shifts.hv;
    if constexpr (kGeneral) {
      return static_cast<u64>(AdmVisibleCube<S, kDiagonal>(static_cast<i32>(visible), shift));
    } else {
      return AdmVisibleCubeFast<S, kDiagonal>(visible, numerator_half_[S == 0 && kDiagonal ? 1 : 0], shift);
    }
  }

  /// Adds the lanes of the waiting rows. Numerators are those of one row above.
  __device__ __forceinline__ void Flush() {
    __syncwarp();
    if (lane_ < kAdmRowSums * waiting_) {
      u64 even = 0;
      u64 odd = 0;
      LOCKSTEP_ROLLED
      for (i32 k = 0; k < 32; k += 8) {
        LOCKSTEP_UNROLL
        for (i32 i = k; i < k + 8; i += 2) {
          even += sums_[lane_][i];
          odd += sums_[lane_][i + 1];
        }
      }
      const i32 group = lane_ / kAdmRowSums;
      const i32 value = lane_ - group * kAdmRowSums;
      const i32 y = first_waiting_ + group - (value >= 3 ? 1 : 0);
      if (y >= inner_rows_.begin && y < inner_rows_.end) {
        row_sums_[static_cast<i64>(value) * sum_stride_ + y] = even + odd;
      }
    }
    waiting_ = 0;
    __syncwarp();
  }

  const AdmCudaScaleArgs& args_;
  Sums& sums_;
  const Input* input_[2];
  Low* low_[2];
  u64* row_sums_;
  const i32* reciprocals_;
  i32 sum_stride_;  // between values
  u64 numerator_half_[2];
  u64 denominator_half_;
  u32 greatest_;  // restored magnitude that the gain limit does not take beyond 31 bits
  i32 first_row_;
  i32 last_row_;
  AdmRange low_rows_;    // that the segment owns
  AdmRange inner_rows_;  // likewise
  i32 lane_;
  i32 strip_begin_;  // a neighbour's column
  i32 column_;       // the first of the lane
  bool inner_[2];    // columns that enter the sums
  bool stored_[2];   // of the low band
  i32 waiting_ = 0;  // rows in sums_
  i32 first_waiting_ = 0;
  // General kernels only.
  bool gathers_;
  bool touches_ends_;
  i32 readable_;
  i32 gathered_[kAdmQuad];
};

template <i32 S, class Input, bool kGeneral>
__device__ __forceinline__ void AdmWalkStrip(const GroupLaunch& launch) {
  using Walk = AdmStripWalk<S, Input, kGeneral>;
  __shared__ typename Walk::Sums sums;
  const AdmSegmentPlan plan = AdmUnpackPlan(launch.plan);
  const i32 group = static_cast<i32>(blockIdx.x);
  const i32 strips_above = group / plan.strips;
  const i32 frame = strips_above / plan.segments;
  const i32 strip = group - strips_above * plan.strips;
  const i32 segment = strips_above - frame * plan.segments;
  const AdmCudaScaleArgs args = static_cast<const AdmCudaScaleArgs*>(launch.frames)[frame];
  Walk(args, plan, strip, segment, sums).Walk();
}

/// Rounds the sums of rows and adds them: a group for each of a frame's sums.
__device__ __forceinline__ void AdmAddRows(const GroupLaunch& launch) {
  __shared__ u64 parts[32];
  constexpr i32 kSums = 4 * kAdmRowSums;
  const i32 frame = static_cast<i32>(blockIdx.x) / kSums;
  const i32 sum_index = static_cast<i32>(blockIdx.x) - frame * kSums;
  const i32 scale = sum_index / kAdmRowSums;
  const i32 value = sum_index - scale * kAdmRowSums;
  const AdmCudaSumArgs& args = static_cast<const AdmCudaSumArgs*>(launch.frames)[frame];
  const i32 rows = args.rows[scale];
  const i32 strips = args.strips[scale];
  const i32 denominator_shift = args.denominator_shift[scale];
  const i32 numerator_shift = args.numerator_shift[scale];
  const u64* const first = Global(args.row_sums[scale]) + static_cast<i64>(value) * strips * rows;
  u64 total = 0;
  for (i32 y = static_cast<i32>(threadIdx.x); y < rows; y += static_cast<i32>(blockDim.x)) {
    u64 sum = 0;
    // Loads that are on their way together.
    constexpr i32 kLoads = 16;
    for (i32 strip = 0; strip < strips; strip += kLoads) {
      u64 loaded[kLoads];
      LOCKSTEP_UNROLL
      for (i32 k = 0; k < kLoads; ++k) {
        loaded[k] = strip + k < strips ? first[static_cast<u32>((strip + k) * rows + y)] : 0;
      }
      LOCKSTEP_UNROLL
      for (i32 k = 0; k < kLoads; ++k) sum += loaded[k];
    }
    total += value < 3 ? AdmRoundReferenceRow(sum, denominator_shift) : AdmRoundRow(sum, numerator_shift);
  }
  LOCKSTEP_UNROLL
  for (i32 distance = 16; distance > 0; distance /= 2) total += __shfl_xor_sync(kAdmAllLanes, total, distance);
  const i32 lane = static_cast<i32>(threadIdx.x) % 32;
  if (lane == 0) parts[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    total = lane < static_cast<i32>(blockDim.x) / 32 ? parts[lane] : 0;
    LOCKSTEP_UNROLL
    for (i32 distance = 16; distance > 0; distance /= 2) total += __shfl_xor_sync(kAdmAllLanes, total, distance);
    if (lane == 0) Global(args.sums)[sum_index] = total;
  }
}

}  // namespace lockstep
#endif

// Groups on a multiprocessor for which registers must do.
#define LOCKSTEP_ADM_CUDA_KERNEL(name, threads, groups, ...)                      \
  extern "C" __global__ void __launch_bounds__(threads, groups)                   \
      lockstep_adm_##name(const __grid_constant__ lockstep::GroupLaunch launch) { \
    LOCKSTEP_ADM_CUDA_BODY(lockstep::__VA_ARGS__(launch);)                        \
  }
LOCKSTEP_ADM_CUDA_KERNEL(strip_s0_u8, 32, 16, AdmWalkStrip<0, lockstep::u8, false>)
LOCKSTEP_ADM_CUDA_KERNEL(strip_s0_u16, 32, 16, AdmWalkStrip<0, lockstep::u16, false>)
LOCKSTEP_ADM_CUDA_KERNEL(strip_s1, 32, 16, AdmWalkStrip<1, lockstep::i16, false>)
LOCKSTEP_ADM_CUDA_KERNEL(strip_s2, 32, 12, AdmWalkStrip<2, lockstep::i32, false>)
LOCKSTEP_ADM_CUDA_KERNEL(strip_s3, 32, 12, AdmWalkStrip<3, lockstep::i32, false>)
LOCKSTEP_ADM_CUDA_KERNEL(general_s0_u8, 32, 8, AdmWalkStrip<0, lockstep::u8, true>)
LOCKSTEP_ADM_CUDA_KERNEL(general_s0_u16, 32, 8, AdmWalkStrip<0, lockstep::u16, true>)
LOCKSTEP_ADM_CUDA_KERNEL(general_s1, 32, 8, AdmWalkStrip<1, lockstep::i16, true>)
LOCKSTEP_ADM_CUDA_KERNEL(general_s2, 32, 8, AdmWalkStrip<2, lockstep::i32, true>)
LOCKSTEP_ADM_CUDA_KERNEL(general_s3, 32, 8, AdmWalkStrip<3, lockstep::i32, true>)
LOCKSTEP_ADM_CUDA_KERNEL(add_rows, 1024, 1, AdmAddRows)
#undef LOCKSTEP_ADM_CUDA_KERNEL
#undef LOCKSTEP_ADM_CUDA_BODY
