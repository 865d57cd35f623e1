// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over the blocks of xpsnr on lanes, as products of pairs of samples; read once for each target.
#if defined(LOCKSTEP_FEATURES_XPSNR_XPSNR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_XPSNR_XPSNR_LANES_INL_H_
#undef LOCKSTEP_FEATURES_XPSNR_XPSNR_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_XPSNR_XPSNR_LANES_INL_H_
#endif

#include <type_traits>

#include "features/xpsnr/xpsnr_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// Columns, and rows or pairs of rows, whose sums fit 32 bits a lane. With four lanes and 16 bits a lane gets in a row
///   64 values of at most 12 * 65535 (Spatial), 32 of 48 * 65535 (SpatialOfFour), 64 of 2 * 65535 (Temporal), or
///   32 of 8 * 65535 (TemporalOfFour), all of them below 2^32 / 32.
inline constexpr i32 kXpsnrColumns = 256;
inline constexpr i32 kXpsnrRows = 32;

/// What is added to a lane in one go of so many columns and rows.
struct XpsnrPart {
  i32 left;
  i32 right;
  i32 top;
  i32 bottom;
};

/// Sum of part(columns and rows) over an area that is cut so that the parts' sums fit.
template <class Function>
LOCKSTEP_LANE_INLINE u64 XpsnrSumParts(const XpsnrPart& area, i32 part_rows, const Function& part) {
  u64 sum = 0;
  for (i32 left = area.left; left < area.right; left += kXpsnrColumns) {
    const i32 right = area.right - left < kXpsnrColumns ? area.right : left + kXpsnrColumns;
    for (i32 top = area.top; top < area.bottom; top += part_rows) {
      sum += part(XpsnrPart{left, right, top, area.bottom - top < part_rows ? area.bottom : top + part_rows});
    }
  }
  return sum;
}

/// vectors(x, masked) for every 2 * L::N columns, the last time with std::true_type where they are not all there.
template <class L, class Function>
LOCKSTEP_LANE_INLINE void XpsnrColumns(i32 left, i32 right, const Function& vectors) {
  i32 x = left;
  for (; x + 2 * L::N <= right; x += 2 * L::N) vectors(x, std::false_type());
  if (x < right) vectors(x, std::true_type());
}

/// Factors of the samples in the even and odd columns of a pair.
template <class L>
LOCKSTEP_LANE_INLINE auto XpsnrFactors(i32 even, i32 odd) {
  return L::Set(static_cast<i32>((static_cast<u32>(even) & 0xffffu) | static_cast<u32>(odd) << 16));
}

/// Samples of more than 12 bits lose 2^15 to be pairs of i16: the factors of all sums below add up to 0.
template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE auto XpsnrLoad(const Sample* samples) {
  auto v = L::Load(samples);
  if constexpr (kBits > 12) v = L::Xor16(v, L::Set16(-32768));
  return v;
}

/// Two rows that have the same factors: of at most 12 bits their sum is one pair.
template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE auto XpsnrDotRows(typename L::I32 sum, const Sample* first, const Sample* second,
                                       typename L::I32 factors) {
  if constexpr (kBits <= 12) {
    return L::Dot(sum, L::AsPairs(L::Add16(L::Load(first), L::Load(second))), factors);
  } else {
    const auto one = L::Dot(sum, L::AsPairs(XpsnrLoad<L, kBits>(first)), factors);
    return L::Dot(one, L::AsPairs(XpsnrLoad<L, kBits>(second)), factors);
  }
}

/// sum + |values|, of the first `count` values only where masked.
template <class L, class Masked>
LOCKSTEP_LANE_INLINE auto XpsnrAddMagnitudes(typename L::I32 sum, typename L::I32 values, i32 count,
                                             Masked /*masked*/) {
  auto magnitudes = L::Abs(values);
  if constexpr (Masked::value) magnitudes = L::Keep(L::FirstN(count), magnitudes);
  return L::Add(sum, magnitudes);
}

