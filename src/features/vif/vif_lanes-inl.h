// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on lanes: filters as exact sums of 16-bit pair products, and the statistic; read once for each target.
#if defined(LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#undef LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_VIF_VIF_LANES_INL_H_
#endif

#include <cstddef>
#include <cstring>
#include <utility>

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

#define LOCKSTEP_VIF_INLINE inline __attribute__((always_inline))
#define LOCKSTEP_VIF_PASS __attribute__((noinline))

/// What a row of source samples is at scale 0 of 8-bit video, at scale 0 of other video, at the other scales.
enum class VifSource { kBytes, kDeep, kScaled };

template <int... kIndex, class Function>
LOCKSTEP_VIF_INLINE void VifUnrollSequence(std::integer_sequence<int, kIndex...>, const Function& function) {
  (function(std::integral_constant<int, kIndex>()), ...);
}

/// function(constant) for kBegin … kEnd - 1; compilers leave loops over taps rolled.
template <int kBegin, int kEnd, class Function>
LOCKSTEP_VIF_INLINE void VifUnroll(const Function& function) {
  VifUnrollSequence(
      std::make_integer_sequence<int, kEnd - kBegin>(), [&](auto i) __attribute__((always_inline)) {
        function(std::integral_constant<int, kBegin + i>());
      });
}

// ---- taps in pairs

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

template <class L, int kScale, int kPair, int kOdd>
LOCKSTEP_VIF_INLINE void VifTap(typename L::I32& sum, typename L::I32 samples) {
  constexpr i32 kTaps = VifTapPair<kScale>(kPair, kOdd);
  constexpr i32 kRest = VifTapPairRest<kScale>(kPair, kOdd);
  if constexpr (kTaps != 0) sum = L::Dot(sum, samples, L::Set(kTaps));
  if constexpr (kRest != 0) sum = L::Dot(sum, samples, L::Set(kRest));
}

// ---- the statistic

template <class L>
struct VifLaneSums {
  typename L::I32 num_log;
  typename L::I32 den_log;
  typename L::I32 non_log_count;
  typename L::I32 non_log_num_low;  // of the numbers' low 16 bits
  typename L::I32 non_log_num_high;
};

template <class L>
struct VifLaneConstants {
  typename L::F64 noise;
  typename L::F64 epsilon;
  typename L::F64 gain_limit;
  typename L::F64 zero;
  const u16* log_table;
};

/// Byte offset in the table of VifLog() for the top word of a binary64 of at least 32768: twice its 15 highest fraction
/// bits.
template <class L>
LOCKSTEP_VIF_INLINE typename L::I32 VifLogOffset(typename L::I32 top_word) {
  return L::And(L::template Shr<4>(top_word), L::Set(0xfffe));
}

/// VifAddPixel() for a register of pixels.
/// exact   all values that are converted are integers below 2^53
template <class L, bool kMasked>
LOCKSTEP_VIF_INLINE void VifAddPixels(VifLaneSums<L>& sums, const VifLaneConstants<L>& constants,
                                      typename L::I32 mean_reference, typename L::I32 mean_distorted,
                                      typename L::I32 square_reference, typename L::I32 square_distorted,
                                      typename L::I32 product, typename L::Mask inside) {
  using I32 = typename L::I32;
  const I32 zero = L::Set(0);
  const I32 s1 = L::Sub(square_reference, L::MulHighRound(mean_reference, mean_reference));
  const I32 s2 = L::Max(L::Sub(square_distorted, L::MulHighRound(mean_distorted, mean_distorted)), zero);
  const I32 s12 = L::Sub(product, L::MulHighRound(mean_reference, mean_distorted));
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
  if (L::AllFalse(in_log)) return;

  const auto in_gain = L::AndM(in_log, L::AndM(L::Gt(s12, zero), L::Gt(s2, zero)));
  const auto d1 = L::ToD(s1);
  const auto d2 = L::ToD(s2);
  const auto d12 = L::ToD(s12);
  const auto gain = L::DivD(d12, L::AddD(d1, constants.epsilon));
  const auto residual = L::MaxD(L::TruncD(L::SubD(d2, L::MulD(gain, d12))), constants.zero);
  const auto limited = L::MinD(gain, constants.gain_limit);
  const auto noise = L::AddD(residual, constants.noise);
  const auto signal = L::AddD(L::TruncD(L::MulD(L::MulD(limited, limited), d1)), noise);

  const I32 reference_word = L::TopWord(L::AddD(d1, constants.noise));
  const I32 noise_word = L::TopWord(noise);
  const I32 signal_word = L::TopWord(signal);
  const I32 reference_log = L::LookupU16(constants.log_table, VifLogOffset<L>(reference_word));
  const I32 noise_log = L::LookupU16(constants.log_table, VifLogOffset<L>(noise_word));
  const I32 signal_log = L::LookupU16(constants.log_table, VifLogOffset<L>(signal_word));
  // 2^15 has the biased exponent 1038, and the logarithm 0 here.
  constexpr i32 kBias = 1038 * 2048 + static_cast<i32>(kVifLogNoise);
  const I32 den =
      L::Add(reference_log, L::Sub(L::template Shl<11>(L::template Shr<20>(reference_word)), L::Set(kBias)));
  const I32 exponents = L::Sub(L::template Shr<20>(signal_word), L::template Shr<20>(noise_word));
  const I32 num = L::Add(L::Sub(signal_log, noise_log), L::template Shl<11>(exponents));
  sums.den_log = L::Add(sums.den_log, L::Keep(in_log, den));
  sums.num_log = L::Add(sums.num_log, L::Keep(in_gain, num));
}

