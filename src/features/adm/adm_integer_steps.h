// SPDX-License-Identifier: BSD-2-Clause-Patent
// The steps of AdmBinary64Steps on integers, for devices without binary64: the same results for every operand.
#pragma once

#include "exact/soft_binary64.h"
#include "features/adm/adm_arithmetic.h"

namespace lockstep {

LOCKSTEP_KERNEL i32 AdmLeadingZeros(u64 value) { return CountLeadingZeros(value); }

/// significand * 2^exponent: an integer rounded to binary32.
struct AdmBinary32 {
  u32 significand;  // 2^23 … 2^24 - 1, or 0
  i32 exponent;
};

/// in      Unsigned: u32 or u64
template <class Unsigned>
LOCKSTEP_KERNEL AdmBinary32 AdmRoundToBinary32(Unsigned value) {
  constexpr i32 kDropped = static_cast<i32>(sizeof(Unsigned)) * 8 - 24;
  constexpr Unsigned kRest = (Unsigned{1} << kDropped) - 1;
  const i32 zeros = AdmLeadingZeros(value | Unsigned{1});
  const Unsigned aligned = static_cast<Unsigned>(value << zeros);
  const u32 truncated = static_cast<u32>(aligned >> kDropped);
  // A half goes up where the truncated significand is odd.
  const bool up = (aligned & kRest) + (truncated & 1u) > (Unsigned{1} << (kDropped - 1));
  const u32 rounded = truncated + static_cast<u32>(up);
  const u32 carry = rounded >> 24;
  return {rounded >> carry, kDropped - zeros + static_cast<i32>(carry)};
}

template <class Integer>
struct AdmUnsigned;
template <>
struct AdmUnsigned<i32> {
  using Type = u32;
};
template <>
struct AdmUnsigned<i64> {
  using Type = u64;
};

/// in      Limit: i32 for limits that are integers, Binary64Bits for any limit of the option's range
template <class Limit>
struct AdmIntegerSteps {
  using GainLimit = Limit;

  /// exact   p, o, t are the operands rounded to binary32. p * p has 48 bits and C * o has 47, so binary64 holds both;
  ///         the product b = (C * o) * t has up to 71 and is rounded to 53. a = p * p >= round(b) exactly where b is at
  ///         most a plus half of the unit of a's 53rd bit: a is even in that unit, so the tie goes to a.
  template <class Integer>
  static LOCKSTEP_KERNEL bool IsNear(Integer product, Integer reference_square, Integer distorted_square) {
    using Unsigned = typename AdmUnsigned<Integer>::Type;
    constexpr u32 kCosineSquare = 0x7ff605;  // of 0x1.ffd814p-1, without its factor 2^-23
    const AdmBinary32 p = AdmRoundToBinary32(static_cast<Unsigned>(product < 0 ? 0 : product));
    const AdmBinary32 o = AdmRoundToBinary32(static_cast<Unsigned>(reference_square));
    const AdmBinary32 t = AdmRoundToBinary32(static_cast<Unsigned>(distorted_square));
    const u64 square = WideProduct(p.significand, p.significand);
    const u64 squares = WideProduct(o.significand, t.significand);
    // b = 2^64 high + low, in units of 2^(o.exponent + t.exponent - 23)
    const u64 low_part = WideProduct(static_cast<u32>(squares), kCosineSquare);
    const u64 high_part = WideProduct(static_cast<u32>(squares >> 32), kCosineSquare) + (low_part >> 32);
    const u64 low = (low_part & 0xffffffffu) | (high_part << 32);
    const u64 high = high_part >> 32;
    // a with its leading bit at bit 53, so that 1 is half of the unit of its 53rd bit.
    const u32 up = static_cast<u32>(square >> 47) ^ 1u;
    const u64 bound = ((square << up) << 6) + 1u;
    // How much finer b's unit is than the bound's. Outside of 15 … 17 the leading bits decide.
    const i32 finer = 2 * p.exponent - static_cast<i32>(up) - 6 - (o.exponent + t.exponent - 23);
    const i32 shift = finer < 15 ? 15 : (finer > 17 ? 17 : finer);
    const u64 floor = (high << (64 - shift)) | (low >> shift);
    const u64 ceiling = floor + static_cast<u64>((low << (64 - shift)) != 0);
    const bool reaches = finer > 17 || (finer >= 15 && ceiling <= bound);
    return product >= 0 && (squares == 0 || (p.significand != 0 && reaches));
  }

  static LOCKSTEP_KERNEL i32 LimitGain(i32 restored, i32 distorted, i32 limit) {
    const i64 gained = static_cast<i64>(restored) * limit;  // below 2^38, which binary64 holds
    return gained < distorted ? static_cast<i32>(gained) : distorted;
  }
  static LOCKSTEP_KERNEL i32 LimitGain(i32 restored, i32 distorted, Binary64Bits limit) {
    const Binary64Bits gained = Binary64MultiplyNormal(Binary64FromI32(restored), limit);
    return Binary64ToI32(Binary64Minimum(gained, Binary64FromI32(distorted)));
  }
};

}  // namespace lockstep
