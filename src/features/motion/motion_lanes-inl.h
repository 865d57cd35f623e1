// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion on lanes: both filters as exact sums of 16-bit pair products; read once for each target.
#if defined(LOCKSTEP_FEATURES_MOTION_MOTION_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_MOTION_MOTION_LANES_INL_H_
#undef LOCKSTEP_FEATURES_MOTION_MOTION_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_MOTION_MOTION_LANES_INL_H_
#endif

#include <type_traits>

#include "features/motion/motion_arithmetic.h"
#include "features/motion/motion_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Differences of every depth are brought to one scale, a = d * 2^(15 - depth); at 16 bit a = floor(d / 2) and the odd
// bits are kept beside it. The vertical result of any depth is then X >> 15 with
//   X = sum of taps * a + 16384                                   depth <= 15: (sum + 2^(depth-1)) >> depth
//   X = sum of taps * a + ((sum of taps * odd + 32768) >> 1)      16 bit: MotionRoundSplit()
// |a| <= 32768 and taps add up to 65536, so -2^31 <= X <= 65536 * 32767 + 49152 < 2^31.
//
// X >> 15 has 17 bits: its upper 16 are the high half of X, its lowest one is bit 15. Where all |a| < 2^14, as nearly
// everywhere in natural pictures, |X >> 15| < 2^15 fits 16 bits itself, and the horizontal filter takes half the work.
//
// A ring holds pairs of rows (2k, 2k + 1) counted from the first output row: one load serves the upper row of an output
// pair with the taps (0, 1), (2, 1), (0, none) and the lower one with (none, 0), (1, 2), (1, 0). Along a row,
// neighbours form the pairs in the same way.

/// Of the differences of a pair of rows.
enum class MotionRange { kStill, kNarrow, kWide };

constexpr i32 MotionTapPair(i32 first, i32 second) { return first | second << 16; }

/// Adds the tap sums of two neighbouring outputs, of which `at` is the pair of centres.
template <class L>
LOCKSTEP_LANE_INLINE void MotionAddTaps(typename L::I32& first, typename L::I32& second, typename L::I32 before,
                                        typename L::I32 at, typename L::I32 after) {
  first = L::Dot(first, before, L::Set(MotionTapPair(kMotionTap0, kMotionTap1)));
  second = L::Dot(second, before, L::Set(MotionTapPair(0, kMotionTap0)));
  first = L::Dot(first, at, L::Set(MotionTapPair(kMotionTap2, kMotionTap1)));
  second = L::Dot(second, at, L::Set(MotionTapPair(kMotionTap1, kMotionTap2)));
  first = L::Dot(first, after, L::Set(MotionTapPair(kMotionTap0, 0)));
  second = L::Dot(second, after, L::Set(MotionTapPair(kMotionTap1, kMotionTap0)));
}

template <class L>
struct MotionDifference {
  typename L::I16 scaled;
  typename L::I16 odd;  // 16 bit only
};

template <class L, bool kSplit, class Sample>
LOCKSTEP_LANE_INLINE MotionDifference<L> MotionSubtract(const Sample* previous, const Sample* current, i32 shift) {
  const auto p = L::Load(previous);
  const auto c = L::Load(current);
  if constexpr (kSplit) {
    // floor((p - c) / 2) = floor((p + (65535 - c) + 1) / 2) - 32768
    const auto half = L::Xor16(L::AverageU16(p, L::Xor16(c, L::Set16(-1))), L::Set16(-32768));
    return {half, L::And16(L::Xor16(p, c), L::Set16(1))};
  } else {
    return {L::Shl16Same(L::Sub16(p, c), std::is_same_v<Sample, u8> ? 7 : shift), L::Set16(0)};
  }
}

/// Rows of one pair; the second plane of the slot gets the odd bits.
template <class Sample>
struct MotionRowPair {
  const Sample* previous0;
  const Sample* previous1;
  const Sample* current0;
  const Sample* current1;
};

