// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of squares rounded to binary32 on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_FLOAT_PSNR_FLOAT_PSNR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_FLOAT_PSNR_FLOAT_PSNR_LANES_INL_H_
#undef LOCKSTEP_FEATURES_FLOAT_PSNR_FLOAT_PSNR_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_FLOAT_PSNR_FLOAT_PSNR_LANES_INL_H_
#endif

#include <type_traits>

#include "features/float_psnr/float_psnr_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// One row of FloatPsnrSquare(), each square as high * 65536 + low.
/// exact   scaling by powers of two is exact; so is the subtraction, whose result is the square modulo 65536. Both
///         sums stay below 2^32 for 65537 values a lane: up to width 262148
template <class L>
LOCKSTEP_LANE_PASS u64 FloatPsnrWideRow(const u16* reference, const u16* distorted, i32 width) {
  auto high_sum = L::Set(0);
  auto low_sum = L::Set(0);
  const auto columns = [&](i32 x, auto masked) __attribute__((always_inline)) {
    auto difference = L::Sub(L::Load32(reference + x), L::Load32(distorted + x));
    if constexpr (decltype(masked)::value) difference = L::Keep(L::FirstN(width - x), difference);
    const auto value = L::ToF(difference);
    const auto square = L::MulF(value, value);
    const auto high = L::TruncF(L::MulF(square, L::SetF(1.0f / 65536.0f)));
    const auto low = L::TruncF(L::SubF(square, L::MulF(L::ToF(high), L::SetF(65536.0f))));
    high_sum = L::Add(high_sum, high);
    low_sum = L::Add(low_sum, low);
  };
  i32 x = 0;
  for (; x + L::N <= width; x += L::N) columns(x, std::false_type());
  if (x < width) columns(x, std::true_type());
  return (static_cast<u64>(L::SumU(high_sum)) << 16) + static_cast<u64>(L::SumU(low_sum));
}

template <class L>
LOCKSTEP_LANE_INLINE u64 FloatPsnrOnLanes(const SquaredErrorSimdArgs& args) {
  u64 sum = 0;
  for (i64 y = args.begin; y < args.end; ++y) {
    sum += FloatPsnrWideRow<L>(static_cast<const u16*>(args.reference) + y * args.reference_stride,
                               static_cast<const u16*>(args.distorted) + y * args.distorted_stride, args.width);
  }
  return sum;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
