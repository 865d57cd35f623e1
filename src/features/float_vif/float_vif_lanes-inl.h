// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif on lanes: a group of rows is filtered down its columns, turned so that a lane is a row, filtered along its
// rows and added column by column; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_VIF_FLOAT_VIF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_VIF_FLOAT_VIF_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_VIF_FLOAT_VIF_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_VIF_FLOAT_VIF_LANES_INL_H_
#endif

#include <type_traits>

#include "features/float_motion/float_samples_lanes-inl.h"
#include "features/float_vif/float_vif_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

inline constexpr int kFloatVifMoments = 5;

/// kOutputs neighbouring outputs of a filter for each of five planes, so that an input is loaded once for all of them.
/// Taps are added in order, each product rounded first.
/// in      load(i, values): inputs i of the planes; output r has those from r to r + count - 1. count >= kOutputs - 1
template <class L, int kOutputs, class Load>
LOCKSTEP_LANE_INLINE void FloatVifFilter(const float* taps, i32 count, const Load& load,
                                         typename L::F32 (&sums)[kOutputs][kFloatVifMoments]) {
  typename L::F32 values[kFloatVifMoments];
  Unroll<0, kOutputs>([&](auto r) __attribute__((always_inline)) {
    Unroll<0, kFloatVifMoments>([&](auto p) __attribute__((always_inline)) { sums[r][p] = L::SetF(0.0f); });
  });
  const auto add = [&](auto r, float tap) __attribute__((always_inline)) {
    const auto weight = L::SetF(tap);
    Unroll<0, kFloatVifMoments>([&](auto p) __attribute__((always_inline)) {
      sums[r][p] = L::AddF(sums[r][p], L::MulF(weight, values[p]));
    });
  };
  Unroll<0, kOutputs - 1>([&](auto i) __attribute__((always_inline)) {
    load(i, values);
    Unroll<0, i + 1>([&](auto r) __attribute__((always_inline)) { add(r, taps[i - r]); });
  });
  for (i32 i = kOutputs - 1; i < count; ++i) {
    load(i, values);
    Unroll<0, kOutputs>([&](auto r) __attribute__((always_inline)) { add(r, taps[i - r]); });
  }
  Unroll<1, kOutputs>([&](auto beyond) __attribute__((always_inline)) {
    load(count + beyond - 1, values);
    Unroll<beyond, kOutputs>([&](auto r) __attribute__((always_inline)) { add(r, taps[count + beyond - 1 - r]); });
  });
}

/// FloatVifLog2().
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 FloatVifLog2OnLanes(typename L::F32 x) {
  const auto bits = L::BitsF(x);
  const auto exponent = L::Sub(L::template Shr<23>(L::And(bits, L::Set(0x7f800000))), L::Set(127));
  const auto t = L::SubF(L::AsF(L::Or(L::And(bits, L::Set(0x7fffff)), L::Set(0x3f800000))), L::SetF(1.0f));
  auto value = L::SetF(kFloatVifLogCoefficients[0]);
  Unroll<1, 8>([&](auto i) __attribute__((always_inline)) {
    value = L::AddF(L::MulF(value, t), L::SetF(kFloatVifLogCoefficients[i]));
  });
  return L::AddF(L::ToF(exponent), L::MulF(value, t));
}

template <class L>
struct FloatVifLaneTerms {
  typename L::F32 numerator;
  typename L::F32 denominator;
};