template <class L, bool kSplit, class Sample>
LOCKSTEP_LANE_PASS MotionRange MotionFillSlot(const MotionRowPair<Sample>& rows, i32 width, i32 shift, i32* slot,
                                              i64 stride) {
  auto seen = L::Set16(0);
  const auto columns = [&](i32 x, auto masked) __attribute__((always_inline)) {
    auto upper = MotionSubtract<L, kSplit>(rows.previous0 + x, rows.current0 + x, shift);
    auto lower = MotionSubtract<L, kSplit>(rows.previous1 + x, rows.current1 + x, shift);
    if constexpr (decltype(masked)::value) {
      // Padding would not change a sum, but it could ask for the wide filter.
      const auto mask = L::First16(width - x);
      upper.scaled = L::And16(upper.scaled, mask);
      lower.scaled = L::And16(lower.scaled, mask);
      upper.odd = L::And16(upper.odd, mask);
      lower.odd = L::And16(lower.odd, mask);
    }
    seen = L::Or16(seen, L::Or16(L::Abs16(upper.scaled), L::Abs16(lower.scaled)));
    L::Store(L::PairEven(upper.scaled, lower.scaled), slot + x);
    L::Store(L::PairOdd(upper.scaled, lower.scaled), slot + x + L::N);
    if constexpr (kSplit) {
      seen = L::Or16(seen, L::Or16(upper.odd, lower.odd));
      L::Store(L::PairEven(upper.odd, lower.odd), slot + stride + x);
      L::Store(L::PairOdd(upper.odd, lower.odd), slot + stride + x + L::N);
    }
  };
  i32 x = 0;
  for (; x + 2 * L::N <= width; x += 2 * L::N) columns(x, std::false_type());
  if (x < width) columns(x, std::true_type());
  const auto bits = L::AsPairs(seen);
  if (L::AllZero(bits)) return MotionRange::kStill;
  // The magnitude of -32768 has bit 15 alone.
  const bool narrow = L::AllZero(L::And(bits, L::Set(static_cast<i32>(0xc000c000u))));
  return narrow ? MotionRange::kNarrow : MotionRange::kWide;
}

/// X of both rows of a pair at the even (half = 0) or odd columns of a register.
template <class L, bool kSplit>
LOCKSTEP_LANE_INLINE void MotionVerticalSums(const i32* const* slots, i64 stride, i64 offset, typename L::I32& upper,
                                             typename L::I32& lower) {
  if constexpr (kSplit) {
    auto upper_odd = L::Set(32768);
    auto lower_odd = L::Set(32768);
    MotionAddTaps<L>(upper_odd, lower_odd, L::Load(slots[0] + stride + offset), L::Load(slots[1] + stride + offset),
                     L::Load(slots[2] + stride + offset));
    upper = L::template Sar<1>(upper_odd);
    lower = L::template Sar<1>(lower_odd);
  } else {
    upper = L::Set(16384);
    lower = upper;
  }
  MotionAddTaps<L>(upper, lower, L::Load(slots[0] + offset), L::Load(slots[1] + offset), L::Load(slots[2] + offset));
}

/// X >> 15, or its two parts for the wide filter.
template <class L, bool kWide>
LOCKSTEP_LANE_INLINE void MotionStoreVertical(typename L::I32 even, typename L::I32 odd, i16* row, i64 stride) {
  if constexpr (kWide) {
    L::Store(L::MergeHalves(L::template Shr<16>(even), odd), row);
    L::Store(L::template Shr16<15>(L::MergeHalves(even, L::template Shl<16>(odd))), row + stride);
  } else {
    L::Store(L::MergeHalves(L::template Shr<15>(even), L::template Shl<1>(odd)), row);
  }
}

/// Beside an edge that is not the picture's, nobody reads these.
inline void MotionMirrorEnds(i16* row, i32 width) {
  row[-1] = row[1];
  row[-2] = row[2];
  row[width] = row[width - 2];
  row[width + 1] = row[width - 3];
}

