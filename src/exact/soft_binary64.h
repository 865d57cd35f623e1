// SPDX-License-Identifier: BSD-2-Clause-Patent
// IEEE 754 binary64 arithmetic on integers, for devices that lack the type: the bits that hardware gives.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

// Every function rounds once, to nearest, ties to even. Operands and results are zeros or normal numbers; nothing is
// said of subnormal numbers, infinities and NaN, which no metric makes. There are no loops, tables and early returns,
// so that a work-item takes the same path whatever its values are.

/// The bit pattern of a binary64.
using Binary64Bits = u64;

/// The product, all bits of it.
LOCKSTEP_KERNEL u64 WideProduct(u32 a, u32 b) { return static_cast<u64>(a) * b; }

LOCKSTEP_KERNEL u32 HighProduct(u32 a, u32 b) { return static_cast<u32>(WideProduct(a, b) >> 32); }

/// An approximation r of 2^63 / (divisor + 1): 0 <= floor(2^63 / (divisor + 1)) - r <= 4.
/// in      divisor >= 2^31
/// exact   the bound was checked for every divisor; the test repeats it for a part of them
LOCKSTEP_KERNEL u32 Reciprocal32(u32 divisor) {
  // With x = divisor / 2^32 in [1/2, 1): 48/17 - 32/17 x is 1/x to 1/17 of its size, and each of Newton's steps squares
  // that. r has the unit 2^-30.
  u32 r = 0xb4b4b4b4u - HighProduct(0x78787878u, divisor);
  i32 error = static_cast<i32>(0x40000000u - HighProduct(r, divisor));
  r += static_cast<u32>((static_cast<i64>(static_cast<i32>(r)) * error) >> 30);
  error = static_cast<i32>(0x40000000u - HighProduct(r, divisor));
  // r may have become 2^31, which is no i32.
  r += static_cast<u32>((static_cast<i64>(static_cast<i32>(r - (r >> 31))) * error) >> 30);
  // The last step has the unit 2^-31 and the whole product: |wide_error| < 2^47, in 2^-62.
  const i64 wide_error = static_cast<i64>(0x4000000000000000u - WideProduct(r, divisor));
  const u64 doubled = (static_cast<u64>(r) << 1) + static_cast<u64>(((wide_error >> 16) * static_cast<i64>(r)) >> 45);
  return static_cast<u32>(doubled - 4u);
}

inline constexpr u64 kBinary64Sign = 0x8000000000000000u;
inline constexpr u64 kBinary64Fraction = 0xfffffffffffffu;
inline constexpr i32 kBinary64Bias = 1023;

LOCKSTEP_KERNEL u64 Binary64Magnitude(Binary64Bits a) { return a & ~kBinary64Sign; }
LOCKSTEP_KERNEL i32 Binary64Exponent(Binary64Bits a) { return static_cast<i32>(static_cast<u32>(a >> 52) & 2047u); }
/// With the leading bit, which is bit 52.
LOCKSTEP_KERNEL u64 Binary64Significand(Binary64Bits a) { return (a & kBinary64Fraction) | (u64{1} << 52); }

/// value / 2^count with the lost bits or-ed into bit 0, which is all that rounding wants to know of them.
/// in      count >= 0
LOCKSTEP_KERNEL u64 ShiftRightSticky(u64 value, i32 count) {
  const i32 shift = count > 63 ? 63 : count;
  const u64 shifted = value >> shift;
  return shifted | static_cast<u64>((shifted << shift) != value);
}

/// floor(a * b / 2^64) with the lost bits or-ed into bit 0.
LOCKSTEP_KERNEL u64 MultiplyHighSticky(u64 a, u64 b) {
  const u32 a_high = static_cast<u32>(a >> 32);
  const u32 a_low = static_cast<u32>(a);
  const u32 b_high = static_cast<u32>(b >> 32);
  const u32 b_low = static_cast<u32>(b);
  const u64 low = WideProduct(a_low, b_low);
  const u64 cross = WideProduct(a_low, b_high);
  const u64 other_cross = WideProduct(a_high, b_low);
  const u64 middle = (low >> 32) + static_cast<u32>(cross) + static_cast<u32>(other_cross);
  const u64 high = WideProduct(a_high, b_high) + (cross >> 32) + (other_cross >> 32) + (middle >> 32);
  return high | static_cast<u64>((static_cast<u32>(low) | static_cast<u32>(middle)) != 0);
}

/// Rounds significand * 2^(biased_exponent - kBinary64Bias - 62).
/// in      leading bit of significand: bit 62; bit 0 stands for all bits below it
LOCKSTEP_KERNEL Binary64Bits PackBinary64(u64 sign, i32 biased_exponent, u64 significand) {
  const u64 rounded = (significand + 511u + ((significand >> 10) & 1u)) >> 10;
  // The leading bit of `rounded`, or the carry of rounding up to 2^53, adds to the exponent's field.
  return sign + (static_cast<u64>(static_cast<u32>(biased_exponent - 1)) << 52) + rounded;
}