/// Columns x … x + 2 * L::N - 1 of the block to the right, which come next: a block's rows are too short and too far
/// apart for the processor to foresee.
template <class L, class Sample>
LOCKSTEP_LANE_INLINE void XpsnrPrefetch(const Sample* row, i32 x, const XpsnrPart& part) {
  L::Prefetch(row + x + (part.right - part.left));
}

/// exact   a Dot adds up to 2 * kMaximum^2
template <class L, class Sample, i32 kMaximum>
LOCKSTEP_LANE_PASS u64 XpsnrNarrowErrors(const XpsnrPlane& reference, const XpsnrPlane& distorted,
                                         const XpsnrPart& area) {
  constexpr u32 kDots = 0xffffffffu / (2u * kMaximum * kMaximum);
  constexpr i32 kRows = static_cast<i32>(kDots) / (kXpsnrColumns / (2 * L::N));
  static_assert(kRows >= 1);
  return XpsnrSumParts(
      area, kRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        auto sum = L::Set(0);
        for (i32 y = part.top; y < part.bottom; ++y) {
          const Sample* const r = reference.row<Sample>(y);
          const Sample* const d = distorted.row<Sample>(y);
          XpsnrColumns<L>(
              part.left, part.right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                XpsnrPrefetch<L>(r, x, part);
                XpsnrPrefetch<L>(d, x, part);
                auto difference = L::Sub16(L::Load(r + x), L::Load(d + x));
                if constexpr (decltype(masked)::value) difference = L::And16(difference, L::First16(part.right - x));
                sum = L::Dot(sum, L::AsPairs(difference), L::AsPairs(difference));
              });
        }
        return static_cast<u64>(L::SumU(sum));
      });
}

/// A difference m = 256 a + b has the square 65536 a^2 + 512 a b + b^2.
/// exact   a Dot adds up to 2 * 255^2
template <class L>
LOCKSTEP_LANE_PASS u64 XpsnrWideErrors(const XpsnrPlane& reference, const XpsnrPlane& distorted,
                                       const XpsnrPart& area) {
  constexpr i32 kRows = static_cast<i32>(0xffffffffu / (2u * 255 * 255)) / (kXpsnrColumns / (2 * L::N));
  return XpsnrSumParts(
      area, kRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        auto high_squares = L::Set(0);
        auto products = L::Set(0);
        auto low_squares = L::Set(0);
        for (i32 y = part.top; y < part.bottom; ++y) {
          const u16* const r = reference.row<u16>(y);
          const u16* const d = distorted.row<u16>(y);
          XpsnrColumns<L>(
              part.left, part.right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                XpsnrPrefetch<L>(r, x, part);
                XpsnrPrefetch<L>(d, x, part);
                auto magnitude = L::AbsDiffU16(L::Load(r + x), L::Load(d + x));
                if constexpr (decltype(masked)::value) magnitude = L::And16(magnitude, L::First16(part.right - x));
                const auto high = L::AsPairs(L::template Shr16<8>(magnitude));
                const auto low = L::AsPairs(L::And16(magnitude, L::Set16(255)));
                high_squares = L::Dot(high_squares, high, high);
                products = L::Dot(products, high, low);
                low_squares = L::Dot(low_squares, low, low);
              });
        }
        return (static_cast<u64>(L::SumU(high_squares)) << 16) + (static_cast<u64>(L::SumU(products)) << 9) +
               static_cast<u64>(L::SumU(low_squares));
      });
}