/// Two rows of one (narrow) or two (wide) planes each.
template <class L, bool kSplit, bool kWide>
LOCKSTEP_LANE_PASS void MotionVerticalRows(const i32* const* slots, i64 stride, i32 width, i16* rows, i64 row_stride) {
  const i32* const pairs[3] = {slots[0], slots[1], slots[2]};
  for (i32 x = 0; x < width; x += 2 * L::N) {
    typename L::I32 upper_even;
    typename L::I32 upper_odd;
    typename L::I32 lower_even;
    typename L::I32 lower_odd;
    MotionVerticalSums<L, kSplit>(pairs, stride, x, upper_even, lower_even);
    MotionVerticalSums<L, kSplit>(pairs, stride, x + L::N, upper_odd, lower_odd);
    MotionStoreVertical<L, kWide>(upper_even, upper_odd, rows + x, row_stride);
    MotionStoreVertical<L, kWide>(lower_even, lower_odd, rows + 2 * row_stride + x, row_stride);
  }
  for (i32 i = 0; i < 4; i += kWide ? 1 : 2) MotionMirrorEnds(rows + i * row_stride, width);
}

/// Adds magnitudes of 2 * L::N columns, of which `left` count if kMasked.
template <class L, bool kWide, bool kMasked>
LOCKSTEP_LANE_INLINE void MotionAddMagnitudes(const i16* row, i64 stride, i32 left, typename L::I32& sum) {
  const auto even_columns = L::FirstN((left + 1) / 2);
  const auto odd_columns = L::FirstN(left / 2);
  if constexpr (kWide) {
    auto even_bits = L::Set(32768);
    auto odd_bits = even_bits;
    MotionAddTaps<L>(even_bits, odd_bits, L::LoadPairs(row + stride - 2), L::LoadPairs(row + stride),
                     L::LoadPairs(row + stride + 2));
    auto even = L::template Sar<1>(even_bits);
    auto odd = L::template Sar<1>(odd_bits);
    MotionAddTaps<L>(even, odd, L::LoadPairs(row - 2), L::LoadPairs(row), L::LoadPairs(row + 2));
    even = L::Abs(L::template Sar<15>(even));
    odd = L::Abs(L::template Sar<15>(odd));
    if constexpr (kMasked) {
      even = L::Keep(even_columns, even);
      odd = L::Keep(odd_columns, odd);
    }
    sum = L::Add(sum, L::Add(even, odd));
  } else {
    auto even = L::Set(32768);
    auto odd = even;
    MotionAddTaps<L>(even, odd, L::LoadPairs(row - 2), L::LoadPairs(row), L::LoadPairs(row + 2));
    if constexpr (kMasked) {
      even = L::Keep(even_columns, even);
      odd = L::Keep(odd_columns, odd);
    }
    const auto filtered = L::MergeHalves(L::template Shr<16>(even), odd);
    sum = L::Dot(sum, L::AsPairs(L::Abs16(filtered)), L::Set(0x00010001));
  }
}

/// exact   a value of `sum` gets width / (2 * L::N) times two magnitudes up to 65535: below 2^32 up to width 262144
template <class L, bool kWide>
LOCKSTEP_LANE_PASS u64 MotionRowSad(const i16* row, i64 stride, i32 width) {
  auto sum = L::Set(0);
  i32 x = 0;
  for (; x + 2 * L::N <= width; x += 2 * L::N) MotionAddMagnitudes<L, kWide, false>(row + x, stride, 0, sum);
  if (x < width) MotionAddMagnitudes<L, kWide, true>(row + x, stride, width - x, sum);
  return static_cast<u64>(L::SumU(sum));
}

/// Columns of the planes that a pass works on, and those among them whose sum is wanted: the others are what the
/// horizontal filter reads of the neighbours.
struct MotionStrip {
  i32 first;  // column of the plane
  i32 width;
  i32 begin;  // column of the strip
  i32 end;
};