/// Quotient of significands in [1, 2): the leading bit is bit 62, and bit 0 stands for all bits below bit 8.
/// in      2^52 <= divisor < 2^53, divisor <= dividend < 2 * divisor
/// exact   two digits of 27 bits follow the leading one. Each is the product of a reciprocal and the remainder's upper
///         32 bits, which is too small by at most 1: 2^27 (2^-28.4 + 2^-31) + 2^-4 < 1
LOCKSTEP_KERNEL u64 DivideBinary64Significands(u64 dividend, u64 divisor) {
  const u32 reciprocal = Reciprocal32(static_cast<u32>(divisor >> 21));
  u64 rest = dividend - divisor;
  u32 first = static_cast<u32>(WideProduct(static_cast<u32>(rest >> 21), reciprocal) >> 36);
  rest = (rest << 27) - first * divisor;  // modulo 2^64; the value is below 2 * divisor
  bool again = rest >= divisor;
  rest -= again ? divisor : 0;
  first += again ? 1 : 0;
  u32 second = static_cast<u32>(WideProduct(static_cast<u32>(rest >> 21), reciprocal) >> 36);
  rest = (rest << 27) - second * divisor;
  again = rest >= divisor;
  rest -= again ? divisor : 0;
  second += again ? 1 : 0;
  const u64 quotient = (u64{1} << 54) + (static_cast<u64>(first) << 27) + second;
  return (quotient << 8) | static_cast<u64>(rest != 0);
}

/// Grows with the value; equal for both zeros.
LOCKSTEP_KERNEL i64 Binary64Order(Binary64Bits a) {
  const i64 magnitude = static_cast<i64>(Binary64Magnitude(a));
  return (a & kBinary64Sign) != 0 ? -magnitude : magnitude;
}

/// exact   always
LOCKSTEP_KERNEL Binary64Bits Binary64FromU32(u32 value) {
  const i32 zeros = CountLeadingZeros((static_cast<u64>(value) << 32) | 1u);
  // The leading bit, shifted to bit 52, adds 1 to the exponent's field.
  const u64 exponent = static_cast<u64>(static_cast<u32>(kBinary64Bias + 30 - zeros)) << 52;
  const Binary64Bits bits = exponent + ((static_cast<u64>(value) << zeros) << 21);
  return value == 0 ? 0 : bits;
}

/// exact   always
LOCKSTEP_KERNEL Binary64Bits Binary64FromI32(i32 value) {
  const u32 magnitude = value < 0 ? 0u - static_cast<u32>(value) : static_cast<u32>(value);
  return (value < 0 ? kBinary64Sign : 0) | Binary64FromU32(magnitude);
}

LOCKSTEP_KERNEL Binary64Bits Binary64Add(Binary64Bits a, Binary64Bits b) {
  const bool swap = Binary64Magnitude(a) < Binary64Magnitude(b);
  const Binary64Bits large = swap ? b : a;
  const Binary64Bits small = swap ? a : b;
  const u64 large_significand = Binary64Magnitude(large) == 0 ? 0 : Binary64Significand(large) << 10;
  const u64 small_significand = Binary64Magnitude(small) == 0 ? 0 : Binary64Significand(small) << 10;
  const u64 shifted = ShiftRightSticky(small_significand, Binary64Exponent(large) - Binary64Exponent(small));
  const bool differ = ((a ^ b) & kBinary64Sign) != 0;
  const u64 sum = differ ? large_significand - shifted : large_significand + shifted;
  const i32 zeros = CountLeadingZeros(sum | 1u);
  // A carry to bit 63 goes back by one. Otherwise the sum moves up by what was cancelled; bit 0 then stands for lost
  // bits only where that is one bit at most.
  const u64 significand = zeros == 0 ? (sum >> 1) | (sum & 1u) : sum << (zeros - 1);
  const Binary64Bits packed = PackBinary64(large & kBinary64Sign, Binary64Exponent(large) - zeros + 1, significand);
  return sum == 0 ? a & b & kBinary64Sign : packed;
}

LOCKSTEP_KERNEL Binary64Bits Binary64Subtract(Binary64Bits a, Binary64Bits b) {
  return Binary64Add(a, b ^ kBinary64Sign);
}

/// in      the product, before it is rounded, is zero or in the range of normal numbers
LOCKSTEP_KERNEL Binary64Bits Binary64MultiplyNormal(Binary64Bits a, Binary64Bits b) {
  const u64 product = MultiplyHighSticky(Binary64Significand(a) << 11, Binary64Significand(b) << 11);
  const i32 carry = static_cast<i32>(product >> 63);
  const u64 significand = (product >> carry) | (product & static_cast<u64>(carry));
  const u64 sign = (a ^ b) & kBinary64Sign;
  const Binary64Bits packed =
      PackBinary64(sign, Binary64Exponent(a) + Binary64Exponent(b) - kBinary64Bias + carry, significand);
  return Binary64Magnitude(a) == 0 || Binary64Magnitude(b) == 0 ? sign : packed;
}

