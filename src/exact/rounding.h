// SPDX-License-Identifier: BSD-2-Clause-Patent
// Rounding to nearest even, with the test that tells whether an approximation
// is close enough to decide the rounding.
#ifndef LOCKSTEP_EXACT_ROUNDING_H_
#define LOCKSTEP_EXACT_ROUNDING_H_

#include <cstdint>

#include "exact/float_bits.h"
#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

constexpr Uint128 kUint128One = 1;

/// A positive value significand * 2^(exponent - 127) with
/// 2^127 <= significand < 2^128, known to within error * 2^(exponent - 127).
struct Approximation {
  Uint128 significand;
  int exponent;
  Uint128 error;
};

/// Brings value * 2^-fraction_bits to the form of an Approximation.
/// in      value != 0; error in units of the last place of value
inline Approximation Normalize(Uint128 value, int fraction_bits, Uint128 error) {
  const int shift = CountLeadingZeros(value);
  return {value << shift, 127 - shift - fraction_bits, error << shift};
}

/// An Approximation whose leading bit may have been lost by one place: restores
/// 2^127 <= significand.
/// in      significand >= 2^126
inline Approximation NormalizeByOne(Approximation a) {
  if (a.significand >> 127) return a;
  return {a.significand << 1, a.exponent - 1, a.error << 1};
}

/// Bits of the value with this significand and exponent. A significand that
/// was rounded up to 2^kPrecision carries into the exponent field, as it must.
/// in      exponent <= Format::kMaxExponent; a significand of
///         Format::kPrecision bits, fewer when exponent < Format::kMinExponent
template <class Format>
constexpr uint64_t Compose(uint64_t significand, int exponent) {
  if (exponent < Format::kMinExponent) return significand;
  const auto steps = static_cast<uint64_t>(exponent - Format::kMinExponent);
  return (steps << (Format::kPrecision - 1)) + significand;
}

/// The outcome of a rounding: bits count only if `decided`. (An std::optional
/// costs a fifth of the time of a sine here, by way of the stack.)
struct Rounded {
  uint64_t bits;
  bool decided;
};
constexpr Rounded kUndecided = {0, false};

/// Rounds where the lowest dropped_bits bits of the significand have no place
/// in the result; nothing if the error reaches the half-way point.
/// in      1 <= dropped_bits < 128
template <class Format>
inline Rounded RoundDropping(const Approximation& a, int dropped_bits) {
  const Uint128 half = kUint128One << (dropped_bits - 1);
  const Uint128 rest = a.significand & ((half << 1) - 1);
  const Uint128 distance = rest > half ? rest - half : half - rest;
  if (distance <= a.error) [[unlikely]]
    return kUndecided;
  uint64_t significand = static_cast<uint64_t>(a.significand >> dropped_bits);
  significand += rest > half;
  return {Compose<Format>(significand, a.exponent), true};
}

/// RoundIfDecided below the smallest normal value and beyond the largest.
template <class Format>
[[gnu::noinline, gnu::cold]] Rounded RoundOutsideNormal(const Approximation& a) {
  if (a.exponent > Format::kMaxExponent) return {Format::kInfinity, true};
  const int dropped_bits = 128 - Format::kPrecision + Format::kMinExponent - a.exponent;
  if (dropped_bits < 128) return RoundDropping<Format>(a, dropped_bits);
  // At most one bit is left: the result is 0 or the smallest subnormal.
  constexpr Uint128 kTopBit = kUint128One << 127;
  if (dropped_bits == 128) {  // a half to all of the smallest subnormal
    if (a.significand - kTopBit <= a.error) return kUndecided;
    return {1, true};
  }
  if (dropped_bits == 129) {  // a quarter to a half of it
    if (Uint128{0} - a.significand <= a.error) return kUndecided;
  }
  return {0, true};
}

/// The bits of a rounded to nearest, nothing if its error bound reaches the
/// half-way point between two neighbours. Exact ties are never decided here.
template <class Format>
inline Rounded RoundIfDecided(const Approximation& a) {
  const bool normal = a.exponent >= Format::kMinExponent && a.exponent <= Format::kMaxExponent;
  if (!normal) [[unlikely]]
    return RoundOutsideNormal<Format>(a);
  return RoundDropping<Format>(a, 128 - Format::kPrecision);
}

/// The bits of value * 2^exponent rounded to nearest, ties to even.
/// in      value != 0, exact
template <class Format>
uint64_t RoundExact(Uint128 value, int exponent) {
  const int shift = CountLeadingZeros(value);
  value <<= shift;
  exponent += 127 - shift;
  if (exponent > Format::kMaxExponent) return Format::kInfinity;
  int dropped_bits = 128 - Format::kPrecision;
  if (exponent < Format::kMinExponent) {
    dropped_bits += Format::kMinExponent - exponent;
  }
  if (dropped_bits > 128) return 0;
  uint64_t significand = 0;
  Uint128 rest = value;
  const Uint128 half = kUint128One << (dropped_bits - 1);
  if (dropped_bits < 128) {
    significand = static_cast<uint64_t>(value >> dropped_bits);
    rest = value & ((half << 1) - 1);
  }
  const bool odd = (significand & 1) != 0;
  if (rest > half || (rest == half && odd)) ++significand;
  return Compose<Format>(significand, exponent);
}

/// The bits of a small positive integer.
/// in      1 <= value < 2^Format::kPrecision, so nothing is rounded
template <class Format>
constexpr uint64_t ComposeInteger(uint64_t value) {
  const int shift = CountLeadingZeros(value);
  return Compose<Format>((value << shift) >> (64 - Format::kPrecision), 63 - shift);
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_ROUNDING_H_