template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_PASS u64 XpsnrSpatialSum(const XpsnrPictures& pictures, const XpsnrPart& area) {
  // Pairs that begin one column before the sample in an even place, and pairs that begin one column after it.
  const auto even_beside_before = XpsnrFactors<L>(-1, -2);
  const auto even_beside_after = XpsnrFactors<L>(-1, 0);
  const auto odd_beside_before = XpsnrFactors<L>(0, -1);
  const auto odd_beside_after = XpsnrFactors<L>(-2, -1);
  const auto even_before = XpsnrFactors<L>(-2, 12);
  const auto even_after = XpsnrFactors<L>(-2, 0);
  const auto odd_before = XpsnrFactors<L>(0, -2);
  const auto odd_after = XpsnrFactors<L>(12, -2);
  return XpsnrSumParts(
      area, kXpsnrRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        auto sum = L::Set(0);
        for (i32 y = part.top; y < part.bottom; ++y) {
          const Sample* const above = pictures.reference.row<Sample>(y - 1);
          const Sample* const row = pictures.reference.row<Sample>(y);
          const Sample* const below = pictures.reference.row<Sample>(y + 1);
          XpsnrColumns<L>(
              part.left, part.right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                const auto before = L::AsPairs(XpsnrLoad<L, kBits>(row + x - 1));
                const auto after = L::AsPairs(XpsnrLoad<L, kBits>(row + x + 1));
                auto even = L::Dot(L::Dot(L::Set(0), before, even_before), after, even_after);
                even = XpsnrDotRows<L, kBits>(even, above + x - 1, below + x - 1, even_beside_before);
                even = XpsnrDotRows<L, kBits>(even, above + x + 1, below + x + 1, even_beside_after);
                auto odd = L::Dot(L::Dot(L::Set(0), before, odd_before), after, odd_after);
                odd = XpsnrDotRows<L, kBits>(odd, above + x - 1, below + x - 1, odd_beside_before);
                odd = XpsnrDotRows<L, kBits>(odd, above + x + 1, below + x + 1, odd_beside_after);
                sum = XpsnrAddMagnitudes<L>(sum, even, (part.right - x + 1) / 2, masked);
                sum = XpsnrAddMagnitudes<L>(sum, odd, (part.right - x) / 2, masked);
              });
        }
        return static_cast<u64>(L::SumU(sum));
      });
}

/// Row `y` of the reference, the last one below the picture.
template <class Sample>
const Sample* XpsnrRow(const XpsnrPictures& pictures, const XpsnrPlane& plane, i32 y) {
  return plane.row<Sample>(y < pictures.height ? y : pictures.height - 1);
}

/// Magnitudes of four samples whose six columns are not all inside a picture of odd width.
template <class Sample>
u64 XpsnrSpatialOfFourBeyond(const XpsnrPictures& pictures, const Sample* const* rows, i32 begin, i32 end) {
  u64 sum = 0;
  for (i32 x = begin; x < end; x += 2) {
    i32 columns[6];
    for (i32 i = 0; i < 6; ++i) {
      const i32 column = x - 2 + i;
      columns[i] = column < pictures.width ? column : pictures.width - 1;
    }
    sum += XpsnrSpatialOfFour(rows, columns);
  }
  return sum;
}

/// in      area: top is even; rows count in pairs
template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_PASS u64 XpsnrSpatialSumOfFour(const XpsnrPictures& pictures, const XpsnrPart& area) {
  const auto far_before = XpsnrFactors<L>(0, -1);
  const auto far_middle = XpsnrFactors<L>(-1, -1);
  const auto far_after = XpsnrFactors<L>(-1, 0);
  const auto near_before = XpsnrFactors<L>(-1, -2);
  const auto near_middle = XpsnrFactors<L>(-3, -3);
  const auto near_after = XpsnrFactors<L>(-2, -1);
  const auto centre_before = XpsnrFactors<L>(-1, -3);
  const auto centre_middle = XpsnrFactors<L>(12, 12);
  const auto centre_after = XpsnrFactors<L>(-3, -1);
  return XpsnrSumParts(
      area, 2 * kXpsnrRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        const i32 inside = pictures.width - 3;
        const i32 right = part.right < inside ? part.right : inside;
        const i32 beyond = right <= part.left ? part.left : part.left + (right - part.left + 1) / 2 * 2;
        u64 beyond_sum = 0;
        auto sum = L::Set(0);
        for (i32 y = part.top; y < part.bottom; y += 2) {
          const Sample* rows[6];
          for (i32 i = 0; i < 6; ++i) rows[i] = XpsnrRow<Sample>(pictures, pictures.reference, y - 2 + i);
          XpsnrColumns<L>(
              part.left, right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                auto value = XpsnrDotRows<L, kBits>(L::Set(0), rows[0] + x - 2, rows[5] + x - 2, far_before);
                value = XpsnrDotRows<L, kBits>(value, rows[0] + x, rows[5] + x, far_middle);
                value = XpsnrDotRows<L, kBits>(value, rows[0] + x + 2, rows[5] + x + 2, far_after);
                value = XpsnrDotRows<L, kBits>(value, rows[1] + x - 2, rows[4] + x - 2, near_before);
                value = XpsnrDotRows<L, kBits>(value, rows[1] + x, rows[4] + x, near_middle);
                value = XpsnrDotRows<L, kBits>(value, rows[1] + x + 2, rows[4] + x + 2, near_after);
                value = XpsnrDotRows<L, kBits>(value, rows[2] + x - 2, rows[3] + x - 2, centre_before);
                value = XpsnrDotRows<L, kBits>(value, rows[2] + x, rows[3] + x, centre_middle);
                value = XpsnrDotRows<L, kBits>(value, rows[2] + x + 2, rows[3] + x + 2, centre_after);
                sum = XpsnrAddMagnitudes<L>(sum, value, (right - x + 1) / 2, masked);
              });
          beyond_sum += XpsnrSpatialOfFourBeyond(pictures, rows, beyond, part.right);
        }
        return beyond_sum + static_cast<u64>(L::SumU(sum));
      });
}

