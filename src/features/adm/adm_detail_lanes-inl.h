// SPDX-License-Identifier: BSD-2-Clause-Patent
// What happens to a register of adm's coefficients on lanes: decoupling, contrast weighting, masking terms, cubes; read
// once for each target.
#if defined(LOCKSTEP_FEATURES_ADM_ADM_DETAIL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_ADM_ADM_DETAIL_LANES_INL_H_
#undef LOCKSTEP_FEATURES_ADM_ADM_DETAIL_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_ADM_ADM_DETAIL_LANES_INL_H_
#endif

#include "features/adm/adm_wavelet_lanes-inl.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Scale 0 works on 2 * L::N coefficients of 16 bits, in the order of Pack; the other scales on L::N of 32 bits. What
// the narrower numbers of scale 0 need is said where they are used and checked by AdmSimdHolds().

/// Whole gain limits need no binary64.
enum class AdmGain { kWhole, kFractional };

/// Whether p >= 0 and p^2 >= cos^2 * o * t by binary32, and in `unsure` whether its errors could have decided.
/// in      relative_error: of the difference, as part of cos^2 * o * t
/// exact   with o = 0 or t = 0 all numbers are 0, which is never unsure
template <class L>
LOCKSTEP_LANE_INLINE typename L::Mask AdmNearByBinary32(typename L::F32 p, typename L::F32 o, typename L::F32 t,
                                                        float relative_error, typename L::Mask& unsure) {
  const auto left = L::MulF(p, L::AbsF(p));
  const auto right = L::MulF(L::MulF(o, L::SetF(0x1.ffd814p-1f)), t);
  unsure = L::LtF(L::AbsF(L::SubF(left, right)), L::MulF(right, L::SetF(relative_error)));
  return L::GeF(left, right);
}

/// The definition, AdmBinary64Steps::IsNear().
template <class L>
LOCKSTEP_LANE_PASS typename L::Mask AdmNearByDefinition(typename L::I32 oh, typename L::I32 ov, typename L::I32 th,
                                                        typename L::I32 tv) {
  i32 bands[4][L::N];
  i32 near[L::N];
  L::Store(oh, bands[0]);
  L::Store(ov, bands[1]);
  L::Store(th, bands[2]);
  L::Store(tv, bands[3]);
  for (i32 i = 0; i < L::N; ++i) {
    const i64 reference_h = bands[0][i];
    const i64 reference_v = bands[1][i];
    const i64 distorted_h = bands[2][i];
    const i64 distorted_v = bands[3][i];
    // Columns that do not count may hold larger numbers, whose sums wrap.
    const auto sum = [](i64 a, i64 b, i64 c, i64 d) {
      return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b) + static_cast<u64>(c) * static_cast<u64>(d));
    };
    near[i] = static_cast<i32>(AdmBinary64Steps::IsNear(sum(reference_h, distorted_h, reference_v, distorted_v),
                                                        sum(reference_h, reference_h, reference_v, reference_v),
                                                        sum(distorted_h, distorted_h, distorted_v, distorted_v)));
  }
  return L::Gt(L::Load(near), L::Set(0));
}

/// Near pixels of scale 0, in the order of Pack.
/// exact   the three sums fit 32 bits, so that their binary32 values are those of the definition; the products of these
///         are off by less than 2^-22
template <class L>
LOCKSTEP_LANE_INLINE typename L::I16 AdmNear16(typename L::I16 oh, typename L::I16 ov, typename L::I16 th,
                                               typename L::I16 tv) {
  const typename L::I32 reference[2] = {L::ZipLo(oh, ov), L::ZipHi(oh, ov)};
  const typename L::I32 distorted[2] = {L::ZipLo(th, tv), L::ZipHi(th, tv)};
  typename L::Mask near[2];
  typename L::Mask unsure[2];
  Unroll<0, 2>([&](auto half) __attribute__((always_inline)) {
    near[half] = AdmNearByBinary32<L>(L::ToF(L::MulPair(reference[half], distorted[half])),
                                      L::ToF(L::MulPair(reference[half], reference[half])),
                                      L::ToF(L::MulPair(distorted[half], distorted[half])), 0x1p-21f, unsure[half]);
  });
  if (__builtin_expect(static_cast<i64>(!L::AllFalse(L::OrM(unsure[0], unsure[1]))), 0) != 0) {
    for (int half = 0; half < 2; ++half) {
      const auto o = reference[half];
      const auto t = distorted[half];
      near[half] = AdmNearByDefinition<L>(L::template Sar<16>(L::template Shl<16>(o)), L::template Sar<16>(o),
                                          L::template Sar<16>(L::template Shl<16>(t)), L::template Sar<16>(t));
    }
  }
  return L::MaskPack16(near[0], near[1]);
}