template <class L, bool kSplit, bool kWide>
LOCKSTEP_LANE_INLINE u64 MotionPairSad(const i32* const* slots, i64 stride, const MotionStrip& strip, i16* rows,
                                       i64 row_stride, bool has_lower) {
  MotionVerticalRows<L, kSplit, kWide>(slots, stride, strip.width, rows, row_stride);
  const i32 count = strip.end - strip.begin;
  u64 sad = MotionRowSad<L, kWide>(rows + strip.begin, row_stride, count);
  if (has_lower) sad += MotionRowSad<L, kWide>(rows + 2 * row_stride + strip.begin, row_stride, count);
  return sad;
}

/// The mirrored number; for a row below the picture's last that no output needs, some number inside.
inline i32 MotionMirrorInside(i32 y, i32 height) {
  const i32 mirrored = Mirror(y, height);
  return mirrored < 0 ? 0 : mirrored;
}

template <class L, class Sample, bool kSplit>
LOCKSTEP_LANE_INLINE u64 MotionStripSad(const MotionSimdArgs& args, const MotionStrip& strip) {
  constexpr i32 kSlots = 3;
  const MotionSimdSizes sizes(args.width);
  const i64 stride = sizes.ring_stride;
  auto* const ring = static_cast<i32*>(args.lines);
  i16* const rows = reinterpret_cast<i16*>(ring + stride * 2 * kSlots) + MotionSimdSizes::kLead;
  const auto* const previous = static_cast<const Sample*>(args.previous) + strip.first;
  const auto* const current = static_cast<const Sample*>(args.current) + strip.first;
  MotionRange ranges[kSlots];

  const auto fill = [&](i32 pair) {
    const i64 y0 = MotionMirrorInside(args.begin + 2 * pair, args.height);
    const i64 y1 = MotionMirrorInside(args.begin + 2 * pair + 1, args.height);
    const MotionRowPair<Sample> from = {previous + y0 * args.previous_stride, previous + y1 * args.previous_stride,
                                        current + y0 * args.current_stride, current + y1 * args.current_stride};
    const i32 slot = (pair + 1) % kSlots;
    ranges[slot] = MotionFillSlot<L, kSplit>(from, strip.width, 15 - args.bit_depth, ring + slot * 2 * stride, stride);
  };
  u64 sad = 0;
  fill(-1);
  fill(0);
  for (i32 q = 0; args.begin + 2 * q < args.end; ++q) {
    fill(q + 1);
    const bool wide =
        ranges[0] == MotionRange::kWide || ranges[1] == MotionRange::kWide || ranges[2] == MotionRange::kWide;
    const bool still = ranges[0] == MotionRange::kStill && ranges[1] == ranges[0] && ranges[2] == ranges[0];
    if (still) continue;
    const i32* slots[kSlots];
    for (i32 i = 0; i < kSlots; ++i) slots[i] = ring + (q + i) % kSlots * 2 * stride;
    const bool has_lower = args.begin + 2 * q + 1 < args.end;
    sad += wide ? MotionPairSad<L, kSplit, true>(slots, stride, strip, rows, sizes.row_stride, has_lower)
                : MotionPairSad<L, kSplit, false>(slots, stride, strip, rows, sizes.row_stride, has_lower);
  }
  return sad;
}

template <class L, class Sample, bool kSplit>
LOCKSTEP_LANE_INLINE u64 MotionOnLanes(const MotionSimdArgs& args) {
  const i32 strips = (args.width + kMotionSimdStrip - 1) / kMotionSimdStrip;
  const i32 wanted = (args.width + 32 * strips - 1) / (32 * strips) * 32;
  u64 sad = 0;
  for (i32 begin = 0; begin < args.width; begin += wanted) {
    const i32 end = begin + wanted < args.width ? begin + wanted : args.width;
    const i32 first = begin == 0 ? 0 : begin - kMotionSimdBeside;
    const i32 last = end + kMotionSimdBeside < args.width ? end + kMotionSimdBeside : args.width;
    sad += MotionStripSad<L, Sample, kSplit>(args, {first, last - first, begin - first, end - first});
  }
  return sad;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
