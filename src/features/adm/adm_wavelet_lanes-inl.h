// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's wavelet on lanes: exact sums of 16-bit pair products, one row at a time; read once for each target.
#if defined(LOCKSTEP_FEATURES_ADM_ADM_WAVELET_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_ADM_ADM_WAVELET_LANES_INL_H_
#undef LOCKSTEP_FEATURES_ADM_ADM_WAVELET_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_ADM_ADM_WAVELET_LANES_INL_H_
#endif

#include <utility>

#include "features/adm/adm_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// A sum over values of 32 bits is one over their high halves and one over their low halves, of which only the second
// rounds: the first is a multiple of 2^16 and of every rounding unit. Bounds of the sums: see AdmScale; those of low
// halves are at most 54822 * 32768 + 32768.
//
// Columns beyond a row's last one hold zeros or results of the same filters, so the bounds are valid there too.

// One register allocation for each pass; GCC spills where several of them share a loop nest.

/// Two 16-bit values as one of 32 bits, the first in the low half.
constexpr i32 AdmPair(i32 first, i32 second) {
  return static_cast<i32>(static_cast<u32>(first & 0xffff) | static_cast<u32>(second) << 16);
}

enum AdmPass { kAdmLowPass, kAdmHighPass };

// The taps of AdmLowPass() and AdmHighPass(), in pairs.
template <int kPass>
inline constexpr i32 kAdmFirstTaps = kPass == kAdmLowPass ? AdmPair(15826, 27411) : AdmPair(-4240, -7345);
template <int kPass>
inline constexpr i32 kAdmLastTaps = kPass == kAdmLowPass ? AdmPair(7345, -4240) : AdmPair(27411, -15826);

template <class L, int kPass>
LOCKSTEP_LANE_INLINE typename L::I32 AdmFilter(typename L::I32 first, typename L::I32 last) {
  return L::Dot(L::MulPair(first, L::Set(kAdmFirstTaps<kPass>)), last, L::Set(kAdmLastTaps<kPass>));
}
template <class L, int kPass>
LOCKSTEP_LANE_INLINE typename L::I32 AdmFilterFrom(typename L::I32 sum, typename L::I32 first, typename L::I32 last) {
  return L::Dot(L::Dot(sum, first, L::Set(kAdmFirstTaps<kPass>)), last, L::Set(kAdmLastTaps<kPass>));
}

/// Vertical results of scale 0 for the columns [begin, end) of one picture.
/// in      rows: the four that the taps read; ahead: rows that will be read soon; end: at most `width`, which is at
///         least 2 * L::N
/// out     low-pass and, if kHigh, high-pass
template <class L, class Sample, bool kHigh>
LOCKSTEP_LANE_PASS void AdmVerticalSamples(const Sample* const (&rows)[4], const Sample* const (&ahead)[2],
                                           i32 bit_depth, AdmRange columns, i32 width, i16* low, i16* high) {
  constexpr bool kBytes = sizeof(Sample) == 1;
  const i32 half = 1 << (bit_depth - 1);
  // Samples of 8 bits are not centred, but the sum of the low-pass taps times 128 is taken off.
  const auto low_start = L::Set(kBytes ? 128 - 46342 * 128 : half);
  const auto high_start = L::Set(half);
  const auto centre = L::Set16(static_cast<i16>(half));
  const auto round = [&](typename L::I32 x, typename L::I32 y) __attribute__((always_inline)) {
    if constexpr (kBytes) return L::Pack(L::template Sar<8>(x), L::template Sar<8>(y));
    return L::Pack(L::SarSame(x, bit_depth), L::SarSame(y, bit_depth));
  };
  for (i32 begin = columns.begin; begin < columns.end; begin += 2 * L::N) {
    // The last register may overlap the one before: rows need not be readable beyond their end.
    const i32 c = begin + 2 * L::N <= width ? begin : width - 2 * L::N;
    L::Prefetch(ahead[0] + c);
    L::Prefetch(ahead[1] + c);
    typename L::I16 samples[4];
    Unroll<0, 4>([&](auto k) __attribute__((always_inline)) {
      samples[k] = L::Load(rows[k] + c);
      if constexpr (!kBytes) samples[k] = L::Sub16(samples[k], centre);
    });
    const auto first0 = L::ZipLo(samples[0], samples[1]);
    const auto first1 = L::ZipHi(samples[0], samples[1]);
    const auto last0 = L::ZipLo(samples[2], samples[3]);
    const auto last1 = L::ZipHi(samples[2], samples[3]);
    L::Store(round(AdmFilterFrom<L, kAdmLowPass>(low_start, first0, last0),
                   AdmFilterFrom<L, kAdmLowPass>(low_start, first1, last1)),
             low + c);
    if constexpr (kHigh) {
      L::Store(round(AdmFilterFrom<L, kAdmHighPass>(high_start, first0, last0),
                     AdmFilterFrom<L, kAdmHighPass>(high_start, first1, last1)),
               high + c);
    }
  }
}

/// Four rows of the low band before, and rows of vertical results; [half] high, low.
struct AdmVerticalRows {
  const i16* inputs[4][2];
  i16* outputs[2][2];  // [pass]
};

/// Pairs of rows (0, 1) and (2, 3) at 2 * L::N columns.
template <class L>
struct AdmRowPairs {
  typename L::I32 first[2];
  typename L::I32 last[2];