/// Near pixels of scales 1 … 3.
/// exact   sums of binary32 products of rounded bands are off by less than 23 * 2^-24 of |o|^2 |t|^2
template <class L>
LOCKSTEP_LANE_INLINE typename L::Mask AdmNear32(typename L::I32 oh, typename L::I32 ov, typename L::I32 th,
                                                typename L::I32 tv) {
  typename L::Mask unsure;
  const auto reference_h = L::ToF(oh);
  const auto reference_v = L::ToF(ov);
  const auto distorted_h = L::ToF(th);
  const auto distorted_v = L::ToF(tv);
  auto near = AdmNearByBinary32<L>(L::AddF(L::MulF(reference_h, distorted_h), L::MulF(reference_v, distorted_v)),
                                   L::AddF(L::MulF(reference_h, reference_h), L::MulF(reference_v, reference_v)),
                                   L::AddF(L::MulF(distorted_h, distorted_h), L::MulF(distorted_v, distorted_v)),
                                   0x1p-18f, unsure);
  if (__builtin_expect(static_cast<i64>(!L::AllFalse(unsure)), 0) != 0) {
    near = AdmNearByDefinition<L>(oh, ov, th, tv);
  }
  return near;
}

struct AdmGainLimit {
  double limit;
  // If it is whole: the same, and the greatest magnitude whose product with it is sure to fit. That product exceeds any
  // coefficient.
  i32 whole;
  i32 greatest;
};

/// min(restored * limit, distorted), truncated, of magnitudes.
template <class L, AdmGain kGain>
LOCKSTEP_LANE_INLINE typename L::I32 AdmLimitGain(typename L::I32 restored, typename L::I32 distorted,
                                                  const AdmGainLimit& gain) {
  if constexpr (kGain == AdmGain::kWhole) {
    return L::Min(L::Mul(L::Min(restored, L::Set(gain.greatest)), L::Set(gain.whole)), distorted);
  } else {
    return L::FromD(L::MinD(L::MulD(L::ToD(restored), L::SetD(gain.limit)), L::ToD(distorted)));
  }
}

/// floor(2^30 / divisor) = high * 2^15 + low, by two divisions of 15 bits.
/// in      divisor: at most 22930; 0 gives anything
/// exact   high: a quotient that is no integer misses the next one by more than 2^-15 of itself, and binary32 and the
///         excess of the dividend make up less. low: because of the excess, the product of remainder and quotient is
///         never too small, but less than 2^-6 too large; its whole part is at most one too large, which the sign of
///         what is left shows. That fits 16 bits.
template <class L>
LOCKSTEP_LANE_INLINE void AdmSplitReciprocal16(typename L::I16 divisor, typename L::I16& negative_high,
                                               typename L::I16& low) {
  const auto zero = L::Set16(0);
  // -2^15 * (1 + 2^-22); negative numbers because 2^15 does not fit 16 bits.
  const auto dividend = L::SetF(-0x1.000004p15f);
  const auto quotient0 = L::DivF(dividend, L::ToF(L::ZipLo(divisor, zero)));
  const auto quotient1 = L::DivF(dividend, L::ToF(L::ZipHi(divisor, zero)));
  negative_high = L::Pack(L::TruncF(quotient0), L::TruncF(quotient1));
  const auto remainder = L::Sub16(L::MulLo16(negative_high, divisor), L::Set16(-32768));
  const auto low0 = L::TruncF(L::MulF(L::ToF(L::ZipLo(remainder, zero)), quotient0));
  const auto low1 = L::TruncF(L::MulF(L::ToF(L::ZipHi(remainder, zero)), quotient1));
  const auto negative_low = L::Pack(low0, low1);
  const auto left = L::Add16(L::Shl16Same(remainder, 15), L::MulLo16(negative_low, divisor));
  low = L::Sub16(L::template Sar16<15>(left), negative_low);
}

