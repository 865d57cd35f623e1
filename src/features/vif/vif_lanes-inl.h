// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on lanes: filters as exact sums of 16-bit pair products, and the statistic; read once for each target.
#if defined(LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#undef LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "features/vif/vif_log_segments.h"
#include "features/vif/vif_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Samples are stored minus 32768, so that they fit i16. Taps add up to 65536, so a sum of taps times samples is 2^31
// too small, which the first summand repairs together with the rounding. A second moment is kept as a high half,
// rounded to nearest, and a signed low half; it fits because every moment is below 2^32 - 2^15.
//
// A ring holds pairs of rows (2k, 2k + 1) as 32-bit values: one load serves an even output row with the taps
// (f0, f1), (f2, f3) … and an odd one with (0, f0), (f1, f2) …. Along a row, neighbours form the pairs in the same way.
// Sums do not care in which order a row's pixels come.
//
// The second cache holds the ring, and its bandwidth is what limits the vertical filter: hence four output rows for
// each load, and blocks of 2 * L::N columns whose planes lie side by side, so that a slot is read as one stream. What
// follows goes by chunks of columns and stays in the first cache. The statistic is cut in two where its long chain of
// operations would leave a CPU too few pixels to work on at the same time.

/// What a row of source samples is at scale 0 of 8-bit video, at scale 0 of other video, at the other scales. Deep
/// samples are moved to the top of 16 bits: all sums grow by powers of two, and their shifts become those of the other
/// scales.
enum class VifSource { kBytes, kDeep, kScaled };

template <int kScale>
constexpr i32 VifTapOrZero(i32 k) {
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  return k < -kRadius || k > kRadius ? 0 : VifFilter<kScale>::Tap(k);
}

// A tap that does not fit i16 (43728 at scale 3) is split into two products.
constexpr i32 VifTapLow(i32 tap) { return tap > 32767 ? 32767 : tap; }
constexpr i32 VifTapRest(i32 tap) { return tap - VifTapLow(tap); }

/// Taps of the samples 2 * pair and 2 * pair + 1 after an even position, for the output there (odd = 0) or one further.
template <int kScale>
constexpr i32 VifTapPair(i32 pair, i32 odd) {
  return VifTapLow(VifTapOrZero<kScale>(2 * pair - odd)) | VifTapLow(VifTapOrZero<kScale>(2 * pair + 1 - odd)) << 16;
}
template <int kScale>
constexpr i32 VifTapPairRest(i32 pair, i32 odd) {
  return VifTapRest(VifTapOrZero<kScale>(2 * pair - odd)) | VifTapRest(VifTapOrZero<kScale>(2 * pair + 1 - odd)) << 16;
}

/// Pairs -kVifLastPair … kVifLastPair hold all samples that one of the two outputs needs.
template <int kScale>
inline constexpr i32 kVifLastPair = (VifFilter<kScale>::kRadius + 1) / 2;

/// Taps of one pair in a register, for several sums.
template <class L, int kScale, int kPair, int kOdd>
struct VifTaps {
  static constexpr i32 kTaps = VifTapPair<kScale>(kPair, kOdd);
  static constexpr i32 kRest = VifTapPairRest<kScale>(kPair, kOdd);
  typename L::I32 taps;

  LOCKSTEP_LANE_INLINE VifTaps() : taps(L::InRegister(L::Set(kTaps))) {}
  LOCKSTEP_LANE_INLINE void AddTo(typename L::I32& sum, typename L::I32 samples) const {
    if constexpr (kTaps != 0) sum = L::Dot(sum, samples, taps);
    if constexpr (kRest != 0) sum = L::Dot(sum, samples, L::Set(kRest));
  }
};

template <class L>
struct VifLaneSums {
  typename L::I32 num_log;
  typename L::I32 den_log;
  typename L::I32 non_log_count;
  typename L::I32 non_log_num_low;  // of the numbers' low 16 bits
  typename L::I32 non_log_num_high;
};

/// Top word of the binary64 kVifNoise, whose logarithm counts as 0.
inline constexpr i32 kVifNoiseWord = 1040 << 20;

