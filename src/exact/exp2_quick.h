// SPDX-License-Identifier: BSD-2-Clause-Patent
// The quick phase of 2^z, on which Exp and the powers rest.
#ifndef LOCKSTEP_EXACT_EXP2_QUICK_H_
#define LOCKSTEP_EXACT_EXP2_QUICK_H_

#include <cstdint>

#include "exact/rounding.h"
#include "exact/tables.h"
#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

/// 2^z, z = z_q116 * 2^-116 (two's complement).
/// in      |z| < 2^11; z_error: bound of the error of z, in units of 2^-116
/// exact   relative error below 2^-74 + z_error * 2^-115: the series of
///         2^r - 1 ends at degree 5 (omitted: 2^-97), its 64-bit Horner steps
///         leave 2^-77, the product of the tables 2^-125
inline Approximation Exp2Quick(Int128 z_q116, Uint128 z_error) {
  // z = exponent + coarse / 2^7 + fine / 2^14 + r, 0 <= r < 2^-14.
  const auto exponent = static_cast<int>(z_q116 >> 116);
  const auto coarse = static_cast<unsigned>(z_q116 >> 109) & 127;
  const auto fine = static_cast<unsigned>(z_q116 >> 102) & 127;
  const auto r_q78 = static_cast<uint64_t>(z_q116 >> 38);

  const uint64_t r_q64 = r_q78 >> 14;
  uint64_t sum = kExpTerm5Q64;
  sum = kExpTerm4Q64 + MultiplyHigh(r_q64, sum);
  sum = kExpTerm3Q64 + MultiplyHigh(r_q64, sum);
  sum = kExpTerm2Q64 + MultiplyHigh(r_q64, sum);
  sum = kExpTerm1Q64 + MultiplyHigh(r_q64, sum);
  const uint64_t exp2_r_minus_1_q78 = MultiplyHigh(r_q78, sum);

  Uint128 power_q126 = MultiplyHigh128(kExpCoarseQ127[coarse], kExpFineQ127[fine]);
  power_q126 += (static_cast<Uint128>(High64(power_q126)) * exp2_r_minus_1_q78) >> 14;
  // Just below 2 the error may carry into the next binade; stay below it.
  if (High64(power_q126) >> 63) [[unlikely]]
    power_q126 = ~Uint128{0} >> 1;
  return {power_q126 << 1, exponent, (kUint128One << 53) + (z_error << 12)};
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_EXP2_QUICK_H_