template <class L, i32 kBits, class Sample, bool kSecond>
LOCKSTEP_LANE_PASS u64 XpsnrTemporalSum(const XpsnrPictures& pictures, const XpsnrPart& area) {
  return XpsnrSumParts(
      area, kXpsnrRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        auto sum = L::Set(0);
        for (i32 y = part.top; y < part.bottom; ++y) {
          const Sample* const current = pictures.reference.row<Sample>(y);
          const Sample* const previous = pictures.previous.row<Sample>(y);
          const Sample* const earlier = kSecond ? pictures.earlier.row<Sample>(y) : nullptr;
          XpsnrColumns<L>(
              part.left, part.right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                if constexpr (kBits <= 12) {
                  auto change = L::Sub16(L::Load(current + x), L::Load(previous + x));
                  if constexpr (kSecond) {
                    change = L::Add16(change, L::Sub16(L::Load(earlier + x), L::Load(previous + x)));
                  }
                  auto magnitude = L::Abs16(change);
                  if constexpr (decltype(masked)::value) magnitude = L::And16(magnitude, L::First16(part.right - x));
                  sum = L::Dot(sum, L::AsPairs(magnitude), L::Set(0x00010001));
                } else {
                  const auto change = [&](i32 even, i32 odd) __attribute__((always_inline)) {
                    constexpr i32 kPrevious = kSecond ? -2 : -1;
                    auto value = L::MulPair(L::AsPairs(XpsnrLoad<L, kBits>(current + x)), XpsnrFactors<L>(even, odd));
                    value = L::Dot(value, L::AsPairs(XpsnrLoad<L, kBits>(previous + x)),
                                   XpsnrFactors<L>(kPrevious * even, kPrevious * odd));
                    if constexpr (kSecond) {
                      value = L::Dot(value, L::AsPairs(XpsnrLoad<L, kBits>(earlier + x)), XpsnrFactors<L>(even, odd));
                    }
                    return value;
                  };
                  sum = XpsnrAddMagnitudes<L>(sum, change(1, 0), (part.right - x + 1) / 2, masked);
                  sum = XpsnrAddMagnitudes<L>(sum, change(0, 1), (part.right - x) / 2, masked);
                }
              });
        }
        return static_cast<u64>(L::SumU(sum));
      });
}

