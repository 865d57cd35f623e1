// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's gain terms for devices without binary64: in integers where they can tell, else in software binary64.
#pragma once

#include "exact/soft_binary64.h"
#include "features/vif/vif_arithmetic.h"

namespace lockstep {

/// VifGainBinary64 in software: equal for all operands and limits.
struct VifGainSoftBinary64 {
  using Limit = Binary64Bits;
  static constexpr Binary64Bits kEpsilon = 0x3edb7cdfd9d7bdbbu;  // 65536 * 1e-10

  static LOCKSTEP_KERNEL VifGainTerms Terms(i32 s1, i32 s2, i32 s12, Binary64Bits limit) {
    const Binary64Bits reference = Binary64FromU32(static_cast<u32>(s1));
    const Binary64Bits covariance = Binary64FromU32(static_cast<u32>(s12));
    // The three products, g * s12, g * g and (g * g) * s1, share the code of one: a third of the instructions and of
    // the registers.
    Binary64Bits a = Binary64DivideNormal(covariance, Binary64Add(reference, kEpsilon));
    Binary64Bits b = covariance;
    Binary64Bits explained = 0;
    Binary64Bits product = 0;
    LOCKSTEP_ROLLED
    for (i32 i = 0; i < 3; ++i) {
      product = Binary64MultiplyNormal(a, b);
      explained = i == 0 ? product : explained;
      const Binary64Bits limited = Binary64Minimum(a, limit);
      a = i == 0 ? limited : product;
      b = i == 0 ? limited : reference;
    }
    const i64 residual = Binary64ToI64(Binary64Subtract(Binary64FromU32(static_cast<u32>(s2)), explained));
    return {residual > 0 ? static_cast<u32>(residual) : 0u, static_cast<u64>(Binary64ToI64(product))};
  }
};

/// The gain limit as the integer form takes it.
struct VifIntegerLimit {
  u32 whole;     // the limit rounded down, 1 … 100
  u32 is_whole;  // 1: that is the limit itself
};

struct VifIntegerTerms {
  VifGainTerms terms;
  bool decided;  // else the terms mean nothing
};

/// VifGainBinary64 in integers, for all but a few in ten million pixels and those beyond a limit that is no integer.
///
/// With x = s12^2 / s1 = q + rest / s1 and e = 65536e-10 / s1, the real numbers behind the terms are
///     g s12 = x / (1 + e) = x - x e + …,   residual = max(0, s2 - ceil(g s12))
///     g^2 s1 = x / (1 + e)^2 = x - 2 x e + …,   signal = floor(g^2 s1)
/// e < 2^-34 and x < 2^32, so that x e < 1/4 and the integers are decided by whether the rest, counted in 1 / s1,
/// exceeds t = 65536e-10 x or 2 t: ceil(g s12) is q + 1 or q, floor(g^2 s1) is q or q - 1. Binary64 decides alike where
/// the rest keeps a distance from t that no rounding bridges. In units of 2^-32 / s1:
///   roundings of s1 + 65536e-10, g, the products and the difference, at most 2^-53 (6 x + s2)    2^-20 s1 (4 x + s2)
///   second-order terms, at most 3 x e^2                                                         2^15
///   t made of q instead of x, and cut off, twice                                                2^16
///   the constant 65536e-10 2^48, cut off, twice                                                 q / 2^15
/// `band` is above their sum. On the far side nothing can go wrong: roundings are smaller than t and cannot carry g s12
/// beyond q + 1, nor g^2 s1.
/// The limit: g < limit means s12 < limit (s1 + 65536e-10), which for an integer limit is s12 <= limit s1, since
/// limit * 65536e-10 < 1 and g rounded up to the limit is the limit.
///
/// in      kVifNoise <= s1, 0 < s2, 0 < s12
LOCKSTEP_KERNEL VifIntegerTerms VifIntegerGain(i32 s1, i32 s2, i32 s12, VifIntegerLimit limit) {
  const u32 reference = static_cast<u32>(s1);
  const u32 distorted = static_cast<u32>(s2);
  const u64 square = WideProduct(static_cast<u32>(s12), static_cast<u32>(s12));
  // Else g s12 is beyond any s2, and the signal is decided only if the limit cuts it.
  const bool small = static_cast<u32>(square >> 32) < reference;

  // square = q s1 + rest, times 2^shift, by two digits of 16 bits; the second is too small by 1 at most.
  const i32 shift = CountLeadingZeros(static_cast<u64>(reference) << 32);
  const u32 divisor = reference << shift;
  const u32 reciprocal = Reciprocal32(divisor);
  u64 scaled_rest = (small ? square : 0) << shift;
  const u32 high = static_cast<u32>(WideProduct(static_cast<u32>(scaled_rest >> 32), reciprocal) >> 47);
  scaled_rest -= WideProduct(high, divisor) << 16;
  const u32 low = static_cast<u32>(WideProduct(static_cast<u32>(scaled_rest >> 17), reciprocal) >> 46);
  scaled_rest -= WideProduct(low, divisor);
  const bool again = scaled_rest >= divisor;
  scaled_rest -= again ? divisor : 0;
  const u32 q = (high << 16) + low + (again ? 1 : 0);

  const u64 rest = (scaled_rest >> shift) << 32;
  const u64 t = WideProduct(q, 1844674407u) >> 16;
  const u32 sixteenth = (q >> 2) + (distorted >> 4) + 3;  // above (4 x + s2) / 16
  const u64 band = (WideProduct((reference >> 4) + 1, sixteenth) >> 12) + (q >> 15) + 131080u;
  const bool above = rest > t + band;
  const bool below = rest + band < t;
  const bool above_twice = rest > 2 * t + band;
  const bool below_twice = rest + band < 2 * t;

  const u64 explained = small ? static_cast<u64>(q) + (above ? 1 : 0) : distorted;
  const bool exceeds = static_cast<u32>(s12) > WideProduct(limit.whole, reference);
  VifIntegerTerms result;
  result.terms.residual = explained >= distorted ? 0u : static_cast<u32>(distorted - explained);
  result.terms.signal =
      exceeds ? WideProduct(limit.whole * limit.whole, reference) : static_cast<u64>(q) - (below_twice ? 1 : 0);
  const bool signal_decided = exceeds ? limit.is_whole != 0 : small && (above_twice || below_twice);
  result.decided = signal_decided && (!small || above || below);
  return result;
}

}  // namespace lockstep