/// AdmRestore() at scale 0.
/// exact   with v = min(|t|, |o|) the ratio is high * v + ((low * v + 2^14) >> 15); it is kept negative because 2^15
/// does
///         not fit. Where |t| > |o| it is 1.
template <class L, AdmGain kGain>
LOCKSTEP_LANE_INLINE typename L::I16 AdmRestore16(typename L::I16 o, typename L::I16 t, typename L::I16 near,
                                                  const AdmGainLimit& gain) {
  const auto zero = L::Set16(0);
  const auto magnitude = L::Abs16(o);
  const auto sign = L::template Sar16<15>(o);
  const auto along = L::Max16(L::Sub16(L::Xor16(t, sign), sign), zero);
  typename L::I16 negative_high;
  typename L::I16 low;
  AdmSplitReciprocal16<L>(magnitude, negative_high, low);
  const auto numerator = L::Min16(along, magnitude);
  const auto negative_ratio = L::Sub16(L::MulLo16(negative_high, numerator), L::MulHrs16(low, numerator));
  const auto restored = L::Select16(L::Gt16(along, magnitude), o, L::MulHrs16(negative_ratio, L::Sub16(zero, o)));

  const auto size = L::Abs16(restored);
  typename L::I16 limited;
  if constexpr (kGain == AdmGain::kWhole) {
    const auto limit = L::Set16(static_cast<i16>(gain.whole));
    limited = L::Min16(L::MulLo16(L::Min16(size, L::Set16(static_cast<i16>(gain.greatest))), limit), along);
  } else {
    limited = L::Pack(AdmLimitGain<L, kGain>(L::ZipLo(size, zero), L::ZipLo(along, zero), gain),
                      AdmLimitGain<L, kGain>(L::ZipHi(size, zero), L::ZipHi(along, zero), gain));
  }
  return L::Select16(near, L::Sub16(L::Xor16(limited, sign), sign), restored);
}

/// A coefficient's magnitude, and that rounded to divisor * 2^shift.
template <class L>
struct AdmDivisor {
  typename L::I32 magnitude;
  typename L::I32 shift;
  typename L::I32 divisor;  // at most 2^15

  LOCKSTEP_LANE_INLINE explicit AdmDivisor(typename L::I32 coefficient) {
    magnitude = L::Abs(coefficient);
    shift = L::Max(L::Sub(L::FloorLog2(magnitude), L::Set(14)), L::Set(0));
    divisor = L::ShrVar(L::Add(magnitude, L::template Shr<1>(L::ShlVar(L::Set(1), shift))), shift);
  }
};

/// floor(2^30 / divisor) of three divisors, and anything for 0.
/// exact   from 64 on the quotient is below 2^24, so that binary32 holds whole numbers and rounds others at most up to
///         the next one, which the sign of what is left shows. Smaller divisors are rare: only coefficients that are as
///         small have them.
template <class L>
LOCKSTEP_LANE_INLINE void AdmReciprocals32(const AdmDivisor<L> (&divisors)[3], typename L::I32 (&reciprocals)[3]) {
  typename L::Mask is_small[3];
  Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
    const auto divisor = divisors[band].divisor;
    is_small[band] = L::AndM(L::Gt(L::Set(64), divisor), L::Gt(divisor, L::Set(0)));
  });
  if (__builtin_expect(static_cast<i64>(!L::AllFalse(L::OrM(L::OrM(is_small[0], is_small[1]), is_small[2]))), 0) != 0) {
    Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
      // Only the least integer, which no picture leads to, would be read beyond the table.
      const auto index = L::And(divisors[band].divisor, L::Set(0xffff));
      reciprocals[band] = L::Gather(kAdmReciprocalTable.data(), index);
    });
    return;
  }
  Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
    const auto divisor = divisors[band].divisor;
    const auto quotient = L::TruncF(L::DivF(L::SetF(0x1p30f), L::ToF(divisor)));
    const auto left = L::Sub(L::Set(1 << 30), L::Mul(quotient, divisor));
    reciprocals[band] = L::Add(quotient, L::template Sar<31>(left));
  });
}