// ---- pairs of rows

template <VifSource kSource>
inline constexpr i32 kVifRingPlanes = kSource == VifSource::kBytes ? 5 : 8;

template <class L>
LOCKSTEP_VIF_INLINE void VifStorePairs(typename L::I16 even_row, typename L::I16 odd_row, i32* out) {
  L::Store(L::ZipLo(even_row, odd_row), out);
  L::Store(L::ZipHi(even_row, odd_row), out + L::N);
}

/// Planes of the high and the low halves of the products of x and y.
template <class L>
LOCKSTEP_VIF_INLINE void VifStoreProductPairs(typename L::I16 even_x, typename L::I16 even_y, typename L::I16 odd_x,
                                              typename L::I16 odd_y, i32* out, i64 stride) {
  const auto bias = L::Set16(-32768);
  VifStorePairs<L>(L::Xor16(L::MulHiU16(even_x, even_y), bias), L::Xor16(L::MulHiU16(odd_x, odd_y), bias), out);
  VifStorePairs<L>(L::Xor16(L::MulLo16(even_x, even_y), bias), L::Xor16(L::MulLo16(odd_x, odd_y), bias), out + stride);
}

/// source  two rows of the reference, two of the distorted picture
/// out     u, v, u^2, v^2, u v; of 8-bit video one plane each (u and v without the bias), else products in halves
template <class L, VifSource kSource, class Sample>
LOCKSTEP_VIF_PASS void VifBuildPairs(const Sample* source, i64 source_stride, i64 columns, i32* out, i64 stride) {
  const auto bias = L::Set16(-32768);
  for (i64 c = 0; c < columns; c += 2 * L::N) {
    const auto u0 = L::Load(source + c);
    const auto u1 = L::Load(source + source_stride + c);
    const auto v0 = L::Load(source + 2 * source_stride + c);
    const auto v1 = L::Load(source + 3 * source_stride + c);
    i32* const to = out + c;
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

// ---- vertical filter

/// Sums of one plane for kRows output rows, 2 * L::N columns: sums[row][half].
/// in      slots: the ring's slots of the pairs -kVifLastPair … kVifLastPair
template <class L, int kScale, int kRows>
LOCKSTEP_VIF_INLINE void VifVerticalSums(const i32* const* slots, i64 offset, i32 first,
                                         typename L::I32 (&sums)[2][2]) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  VifUnroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
    sums[row][0] = L::Set(first);
    sums[row][1] = L::Set(first);
  });
  VifUnroll<-kLast, kLast + 1>([&](auto pair) __attribute__((always_inline)) {
    const i32* const samples = slots[pair + kLast] + offset;
    const auto low = L::Load(samples);
    const auto high = L::Load(samples + L::N);
    VifUnroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      VifTap<L, kScale, decltype(pair)::value, decltype(row)::value>(sums[row][0], low);
      VifTap<L, kScale, decltype(pair)::value, decltype(row)::value>(sums[row][1], high);
    });
  });
}

