// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm's passes over a row on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_ADM_FLOAT_ADM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_ADM_FLOAT_ADM_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_ADM_FLOAT_ADM_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_ADM_FLOAT_ADM_LANES_INL_H_
#endif

#include "exact/elementary.h"
#include "features/float_adm/float_adm_rows.h"
#include "features/float_motion/float_samples_lanes-inl.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// FloatAdmFilter().
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmFilterOnLanes(const float (&taps)[4], const typename L::F32 (&values)[4]) {
  auto sum = L::AddF(L::MulF(L::SetF(taps[0]), values[0]), L::MulF(L::SetF(taps[1]), values[1]));
  sum = L::AddF(sum, L::MulF(L::SetF(taps[2]), values[2]));
  return L::AddF(sum, L::MulF(L::SetF(taps[3]), values[3]));
}

/// The vertical pass of the columns that outputs [columns.begin, columns.end) need, and some more.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void FloatAdmVerticalPass(const FloatAdmWaveletArgs& args) {
  const Sample* rows[4];
  for (int tap = 0; tap < 4; ++tap) rows[tap] = static_cast<const Sample*>(args.rows[tap]);
  const i32 before = args.columns.begin - 1;
  const i32 end = args.columns.end + 1 < args.outputs ? args.columns.end + 1 : args.outputs;
  for (i32 x = before > 0 ? before : 0; x < end; x += L::N) {
    typename L::F32 low[2];
    typename L::F32 high[2];
    Unroll<0, 2>([&](auto half) __attribute__((always_inline)) {
      // The second register may begin beyond what may be read.
      const i32 wanted = 2 * x + half * L::N;
      const i32 column = wanted < args.inputs ? wanted : 2 * x;
      typename L::F32 values[4];
      Unroll<0, 4>([&](auto tap) __attribute__((always_inline)) {
        values[tap] = FloatSamples<L>(rows[tap] + column, args.inverse_scaler);
      });
      low[half] = FloatAdmFilterOnLanes<L>(kFloatAdmLow, values);
      high[half] = FloatAdmFilterOnLanes<L>(kFloatAdmHigh, values);
    });
    L::Store(L::EvensF(low[0], low[1]), args.low.even + x);
    L::Store(L::OddsF(low[0], low[1]), args.low.odd + x);
    L::Store(L::EvensF(high[0], high[1]), args.high.even + x);
    L::Store(L::OddsF(high[0], high[1]), args.high.odd + x);
  }
}