/// AdmRestore() at scales 1 … 3 in 32 bits.
/// exact   reciprocal * |t| >> shift is split at bit `shift` of |t|: floors nest, and the lower product is below 2^32
///         because the reciprocal is at most 2^16 where shift > 0. The upper one is limited to where the ratio is 1
///         anyway. ratio * |o| is split at bit 15 of |o|.
template <class L, AdmGain kGain>
LOCKSTEP_LANE_INLINE typename L::I32 AdmRestore32(typename L::I32 o, typename L::I32 t, const AdmDivisor<L>& by,
                                                  typename L::I32 reciprocal, typename L::Mask near,
                                                  const AdmGainLimit& gain) {
  const auto half = L::Set(16384);
  const auto sign = L::template Sar<31>(o);
  const auto along = L::Max(L::Sub(L::Xor(t, sign), sign), L::Set(0));
  const auto upper = L::ShrVar(along, by.shift);
  const auto lower = L::Sub(along, L::ShlVar(upper, by.shift));
  const auto upper_product = L::Mul(reciprocal, L::Min(upper, L::Add(by.divisor, L::Set(1))));
  const auto lower_product = L::ShrVar(L::Mul(reciprocal, lower), by.shift);
  const auto quotient = L::template Shr<15>(L::Add(upper_product, L::Add(lower_product, half)));
  const auto ratio = L::Min(quotient, L::Set(32768));
  // The magnitude of a negative number is rounded down at a half.
  const auto rounding = L::Add(half, sign);
  const auto lower_part = L::Add(L::Mul(ratio, L::And(by.magnitude, L::Set(32767))), rounding);
  const auto restored = L::Add(L::Mul(ratio, L::template Shr<15>(by.magnitude)), L::template Shr<15>(lower_part));
  const auto limited = AdmLimitGain<L, kGain>(restored, along, gain);
  return L::Sub(L::Xor(L::Select(near, limited, restored), sign), sign);
}

/// Masking terms of a part, summed over the bands: as one of eight neighbours, and as the centre less that.
template <class L>
struct AdmTerms {
  typename L::I32 neighbour;
  typename L::I32 centre;
};

/// Contrast factors for 16-bit values.
template <class L>
struct AdmWeights16 {
  typename L::I16 hv;      // less 2^15
  typename L::I16 d;       // negative, modulo 2^16
  typename L::I16 d_base;  // all ones where that is positive

  LOCKSTEP_LANE_INLINE explicit AdmWeights16(AdmFactors factors)
      : hv(L::Set16(static_cast<i16>(static_cast<i32>(factors.hv) - 32768))),
        d(L::Set16(static_cast<i16>(-static_cast<i32>(factors.d)))),
        d_base(L::Set16(factors.d > 32768 ? -1 : 0)) {}
};

