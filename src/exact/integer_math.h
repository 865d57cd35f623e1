// SPDX-License-Identifier: BSD-2-Clause-Patent
// Small exact functions in integer form: logarithms and powers of two, and
// rounding a double to an integer. No libm symbol, no floating-point operation.
#ifndef LOCKSTEP_EXACT_INTEGER_MATH_H_
#define LOCKSTEP_EXACT_INTEGER_MATH_H_

#include <bit>
#include <cstdint>

namespace lockstep::exact {

/// floor(log2(n)).
/// in      n >= 1
constexpr int FloorLog2(uint64_t n) { return static_cast<int>(std::bit_width(n)) - 1; }

/// ceil(log2(n)): the bits needed to count n things.
/// in      n >= 1
constexpr int CeilLog2(uint64_t n) { return static_cast<int>(std::bit_width(n - 1)); }

/// 2^exponent.
/// exact   for -1074 <= exponent <= 1023; above inf, below 0 (2^-1075 is a tie
///         between 0 and 2^-1074 and rounds to even)
constexpr double Ldexp1(int exponent) {
  constexpr uint64_t kInfinity = 0x7ff0000000000000u;
  uint64_t bits = 0;
  if (exponent > 1023) {
    bits = kInfinity;
  } else if (exponent >= -1022) {
    bits = static_cast<uint64_t>(exponent + 1023) << 52;
  } else if (exponent >= -1074) {
    bits = uint64_t{1} << (exponent + 1074);
  }
  return std::bit_cast<double>(bits);
}

namespace internal {

enum class RoundTo { kZero, kUp, kDown, kNearestAwayFromZero };

/// x rounded to an integer. The bits below the units place are cleared after
/// what the direction asks for is added to the magnitude; a carry runs into the
/// exponent field, as it must.
constexpr double RoundToInteger(double x, RoundTo direction) {
  constexpr uint64_t kSign = 0x8000000000000000u;
  constexpr uint64_t kInfinity = 0x7ff0000000000000u;
  constexpr uint64_t kQuietNan = 0x7ff8000000000000u;
  constexpr uint64_t kOne = 0x3ff0000000000000u;
  constexpr uint64_t kHalf = 0x3fe0000000000000u;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t magnitude = bits & ~kSign;
  const uint64_t sign = bits & kSign;
  if (magnitude > kInfinity) return std::bit_cast<double>(kQuietNan);

  const bool away = (direction == RoundTo::kUp && sign == 0) || (direction == RoundTo::kDown && sign != 0);
  if (magnitude < kOne) {
    const bool to_one = (away && magnitude != 0) || (direction == RoundTo::kNearestAwayFromZero && magnitude >= kHalf);
    return std::bit_cast<double>(sign | (to_one ? kOne : 0));
  }
  const int fraction_bits = 1075 - static_cast<int>(magnitude >> 52);
  if (fraction_bits <= 0) return x;  // an integer, or infinite
  const uint64_t fraction_mask = (uint64_t{1} << fraction_bits) - 1;
  uint64_t rounded = bits;
  if (away) rounded += fraction_mask;
  if (direction == RoundTo::kNearestAwayFromZero) {
    rounded += uint64_t{1} << (fraction_bits - 1);
  }
  return std::bit_cast<double>(rounded & ~fraction_mask);
}

}  // namespace internal

/// The largest integer not above x. Keeps -0 and infinities; NaN gives the
/// quiet NaN 0x7ff8000000000000.
constexpr double Floor(double x) { return internal::RoundToInteger(x, internal::RoundTo::kDown); }

/// The smallest integer not below x. Values in (-1, 0) give -0; otherwise as
/// Floor.
constexpr double Ceil(double x) { return internal::RoundToInteger(x, internal::RoundTo::kUp); }

/// The integer next to x towards zero, with the sign of x; otherwise as Floor.
constexpr double Trunc(double x) { return internal::RoundToInteger(x, internal::RoundTo::kZero); }

/// The integer nearest to x, halves away from zero (as ISO C round), with the
/// sign of x; otherwise as Floor.
constexpr double Round(double x) { return internal::RoundToInteger(x, internal::RoundTo::kNearestAwayFromZero); }

}  // namespace lockstep::exact

#endif  // LOCKSTEP_EXACT_INTEGER_MATH_H_
