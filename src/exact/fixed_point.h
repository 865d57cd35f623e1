// SPDX-License-Identifier: BSD-2-Clause-Patent
// 384-bit fixed point, the arithmetic of the slow phases: plain and short,
// because it runs about once in 10^4 to 10^6 calls.
#ifndef LOCKSTEP_EXACT_FIXED_POINT_H_
#define LOCKSTEP_EXACT_FIXED_POINT_H_

#include <cstdint>

namespace lockstep::exact::internal {

inline constexpr int kFixedLimbs = 6;
inline constexpr int kFixedFractionBits = 320;

/// An unsigned number below 2^64 with 320 fraction bits; limb[0] is the least
/// significant. Overflow wraps; the callers' values stay below 2^64.
struct Fixed384 {
  uint64_t limb[kFixedLimbs];
};

inline constexpr int kUnitsLimb = 5;  // the limb that holds the integer part
inline constexpr Fixed384 kFixedZero = {{0, 0, 0, 0, 0, 0}};
inline constexpr Fixed384 kFixedOne = {{0, 0, 0, 0, 0, 1}};

constexpr Fixed384 FixedFromInteger(uint64_t value) { return {{0, 0, 0, 0, 0, value}}; }

bool IsZero(const Fixed384& a);

/// Negative, zero or positive as a < b, a == b or a > b.
int Compare(const Fixed384& a, const Fixed384& b);

Fixed384 operator+(const Fixed384& a, const Fixed384& b);

/// in      a >= b
Fixed384 operator-(const Fixed384& a, const Fixed384& b);

/// exact   truncated: less than 2^-320 too small
Fixed384 operator*(const Fixed384& a, const Fixed384& b);

Fixed384 operator*(const Fixed384& a, uint64_t b);

/// exact   truncated: less than 2^-320 too small
Fixed384 operator/(const Fixed384& a, uint64_t b);

/// a / b.
/// in      a <= b < 2^63
/// exact   truncated; a == b gives 1 - 2^-320
Fixed384 Ratio(const Fixed384& a, const Fixed384& b);

/// a * 2^shift; shift may be negative. Bits that leave either end are lost.
Fixed384 ShiftLeft(const Fixed384& a, int shift);

/// The e with 2^e <= a < 2^(e + 1).
/// in      a != 0
int Exponent(const Fixed384& a);

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_FIXED_POINT_H_
