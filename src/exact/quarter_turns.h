// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reduction of an angle to quarter turns, for the sine and cosine of any
// binary64 value (the method of Payne and Hanek).
#ifndef LOCKSTEP_EXACT_QUARTER_TURNS_H_
#define LOCKSTEP_EXACT_QUARTER_TURNS_H_

#include <cstdint>

#include "exact/float_bits.h"
#include "exact/tables.h"
#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

/// An angle of quadrant + fraction quarter turns (modulo full turns).
/// fraction: kLimbs limbs below the binary point, the most significant first.
template <int kLimbs>
struct QuarterTurns {
  int quadrant;
  uint64_t fraction[kLimbs];
};

/// Limb `index` of 2 / pi * 2^first_bit, counted from the binary point down.
inline uint64_t TwoOverPiLimb(unsigned first_bit, unsigned index) {
  const unsigned limb = first_bit / 64 + index;
  const unsigned shift = first_bit % 64;
  // The next limb is shifted in two steps: shift may be zero.
  return kTwoOverPi[limb] << shift | kTwoOverPi[limb + 1] >> 1 >> (63 - shift);
}

/// x * 2 / pi.
/// in      x >= 2^-27
/// exact   below 2^(55 - 64 * kLimbs) too small. The fraction of a binary64
///         value is never closer than 2^-62 to an integer, so three limbs leave
///         a relative error below 2^-75 and six limbs one below 2^-267.
template <int kLimbs>
[[gnu::always_inline]] inline QuarterTurns<kLimbs> ToQuarterTurns(Scaled x) {
  // x = significand * 2^exponent. The bits of 2 / pi that contribute multiples
  // of four quarter turns only are left out: first_bit is the first that does
  // not.
  const int exponent = x.exponent - 52;
  const int up = exponent < 2 ? exponent : 2;
  const auto first_bit = static_cast<unsigned>(exponent - up);

  // x * 2 / pi = product * 2^(up - 64 * kLimbs), modulo full turns.
  uint64_t product[kLimbs + 1];
  uint64_t carry = 0;
  for (int i = kLimbs - 1; i >= 0; --i) {
    const Uint128 step =
        static_cast<Uint128>(TwoOverPiLimb(first_bit, static_cast<unsigned>(i))) * x.significand + carry;
    product[i + 1] = Low64(step);
    carry = High64(step);
  }
  product[0] = carry;

  QuarterTurns<kLimbs> turns;
  if (up > 0) {
    const auto high = product[0] << up | product[1] >> (64 - up);
    turns.quadrant = static_cast<int>(high & 3);
    for (int i = 0; i < kLimbs; ++i) {
      const uint64_t next = i + 1 < kLimbs ? product[i + 2] : 0;
      turns.fraction[i] = product[i + 1] << up | next >> (64 - up);
    }
    return turns;
  }
  if (up <= -64) {  // a whole limb down; one is enough, as x >= 2^-27
    for (int i = kLimbs; i > 0; --i) product[i] = product[i - 1];
    product[0] = 0;
  }
  const int down = -up & 63;
  turns.quadrant = static_cast<int>((product[0] >> down) & 3);
  for (int i = 0; i < kLimbs; ++i) {
    // Shifted in two steps: down may be zero.
    const uint64_t from_above = product[i] << 1 << (63 - down);
    turns.fraction[i] = product[i + 1] >> down | from_above;
  }
  return turns;
}

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_QUARTER_TURNS_H_