/// VifLog() with the segments' polynomials in registers.
/// exact   equal to the table for each of the 32768 fractions
template <class L>
struct VifLaneLog {
  using Segments = VifLogSegments<L::kTableSize>;
  typename L::F32 slope;
  typename L::F32 base;
  LOCKSTEP_LANE_INLINE VifLaneLog() : slope(L::Load(Segments::kSlope)), base(L::Load(Segments::kBase)) {}

  /// Logarithm of a binary64 of at least 32768, given its top word, without the exponent: from its 15 highest fraction
  /// bits.
  LOCKSTEP_LANE_INLINE typename L::I32 OfFraction(typename L::I32 top_word) const {
    using F32 = typename L::F32;
    constexpr int kBits = Segments::kBits;
    constexpr int kTerms = sizeof(Segments::kTerms) / sizeof(float);
    const auto segment = L::template Shr<20 - kBits>(top_word);
    // The bits after the segment's, as the fraction of a binary32 in [1, 2).
    constexpr i32 kPlaceBits = ((1 << (15 - kBits)) - 1) << (8 + kBits);
    const auto place = L::Or(L::And(L::template Shl<3 + kBits>(top_word), L::Set(kPlaceBits)), L::Set(0x3f800000));
    const F32 y = L::MulF(L::Lookup(slope, segment), L::SubF(L::AsF(place), L::SetF(1.5f)));
    F32 sum = L::MulF(y, L::SetF(Segments::kTerms[kTerms - 1]));
    Unroll<1, kTerms>([&](auto i) __attribute__((always_inline)) {
      sum = L::MulF(L::AddF(sum, L::SetF(Segments::kTerms[kTerms - 1 - i])), y);
    });
    sum = L::MulF(L::AddF(sum, L::SetF(1.0f)), y);
    return L::TruncF(L::AddF(L::Lookup(base, segment), sum));
  }
};

template <class L>
struct VifLaneConstants {
  typename L::F64 noise;
  typename L::F64 epsilon;
  typename L::F64 gain_limit;
  typename L::F64 zero;
};

/// VifAddPixel() for a register of pixels, except that it stores the top words of the logarithms' arguments: of the
/// reference with noise, of the signal with noise, and of the noise. Pixels without logarithms get arguments that
/// cancel.
///
/// out     false: no pixel has logarithms, and `words` is as before
///
/// exact   all values that are converted are integers below 2^53
template <class L, bool kMasked>
LOCKSTEP_LANE_INLINE bool VifAddPixels(VifLaneSums<L>& sums, const VifLaneConstants<L>& constants, const i32* in,
                                       typename L::Mask inside, i32* words) {
  using I32 = typename L::I32;
  const I32 zero = L::Set(0);
  const I32 s1 = L::Load(in);
  const I32 s2 = L::Load(in + kVifSimdRowStride);
  const I32 s12 = L::Load(in + 2 * kVifSimdRowStride);
  auto in_log = L::Gt(s1, L::Set(kVifNoise - 1));
  I32 non_log_s2;
  I32 non_log_one;
  if constexpr (kMasked) {
    in_log = L::AndM(in_log, inside);
    const auto non_log = L::AndNotM(in_log, inside);
    non_log_s2 = L::Keep(non_log, s2);
    non_log_one = L::Keep(non_log, L::Set(1));
  } else {
    non_log_s2 = L::KeepNot(in_log, s2);
    non_log_one = L::KeepNot(in_log, L::Set(1));
  }
  sums.non_log_count = L::Add(sums.non_log_count, non_log_one);
  sums.non_log_num_low = L::Add(sums.non_log_num_low, L::And(non_log_s2, L::Set(0xffff)));
  sums.non_log_num_high = L::Add(sums.non_log_num_high, L::template Shr<16>(non_log_s2));
  if (L::AllFalse(in_log)) return false;

  const auto in_gain = L::AndM(in_log, L::AndM(L::Gt(s12, zero), L::Gt(s2, zero)));
  const auto d1 = L::LoadD(in);
  const auto d2 = L::LoadD(in + kVifSimdRowStride);
  const auto d12 = L::LoadD(in + 2 * kVifSimdRowStride);
  const auto gain = L::DivD(d12, L::AddD(d1, constants.epsilon));
  const auto residual = L::MaxD(L::TruncD(L::SubD(d2, L::MulD(gain, d12))), constants.zero);
  const auto limited = L::MinD(gain, constants.gain_limit);
  const auto noise = L::AddD(residual, constants.noise);
  const auto signal = L::AddD(L::TruncD(L::MulD(L::MulD(limited, limited), d1)), noise);

  const I32 noise_word = L::TopWord(noise);
  L::Store(L::Select(in_log, L::TopWord(L::AddD(d1, constants.noise)), L::Set(kVifNoiseWord)), words);
  L::Store(L::Select(in_gain, L::TopWord(signal), noise_word), words + kVifSimdRowStride);
  L::Store(noise_word, words + 2 * kVifSimdRowStride);
  return true;
}