template <class L>
LOCKSTEP_LANE_PASS void FloatAdmHorizontalPass(const FloatAdmWaveletArgs& args) {
  const auto load = [](const FloatAdmSplitRow& row, i32 x, typename L::F32(&values)[4]) __attribute__((always_inline)) {
    values[0] = L::Load(row.odd + x - 1);
    values[1] = L::Load(row.even + x);
    values[2] = L::Load(row.odd + x);
    values[3] = L::Load(row.even + x + 1);
  };
  for (i32 x = args.columns.begin; x < args.columns.end; x += L::N) {
    typename L::F32 low[4];
    load(args.low, x, low);
    if (args.low_band != nullptr) L::Store(FloatAdmFilterOnLanes<L>(kFloatAdmLow, low), args.low_band + x);
    if (args.details[0] == nullptr) continue;
    typename L::F32 high[4];
    load(args.high, x, high);
    L::Store(FloatAdmFilterOnLanes<L>(kFloatAdmLow, high), args.details[0] + x);
    L::Store(FloatAdmFilterOnLanes<L>(kFloatAdmHigh, low), args.details[1] + x);
    L::Store(FloatAdmFilterOnLanes<L>(kFloatAdmHigh, high), args.details[2] + x);
  }
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE void FloatAdmWaveletOnLanes(const FloatAdmWaveletArgs& args) {
  FloatAdmVerticalPass<L, Sample>(args);
  FloatAdmMirrorSplitRow(args.low, args.inputs, args.outputs);
  FloatAdmMirrorSplitRow(args.high, args.inputs, args.outputs);
  FloatAdmHorizontalPass<L>(args);
}

/// FloatAdmReciprocal().
/// exact   The quotient 8192 / m rounded to binary32 and then to the nearest integer is the integer nearest to the
///         quotient itself, except that it ties twice: at 4096.5, whose exact value is above, and at 4160.5, below. The
///         tests try all 2048 values of m.
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmReciprocalOnLanes(typename L::F32 x) {
  const auto bits = L::BitsF(x);
  const auto middle = L::AsF(L::Or(L::And(bits, L::Set(0x7ff000)), L::Set(0x3f800800)));
  const auto half = L::SelectF(L::LtF(middle, L::SetF(1.99f)), L::SetF(0.5f - 0x1p-11f), L::SetF(0.5f));
  const auto quotient = L::ToF(L::TruncF(L::AddF(L::DivF(L::SetF(8192.0f), middle), half)));
  const auto exponent = L::Sub(L::And(bits, L::Set(0x7f800000)), L::Set((127 - 13) << 23));
  const auto sign = L::And(bits, L::Set(INT32_MIN));
  const auto estimate = L::AsF(L::Or(L::Sub(L::BitsF(quotient), exponent), sign));
  return L::AddF(estimate, L::MulF(estimate, L::SubF(L::SetF(1.0f), L::MulF(x, estimate))));
}

/// FloatAdmAligned().
template <class L>
LOCKSTEP_LANE_INLINE typename L::Mask FloatAdmAlignedOnLanes(typename L::F32 reference_h, typename L::F32 reference_v,
                                                             typename L::F32 distorted_h, typename L::F32 distorted_v) {
  const auto dot = L::AddF(L::MulF(reference_h, distorted_h), L::MulF(reference_v, distorted_v));
  const auto reference = L::AddF(L::MulF(reference_h, reference_h), L::MulF(reference_v, reference_v));
  const auto distorted = L::AddF(L::MulF(distorted_h, distorted_h), L::MulF(distorted_v, distorted_v));
  const auto limit = L::MulF(L::MulF(L::SetF(kFloatAdmSquaredCosine), reference), distorted);
  return L::AndM(L::GeF(dot, L::SetF(0.0f)), L::GeF(L::MulF(dot, dot), limit));
}

/// FloatAdmRestored().
/// in      kNarrowGain: the limit is a binary32 number
/// exact   Then its product with a coefficient fits binary64, so the reference compares the exact product; rounding
///         that to binary32 first changes the comparison only where both sides round to the same number.
template <class L, bool kNarrowGain>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmRestoredOnLanes(typename L::F32 reference, typename L::F32 distorted,
                                                             typename L::Mask aligned, double gain_limit) {
  const auto zero = L::SetF(0.0f);
  const auto one = L::SetF(1.0f);
  auto share = L::MulF(distorted, FloatAdmReciprocalOnLanes<L>(L::AddF(reference, L::SetF(1e-30f))));
  share = L::KeepNotF(L::LtF(share, zero), share);
  share = L::SelectF(L::LtF(one, share), one, share);
  const auto restored = L::MulF(share, reference);
  const auto positive = L::LtF(zero, restored);
  const auto negative = L::LtF(restored, zero);
  typename L::F32 enhanced;
  typename L::Mask beyond;
  if constexpr (kNarrowGain) {
    enhanced = L::MulF(restored, L::SetF(static_cast<float>(gain_limit)));
    const auto above = L::AndM(positive, L::GeF(enhanced, distorted));
    beyond = L::OrM(above, L::AndM(negative, L::GeF(distorted, enhanced)));
    enhanced = L::SelectF(beyond, distorted, enhanced);
  } else {
    const auto wide = L::MulD(L::ToD(restored), L::SetD(gain_limit));
    const auto limit = L::ToD(distorted);
    enhanced = L::SelectF(positive, L::ToF(L::MinD(wide, limit)), L::ToF(L::MaxD(wide, limit)));
  }
  return L::SelectF(L::AndM(aligned, L::OrM(positive, negative)), enhanced, restored);
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmCubeOnLanes(typename L::F32 x) {
  return L::MulF(L::MulF(x, x), x);
}

/// Stores a weighted magnitude and its share of the neighbours' thresholds.
template <class L>
LOCKSTEP_LANE_INLINE void FloatAdmStoreMasker(typename L::F32 magnitude, const FloatAdmMaskRow& row, int band, i32 x) {
  L::Store(magnitude, row.magnitude[band] + x);
  L::Store(L::ToF(L::MulD(L::SetD(0.0333333351), L::ToD(magnitude))), row.mask[band] + x);
}

template <class L, bool kNarrowGain>
LOCKSTEP_LANE_INLINE void FloatAdmDecoupleOnLanes(const FloatAdmDecoupleArgs& args) {
  for (i32 x = args.columns.begin; x < args.columns.end; x += L::N) {
    typename L::F32 reference[kFloatAdmBands];
    typename L::F32 distorted[kFloatAdmBands];
    Unroll<0, kFloatAdmBands>([&](auto band) __attribute__((always_inline)) {
      reference[band] = L::Load(args.reference[band] + x);
      distorted[band] = L::Load(args.distorted[band] + x);
    });
    const auto aligned = FloatAdmAlignedOnLanes<L>(reference[0], reference[1], distorted[0], distorted[1]);
    Unroll<0, kFloatAdmBands>([&](auto band) __attribute__((always_inline)) {
      const auto factor = L::SetF(args.factors[band]);
      const auto restored =
          FloatAdmRestoredOnLanes<L, kNarrowGain>(reference[band], distorted[band], aligned, args.gain_limit);
      const auto added = L::SubF(distorted[band], restored);
      FloatAdmStoreMasker<L>(L::AbsF(L::MulF(factor, restored)), args.restored, band, x);
      FloatAdmStoreMasker<L>(L::AbsF(L::MulF(factor, added)), args.impaired, band, x);
      const auto whole = L::AbsF(L::MulF(factor, reference[band]));
      L::Store(args.cubed ? FloatAdmCubeOnLanes<L>(whole) : whole, args.terms[band] + x);
    });
  }
}

/// FloatAdmBandMask().
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmBandMaskOnLanes(const float* const (&masks)[3], const float* magnitude,
                                                             i32 x) {
  auto sum = L::AddF(L::Load(masks[0] + x - 1), L::Load(masks[0] + x));
  sum = L::AddF(sum, L::Load(masks[0] + x + 1));
  sum = L::AddF(sum, L::Load(masks[1] + x - 1));
  sum = L::ToF(L::AddD(L::ToD(sum), L::MulD(L::SetD(0.0666666701), L::ToD(L::Load(magnitude + x)))));
  sum = L::AddF(sum, L::Load(masks[1] + x + 1));
  sum = L::AddF(sum, L::Load(masks[2] + x - 1));
  sum = L::AddF(sum, L::Load(masks[2] + x));
  return L::AddF(sum, L::Load(masks[2] + x + 1));
}

template <class L>
LOCKSTEP_LANE_PASS void FloatAdmMaskPass(const FloatAdmMasking& pass, AdmRange columns, bool bypass, bool cubed) {
  for (i32 x = columns.begin; x < columns.end; x += L::N) {
    auto threshold = L::SetF(0.0f);
    if (!bypass) {
      Unroll<0, kFloatAdmBands>([&](auto band) __attribute__((always_inline)) {
        threshold = L::AddF(threshold, FloatAdmBandMaskOnLanes<L>(pass.masks[band], pass.maskers[band], x));
      });
    }
    Unroll<0, kFloatAdmBands>([&](auto band) __attribute__((always_inline)) {
      const auto left = L::MaxF(L::SubF(L::Load(pass.masked[band] + x), threshold), L::SetF(0.0f));
      L::Store(cubed ? FloatAdmCubeOnLanes<L>(left) : left, pass.terms[band] + x);
    });
  }
}

template <class L>
LOCKSTEP_LANE_INLINE void FloatAdmMaskOnLanes(const FloatAdmMaskArgs& args) {
  for (const FloatAdmMasking& pass : args.passes) {
    FloatAdmMaskPass<L>(pass, args.columns, args.bypass, args.cubed);
  }
}

/// log2(1 + (m - 1)) for 0.7 < m < 1.42, in binary64.
/// exact   to 2^-50, by the series of the inverse hyperbolic tangent; the first power left out is below 2^-60
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 FloatAdmLog2OnLanes(typename L::F32 mantissa) {
  const auto m = L::ToD(mantissa);
  const auto one = L::SetD(1.0);
  const auto ratio = L::DivD(L::SubD(m, one), L::AddD(m, one));
  const auto square = L::MulD(ratio, ratio);
  auto sum = L::SetD(1.0 / 21);
  Unroll<1, 11>([&](auto i) __attribute__((always_inline)) {
    sum = L::AddD(L::MulD(sum, square), L::SetD(1.0 / (21 - 2 * i)));
  });
  return L::MulD(L::MulD(ratio, L::SetD(2.8853900817779268)), sum);  // 2 / ln 2
}

/// 2^x for |x| <= 0.5, in binary64.
/// exact   to a relative 2^-50, by the exponential series; the first power left out is below 2^-57
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 FloatAdmExp2OnLanes(typename L::F64 x) {
  const auto scaled = L::MulD(x, L::SetD(0.69314718055994531));  // ln 2
  auto sum = L::SetD(1.0);
  Unroll<0, 13>([&](auto i) __attribute__((always_inline)) {
    sum = L::AddD(L::MulD(L::MulD(sum, scaled), L::SetD(1.0 / (13 - i))), L::SetD(1.0));
  });
  return sum;
}

/// Terms of one register to a power.
/// out     doubtful: what has to be computed again
/// exact   The binary64 power is known to a relative 2^-44: the logarithm to 2^-46 of one with its exponent, times an
///         exponent such that the product is below 152. So where both ends of an interval of 2^-40 round to the same
///         binary32 number, the power itself does.
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatAdmPowerOnLanes(typename L::F32 terms, double exponent,
                                                          typename L::Mask& doubtful) {
  const auto bits = L::BitsF(terms);
  // The mantissa between sqrt(0.5) and sqrt(2), and the power of two that belongs to it.
  constexpr i32 kRootOfHalf = 0x3f3504f3;
  const auto above = L::Sub(bits, L::Set(kRootOfHalf));
  const auto two_to = L::template Sar<23>(above);
  const auto mantissa = L::AsF(L::Add(L::And(above, L::Set(0x7fffff)), L::Set(kRootOfHalf)));
  auto logarithm = L::AddD(L::ToD(two_to), FloatAdmLog2OnLanes<L>(mantissa));
  logarithm = L::MulD(logarithm, L::SetD(exponent));
  constexpr double kOffset = 4096.0;  // truncation towards zero is rounding down
  logarithm = L::MaxD(L::MinD(logarithm, L::SetD(2000.0)), L::SetD(-2000.0));
  const auto whole = L::Sub(L::FromD(L::AddD(logarithm, L::SetD(kOffset + 0.5))), L::Set(static_cast<i32>(kOffset)));
  const auto power = FloatAdmExp2OnLanes<L>(L::SubD(logarithm, L::ToD(whole)));
  const auto low = L::ToF(L::MulD(power, L::SetD(1.0 - 0x1p-40)));
  const auto high = L::ToF(L::MulD(power, L::SetD(1.0 + 0x1p-40)));
  const auto zero = L::OrM(L::Gt(L::Set(1), bits), L::Gt(L::Set(-151), whole));
  const auto subnormal = L::OrM(L::Gt(L::Set(0x00800000), bits), L::Gt(L::Set(-125), whole));
  doubtful = L::OrM(L::OrM(L::LtF(low, high), subnormal), L::Gt(whole, L::Set(126)));
  doubtful = L::AndNotM(zero, doubtful);
  return L::KeepNotF(zero, L::AsF(L::Add(L::BitsF(low), L::template Shl<23>(whole))));
}

template <class L>
LOCKSTEP_LANE_PASS void FloatAdmPowerPass(float* terms, AdmRange columns, float exponent) {
  if (exponent == 1.0f) return;
  for (i32 x = columns.begin; x < columns.end; x += L::N) {
    const auto value = L::Load(terms + x);
    if (exponent == 2.0f) {
      L::Store(L::MulF(value, value), terms + x);
      continue;
    }
    typename L::Mask doubtful;
    L::Store(FloatAdmPowerOnLanes<L>(value, static_cast<double>(exponent), doubtful), terms + x);
    if (L::AllFalse(doubtful)) continue;
    float values[L::N];
    i32 again[L::N];
    L::Store(value, values);
    L::Store(L::Keep(doubtful, L::Set(1)), again);
    for (i32 i = 0; i < L::N && x + i < columns.end; ++i) {
      if (again[i] != 0) terms[x + i] = exact::Powf(values[i], exponent);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