  LOCKSTEP_LANE_INLINE AdmRowPairs(const i16* a, const i16* b, const i16* c, const i16* d) {
    const auto a16 = L::Load(a);
    const auto b16 = L::Load(b);
    const auto c16 = L::Load(c);
    const auto d16 = L::Load(d);
    first[0] = L::ZipLo(a16, b16);
    first[1] = L::ZipHi(a16, b16);
    last[0] = L::ZipLo(c16, d16);
    last[1] = L::ZipHi(c16, d16);
  }
};

/// Vertical results of scale kScale > 0.
/// exact   scale 1 reads 16 bits and does not round
template <class L, int kScale, bool kHigh>
LOCKSTEP_LANE_PASS void AdmVerticalBands(const AdmVerticalRows& rows, AdmRange columns) {
  const AdmVerticalRows at = rows;
  const auto half = L::Set(32768);
  for (i32 c = columns.begin; c < columns.end; c += 2 * L::N) {
    const AdmRowPairs<L> high(at.inputs[0][0] + c, at.inputs[1][0] + c, at.inputs[2][0] + c, at.inputs[3][0] + c);
    constexpr int kLowHalf = kScale > 1 ? 1 : 0;  // scale 1 has none and does not use it
    const AdmRowPairs<L> low(at.inputs[0][kLowHalf] + c, at.inputs[1][kLowHalf] + c, at.inputs[2][kLowHalf] + c,
                             at.inputs[3][kLowHalf] + c);
    Unroll<0, kHigh ? 2 : 1>([&](auto pass) __attribute__((always_inline)) {
      typename L::I32 sums[2];
      Unroll<0, 2>([&](auto i) __attribute__((always_inline)) {
        sums[i] = AdmFilter<L, pass>(high.first[i], high.last[i]);
        if constexpr (kScale > 1) {
          const auto rest = AdmFilterFrom<L, pass>(half, low.first[i], low.last[i]);
          sums[i] = L::Add(sums[i], L::template Sar<16>(rest));
        }
      });
      L::Store(L::PackHigh(L::Add(sums[0], half), L::Add(sums[1], half)), at.outputs[pass][0] + c);
      L::Store(L::PackLow(sums[0], sums[1]), at.outputs[pass][1] + c);
    });
  }
}

/// What the horizontal taps read beyond the picture: AdmMirror().
inline void AdmMirrorColumns(i16* line, AdmRange columns, i32 width) {
  if (columns.begin == 0) line[-1] = line[1];
  if (columns.end == width) {
    line[width] = line[width - 1];
    line[width + 1] = line[width - 2];
  }
}

/// L::N results of scale 0 before the shift by 16.
/// in      line: the column that the first tap of the first result reads
template <class L, int kPass>
LOCKSTEP_LANE_INLINE typename L::I32 AdmHorizontalSum(const i16* line) {
  return AdmFilterFrom<L, kPass>(L::Set(32768), L::LoadPairs(line), L::LoadPairs(line + 2));
}

/// 2 * L::N results of scale 0, in the order of Pack.
template <class L, int kPass>
LOCKSTEP_LANE_INLINE typename L::I16 AdmHorizontal16(const i16* line) {
  return L::PackHigh(AdmHorizontalSum<L, kPass>(line), AdmHorizontalSum<L, kPass>(line + 2 * L::N));
}

/// L::N results of scale kScale > 0.
template <class L, int kScale, int kPass>
LOCKSTEP_LANE_INLINE typename L::I32 AdmHorizontal32(const i16* high, const i16* low) {
  constexpr int kShift = AdmScale<kScale>::kHorizontalShift;
  const auto whole = AdmFilter<L, kPass>(L::LoadPairs(high), L::LoadPairs(high + 2));
  const auto rest = AdmFilterFrom<L, kPass>(L::Set(1 << (kShift - 1)), L::LoadPairs(low), L::LoadPairs(low + 2));
  return L::Add(L::template Shl<16 - kShift>(whole), L::template Sar<kShift>(rest));
}

/// The low band of one row.
/// in      lines: high and low halves of the low-pass results, column 0; scale 0 has no low halves
/// out     high and low halves, column 0
template <class L, int kScale>
LOCKSTEP_LANE_PASS void AdmLowBand(const i16* const (&lines)[2], AdmRange columns, i16* const (&out)[2]) {
  const i16* const high_line = lines[0];
  const i16* const low_line = lines[1];
  i16* const high_out = out[0];
  i16* const low_out = out[1];
  const auto half = L::Set(32768);
  for (i32 j = columns.begin; j < columns.end; j += 2 * L::N) {
    const i32 c = 2 * j - 1;
    if constexpr (kScale == 0) {
      L::Store(L::Natural(AdmHorizontal16<L, kAdmLowPass>(high_line + c)), high_out + j);
    } else {
      const auto x = AdmHorizontal32<L, kScale, kAdmLowPass>(high_line + c, low_line + c);
      const auto y = AdmHorizontal32<L, kScale, kAdmLowPass>(high_line + c + 2 * L::N, low_line + c + 2 * L::N);
      L::Store(L::Natural(L::PackHigh(L::Add(x, half), L::Add(y, half))), high_out + j);
      L::Store(L::Natural(L::PackLow(x, y)), low_out + j);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