/// Adds the logarithms of `count` words of each kind.
/// exact   a lane takes at most four rows of 32768 pixels over four lanes, each below 2^16
template <class L>
LOCKSTEP_LANE_PASS void VifAddLogs(const i32* words, i32 count, VifLaneSums<L>& total) {
  const VifLaneLog<L> log;
  const auto exponents = L::Set(0x7ff00000);
  auto num_log = total.num_log;
  auto den_log = total.den_log;
  for (i32 i = 0; i < count; i += L::N) {
    const auto reference = L::Load(words + i);
    const auto signal = L::Load(words + kVifSimdRowStride + i);
    const auto noise = L::Load(words + 2 * kVifSimdRowStride + i);
    const auto octaves = L::template Shr<9>(L::Sub(L::And(reference, exponents), L::Set(kVifNoiseWord)));
    den_log = L::Add(den_log, L::Add(log.OfFraction(reference), octaves));
    const auto ratio = L::template Shr<9>(L::Sub(L::And(signal, exponents), L::And(noise, exponents)));
    num_log = L::Add(num_log, L::Add(L::Sub(log.OfFraction(signal), log.OfFraction(noise)), ratio));
  }
  total.num_log = num_log;
  total.den_log = den_log;
}

template <VifSource kSource>
inline constexpr i32 kVifRingPlanes = kSource == VifSource::kBytes ? 5 : 8;

template <class L>
LOCKSTEP_LANE_INLINE void VifStorePairs(typename L::I16 even_row, typename L::I16 odd_row, i32* out) {
  L::Store(L::ZipLo(even_row, odd_row), out);
  L::Store(L::ZipHi(even_row, odd_row), out + L::N);
}

/// Planes of the high and the low halves of the products of x and y.
template <class L>
LOCKSTEP_LANE_INLINE void VifStoreProductPairs(typename L::I16 even_x, typename L::I16 even_y, typename L::I16 odd_x,
                                               typename L::I16 odd_y, i32* out, i64 stride) {
  const auto bias = L::Set16(-32768);
  VifStorePairs<L>(L::Xor16(L::MulHiU16(even_x, even_y), bias), L::Xor16(L::MulHiU16(odd_x, odd_y), bias), out);
  VifStorePairs<L>(L::Xor16(L::MulLo16(even_x, even_y), bias), L::Xor16(L::MulLo16(odd_x, odd_y), bias), out + stride);
}

