// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of samples and of their squares on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_MOMENT_FLOAT_MOMENT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_MOMENT_FLOAT_MOMENT_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_MOMENT_FLOAT_MOMENT_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_MOMENT_FLOAT_MOMENT_LANES_INL_H_
#endif

#include <type_traits>

#include "features/float_moment/float_moment_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// One row of samples of at most kMaximum, up to 12 bit, whose squares binary32 does not round.
/// exact   a Dot of squares adds up to 2 * kMaximum^2, and so few of them, 33025 at 8 bit and 128 at 12, stay below
///         2^32; those of the samples are smaller. The last block may give the first sum two more than the second one.
template <class L, i32 kMaximum, class Sample>
LOCKSTEP_LANE_PASS void FloatMomentNarrowRow(const Sample* row, i32 width, FloatMomentSums& sums) {
  constexpr i32 kDots = static_cast<i32>(0xffffffffu / (2u * kMaximum * kMaximum)) - 1;
  constexpr i32 kBlock = kDots * 4 * L::N;
  const auto ones = L::Set(0x00010001);
  i32 x = 0;
  do {
    const i32 end = width - x < kBlock ? width : x + kBlock;
    auto first = L::Set(0);
    // Two sums, because each waits for its own additions.
    auto low_squares = L::Set(0);
    auto high_squares = L::Set(0);
    for (; x + 4 * L::N <= end; x += 4 * L::N) {
      const auto low = L::AsPairs(L::Load(row + x));
      const auto high = L::AsPairs(L::Load(row + x + 2 * L::N));
      first = L::Dot(L::Dot(first, low, ones), high, ones);
      low_squares = L::Dot(low_squares, low, low);
      high_squares = L::Dot(high_squares, high, high);
    }
    // Only the last block leaves columns over, and then fewer than a full one.
    for (; x < end; x += 2 * L::N) {
      const i32 left = end - x < 2 * L::N ? end - x : 2 * L::N;
      const auto rest = L::AsPairs(L::And16(L::Load(row + x), L::First16(left)));
      first = L::Dot(first, rest, ones);
      low_squares = L::Dot(low_squares, rest, rest);
    }
    sums.first += static_cast<u64>(L::SumU(first));
    sums.second += static_cast<u64>(L::SumU(low_squares)) + static_cast<u64>(L::SumU(high_squares));
  } while (x < width);
}

/// One row of samples of up to 16 bits, each square as high * 65536 + low.
/// exact   scaling by powers of two is exact; so is the subtraction, whose result is the square modulo 65536. All sums
///         stay below 2^32 for 65537 values a lane: up to width 262148
template <class L>
LOCKSTEP_LANE_PASS void FloatMomentWideRow(const u16* row, i32 width, FloatMomentSums& sums) {
  auto first = L::Set(0);
  auto high_sum = L::Set(0);
  auto low_sum = L::Set(0);
  const auto columns = [&](i32 x, auto masked) __attribute__((always_inline)) {
    auto sample = L::Load32(row + x);
    if constexpr (decltype(masked)::value) sample = L::Keep(L::FirstN(width - x), sample);
    const auto value = L::ToF(sample);
    const auto square = L::MulF(value, value);
    const auto high = L::TruncF(L::MulF(square, L::SetF(1.0f / 65536.0f)));
    const auto low = L::TruncF(L::SubF(square, L::MulF(L::ToF(high), L::SetF(65536.0f))));
    first = L::Add(first, sample);
    high_sum = L::Add(high_sum, high);
    low_sum = L::Add(low_sum, low);
  };
  i32 x = 0;
  for (; x + L::N <= width; x += L::N) columns(x, std::false_type());
  if (x < width) columns(x, std::true_type());
  sums.first += static_cast<u64>(L::SumU(first));
  sums.second += (static_cast<u64>(L::SumU(high_sum)) << 16) + static_cast<u64>(L::SumU(low_sum));
}

template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE FloatMomentSums FloatMomentOnLanes(const FloatMomentSimdArgs& args) {
  FloatMomentSums sums = {0, 0};
  for (i64 y = 0; y < args.height; ++y) {
    const Sample* const row = static_cast<const Sample*>(args.data) + y * args.stride;
    if constexpr (kBits <= 12) {
      FloatMomentNarrowRow<L, (1 << kBits) - 1>(row, args.width, sums);
    } else {
      FloatMomentWideRow<L>(row, args.width, sums);
    }
  }
  return sums;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