/// FloatVifPixel().
/// in      moments: as in FloatVifMoments; kPowerOfTwo: the noise is one, and dividing by it is multiplying;
///         flat_below: the noise rounded up to binary32, which is below or not below the same binary32 numbers
template <class L, bool kPowerOfTwo>
LOCKSTEP_LANE_INLINE FloatVifLaneTerms<L> FloatVifPixels(const typename L::F32 (&moments)[kFloatVifMoments],
                                                         const FloatVifSettings& settings, float flat_below) {
  const auto zero = L::SetF(0.0f);
  const auto epsilon = L::SetF(kFloatVifEpsilon);
  auto reference = L::MaxF(L::SubF(moments[2], L::MulF(moments[0], moments[0])), zero);
  const auto distorted = L::MaxF(L::SubF(moments[3], L::MulF(moments[1], moments[1])), zero);
  const auto covariance = L::SubF(moments[4], L::MulF(moments[0], moments[1]));
  auto gain = L::DivF(covariance, L::AddF(reference, epsilon));
  auto residual = L::SubF(distorted, L::MulF(gain, covariance));
  const auto no_reference = L::LtF(reference, epsilon);
  gain = L::KeepNotF(no_reference, gain);
  residual = L::SelectF(no_reference, distorted, residual);
  reference = L::KeepNotF(no_reference, reference);
  const auto no_distorted = L::LtF(distorted, epsilon);
  gain = L::KeepNotF(no_distorted, gain);
  residual = L::KeepNotF(no_distorted, residual);
  const auto negative = L::LtF(gain, zero);
  residual = L::MaxF(L::SelectF(negative, distorted, residual), epsilon);
  gain = L::KeepNotF(negative, gain);
  const auto limit = L::SetF(settings.gain_limit);
  gain = L::SelectF(L::LtF(gain, limit), gain, limit);

  const auto one = L::SetD(1.0);
  const auto noise = L::SetD(settings.noise);
  const auto kept = L::DivD(L::ToD(L::MulF(L::MulF(gain, gain), reference)), L::AddD(L::ToD(residual), noise));
  const auto held =
      kPowerOfTwo ? L::MulD(L::ToD(reference), L::SetD(1.0 / settings.noise)) : L::DivD(L::ToD(reference), noise);
  const auto numerator = L::KeepNotF(L::LtF(covariance, zero), FloatVifLog2OnLanes<L>(L::ToF(L::AddD(one, kept))));
  const auto denominator = FloatVifLog2OnLanes<L>(L::ToF(L::AddD(one, held)));
  const auto flat = L::LtF(reference, L::SetF(flat_below));
  const auto flat_numerator = L::SubF(L::SetF(1.0f), L::MulF(distorted, L::SetF(settings.flat_slope)));
  return {L::SelectF(flat, flat_numerator, numerator), L::SelectF(flat, L::SetF(1.0f), denominator)};
}

/// Outputs that are filtered at a time: as many as there are registers for their sums.
template <class L>
inline constexpr int kFloatVifOutputs = L::kRegs == 32 ? 4 : 2;

/// The buffers of a group of L::N rows.
template <class L>
struct FloatVifGroup {
  float* columns;  // of each plane, columns of L::N rows
  float* block;    // of each plane, L::N rows of L::N columns

  [[nodiscard]] float* Column(int plane, i32 column) const {
    return columns + (i64{plane} * kFloatVifSimdColumns + column) * L::N;
  }
  [[nodiscard]] float* BlockRow(int plane, i32 row) const { return block + (i64{plane} * L::N + row) * L::N; }
};

/// Rows of both pictures under the filters of a group.
template <class Sample>
struct FloatVifRows {
  const Sample* reference[kFloatVifSimdLanes + kFloatVifMaximumTaps - 1];
  const Sample* distorted[kFloatVifSimdLanes + kFloatVifMaximumTaps - 1];
};

/// Filters columns [begin, end) of a group down its rows.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void FloatVifVerticalStrip(const FloatVifRows<Sample>& rows, const FloatVifSumArgs& args, i32 begin,
                                              i32 end, const FloatVifGroup<L>& group, i32 column) {
  constexpr int kOutputs = kFloatVifOutputs<L>;
  for (i32 x = begin; x < end; x += L::N) {
    for (i32 row = 0; row < L::N; row += kOutputs) {
      typename L::F32 sums[kOutputs][kFloatVifMoments];
      const auto load = [&](i32 i, typename L::F32(&values)[kFloatVifMoments]) __attribute__((always_inline)) {
        values[0] = FloatSamples<L>(rows.reference[row + i] + x, args.inverse_scaler);
        values[1] = FloatSamples<L>(rows.distorted[row + i] + x, args.inverse_scaler);
        values[2] = L::MulF(values[0], values[0]);
        values[3] = L::MulF(values[1], values[1]);
        values[4] = L::MulF(values[0], values[1]);
      };
      FloatVifFilter<L, kOutputs>(args.taps, args.tap_count, load, sums);
      Unroll<0, kOutputs>([&](auto r) __attribute__((always_inline)) {
        Unroll<0, kFloatVifMoments>([&](auto p) __attribute__((always_inline)) {
          L::Store(sums[r][p], group.BlockRow(p, row + r));
        });
      });
    }
    for (int plane = 0; plane < kFloatVifMoments; ++plane) {
      typename L::F32 block[L::N];
      Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) { block[i] = L::Load(group.BlockRow(plane, i)); });
      L::Transpose(block);
      float* const out = group.Column(plane, column + x - begin);
      Unroll<0, L::N>([&](auto i) __attribute__((always_inline)) { L::Store(block[i], out + i * L::N); });
    }
  }
}

