// SPDX-License-Identifier: BSD-2-Clause-Patent
// Binary floating-point formats seen as integers: bit patterns, significands
// and exponents, without a floating-point operation.
#ifndef LOCKSTEP_EXACT_FLOAT_BITS_H_
#define LOCKSTEP_EXACT_FLOAT_BITS_H_

#include <bit>
#include <cstdint>

#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

/// What the code needs to know of IEEE 754 binary64.
struct Binary64 {
  using Bits = uint64_t;
  using Real = double;
  static constexpr int kPrecision = 53;
  static constexpr int kMinExponent = -1022;
  static constexpr int kMaxExponent = 1023;
  static constexpr Bits kSign = 0x8000000000000000u;
  static constexpr Bits kInfinity = 0x7ff0000000000000u;
  static constexpr Bits kQuietNan = 0x7ff8000000000000u;
  static constexpr Bits kOne = 0x3ff0000000000000u;
};

/// What the code needs to know of IEEE 754 binary32.
struct Binary32 {
  using Bits = uint32_t;
  using Real = float;
  static constexpr int kPrecision = 24;
  static constexpr int kMinExponent = -126;
  static constexpr int kMaxExponent = 127;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kInfinity = 0x7f800000u;
  static constexpr Bits kQuietNan = 0x7fc00000u;
  static constexpr Bits kOne = 0x3f800000u;
};

constexpr uint64_t ToBits(double x) { return std::bit_cast<uint64_t>(x); }
constexpr uint32_t ToBits(float x) { return std::bit_cast<uint32_t>(x); }
constexpr double FromBits(uint64_t bits) { return std::bit_cast<double>(bits); }
constexpr float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

/// True for bit patterns of finite values greater than zero.
template <class Format>
constexpr bool IsPositiveFinite(typename Format::Bits bits) {
  return bits - 1 < Format::kInfinity - 1;
}

/// A positive value significand * 2^(exponent - 52) with
/// 2^52 <= significand < 2^53, so that 2^exponent <= value < 2^(exponent + 1).
struct Scaled {
  uint64_t significand;
  int exponent;
};

/// The significand and exponent of a binary64 bit pattern.
/// in      bits of a finite value greater than zero (subnormals too)
constexpr Scaled Decompose(uint64_t bits) {
  const int biased_exponent = static_cast<int>(bits >> 52);
  const uint64_t fraction = bits & 0xfffffffffffffu;
  if (biased_exponent == 0) [[unlikely]] {
    const int shift = CountLeadingZeros(fraction) - 11;
    return {fraction << shift, Binary64::kMinExponent - shift};
  }
  return {fraction | (uint64_t{1} << 52), biased_exponent - 1023};
}

/// The significand (widened to 53 bits) and exponent of a binary32 bit pattern.
/// in      bits of a finite value greater than zero (subnormals too)
constexpr Scaled Decompose(uint32_t bits) {
  const int biased_exponent = static_cast<int>(bits >> 23);
  const uint64_t fraction = bits & 0x7fffffu;
  if (biased_exponent == 0) [[unlikely]] {
    // fraction * 2^-149 = (fraction << shift) * 2^((-97 - shift) - 52)
    const int shift = CountLeadingZeros(fraction) - 11;
    return {fraction << shift, -97 - shift};
  }
  return {(fraction | 0x800000u) << 29, biased_exponent - 127};
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_FLOAT_BITS_H_