/// in      b != 0; the quotient, before it is rounded, is zero or in the range of normal numbers
LOCKSTEP_KERNEL Binary64Bits Binary64DivideNormal(Binary64Bits a, Binary64Bits b) {
  const u64 dividend = Binary64Significand(a);
  const u64 divisor = Binary64Significand(b);
  const i32 borrow = dividend < divisor ? 1 : 0;
  const u64 quotient = DivideBinary64Significands(dividend << borrow, divisor);
  const u64 sign = (a ^ b) & kBinary64Sign;
  const Binary64Bits packed =
      PackBinary64(sign, Binary64Exponent(a) - Binary64Exponent(b) + kBinary64Bias - borrow, quotient);
  return Binary64Magnitude(a) == 0 ? sign : packed;
}

LOCKSTEP_KERNEL bool Binary64Less(Binary64Bits a, Binary64Bits b) { return Binary64Order(a) < Binary64Order(b); }

/// a < b ? a : b
LOCKSTEP_KERNEL Binary64Bits Binary64Minimum(Binary64Bits a, Binary64Bits b) { return Binary64Less(a, b) ? a : b; }

/// a > b ? a : b
LOCKSTEP_KERNEL Binary64Bits Binary64Maximum(Binary64Bits a, Binary64Bits b) { return Binary64Less(b, a) ? a : b; }

/// Rounds towards zero.
/// in      |a| < 2^63
LOCKSTEP_KERNEL i64 Binary64ToI64(Binary64Bits a) {
  const i32 exponent = Binary64Exponent(a) - kBinary64Bias;
  const u64 significand = Binary64Significand(a) << 11;
  const u64 magnitude = exponent < 0 ? 0 : significand >> ((63 - exponent) & 63);
  return static_cast<i64>((a & kBinary64Sign) != 0 ? 0 - magnitude : magnitude);
}

/// Rounds towards zero.
/// in      -2^31 - 1 < a < 2^31
LOCKSTEP_KERNEL i32 Binary64ToI32(Binary64Bits a) { return static_cast<i32>(Binary64ToI64(a)); }

/// The bit pattern of a binary32.
LOCKSTEP_KERNEL u32 Binary32Bits(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return __builtin_bit_cast(u32, value);
#endif
}

LOCKSTEP_KERNEL float Binary32Value(u32 bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

/// in      a zero, subnormal or normal number
/// exact   always
LOCKSTEP_KERNEL Binary64Bits Binary64FromBinary32(float value) {
  const u32 bits = Binary32Bits(value);
  const u64 sign = static_cast<u64>(bits & 0x80000000u) << 32;
  const u32 magnitude = bits & 0x7fffffffu;
  // Of a subnormal number the fraction counts units of 2^-149, and an integer's exponent field is not 0.
  const u64 normal = (static_cast<u64>(magnitude) << 29) + (static_cast<u64>(kBinary64Bias - 127) << 52);
  const u64 subnormal = Binary64FromU32(magnitude) - (static_cast<u64>(149) << 52);
  const u64 small = magnitude == 0 ? 0 : subnormal;
  return sign | (magnitude < 0x800000u ? small : normal);
}

/// Rounds once, to nearest, ties to even.
/// in      the result is a zero, subnormal or normal number
LOCKSTEP_KERNEL float Binary32FromBinary64(Binary64Bits a) {
  const u32 sign = static_cast<u32>(a >> 32) & 0x80000000u;
  const i32 exponent = Binary64Exponent(a) - kBinary64Bias + 127;
  // Units of the least significant bit are 2^6; below the normal numbers they are those of exponent 1.
  const u64 significand = ShiftRightSticky(Binary64Significand(a), 23 + (exponent < 1 ? 1 - exponent : 0));
  const u64 rounded = (significand + 31u + ((significand >> 6) & 1u)) >> 6;
  // The leading bit, or the carry of rounding up, adds to the exponent's field.
  const u32 field = static_cast<u32>(exponent < 1 ? 0 : exponent - 1) << 23;
  return Binary32Value(sign | (Binary64Magnitude(a) == 0 ? 0 : field + static_cast<u32>(rounded)));
}

/// The quotient of two binary32, rounded once.
/// in      b != 0; the quotient is a zero, subnormal or normal number
/// exact   53 bits are enough to round twice: 2 * 24 + 2 <= 53
LOCKSTEP_KERNEL float Binary32Divide(float a, float b) {
  return Binary32FromBinary64(Binary64DivideNormal(Binary64FromBinary32(a), Binary64FromBinary32(b)));
}

}  // namespace lockstep