/// Means of one plane, rounded as the scale does, minus 32768.
template <class L, VifSource kSource, int kScale, int kRows>
LOCKSTEP_VIF_INLINE void VifVerticalMeans(const i32* const* slots, i64 offset, i32 bit_depth, i16* out,
                                          i64 out_stride) {
  typename L::I32 sums[2][2];
  if constexpr (kSource == VifSource::kBytes) {
    VifVerticalSums<L, kScale, kRows>(slots, offset, 128 - (32768 << 8), sums);
    VifUnroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      L::Store(L::Pack(L::template Sar<8>(sums[row][0]), L::template Sar<8>(sums[row][1])), out + row * out_stride);
    });
  } else if constexpr (kSource == VifSource::kScaled) {
    VifVerticalSums<L, kScale, kRows>(slots, offset, 32768, sums);
    VifUnroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      L::Store(L::PackHigh(sums[row][0], sums[row][1]), out + row * out_stride);
    });
  } else {
    const auto first = static_cast<i32>(0x80000000u + (1u << (bit_depth - 1)));
    VifVerticalSums<L, kScale, kRows>(slots, offset, first, sums);
    const auto bias = L::Set(32768);
    VifUnroll<0, kRows>([&](auto row) __attribute__((always_inline)) {
      const auto low = L::Sub(L::ShrSame(sums[row][0], bit_depth), bias);
      const auto high = L::Sub(L::ShrSame(sums[row][1], bit_depth), bias);
      L::Store(L::Pack(low, high), out + row * out_stride);
    });
  }
}

/// Second moments of one kind minus 2^31, plus 32768 so that their high halves round to nearest: sums[row][half].
template <class L, VifSource kSource, int kScale>
LOCKSTEP_VIF_INLINE void VifVerticalMoments(const i32* const* slots, i64 offset, i64 stride, i32 bit_depth,
                                            typename L::I32 (&sums)[2][2]) {
  if constexpr (kSource == VifSource::kBytes) {
    VifVerticalSums<L, kScale, 2>(slots, offset, 32768, sums);
  } else if constexpr (kSource == VifSource::kScaled) {
    typename L::I32 low[2][2];
    VifVerticalSums<L, kScale, 2>(slots, offset, 32768, sums);
    VifVerticalSums<L, kScale, 2>(slots, offset + stride, static_cast<i32>(0x80008000u), low);
    VifUnroll<0, 4>([&](auto i) __attribute__((always_inline)) {
      sums[i / 2][i % 2] = L::Add(sums[i / 2][i % 2], L::template Shr<16>(low[i / 2][i % 2]));
    });
  } else {
    typename L::I32 low[2][2];
    const i32 shift = 2 * (bit_depth - 8);
    VifVerticalSums<L, kScale, 2>(slots, offset, static_cast<i32>(0x80000000u), sums);
    const auto first = static_cast<i32>(0x80000000u + (1u << (shift - 1)));
    VifVerticalSums<L, kScale, 2>(slots, offset + stride, first, low);
    const auto bias = L::Set(static_cast<i32>(0x80008000u));
    VifUnroll<0, 4>([&](auto i) __attribute__((always_inline)) {
      const auto high_part = L::ShlSame(sums[i / 2][i % 2], 16 - shift);
      const auto low_part = L::ShrSame(low[i / 2][i % 2], shift);
      sums[i / 2][i % 2] = L::Add(L::Add(high_part, low_part), bias);
    });
  }
}

/// Two rows of eight planes: means of u and v; rounded high and signed low halves of u^2, v^2, u v.
template <class L, VifSource kSource, int kScale>
LOCKSTEP_VIF_PASS void VifVerticalRows(const i32* const* slots, i64 stride, i64 columns, i32 bit_depth, i16* rows,
                                       i64 row_stride) {
  const auto bias = L::Set16(-32768);
  for (i64 c = 0; c < columns; c += 2 * L::N) {
    VifUnroll<0, 2>([&](auto plane) __attribute__((always_inline)) {
      VifVerticalMeans<L, kSource, kScale, 2>(slots, plane * stride + c, bit_depth, rows + plane * row_stride + c,
                                              8 * row_stride);
    });
    VifUnroll<0, 3>([&](auto moment) __attribute__((always_inline)) {
      typename L::I32 sums[2][2];
      constexpr i32 kPlanes = kSource == VifSource::kBytes ? 1 : 2;
      const i64 offset = (2 + kPlanes * moment) * stride + c;
      VifVerticalMoments<L, kSource, kScale>(slots, offset, stride, bit_depth, sums);
      VifUnroll<0, 2>([&](auto row) __attribute__((always_inline)) {
        i16* const out = rows + (row * 8 + 2 + 2 * moment) * row_stride + c;
        L::Store(L::PackHigh(sums[row][0], sums[row][1]), out);
        L::Store(L::Xor16(L::PackLow(sums[row][0], sums[row][1]), bias), out + row_stride);
      });
    });
  }
}