/// Filters `count` columns from `first` on along the rows and adds their terms to the row sums, left to right.
template <class L, bool kPowerOfTwo>
LOCKSTEP_LANE_PASS void FloatVifAddColumns(const FloatVifGroup<L>& group, i32 first, i32 count,
                                           const FloatVifSumArgs& args, float flat_below, float* numerators,
                                           float* denominators) {
  auto numerator = L::Load(numerators);
  auto denominator = L::Load(denominators);
  const i32 radius = args.tap_count / 2;
  const auto some = [&](i32 column, auto outputs) __attribute__((always_inline)) {
    constexpr int kOutputs = decltype(outputs)::value;
    typename L::F32 sums[kOutputs][kFloatVifMoments];
    const float* const start = group.Column(0, column - radius);
    const auto load = [&](i32 i, typename L::F32(&values)[kFloatVifMoments]) __attribute__((always_inline)) {
      Unroll<0, kFloatVifMoments>([&](auto p) __attribute__((always_inline)) {
        values[p] = L::Load(start + (i64{p} * kFloatVifSimdColumns + i) * L::N);
      });
    };
    FloatVifFilter<L, kOutputs>(args.taps, args.tap_count, load, sums);
    Unroll<0, kOutputs>([&](auto r) __attribute__((always_inline)) {
      const FloatVifLaneTerms<L> terms = FloatVifPixels<L, kPowerOfTwo>(sums[r], args.settings, flat_below);
      numerator = L::AddF(numerator, terms.numerator);
      denominator = L::AddF(denominator, terms.denominator);
    });
  };
  constexpr int kOutputs = kFloatVifOutputs<L>;
  i32 i = 0;
  for (; i + kOutputs <= count; i += kOutputs) some(first + i, std::integral_constant<int, kOutputs>());
  for (; i < count; ++i) some(first + i, std::integral_constant<int, 1>());
  L::Store(numerator, numerators);
  L::Store(denominator, denominators);
}

template <class L>
LOCKSTEP_LANE_INLINE void FloatVifCopyColumn(const FloatVifGroup<L>& group, i32 from, i32 to) {
  for (int plane = 0; plane < kFloatVifMoments; ++plane) {
    L::Store(L::Load(group.Column(plane, from)), group.Column(plane, to));
  }
}

/// Row `y` of a plane, mirrored; below the rows that a wanted sum needs, some row inside.
template <class Sample>
const Sample* FloatVifRow(const void* plane, i64 stride, i32 y, i32 height, i32 radius) {
  const i32 last_needed = height + radius - 1;
  return static_cast<const Sample*>(plane) + Mirror(y < last_needed ? y : last_needed, height) * stride;
}

/// The sums of L::N rows from row `y` on.
template <class L, class Sample, bool kPowerOfTwo>
LOCKSTEP_LANE_INLINE void FloatVifSumGroup(const FloatVifSumArgs& args, i32 y, float flat_below, float* numerators,
                                           float* denominators) {
  const i32 radius = args.tap_count / 2;
  FloatVifRows<Sample> rows;
  for (i32 i = 0; i < L::N + 2 * radius; ++i) {
    rows.reference[i] = FloatVifRow<Sample>(args.reference, args.reference_stride, y - radius + i, args.height, radius);
    rows.distorted[i] = FloatVifRow<Sample>(args.distorted, args.distorted_stride, y - radius + i, args.height, radius);
  }
  const FloatVifGroup<L> group = {args.lines, args.lines + i64{kFloatVifMoments} * kFloatVifSimdColumns * L::N};
  for (i32 i = 0; i < L::N; ++i) numerators[i] = denominators[i] = 0.0f;
  // Where the first column of a strip lies.
  const i32 carry = 2 * radius;
  for (i32 begin = 0; begin < args.width; begin += kFloatVifSimdStrip) {
    const i32 left = args.width - begin;
    const i32 count = left < kFloatVifSimdStrip ? left : kFloatVifSimdStrip;
    // Outputs lag behind the columns that are there.
    i32 first = carry - radius;
    i32 outputs = count;
    FloatVifVerticalStrip<L, Sample>(rows, args, begin, begin + count, group, carry);
    if (begin == 0) {
      for (i32 i = 1; i <= radius; ++i) FloatVifCopyColumn(group, carry + i, carry - i);
      first += radius;
      outputs -= radius;
    }
    if (count == left) {
      for (i32 i = 1; i <= radius; ++i) FloatVifCopyColumn(group, carry + count - 1 - i, carry + count - 1 + i);
      outputs += radius;
    }
    FloatVifAddColumns<L, kPowerOfTwo>(group, first, outputs, args, flat_below, numerators, denominators);
    for (i32 i = 0; i < carry; ++i) FloatVifCopyColumn(group, count + i, i);
  }
}