/// source  two rows of the reference, two of the distorted picture
/// out     blocks of 2 * L::N columns of u, v, u^2, v^2, u v; of 8-bit video one plane each (u and v without the bias),
/// else products in halves
template <class L, VifSource kSource, class Sample>
LOCKSTEP_LANE_PASS void VifBuildPairs(const Sample* source, i64 source_stride, i64 columns, i32 bit_depth, i32* out) {
  const auto bias = L::Set16(-32768);
  for (i64 c = 0; c < columns; c += 2 * L::N) {
    auto u0 = L::Load(source + c);
    auto u1 = L::Load(source + source_stride + c);
    auto v0 = L::Load(source + 2 * source_stride + c);
    auto v1 = L::Load(source + 3 * source_stride + c);
    if constexpr (kSource == VifSource::kDeep) {
      u0 = L::Shl16Same(u0, 16 - bit_depth);
      u1 = L::Shl16Same(u1, 16 - bit_depth);
      v0 = L::Shl16Same(v0, 16 - bit_depth);
      v1 = L::Shl16Same(v1, 16 - bit_depth);
    }
    constexpr i64 stride = 2 * L::N;
    i32* const to = out + kVifRingPlanes<kSource> * c;
    if constexpr (kSource == VifSource::kBytes) {
      VifStorePairs<L>(u0, u1, to);
      VifStorePairs<L>(v0, v1, to + stride);
      VifStorePairs<L>(L::Xor16(L::MulLo16(u0, u0), bias), L::Xor16(L::MulLo16(u1, u1), bias), to + 2 * stride);
      VifStorePairs<L>(L::Xor16(L::MulLo16(v0, v0), bias), L::Xor16(L::MulLo16(v1, v1), bias), to + 3 * stride);
      VifStorePairs<L>(L::Xor16(L::MulLo16(u0, v0), bias), L::Xor16(L::MulLo16(u1, v1), bias), to + 4 * stride);
    } else {
      VifStorePairs<L>(L::Xor16(u0, bias), L::Xor16(u1, bias), to);
      VifStorePairs<L>(L::Xor16(v0, bias), L::Xor16(v1, bias), to + stride);
      VifStoreProductPairs<L>(u0, u0, u1, u1, to + 2 * stride, stride);
      VifStoreProductPairs<L>(v0, v0, v1, v1, to + 4 * stride, stride);
      VifStoreProductPairs<L>(u0, v0, u1, v1, to + 6 * stride, stride);
    }
  }
}

/// Sums of one plane for kRows output rows, 2 * L::N columns: sums[row][half].
/// in      slots: the ring's slots of the pairs -kVifLastPair … kVifLastPair + (kRows - 1) / 2; sums: what to add to
template <class L, int kScale, int kRows>
LOCKSTEP_LANE_INLINE void VifVerticalSums(const i32* const* slots, i64 offset, typename L::I32 (&sums)[kRows][2]) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  Unroll<-kLast, kLast + (kRows + 1) / 2>([&](auto pair) __attribute__((always_inline)) {
    const i32* const samples = slots[pair + kLast] + offset;
    const auto low = L::InRegister(L::Load(samples));
    const auto high = L::InRegister(L::Load(samples + L::N));
    Unroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      constexpr i32 kPair = decltype(pair)::value - decltype(row)::value / 2;
      const VifTaps<L, kScale, kPair, decltype(row)::value % 2> taps;
      taps.AddTo(sums[row][0], low);
      taps.AddTo(sums[row][1], high);
    });
  });
}

template <class L, int kRows>
LOCKSTEP_LANE_INLINE void VifSetSums(typename L::I32 (&sums)[kRows][2], i32 first) {
  Unroll<0, 2 * kRows>([&](auto i) __attribute__((always_inline)) { sums[i / 2][i % 2] = L::Set(first); });
}

/// Means of one plane, rounded as the scale does, minus 32768.
template <class L, VifSource kSource, int kScale, int kRows>
LOCKSTEP_LANE_INLINE void VifVerticalMeans(const i32* const* slots, i64 offset, i16* out, i64 out_stride) {
  typename L::I32 sums[kRows][2];
  if constexpr (kSource == VifSource::kBytes) {
    VifSetSums<L>(sums, 128 - (32768 << 8));
    VifVerticalSums<L, kScale>(slots, offset, sums);
    Unroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      L::Store(L::Pack(L::template Sar<8>(sums[row][0]), L::template Sar<8>(sums[row][1])), out + row * out_stride);
    });
  } else {
    VifSetSums<L>(sums, 32768);
    VifVerticalSums<L, kScale>(slots, offset, sums);
    Unroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      L::Store(L::PackHigh(sums[row][0], sums[row][1]), out + row * out_stride);
    });
  }
}