/// AdmWeight() and AdmMask() at scale 0 of 2 * L::N coefficients, whose terms come as two registers in the order of
/// columns.
/// exact   mulhrs(x, y) = (x * y + 2^14) >> 15. weighted: s * factor / 2^15 = s + s * (factor - 2^15) / 2^15 for h and
///         v; ceil(s * factor / 2^16) = -floor(s * -factor / 2^16) for d. Below 2^15 by AdmSimdHolds(). Terms:
///         4369 / 2^12 = 1 + 2184 / 2^15 and 8738 / 2^12 = 2 + 4368 / 2^15; the centre wraps as it must.
template <class L>
LOCKSTEP_LANE_INLINE void AdmTerms16(const typename L::I16 (&part)[3], const AdmWeights16<L>& weights,
                                     AdmTerms<L> (&terms)[2]) {
  typename L::I16 neighbour[3];
  typename L::I16 centre[3];
  Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
    const auto s = part[band];
    typename L::I16 weighted;
    if constexpr (band < 2) {
      weighted = L::Add16(s, L::MulHrs16(s, weights.hv));
    } else {
      const auto rounded_up = L::Sub16(L::And16(s, weights.d_base), L::MulHi16(s, weights.d));
      weighted = L::template Sar16<1>(rounded_up);
    }
    const auto size = L::Abs16(weighted);
    neighbour[band] = L::Add16(size, L::MulHrs16(size, L::Set16(2184)));
    centre[band] = L::Add16(L::Add16(size, size), L::MulHrs16(size, L::Set16(4368)));
  });
  const auto both = L::Set(AdmPair(1, 1));
  const auto first = L::Set(AdmPair(1, 0));
  const auto second = L::Set(AdmPair(0, 1));
  Unroll<0, 2>([&](auto half) __attribute__((always_inline)) {
    const auto zip = [](typename L::I16 x, typename L::I16 y) __attribute__((always_inline)) {
      if constexpr (decltype(half)::value == 0) return L::ZipLo(x, y);
      return L::ZipHi(x, y);
    };
    const auto of_d = zip(centre[2], neighbour[2]);
    terms[half].neighbour = L::Dot(L::MulPair(of_d, second), zip(neighbour[0], neighbour[1]), both);
    const auto centres = L::Dot(L::MulPair(of_d, first), zip(centre[0], centre[1]), both);
    terms[half].centre = L::Sub(centres, terms[half].neighbour);
  });
}

/// AdmMask() of scales 1 … 3 is one less than what rounds to nearest. A threshold is the sum of 27 terms: over three
/// bands, eight neighbours and a centre.
inline constexpr i32 kAdmTermsOfThreshold = 27;

/// AdmWeight() and AdmMask() at scales 1 … 3, the latter rounded to nearest.
template <class L>
LOCKSTEP_LANE_INLINE AdmTerms<L> AdmTerms32(const typename L::I32 (&part)[3], AdmFactors factors,
                                            typename L::I32 (&weighted)[3]) {
  AdmTerms<L> terms = {L::Set(0), L::Set(0)};
  Unroll<0, 3>([&](auto band) __attribute__((always_inline)) {
    const auto factor = L::Set(static_cast<i32>(band == 2 ? factors.d : factors.hv));
    weighted[band] = L::Abs(L::template MulShiftRound<28>(part[band], factor));
    terms.neighbour = L::Add(terms.neighbour, L::MulHighRound(weighted[band], L::Set(143165577)));
    terms.centre = L::Add(terms.centre, L::MulHighRound(weighted[band], L::Set(286331153)));
  });
  terms.centre = L::Sub(terms.centre, terms.neighbour);
  return terms;
}

struct AdmCubeRounding {
  AdmCubeRounding() = default;
  /// Rounds the square as its shift by square_shift does, and the cube.
  AdmCubeRounding(i32 square_shift, i32 cube_shift)
      : square(AdmHalf(square_shift)), cube(AdmHalf(cube_shift)), shift(static_cast<u64>(cube_shift)) {}

  u64 square;
  u64 cube;
  u64 shift;
};

/// sum + ((((x^2 + rounding.square) >> kSquareShift) * x + rounding.cube) >> rounding.shift)
/// exact   x < 2^((31 + kSquareShift) / 2), so that the square fits 31 bits and the cube 62
template <class L, int kSquareShift>
LOCKSTEP_LANE_INLINE typename L::U64 AdmAddCube(typename L::U64 sum, typename L::I32 x,
                                                const AdmCubeRounding& rounding) {
  const auto wide = L::Split(x);
  const auto square = L::template Shr64<kSquareShift>(L::Add64(L::MulLow(wide, wide), L::Set64(rounding.square)));
  const auto cube = L::Add64(L::MulLow(square, wide), L::Set64(rounding.cube));
  // A shift by a vector is one operation on x86, by a number two.
  return L::Add64(sum, L::ShrVar64(cube, L::Set64(rounding.shift)));
}

/// Denominator of scale 0 of L::N coefficients: AdmCoefficientCube().
/// in      magnitude: below 2^15
template <class L>
LOCKSTEP_LANE_INLINE typename L::U64 AdmAddWholeCube(typename L::U64 sum, typename L::I32 magnitude) {
  return L::Add64(sum, L::MulLow(L::Split(L::MulPair(magnitude, magnitude)), L::Split(magnitude)));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