template <class L, class Sample, bool kPowerOfTwo>
LOCKSTEP_LANE_INLINE void FloatVifSumGroups(const FloatVifSumArgs& args, float flat_below) {
  for (i32 y = args.begin; y < args.end; y += L::N) {
    float numerators[L::N];
    float denominators[L::N];
    FloatVifSumGroup<L, Sample, kPowerOfTwo>(args, y, flat_below, numerators, denominators);
    for (i32 i = 0; i < L::N && y + i < args.end; ++i) {
      args.numerators[y + i] = numerators[i];
      args.denominators[y + i] = denominators[i];
    }
  }
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE void FloatVifSumOnLanes(const FloatVifSumArgs& args) {
  const double noise = args.settings.noise;
  float flat_below = static_cast<float>(noise);
  if (static_cast<double>(flat_below) < noise) {
    u32 bits;
    __builtin_memcpy(&bits, &flat_below, sizeof(bits));
    ++bits;
    __builtin_memcpy(&flat_below, &bits, sizeof(bits));
  }
  u64 noise_bits;
  __builtin_memcpy(&noise_bits, &noise, sizeof(noise_bits));
  const bool power_of_two = noise >= 0x1p-100 && (noise_bits & 0xfffffffffffffu) == 0;
  if (power_of_two) {
    FloatVifSumGroups<L, Sample, true>(args, flat_below);
  } else {
    FloatVifSumGroups<L, Sample, false>(args, flat_below);
  }
}

/// One row of FloatVifHalve. Columns of even and odd numbers lie apart, so that every second one is a run.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void FloatVifHalveRow(const FloatVifHalveArgs& args, const Sample* const* rows, float* even,
                                         float* odd, float* target) {
  const i32 radius = args.tap_count / 2;
  for (i32 x = 0; x < args.width; x += 2 * L::N) {
    auto low = L::SetF(0.0f);
    auto high = L::SetF(0.0f);
    for (i32 k = 0; k < args.tap_count; ++k) {
      const auto tap = L::SetF(args.taps[k]);
      low = L::AddF(low, L::MulF(tap, FloatSamples<L>(rows[k] + x, args.inverse_scaler)));
      // The second register may begin beyond what may be read.
      const i32 second = x + L::N < args.width ? x + L::N : x;
      high = L::AddF(high, L::MulF(tap, FloatSamples<L>(rows[k] + second, args.inverse_scaler)));
    }
    L::Store(L::EvensF(low, high), even + x / 2);
    L::Store(L::OddsF(low, high), odd + x / 2);
  }
  // Arithmetic shifts: columns before the first one have negative numbers.
  const auto at = [&](i32 x) __attribute__((always_inline)) {
    float* const half = x % 2 == 0 ? even : odd;
    return half + (x >> 1);
  };
  for (i32 i = 1; i <= radius; ++i) {
    *at(-i) = *at(i);
    *at(args.width - 1 + i) = *at(args.width - 1 - i);
  }
  for (i32 x = 0; x < args.width / 2; x += L::N) {
    auto sum = L::SetF(0.0f);
    for (i32 k = 0; k < args.tap_count; ++k) {
      const i32 offset = k - radius;
      const float* const run = (offset % 2 == 0 ? even : odd) + x + (offset >> 1);
      sum = L::AddF(sum, L::MulF(L::SetF(args.taps[k]), L::Load(run)));
    }
    L::Store(sum, target + x);
  }
}

template <class L, class Sample>
LOCKSTEP_LANE_INLINE void FloatVifHalveOnLanes(const FloatVifHalveArgs& args) {
  const i32 radius = args.tap_count / 2;
  float* const even = args.line + kFloatVifMaximumTaps;
  float* const odd = even + FloatVifHalveLine(args.width) / 2;
  for (i32 y = args.begin; y < args.end; ++y) {
    const Sample* rows[kFloatVifMaximumTaps];
    for (i32 k = 0; k < args.tap_count; ++k) {
      rows[k] = FloatVifRow<Sample>(args.plane, args.stride, 2 * y - radius + k, args.height, radius);
    }
    FloatVifHalveRow<L, Sample>(args, rows, even, odd, args.target + y * args.target_stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