// ---- horizontal filter and statistic

/// Sums of the planes kFirst … kFirst + 3 at even and at odd columns.
template <class L, int kScale, int kFirst>
LOCKSTEP_VIF_INLINE void VifHorizontalSums(const i16* row, i64 row_stride, typename L::I32 (&even)[8],
                                           typename L::I32 (&odd)[8]) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  VifUnroll<-kLast, kLast + 1>([&](auto pair) __attribute__((always_inline)) {
    VifUnroll<kFirst, kFirst + 4>([&](auto plane) __attribute__((always_inline)) {
      const auto samples = L::LoadPairs(row + plane * row_stride + 2 * pair);
      VifTap<L, kScale, decltype(pair)::value, 0>(even[plane], samples);
      VifTap<L, kScale, decltype(pair)::value, 1>(odd[plane], samples);
    });
  });
}

/// 2 * L::N columns, of which `left` count if kMasked.
template <class L, int kScale, bool kMasked>
LOCKSTEP_VIF_INLINE void VifHorizontalColumns(const i16* row, i64 row_stride, VifLaneSums<L>& sums,
                                              const VifLaneConstants<L>& constants, i32 left) {
  typename L::I32 even[8];
  typename L::I32 odd[8];
  VifUnroll<0, 8>([&](auto plane) __attribute__((always_inline)) {
    // Low halves are signed and unbiased; the high half is a multiple of 2^16, so only the low one rounds.
    constexpr bool kLowHalf = plane >= 2 && plane % 2 == 1;
    even[plane] = L::Set(kLowHalf ? 32768 : static_cast<i32>(0x80000000u));
    odd[plane] = even[plane];
  });
  // Four planes fill 16 registers' worth of sums.
  VifHorizontalSums<L, kScale, 0>(row, row_stride, even, odd);
  VifHorizontalSums<L, kScale, 4>(row, row_stride, even, odd);
  VifUnroll<1, 4>([&](auto moment) __attribute__((always_inline)) {
    even[2 * moment] = L::Add(even[2 * moment], L::template Sar<16>(even[2 * moment + 1]));
    odd[2 * moment] = L::Add(odd[2 * moment], L::template Sar<16>(odd[2 * moment + 1]));
  });
  VifAddPixels<L, kMasked>(sums, constants, even[0], even[1], even[2], even[4], even[6], L::FirstN((left + 1) / 2));
  VifAddPixels<L, kMasked>(sums, constants, odd[0], odd[1], odd[2], odd[4], odd[6], L::FirstN(left / 2));
}

/// in      row: column 0 of the first of eight planes
/// exact   the sums of VifSums over a row fit i32, in low and high halves of non_log_num too
template <class L, int kScale>
LOCKSTEP_VIF_PASS void VifStatisticOfRow(const i16* row, i64 row_stride, i32 width,
                                         const VifLaneConstants<L>& constants, VifSums& total) {
  const auto zero = L::Set(0);
  VifLaneSums<L> sums = {zero, zero, zero, zero, zero};
  i32 x = 0;
  for (; x + 2 * L::N <= width; x += 2 * L::N) {
    VifHorizontalColumns<L, kScale, false>(row + x, row_stride, sums, constants, 0);
  }
  if (x < width) VifHorizontalColumns<L, kScale, true>(row + x, row_stride, sums, constants, width - x);
  total.num_log += static_cast<u64>(L::Sum(sums.num_log));
  total.den_log += static_cast<u64>(L::Sum(sums.den_log));
  total.non_log_count += static_cast<u64>(L::Sum(sums.non_log_count));
  total.non_log_num += static_cast<u64>(L::SumU(sums.non_log_num_low));
  total.non_log_num += static_cast<u64>(L::SumU(sums.non_log_num_high)) << 16;
}

// ---- the next scale