/// Second moments of one kind minus 2^31, plus 32768 so that their high halves round to nearest: sums[row][half].
template <class L, VifSource kSource, int kScale, int kRows>
LOCKSTEP_LANE_INLINE void VifVerticalMoments(const i32* const* slots, i64 offset, typename L::I32 (&sums)[kRows][2]) {
  if constexpr (kSource == VifSource::kBytes) {
    VifSetSums<L>(sums, 32768);
    VifVerticalSums<L, kScale>(slots, offset, sums);
  } else {
    VifSetSums<L>(sums, static_cast<i32>(0x80008000u));
    VifVerticalSums<L, kScale>(slots, offset + 2 * L::N, sums);
    const auto rounding = L::Set(32768);
    Unroll<0, 2 * kRows>([&](auto i) __attribute__((always_inline)) {
      sums[i / 2][i % 2] = L::Add(L::template Shr<16>(sums[i / 2][i % 2]), rounding);
    });
    VifVerticalSums<L, kScale>(slots, offset, sums);
  }
}

/// The next scale's two rows of u and v before their horizontal filter, for 2 * L::N columns.
template <class L, VifSource kSource, int kScale>
LOCKSTEP_LANE_INLINE void VifDownsampleColumns(const i32* const* slots, i64 c, i16* out, i64 out_stride) {
  constexpr i32 kSkipped = kVifLastPair<kScale> - kVifLastPair<kScale + 1>;
  Unroll<0, 2>([&](auto plane) __attribute__((always_inline)) {
    const i64 offset = kVifRingPlanes<kSource> * c + plane * 2 * L::N;
    Unroll<0, kVifSimdRows / 2>([&](auto row) __attribute__((always_inline)) {
      VifVerticalMeans<L, kSource, kScale + 1, 1>(slots + kSkipped + row, offset,
                                                  out + (2 * row + plane) * out_stride + c, 0);
    });
  });
}

/// Columns [begin, end) of four rows of eight planes: means of u and v; rounded high and signed low halves of u^2, v^2,
/// u v. And of the next scale's rows.
/// out     rows: at column `begin`; filtered: at column 0
template <class L, VifSource kSource, int kScale>
LOCKSTEP_LANE_PASS void VifVerticalRows(const i32* const* slots, i64 begin, i64 end, i16* rows, i16* filtered,
                                        i64 filtered_stride) {
  constexpr int kRows = kVifSimdRows;
  const auto bias = L::Set16(-32768);
  for (i64 c = begin; c < end; c += 2 * L::N) {
    const i64 block = kVifRingPlanes<kSource> * c;
    i16* const to = rows + (c - begin);
    Unroll<0, 2>([&](auto plane) __attribute__((always_inline)) {
      VifVerticalMeans<L, kSource, kScale, kRows>(slots, block + plane * 2 * L::N, to + plane * kVifSimdRowStride,
                                                  8 * kVifSimdRowStride);
    });
    Unroll<0, 3>([&](auto moment) __attribute__((always_inline)) {
      typename L::I32 sums[kRows][2];
      constexpr i32 kPlanes = kSource == VifSource::kBytes ? 1 : 2;
      const i64 offset = block + (2 + kPlanes * moment) * 2 * L::N;
      VifVerticalMoments<L, kSource, kScale>(slots, offset, sums);
      Unroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
        i16* const out = to + (row * 8 + 2 + 2 * moment) * kVifSimdRowStride;
        L::Store(L::PackHigh(sums[row][0], sums[row][1]), out);
        L::Store(L::Xor16(L::PackLow(sums[row][0], sums[row][1]), bias), out + kVifSimdRowStride);
      });
    });
    if constexpr (kScale + 1 < kVifScales) {
      VifDownsampleColumns<L, kSource, kScale>(slots, c, filtered, filtered_stride);
    }
  }
}

