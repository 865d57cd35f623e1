// SPDX-License-Identifier: BSD-2-Clause-Patent
// Atan2.
#include <cstdint>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/float_bits.h"
#include "exact/rounding.h"
#include "exact/slow_phase.h"
#include "exact/tables.h"

namespace lockstep::exact {
namespace internal {
namespace {

/// 1 - atan(t) / t with 76 fraction bits, t_q70 = t * 2^70.
/// in      0 <= t < 2^-7.9
/// exact   to about 2^-75: t^2/3 - t^4/5 + t^6/7 - t^8/9
inline uint64_t ArctangentDeficitQ76(uint64_t t_q70) {
  const uint64_t square_q76 = MultiplyHigh(t_q70, t_q70);
  uint64_t sum = kInverse9Q64;
  sum = kInverse7Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverse5Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverse3Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  return MultiplyHigh(square_q76, sum);
}

/// The angle from the positive x axis; arctangent and result with 124 fraction
/// bits.
inline Uint128 FromPositiveXAxisQ124(Uint128 arctangent, Direction direction) {
  if (direction.from_y_axis) {
    return direction.x_negative ? kHalfPiQ124 + arctangent : kHalfPiQ124 - arctangent;
  }
  return direction.x_negative ? kPiQ124 - arctangent : arctangent;
}

/// significand * 2^(exponent - 127), 2^127 <= significand < 2^128, truncated.
struct LongQuotient {
  Uint128 significand;
  int exponent;
  bool exact;
};

/// The quotient to 128 bits.
/// exact   truncated; if not `exact`, more than 127 bits of it are right, and
///         no such quotient of 53-bit integers is within 2^-108 of a tie
inline LongQuotient Divide(Quotient t) {
  // Two digits of 63 and 64 bits.
  const uint64_t divisor = t.denominator;
  const Uint128 numerator_q63 = static_cast<Uint128>(t.numerator) << 63;
  const auto high = static_cast<uint64_t>(numerator_q63 / divisor);
  const Uint128 rest = (numerator_q63 - static_cast<Uint128>(high) * divisor) << 64;
  const auto low = static_cast<uint64_t>(rest / divisor);
  const Uint128 last_rest = rest - static_cast<Uint128>(low) * divisor;
  const bool exact = last_rest == 0;
  Uint128 significand = MakeUint128(high, low);
  if ((significand >> 127) != 0) return {significand, -t.shift, exact};
  significand <<= 1;
  if (!exact) significand |= last_rest * 2 >= divisor;
  return {significand, -t.shift - 1, exact};
}

/// The angle for a tangent below 2^-64. Its arctangent is less than the tangent
/// by under 2^-129 of it: off a tie if the tangent is one, and otherwise too
/// little to reach one. Next to pi and pi / 2 it is far below the last place.
uint64_t AngleOfTinyTangent(const LongQuotient& t, Direction direction) {
  Approximation angle = {0, 0, 0};
  if (direction.from_y_axis || direction.x_negative) {
    angle = Normalize(direction.from_y_axis ? kHalfPiQ124 : kPiQ124, 124, kUint128One << 61);
  } else {
    angle = {t.exact ? t.significand - 1 : t.significand, t.exponent, 0};
    const bool lost_leading_bit = (angle.significand >> 127) == 0;
    if (lost_leading_bit) {
      angle.significand = ~Uint128{0};
      --angle.exponent;
    }
  }
  return RoundIfDecided<Binary64>(angle).bits;  // always decided, see above
}

/// The angle for a tangent 2^-64 <= t < 2^-8, with a relative error.
/// exact   relative error of the arctangent below 2^-73
inline Approximation AngleOfSmallTangent(const LongQuotient& t, Direction direction) {
  const uint64_t t_high = High64(t.significand);
  const uint64_t t_q70 = t_high >> (-t.exponent - 7);
  const Uint128 arctangent = t.significand - (static_cast<Uint128>(t_high) * ArctangentDeficitQ76(t_q70) >> 12);
  const Approximation from_axis = NormalizeByOne({arctangent, t.exponent, kUint128One << 54});
  if (!direction.from_y_axis && !direction.x_negative) return from_axis;
  const Uint128 arctangent_q124 = from_axis.significand >> (3 - from_axis.exponent);
  return Normalize(FromPositiveXAxisQ124(arctangent_q124, direction), 124, kUint128One << 54);
}

/// The angle for a tangent of 2^-10 to 1: with c = row / 128 next to t,
/// atan(t) = atan(c) + atan(r), r = (t - c) / (1 + c t).
/// exact   absolute error below 2^-75
inline Approximation AngleFromTable(Quotient t, Direction direction) {
  // t = numerator / denominator from here on; denominator < 2^61.
  const uint64_t denominator = t.denominator << t.shift;
  const auto row = static_cast<unsigned>(((t.numerator << 8) / denominator + 1) >> 1);

  // r = rest / divisor by exact integers: |rest| < 2^61, divisor < 2^69.
  const Int128 rest = static_cast<Int128>(static_cast<Uint128>(t.numerator) << 7) -
                      static_cast<Int128>(static_cast<Uint128>(denominator) * row);
  const bool negative = rest < 0;
  const auto rest_magnitude = static_cast<Uint128>(negative ? -rest : rest);
  const Uint128 divisor = (static_cast<Uint128>(denominator) << 7) + static_cast<Uint128>(t.numerator) * row;

  // First digit: r with 70 fraction bits, at most 3 units too small because the
  // divisor is cut to 64 bits and rounded up.
  const int spare_bits = CountLeadingZeros(divisor) - 59;
  const int cut_bits = spare_bits < 5 ? 5 - spare_bits : 0;
  const uint64_t divisor_above = static_cast<uint64_t>(divisor >> cut_bits) + (cut_bits != 0);
  const auto r_q70 = static_cast<uint64_t>((rest_magnitude << (70 - cut_bits)) / divisor_above);
  // Second digit: 8 more bits from what is left (below 4 divisors, so the
  // product modulo 2^128 is enough).
  const Uint128 left = (rest_magnitude << 70) - divisor * r_q70;
  const uint64_t more = static_cast<uint64_t>(left >> 24) / (static_cast<uint64_t>(divisor >> 32) + 1);
  const uint64_t deficit_q76 = ArctangentDeficitQ76(r_q70);
  const Uint128 arctangent_r_q78 =
      (static_cast<Uint128>(r_q70) << 8) + more - (static_cast<Uint128>(r_q70) * deficit_q76 >> 68);

  Uint128 arctangent_q124 = kArctangentQ124[row];
  if (negative) {
    arctangent_q124 -= arctangent_r_q78 << 46;
  } else {
    arctangent_q124 += arctangent_r_q78 << 46;
  }
  return Normalize(FromPositiveXAxisQ124(arctangent_q124, direction), 124, kUint128One << 49);
}

template <class Watcher>
[[gnu::noinline, gnu::cold]] uint64_t AngleUndecided(Quotient tangent, Direction direction, Watcher& watcher) {
  return RecordAndRound<Binary64>(ArctangentSlow(tangent, direction), watcher);
}

/// Bits of the angle of (x, y), or of (-x, y) if x_negative; x > 0, y > 0.
template <class Watcher>
inline uint64_t AngleOfPositive(Scaled y, Scaled x, bool x_negative, Watcher& watcher) {
  const bool steep = y.exponent > x.exponent || (y.exponent == x.exponent && y.significand > x.significand);
  const Direction direction = {steep, x_negative};
  const Scaled low = steep ? x : y;
  const Scaled high = steep ? y : x;
  const Quotient tangent = {low.significand, high.significand, high.exponent - low.exponent};
  const auto undecided = [&] { return AngleUndecided(tangent, direction, watcher); };
  if (tangent.shift < 9) {
    return RoundInTwoPhases<Binary64>(AngleFromTable(tangent, direction), watcher, undecided);
  }
  const LongQuotient t = Divide(tangent);
  if (t.exponent < -64) return AngleOfTinyTangent(t, direction);
  return RoundInTwoPhases<Binary64>(AngleOfSmallTangent(t, direction), watcher, undecided);
}

/// Magnitude bits of the angle where a coordinate is zero, infinite or NaN.
uint64_t AngleOfSpecial(uint64_t y_magnitude, uint64_t x_magnitude, bool x_negative) {
  constexpr uint64_t kPi = 0x400921fb54442d18u;
  constexpr uint64_t kHalfPi = 0x3ff921fb54442d18u;
  constexpr uint64_t kQuarterPi = 0x3fe921fb54442d18u;
  constexpr uint64_t kThreeQuartersPi = 0x4002d97c7f3321d2u;
  constexpr uint64_t kInfinity = Binary64::kInfinity;
  if (y_magnitude == kInfinity && x_magnitude == kInfinity) {
    return x_negative ? kThreeQuartersPi : kQuarterPi;
  }
  if (y_magnitude == 0 || x_magnitude == kInfinity) {
    return x_negative ? kPi : 0;
  }
  return kHalfPi;  // x is zero or y infinite
}

template <class Watcher>
inline double Atan2Any(double y, double x, Watcher& watcher) {
  const uint64_t sign = ToBits(y) & Binary64::kSign;
  const uint64_t y_magnitude = ToBits(y) & ~Binary64::kSign;
  const uint64_t x_magnitude = ToBits(x) & ~Binary64::kSign;
  const bool x_negative = (ToBits(x) & Binary64::kSign) != 0;
  if (IsPositiveFinite<Binary64>(y_magnitude) && IsPositiveFinite<Binary64>(x_magnitude)) [[likely]] {
    return FromBits(sign | AngleOfPositive(Decompose(y_magnitude), Decompose(x_magnitude), x_negative, watcher));
  }
  if (y_magnitude > Binary64::kInfinity || x_magnitude > Binary64::kInfinity) {
    return FromBits(Binary64::kQuietNan);
  }
  return FromBits(sign | AngleOfSpecial(y_magnitude, x_magnitude, x_negative));
}

}  // namespace

double Atan2(double y, double x, Trace& trace) { return Atan2Any(y, x, trace); }

}  // namespace internal

double Atan2(double y, double x) {
  internal::NoTrace nobody;
  return internal::Atan2Any(y, x, nobody);
}

}  // namespace lockstep::exact