/// One row of the next scale's pictures, by its filter kScale.
template <class L, VifSource kSource, int kScale>
LOCKSTEP_VIF_PASS void VifDownsampledRow(const i32* const* slots, i64 stride, i64 columns, i32 bit_depth, i16* rows,
                                         i64 row_stride, i32 out_width, const VifSamplePlanes& out) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  for (i32 plane = 0; plane < 2; ++plane) {
    i16* const row = rows + plane * row_stride;
    for (i64 c = 0; c < columns; c += 2 * L::N) {
      VifVerticalMeans<L, kSource, kScale, 1>(slots, plane * stride + c, bit_depth, row + c, 0);
    }
    u16* const to = plane == 0 ? out.reference : out.distorted;
    for (i32 x = 0; x < out_width; x += L::N) {
      auto sum = L::Set(static_cast<i32>(0x80008000u));
      VifUnroll<-kLast, kLast + 1>([&](auto pair) __attribute__((always_inline)) {
        VifTap<L, kScale, decltype(pair)::value, 0>(sum, L::LoadPairs(row + kVifSimdLead + 2 * x + 2 * pair));
      });
      L::StoreU16(L::template Shr<16>(sum), to + x);
    }
  }
}

// ---- a scale

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

template <class L, VifSource kSource, int kScale, class Sample>
LOCKSTEP_VIF_INLINE VifSums VifScaleOnLanes(const VifSimdArgs& args) {
  constexpr i32 kLast = kVifLastPair<kScale>;
  constexpr i32 kSlots = 2 * kLast + 1;
  constexpr i32 kRadius = VifFilter<kScale>::kRadius;
  const VifPictures& pictures = args.pictures;
  const i32 width = pictures.width;
  const i32 height = pictures.height;
  const VifSimdSizes sizes(width);
  const i64 slot_stride = sizes.ring_stride * kVifRingPlanes<kSource>;
  auto* const source = reinterpret_cast<Sample*>(args.buffers.source);
  i16* const rows = args.buffers.rows;
  const auto* const reference = static_cast<const Sample*>(pictures.reference);
  const auto* const distorted = static_cast<const Sample*>(pictures.distorted);
  constexpr double kEpsilon = 65536 * 1.0e-10;  // as in VifGainBinary64
  const VifLaneConstants<L> constants = {L::SetD(kVifNoise), L::SetD(kEpsilon), L::SetD(args.gain_limit), L::SetD(0.0),
                                         args.log_table};
  VifSums sums = {0, 0, 0, 0};

  const auto fill = [&](i32 pair) {
    for (i32 i = 0; i < 2; ++i) {
      const i64 y = VifMirrorInside(2 * pair + i, height);
      VifCopyRow<Sample, kRadius>(reference + y * pictures.reference_stride, width, source + i * sizes.source_stride);
      VifCopyRow<Sample, kRadius>(distorted + y * pictures.distorted_stride, width,
                                  source + (2 + i) * sizes.source_stride);
    }
    i32* const slot = args.buffers.ring + (pair + kLast) % kSlots * slot_stride;
    VifBuildPairs<L, kSource>(source, sizes.source_stride, sizes.columns, slot, sizes.ring_stride);
  };
  for (i32 pair = -kLast; pair < kLast; ++pair) fill(pair);
  for (i32 q = 0; 2 * q < height; ++q) {
    fill(q + kLast);
    const i32* slots[kSlots];
    for (i32 i = 0; i < kSlots; ++i) slots[i] = args.buffers.ring + (q + i) % kSlots * slot_stride;
    if (args.scored) {
      VifVerticalRows<L, kSource, kScale>(slots, sizes.ring_stride, sizes.columns, pictures.bit_depth, rows,
                                          sizes.row_stride);
      const i16* const first = rows + kVifSimdLead;
      VifStatisticOfRow<L, kScale>(first, sizes.row_stride, width, constants, sums);
      if (2 * q + 1 < height) {
        VifStatisticOfRow<L, kScale>(first + 8 * sizes.row_stride, sizes.row_stride, width, constants, sums);
      }
    }
    if constexpr (kScale + 1 < kVifScales) {
      if (q < height / 2) {
        VifDownsampledRow<L, kSource, kScale + 1>(slots + kLast - kVifLastPair<kScale + 1>, sizes.ring_stride,
                                                  sizes.columns, pictures.bit_depth, rows, sizes.row_stride, width / 2,
                                                  args.next.Row(q));
      }
    }
  }
  return sums;
}

#undef LOCKSTEP_VIF_INLINE
#undef LOCKSTEP_VIF_PASS

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