/// Sums of four planes at even and at odd columns.
/// in      what to add to
template <class L, int kScale>
LOCKSTEP_LANE_INLINE void VifHorizontalSums(const i16* row, typename L::I32 (&even)[4], typename L::I32 (&odd)[4]) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  Unroll<-kLast, kLast + 1>([&](auto pair) __attribute__((always_inline)) {
    const VifTaps<L, kScale, decltype(pair)::value, 0> even_taps;
    const VifTaps<L, kScale, decltype(pair)::value, 1> odd_taps;
    Unroll<0, 4>([&](auto plane) __attribute__((always_inline)) {
      const auto samples = L::InRegister(L::LoadPairs(row + plane * kVifSimdRowStride + 2 * pair));
      even_taps.AddTo(even[plane], samples);
      odd_taps.AddTo(odd[plane], samples);
    });
  });
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::I32 VifJoinHalves(typename L::I32 high, typename L::I32 low) {
  return L::Add(high, L::template Sar<16>(low));
}

/// Variances of `count` columns in groups of 2 * L::N: first the even columns, then the odd ones.
/// in      row: the first column of the first of eight planes
template <class L, int kScale>
LOCKSTEP_LANE_PASS void VifHorizontalRow(const i16* row, i32 count, i32* out) {
  using I32 = typename L::I32;
  const I32 unbias = L::Set(static_cast<i32>(0x80000000u));
  // Low halves are signed and unbiased; the high half is a multiple of 2^16, so only the low one rounds.
  const I32 rounding = L::Set(32768);
  const I32 zero = L::Set(0);
  for (i32 x = 0; x < count; x += 2 * L::N) {
    const i16* const in = row + x;
    i32* const s1 = out + x;
    i32* const s2 = s1 + kVifSimdRowStride;
    i32* const s12 = s2 + kVifSimdRowStride;
    I32 even[4] = {unbias, unbias, unbias, rounding};
    I32 odd[4] = {unbias, unbias, unbias, rounding};
    VifHorizontalSums<L, kScale>(in, even, odd);
    const I32 even_u = even[0];
    const I32 even_v = even[1];
    const I32 odd_u = odd[0];
    const I32 odd_v = odd[1];
    L::Store(L::Sub(VifJoinHalves<L>(even[2], even[3]), L::MulHighRound(even_u, even_u)), s1);
    L::Store(L::Sub(VifJoinHalves<L>(odd[2], odd[3]), L::MulHighRound(odd_u, odd_u)), s1 + L::N);
    Unroll<0, 4>([&](auto plane) __attribute__((always_inline)) {
      even[plane] = plane % 2 == 0 ? unbias : rounding;
      odd[plane] = even[plane];
    });
    VifHorizontalSums<L, kScale>(in + 4 * kVifSimdRowStride, even, odd);
    L::Store(L::Max(L::Sub(VifJoinHalves<L>(even[0], even[1]), L::MulHighRound(even_v, even_v)), zero), s2);
    L::Store(L::Max(L::Sub(VifJoinHalves<L>(odd[0], odd[1]), L::MulHighRound(odd_v, odd_v)), zero), s2 + L::N);
    L::Store(L::Sub(VifJoinHalves<L>(even[2], even[3]), L::MulHighRound(even_u, even_v)), s12);
    L::Store(L::Sub(VifJoinHalves<L>(odd[2], odd[3]), L::MulHighRound(odd_u, odd_v)), s12 + L::N);
  }
}

/// in      variances of a row as VifHorizontalRow() leaves them
/// return  how many words of each kind
template <class L>
LOCKSTEP_LANE_PASS i32 VifStatisticOfRow(const i32* in, i32 count, const VifLaneConstants<L>& constants,
                                         VifLaneSums<L>& total, i32* words) {
  VifLaneSums<L> sums = total;
  i32 used = 0;
  i32 x = 0;
  for (; x + 2 * L::N <= count; x += L::N) {
    used += VifAddPixels<L, false>(sums, constants, in + x, L::FirstN(0), words + used) ? L::N : 0;
    x += L::N;
    used += VifAddPixels<L, false>(sums, constants, in + x, L::FirstN(0), words + used) ? L::N : 0;
  }
  if (x < count) {
    const auto even = L::FirstN((count - x + 1) / 2);
    const auto odd = L::FirstN((count - x) / 2);
    used += VifAddPixels<L, true>(sums, constants, in + x, even, words + used) ? L::N : 0;
    used += VifAddPixels<L, true>(sums, constants, in + x + L::N, odd, words + used) ? L::N : 0;
  }
  total.non_log_count = sums.non_log_count;
  total.non_log_num_low = sums.non_log_num_low;
  total.non_log_num_high = sums.non_log_num_high;
  return used;
}