/// in      area: top is even; rows count in pairs
template <class L, i32 kBits, class Sample, bool kSecond>
LOCKSTEP_LANE_PASS u64 XpsnrTemporalSumOfFour(const XpsnrPictures& pictures, const XpsnrPart& area) {
  constexpr i32 kPrevious = kSecond ? -2 : -1;
  const auto once = XpsnrFactors<L>(1, 1);
  const auto taken_off = XpsnrFactors<L>(kPrevious, kPrevious);
  return XpsnrSumParts(
      area, 2 * kXpsnrRows, [&](const XpsnrPart& part) __attribute__((always_inline)) {
        // The last column of an odd width has nothing beside it.
        const bool is_odd = (part.right - part.left) % 2 != 0;
        const i32 right = is_odd ? part.right - 1 : part.right;
        u64 beyond_sum = 0;
        auto sum = L::Set(0);
        for (i32 y = part.top; y < part.bottom; y += 2) {
          const auto row = [&](const XpsnrPlane& plane, i32 i) __attribute__((always_inline)) {
            return XpsnrRow<Sample>(pictures, plane, y + i);
          };
          const Sample* const current[2] = {row(pictures.reference, 0), row(pictures.reference, 1)};
          const Sample* const previous[2] = {row(pictures.previous, 0), row(pictures.previous, 1)};
          const Sample* earlier[2] = {};
          if constexpr (kSecond) {
            earlier[0] = row(pictures.earlier, 0);
            earlier[1] = row(pictures.earlier, 1);
          }
          XpsnrColumns<L>(
              part.left, right, [&](i32 x, auto masked) __attribute__((always_inline)) {
                XpsnrPrefetch<L>(previous[0], x, part);
                XpsnrPrefetch<L>(previous[1], x, part);
                if constexpr (kSecond) {
                  XpsnrPrefetch<L>(earlier[0], x, part);
                  XpsnrPrefetch<L>(earlier[1], x, part);
                }
                auto value = XpsnrDotRows<L, kBits>(L::Set(0), current[0] + x, current[1] + x, once);
                value = XpsnrDotRows<L, kBits>(value, previous[0] + x, previous[1] + x, taken_off);
                if constexpr (kSecond) value = XpsnrDotRows<L, kBits>(value, earlier[0] + x, earlier[1] + x, once);
                sum = XpsnrAddMagnitudes<L>(sum, value, (right - x) / 2, masked);
              });
          if (is_odd) {
            const i32 now = XpsnrFour(current[0], current[1], right, right);
            const i32 before = XpsnrFour(previous[0], previous[1], right, right);
            if constexpr (kSecond) {
              beyond_sum += XpsnrSecondDifference(now, before, XpsnrFour(earlier[0], earlier[1], right, right));
            } else {
              beyond_sum += XpsnrFirstDifference(now, before);
            }
          }
        }
        return beyond_sum + static_cast<u64>(L::SumU(sum));
      });
}

template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE u64 XpsnrErrorOnLanes(const XpsnrPlane& reference, const XpsnrPlane& distorted,
                                           const XpsnrBlock& block) {
  const XpsnrPart area = {block.left, block.right, block.top, block.bottom};
  if constexpr (kBits <= 12) {
    return XpsnrNarrowErrors<L, Sample, (1 << kBits) - 1>(reference, distorted, area);
  } else {
    return XpsnrWideErrors<L>(reference, distorted, area);
  }
}

template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE XpsnrBlockSums XpsnrBlockOnLanes(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  XpsnrBlockSums sums;
  sums.squared_error = XpsnrErrorOnLanes<L, kBits, Sample>(pictures.reference, pictures.distorted, block);
  if (block.is_small()) return sums;
  const XpsnrPart all = {block.left, block.right, block.top, block.bottom};
  const XpsnrPart inner = {block.inner_left, block.inner_right, block.inner_top, block.inner_bottom};
  const bool is_second = pictures.earlier.data != nullptr;
  if (pictures.of_four) {
    sums.spatial = XpsnrSpatialSumOfFour<L, kBits, Sample>(pictures, inner);
    sums.temporal = is_second ? XpsnrTemporalSumOfFour<L, kBits, Sample, true>(pictures, all)
                              : XpsnrTemporalSumOfFour<L, kBits, Sample, false>(pictures, all);
  } else {
    sums.spatial = XpsnrSpatialSum<L, kBits, Sample>(pictures, inner);
    sums.temporal = is_second ? XpsnrTemporalSum<L, kBits, Sample, true>(pictures, all)
                              : XpsnrTemporalSum<L, kBits, Sample, false>(pictures, all);
  }
  return sums;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
