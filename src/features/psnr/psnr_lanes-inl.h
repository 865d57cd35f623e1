// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of squared differences on lanes, as products of 16-bit pairs; read once for each target.
#if defined(LOCKSTEP_FEATURES_PSNR_PSNR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_PSNR_PSNR_LANES_INL_H_
#undef LOCKSTEP_FEATURES_PSNR_PSNR_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_PSNR_PSNR_LANES_INL_H_
#endif

#include <type_traits>

#include "features/psnr/psnr_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// One row of samples of at most 12 bits; kMaximum is the greatest of them.
/// exact   a Dot adds up to 2 * kMaximum^2, and so few of them, 33025 at 8 bit and 128 at 12, stay below 2^32. The last
///         block may give the first sum two more than the second one.
template <class L, i32 kMaximum, class Sample>
LOCKSTEP_LANE_PASS u64 PsnrNarrowRow(const Sample* reference, const Sample* distorted, i32 width) {
  constexpr i32 kDots = static_cast<i32>(0xffffffffu / (2u * kMaximum * kMaximum)) - 1;
  constexpr i32 kBlock = kDots * 4 * L::N;
  const auto difference = [&](i32 x) __attribute__((always_inline)) {
    return L::Sub16(L::Load(reference + x), L::Load(distorted + x));
  };
  u64 total = 0;
  i32 x = 0;
  do {
    const i32 end = width - x < kBlock ? width : x + kBlock;
    // Two sums, because each waits for its own additions.
    auto first = L::Set(0);
    auto second = L::Set(0);
    for (; x + 4 * L::N <= end; x += 4 * L::N) {
      const auto low = L::AsPairs(difference(x));
      const auto high = L::AsPairs(difference(x + 2 * L::N));
      first = L::Dot(first, low, low);
      second = L::Dot(second, high, high);
    }
    // Only the last block leaves columns over, and then fewer than a full one.
    for (; x < end; x += 2 * L::N) {
      const i32 left = end - x < 2 * L::N ? end - x : 2 * L::N;
      const auto rest = L::AsPairs(L::And16(difference(x), L::First16(left)));
      first = L::Dot(first, rest, rest);
    }
    total += static_cast<u64>(L::SumU(first)) + static_cast<u64>(L::SumU(second));
  } while (x < width);
  return total;
}

/// One row of samples of up to 16 bits. A difference m = 256 a + b has the square 65536 a^2 + 512 a b + b^2.
/// exact   a Dot adds up to 2 * 255^2, so the sums stay below 2^32 for 33025 of them: up to width 264200
template <class L>
LOCKSTEP_LANE_PASS u64 PsnrWideRow(const u16* reference, const u16* distorted, i32 width) {
  auto high_squares = L::Set(0);
  auto products = L::Set(0);
  auto low_squares = L::Set(0);
  const auto columns = [&](i32 x, auto masked) __attribute__((always_inline)) {
    auto magnitude = L::AbsDiffU16(L::Load(reference + x), L::Load(distorted + x));
    if constexpr (decltype(masked)::value) {
      magnitude = L::And16(magnitude, L::First16(width - x));
    }
    const auto high = L::AsPairs(L::template Shr16<8>(magnitude));
    const auto low = L::AsPairs(L::And16(magnitude, L::Set16(255)));
    high_squares = L::Dot(high_squares, high, high);
    products = L::Dot(products, high, low);
    low_squares = L::Dot(low_squares, low, low);
  };
  i32 x = 0;
  for (; x + 2 * L::N <= width; x += 2 * L::N) columns(x, std::false_type());
  if (x < width) columns(x, std::true_type());
  return (static_cast<u64>(L::SumU(high_squares)) << 16) + (static_cast<u64>(L::SumU(products)) << 9) +
         static_cast<u64>(L::SumU(low_squares));
}

template <class L, i32 kBits, class Sample>
LOCKSTEP_LANE_INLINE u64 SquaredErrorOnLanes(const SquaredErrorSimdArgs& args) {
  u64 sum = 0;
  for (i64 y = args.begin; y < args.end; ++y) {
    const Sample* const reference = static_cast<const Sample*>(args.reference) + y * args.reference_stride;
    const Sample* const distorted = static_cast<const Sample*>(args.distorted) + y * args.distorted_stride;
    if constexpr (kBits <= 12) {
      sum += PsnrNarrowRow<L, (1 << kBits) - 1>(reference, distorted, args.width);
    } else {
      sum += PsnrWideRow<L>(reference, distorted, args.width);
    }
  }
  return sum;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