template <class L>
LOCKSTEP_LANE_INLINE void VifAddLaneSums(VifSums& total, const VifLaneSums<L>& sums) {
  total.num_log += static_cast<u64>(L::Sum(sums.num_log));
  total.den_log += static_cast<u64>(L::Sum(sums.den_log));
  total.non_log_count += static_cast<u64>(L::Sum(sums.non_log_count));
  total.non_log_num += static_cast<u64>(L::SumU(sums.non_log_num_low));
  total.non_log_num += static_cast<u64>(L::SumU(sums.non_log_num_high)) << 16;
}

template <class L, VifSource kSource, int kScale>
LOCKSTEP_LANE_PASS void VifDownsampleRows(const i32* const* slots, i64 columns, i16* out, i64 out_stride) {
  for (i64 c = 0; c < columns; c += 2 * L::N) {
    VifDownsampleColumns<L, kSource, kScale>(slots, c, out, out_stride);
  }
}

/// Every second column of a row, filtered by the next scale's filter kScale.
template <class L, int kScale>
LOCKSTEP_LANE_PASS void VifDownsampledRow(const i16* row, i32 width, u16* out) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  for (i32 x = 0; x < width; x += L::N) {
    auto sum = L::Set(static_cast<i32>(0x80008000u));
    Unroll<-kLast, kLast + 1>([&](auto pair) __attribute__((always_inline)) {
      const VifTaps<L, kScale, decltype(pair)::value, 0> taps;
      taps.AddTo(sum, L::LoadPairs(row + 2 * x + 2 * pair));
    });
    L::StoreU16(L::template Shr<16>(sum), out + x);
  }
}

/// The mirrored number; beyond what filters read, some number inside.
inline i32 VifMirrorInside(i32 i, i32 size) {
  if (i < 0) i = -i;
  if (i >= size) i = 2 * size - 2 - i;
  return i < 0 ? 0 : i;
}

/// A row with mirrored columns on either side.
template <class Sample, int kRadius>
inline void VifCopyRow(const Sample* from, i32 width, Sample* to) {
  std::memcpy(to + kVifSimdLead, from, static_cast<std::size_t>(width) * sizeof(Sample));
  for (i32 k = 1; k <= kRadius; ++k) {
    to[kVifSimdLead - k] = from[k];
    to[kVifSimdLead + width - 1 + k] = from[width - 1 - k];
  }
}

/// Adds the first `count` of four rows, and leaves the next scale's filtered rows in the buffers.
/// in      slots: as VifVerticalSums() reads them
template <class L, VifSource kSource, int kScale>
inline void VifAddRows(const VifSimdArgs& args, const VifSimdSizes& sizes, const i32* const* slots, i32 count,
                       const VifLaneConstants<L>& constants, VifSums& total) {
  const VifSimdBuffers& buffers = args.buffers;
  const auto zero = L::Set(0);
  VifLaneSums<L> sums = {zero, zero, zero, zero, zero};
  i32 done = 0;
  for (i32 begin = 0; begin < sizes.columns; begin += kVifSimdChunk) {
    const bool last = begin + kVifSimdChunk >= sizes.columns;
    const i32 end = last ? static_cast<i32>(sizes.columns) : begin + kVifSimdChunk;
    // The buffered rows start with the last columns of the chunk before.
    VifVerticalRows<L, kSource, kScale>(slots, begin, end, buffers.rows + kVifSimdHalo, buffers.filtered,
                                        sizes.row_stride);
    const i32 until = last ? args.pictures.width : end - kVifSimdHalo;
    const i16* const first = buffers.rows + kVifSimdHalo + kVifSimdLead + (done - begin);
    for (i32 i = 0; i < count; ++i) {
      VifHorizontalRow<L, kScale>(first + i * 8 * kVifSimdRowStride, until - done, buffers.variances);
      const i32 used = VifStatisticOfRow<L>(buffers.variances, until - done, constants, sums, buffers.words);
      VifAddLogs<L>(buffers.words, used, sums);
    }
    done = until;
    for (i32 i = 0; i < 8 * kVifSimdRows && !last; ++i) {
      i16* const row = buffers.rows + i * kVifSimdRowStride;
      std::memcpy(row, row + kVifSimdChunk, kVifSimdHalo * sizeof(i16));
    }
  }
  VifAddLaneSums<L>(total, sums);
}

