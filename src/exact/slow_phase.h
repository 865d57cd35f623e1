// SPDX-License-Identifier: BSD-2-Clause-Patent
// The slow phases: every function to at least 2^-240, for the rare arguments
// whose result lies too close to a rounding boundary for the quick phase.
#ifndef LOCKSTEP_EXACT_SLOW_PHASE_H_
#define LOCKSTEP_EXACT_SLOW_PHASE_H_

#include <cstdint>

#include "exact/fixed_point.h"
#include "exact/float_bits.h"

namespace lockstep::exact::internal {

/// magnitude * 2^exponent and its sign.
/// exact   to within 2^-240 of the value; magnitude != 0
struct SlowResult {
  Fixed384 magnitude;
  int exponent;
  bool negative;
};

enum class LogBase { kTwo, kE, kTen };

/// Logarithm of x.
/// in      x != 1
SlowResult LogSlow(Scaled x, LogBase base);

/// exp(x), or exp(-x) if negative.
/// in      2^-55 <= x < 2^10
SlowResult ExpSlow(Scaled x, bool negative);

/// x^y, or x^-y if y_negative.
/// in      x != 1, |y log2(x)| < 2^11
SlowResult PowSlow(Scaled x, Scaled y, bool y_negative);

/// Sine of x plus quadrant_shift quarter turns.
/// in      x >= 2^-27
SlowResult SineSlow(Scaled x, int quadrant_shift);

/// numerator / denominator * 2^-shift, not above 1.
/// 2^52 <= numerator, denominator < 2^53; shift >= 0
struct Quotient {
  uint64_t numerator;
  uint64_t denominator;
  int shift;
};

/// Where an angle in the upper half plane lies: the arctangent of the quotient
/// is counted from the positive x axis, or from the y axis (towards either
/// side), or from the negative x axis.
struct Direction {
  bool from_y_axis;
  bool x_negative;
};

/// The angle at arctan(tangent) from the axis of `direction`.
/// in      tangent.shift <= 64
SlowResult ArctangentSlow(Quotient tangent, Direction direction);

/// Rounds to nearest even and adds the sign.
/// A tie cannot be told from a result closer than 2^-240 to one. Exact ties of
/// Pow are settled before the slow phase; the univariate functions have none,
/// and their known worst cases keep a distance of about 2^-66 units in the last
/// place.
template <class Format>
uint64_t RoundSlow(const SlowResult& value);

extern template uint64_t RoundSlow<Binary64>(const SlowResult& value);
extern template uint64_t RoundSlow<Binary32>(const SlowResult& value);

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_SLOW_PHASE_H_
