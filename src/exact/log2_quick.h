// SPDX-License-Identifier: BSD-2-Clause-Patent
// The quick phase of log2, on which all logarithms and powers rest.
#ifndef LOCKSTEP_EXACT_LOG2_QUICK_H_
#define LOCKSTEP_EXACT_LOG2_QUICK_H_

#include <cstddef>
#include <cstdint>

#include "exact/float_bits.h"
#include "exact/rounding.h"
#include "exact/tables.h"
#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

/// magnitude.significand == 0 stands for zero.
struct SignedApproximation {
  bool negative;
  Approximation magnitude;
};

/// log2(1 + r) / r with 125 fraction bits, 1 + r = 1 + r_q76 * 2^-76.
/// in      |r| < 2^-13.67
/// exact   relative error below 2^-76: the first omitted term of the series
///         log2(e) (1 - r/2 + r^2/3 - ... - r^5/6) is below 2^-84, the Horner
///         steps keep 63 fraction bits and are multiplied by r once more
inline Uint128 Log2SeriesOverR(int64_t r_q76) {
  const int64_t r_q64 = r_q76 >> 12;
  int64_t sum = static_cast<int64_t>(kLog2EOver6Q63);
  sum = static_cast<int64_t>(kLog2EOver5Q63) - MultiplyHighSigned(r_q64, sum);
  sum = static_cast<int64_t>(kLog2EOver4Q63) - MultiplyHighSigned(r_q64, sum);
  sum = static_cast<int64_t>(kLog2EOver3Q63) - MultiplyHighSigned(r_q64, sum);
  sum = static_cast<int64_t>(kLog2EOver2Q63) - MultiplyHighSigned(r_q64, sum);
  const Int128 correction_q139 = static_cast<Int128>(r_q76) * sum;
  return kLog2EQ125 - static_cast<Uint128>(correction_q139 >> 14);
}

/// log2(x).
/// exact   absolute error below 2^-87 (stated: 2^-85); for |x - 1| < 2^-14
///         relative error below 2^-74 (stated: 2^-71); zero only for x = 1
inline SignedApproximation Log2Quick(Scaled x) {
  // x = 2^exponent * m; (1 + r1) = m * R1, |r1| <= 2^-7. The row kLogWrapRow
  // on is counted from the next power of two: no cancellation below it.
  const auto row = static_cast<unsigned>(x.significand >> 45) & 127;
  const int exponent = x.exponent + (row >= kLogWrapRow);
  const uint64_t m_r1_q61 = x.significand * kLogCoarseReciprocalQ9[row];

  // (1 + r2) = (1 + r1) * R2, |r2| < 2^-13.67. Both products are exact.
  constexpr uint64_t kOneQ61 = uint64_t{1} << 61;
  const auto r1_q61 = static_cast<int64_t>(m_r1_q61 - kOneQ61);
  const auto column = static_cast<int>((r1_q61 + (int64_t{1} << 47)) >> 48);
  const auto fine_row = static_cast<size_t>(column + 64);
  const Uint128 m_r1_r2_q76 = static_cast<Uint128>(m_r1_q61) * kLogFineReciprocalQ15[fine_row];
  const auto r2_q76 = static_cast<int64_t>(m_r1_r2_q76 - (kUint128One << 76));

  const Uint128 series_q125 = Log2SeriesOverR(r2_q76);
  const bool r2_negative = r2_q76 < 0;
  uint64_t r2_magnitude = static_cast<uint64_t>(r2_q76);
  if (r2_negative) r2_magnitude = 0 - r2_magnitude;

  const bool near_one = exponent == 0 && column == 0 && (row == 0 || row == 127);
  if (near_one) [[unlikely]] {
    // R1 is 1 or 1/2 and R2 is 1: log2(x) = log2(1 + r2) keeps a relative
    // error if r2 is first brought to 64 significant bits.
    if (r2_magnitude == 0) return {false, {0, 0, 0}};
    const int shift = CountLeadingZeros(r2_magnitude);
    const Uint128 log = MultiplyShift64(r2_magnitude << shift, series_q125);
    // log >= 2^124, so 2^53 is 2^-71 of it.
    return {r2_negative, Normalize(log, 76 + 125 - 64 + shift, kUint128One << 53)};
  }
  const auto fine_log_q116 = static_cast<Int128>(MultiplyShift64(r2_magnitude, series_q125) >> 21);
  const auto exponent_q116 = static_cast<Int128>(static_cast<Uint128>(Int128{exponent}) << 116);
  const Int128 log_q116 =
      exponent_q116 + kLogCoarseQ116[row] + kLogFineQ116[fine_row] + (r2_negative ? -fine_log_q116 : fine_log_q116);
  const bool negative = log_q116 < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -log_q116 : log_q116);
  return {negative, Normalize(magnitude, 116, kUint128One << 31)};
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_LOG2_QUICK_H_