template <class L, VifSource kSource, int kScale, class Sample>
LOCKSTEP_LANE_INLINE VifSums VifScaleOnLanes(const VifSimdArgs& args) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  constexpr i32 kPairs = kVifSimdRows / 2;
  constexpr i32 kSlots = 2 * kLast + kPairs;
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  const VifPictures& pictures = args.pictures;
  const i32 width = pictures.width;
  const i32 height = pictures.height;
  const VifSimdSizes sizes(width);
  const i64 slot_stride = sizes.slot_stride(kVifRingPlanes<kSource>);
  auto* const source = reinterpret_cast<Sample*>(args.buffers.source);
  const auto* const reference = static_cast<const Sample*>(pictures.reference);
  const auto* const distorted = static_cast<const Sample*>(pictures.distorted);
  constexpr double kEpsilon = 65536 * 1.0e-10;  // as in VifGainBinary64
  const VifLaneConstants<L> constants = {L::SetD(kVifNoise), L::SetD(kEpsilon), L::SetD(args.gain_limit), L::SetD(0.0)};
  VifSums sums = {0, 0, 0, 0};

  const auto fill = [&](i32 pair) {
    for (i32 i = 0; i < 2; ++i) {
      const i64 y = VifMirrorInside(2 * pair + i, height);
      VifCopyRow<Sample, kRadius>(reference + y * pictures.reference_stride, width, source + i * sizes.source_stride);
      VifCopyRow<Sample, kRadius>(distorted + y * pictures.distorted_stride, width,
                                  source + (2 + i) * sizes.source_stride);
    }
    i32* const slot = args.buffers.ring + (pair + kLast) % kSlots * slot_stride;
    VifBuildPairs<L, kSource>(source, sizes.source_stride, sizes.columns, pictures.bit_depth, slot);
  };
  const i32 begin = args.begin / 2;
  for (i32 pair = begin - kLast; pair < begin + kLast; ++pair) fill(pair);
  for (i32 q = begin; 2 * q < args.end; q += kPairs) {
    for (i32 i = 0; i < kPairs; ++i) fill(q + kLast + i);
    const i32* slots[kSlots];
    for (i32 i = 0; i < kSlots; ++i) slots[i] = args.buffers.ring + (q + i) % kSlots * slot_stride;
    if (args.scored) {
      VifAddRows<L, kSource, kScale>(args, sizes, slots, std::min(kVifSimdRows, args.end - 2 * q), constants, sums);
    }
    if constexpr (kScale + 1 < kVifScales) {
      i16* const filtered = args.buffers.filtered;
      if (!args.scored) {
        VifDownsampleRows<L, kSource, kScale>(slots, sizes.columns, filtered, sizes.row_stride);
      }
      for (i32 i = 0; i < kPairs && 2 * (q + i) + 1 < height && 2 * (q + i) < args.end; ++i) {
        const i16* const row = filtered + 2 * i * sizes.row_stride + kVifSimdLead;
        const VifSamplePlanes out = args.next.Row(q + i);
        VifDownsampledRow<L, kScale + 1>(row, width / 2, out.reference);
        VifDownsampledRow<L, kScale + 1>(row + sizes.row_stride, width / 2, out.distorted);
      }
    }
  }
  return sums;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
