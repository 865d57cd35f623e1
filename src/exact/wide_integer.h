// SPDX-License-Identifier: BSD-2-Clause-Patent
// 128-bit integers and the partial products that the quick phases are made of.
#ifndef LOCKSTEP_EXACT_WIDE_INTEGER_H_
#define LOCKSTEP_EXACT_WIDE_INTEGER_H_

#include <cstdint>

namespace lockstep::exact::internal {

// GCC and Clang only. Another compiler needs its own 64x64->128 multiply here
// and in the three places that divide a 128-bit integer (arctangent.cc,
// fixed_point.cc).
__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

constexpr Uint128 MakeUint128(uint64_t high, uint64_t low) { return (static_cast<Uint128>(high) << 64) | low; }
constexpr Int128 MakeInt128(uint64_t high, uint64_t low) { return static_cast<Int128>(MakeUint128(high, low)); }

constexpr uint64_t High64(Uint128 x) { return static_cast<uint64_t>(x >> 64); }
constexpr uint64_t Low64(Uint128 x) { return static_cast<uint64_t>(x); }

/// Leading zero bits.
/// in      x != 0
constexpr int CountLeadingZeros(uint64_t x) { return __builtin_clzll(x); }
constexpr int CountLeadingZeros(Uint128 x) {
  const uint64_t high = High64(x);
  return high != 0 ? CountLeadingZeros(high) : 64 + CountLeadingZeros(Low64(x));
}

/// Trailing zero bits.
/// in      x != 0
constexpr int CountTrailingZeros(uint64_t x) { return __builtin_ctzll(x); }

/// floor(a * b / 2^64).
constexpr uint64_t MultiplyHigh(uint64_t a, uint64_t b) { return High64(static_cast<Uint128>(a) * b); }

/// floor(a * b / 2^64) of signed factors.
constexpr int64_t MultiplyHighSigned(int64_t a, int64_t b) {
  return static_cast<int64_t>((static_cast<Int128>(a) * b) >> 64);
}

/// floor(a * b / 2^64), all 128 bits of it.
constexpr Uint128 MultiplyShift64(uint64_t a, Uint128 b) {
  return static_cast<Uint128>(a) * High64(b) + MultiplyHigh(a, Low64(b));
}

/// The high 128 bits of a * b.
/// exact   at most 3 below floor(a * b / 2^128): the product of the low halves
///         and the carries out of the middle products are left out
constexpr Uint128 MultiplyHigh128(Uint128 a, Uint128 b) {
  return static_cast<Uint128>(High64(a)) * High64(b) + MultiplyHigh(High64(a), Low64(b)) +
         MultiplyHigh(Low64(a), High64(b));
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_WIDE_INTEGER_H_
