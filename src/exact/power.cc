// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pow and Powf.
#include <cstdint>
#include <optional>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/exp2_quick.h"
#include "exact/float_bits.h"
#include "exact/log2_quick.h"
#include "exact/rounding.h"
#include "exact/slow_phase.h"

namespace lockstep::exact {
namespace internal {
namespace {

/// An odd integer times a power of two: odd * 2^exponent.
struct OddScaled {
  uint64_t odd;
  int exponent;
};

OddScaled ToOdd(Scaled x) {
  const int zeros = CountTrailingZeros(x.significand);
  return {x.significand >> zeros, x.exponent - 52 + zeros};
}

/// floor(sqrt(n)).
/// in      n < 2^53
uint64_t IntegerSquareRoot(uint64_t n) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 26; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= n) root += bit;
  }
  return root;
}

/// (2^exponent)^y, if it is a power of two whose exponent is not absurd.
template <class Format>
std::optional<uint64_t> PowerOfPowerOfTwo(int exponent, OddScaled y, bool y_negative) {
  if (exponent == 0) return Format::kOne;
  constexpr unsigned kLimit = 4096;  // far beyond overflow and underflow
  const bool x_below_one = exponent < 0;
  const auto magnitude = static_cast<uint64_t>(x_below_one ? -exponent : exponent);
  const int zeros = CountTrailingZeros(magnitude);
  const int shift = y.exponent + zeros;
  if (shift < 0 || shift > 11 || y.odd > kLimit) return std::nullopt;
  const uint64_t product = (magnitude >> zeros) * y.odd << shift;
  if (product > kLimit) return std::nullopt;
  const int result = static_cast<int>(product);
  return RoundExact<Format>(1, x_below_one != y_negative ? -result : result);
}

/// x^y when it is an integer times a power of two that is representable or
/// half way between two representable values; those two cases no approximation
/// can decide. With x = odd * 2^e, odd > 1, such a result needs y = n / 2^k > 0
/// and an odd^(1 / 2^k) that is an integer; k <= 5, since 3^(2^6) > 2^53; and
/// its n-th power must have at most 54 bits (128 are tried here).
template <class Format>
std::optional<uint64_t> ExactPower(Scaled x_scaled, Scaled y_scaled, bool y_negative) {
  OddScaled x = ToOdd(x_scaled);
  OddScaled y = ToOdd(y_scaled);
  if (x.odd == 1) {
    return PowerOfPowerOfTwo<Format>(x.exponent, y, y_negative);
  }
  if (y_negative) return std::nullopt;
  for (; y.exponent < 0; ++y.exponent) {
    if (x.exponent % 2 != 0) return std::nullopt;
    const uint64_t root = IntegerSquareRoot(x.odd);
    if (root * root != x.odd) return std::nullopt;
    x = {root, x.exponent / 2};
  }
  constexpr uint64_t kMaxExponent = 64;
  if (y.exponent > 6 || y.odd > kMaxExponent) return std::nullopt;
  const uint64_t n = y.odd << y.exponent;
  const auto width = static_cast<uint64_t>(64 - CountLeadingZeros(x.odd));
  if (n > kMaxExponent || width * n > 128) return std::nullopt;
  Uint128 power = 1;
  for (uint64_t i = 0; i < n; ++i) power *= x.odd;
  return RoundExact<Format>(power, x.exponent * static_cast<int>(n));
}

template <class Format, class Watcher>
[[gnu::noinline, gnu::cold]] uint64_t PowUndecided(Scaled x, Scaled y, bool y_negative, Watcher& watcher) {
  const auto exact = ExactPower<Format>(x, y, y_negative);
  if (exact.has_value()) return *exact;
  return RecordAndRound<Format>(PowSlow(x, y, y_negative), watcher);
}

/// x^y, or x^-y if y_negative, for finite x > 0 and y > 0.
/// exact   z = y log2(x) keeps the relative error of log2(x); where |z| is
///         near 1024 and x near 1 that leaves 2^-62, otherwise about 2^-75
template <class Format, class Watcher>
inline uint64_t PowPositive(Scaled x, Scaled y, bool y_negative, Watcher& watcher) {
  const SignedApproximation log2 = Log2Quick(x);
  const Approximation& log = log2.magnitude;
  if (log.significand == 0) [[unlikely]]
    return Format::kOne;  // x = 1

  // |z| = product * 2^(exponent - 126), 2^exponent <= |z| < 2^(exponent + 2).
  const Uint128 product = MultiplyShift64(y.significand << 11, log.significand);
  const int exponent = log.exponent + y.exponent;
  const bool negative = log2.negative != y_negative;
  const bool beyond_2_11 = exponent > 10 || (exponent == 10 && (product >> 127) != 0);
  if (beyond_2_11) [[unlikely]]
    return negative ? 0 : Format::kInfinity;
  // |ln(x^y)| < 2^-58: nothing but 1 is near, and x^y is not 1 itself.
  if (exponent < -60) [[unlikely]]
    return Format::kOne;

  const int down = 10 - exponent;
  const auto z_q116 = static_cast<Int128>(product >> down);
  const Uint128 z_error = ((log.error + 2) >> down) + 2;
  return RoundInTwoPhases<Format>(Exp2Quick(negative ? -z_q116 : z_q116, z_error), watcher,
                                  [&] { return PowUndecided<Format>(x, y, y_negative, watcher); });
}

enum class Parity { kFractional, kEven, kOdd };

Parity ParityOf(Scaled y) {
  const int fraction_bits = 52 - y.exponent;
  if (fraction_bits < 0) return Parity::kEven;
  if (fraction_bits > 52) return Parity::kFractional;  // 0 < |y| < 1
  const uint64_t fraction_mask = (uint64_t{1} << fraction_bits) - 1;
  if ((y.significand & fraction_mask) != 0) return Parity::kFractional;
  return (y.significand >> fraction_bits & 1) != 0 ? Parity::kOdd : Parity::kEven;
}

/// x^y where x <= 0 or one of the two is zero, infinite or NaN; the order of
/// the tests is that of ISO C Annex F.
template <class Format, class Watcher>
typename Format::Bits PowSpecial(typename Format::Bits x, typename Format::Bits y, Watcher& watcher) {
  using Bits = typename Format::Bits;
  constexpr Bits kInfinity = Format::kInfinity;
  const Bits x_magnitude = x & ~Format::kSign;
  const Bits y_magnitude = y & ~Format::kSign;
  const bool y_negative = (y & Format::kSign) != 0;

  if (y_magnitude == 0 || x == Format::kOne) return Format::kOne;
  if (x_magnitude > kInfinity || y_magnitude > kInfinity) {
    return Format::kQuietNan;
  }
  if (y_magnitude == kInfinity) {
    if (x_magnitude == Format::kOne) return Format::kOne;
    const bool grows = (x_magnitude > Format::kOne) != y_negative;
    return grows ? kInfinity : 0;
  }
  const Scaled y_scaled = Decompose(y_magnitude);
  const Parity parity = ParityOf(y_scaled);
  const Bits sign = parity == Parity::kOdd ? x & Format::kSign : 0;
  if (x_magnitude == 0) return sign | (y_negative ? kInfinity : 0);
  if (x_magnitude == kInfinity) return sign | (y_negative ? 0 : kInfinity);
  if (parity == Parity::kFractional) return Format::kQuietNan;  // x < 0
  return sign | static_cast<Bits>(PowPositive<Format>(Decompose(x_magnitude), y_scaled, y_negative, watcher));
}

template <class Format, class Watcher>
inline typename Format::Real PowAny(typename Format::Real x_real, typename Format::Real y_real, Watcher& watcher) {
  using Bits = typename Format::Bits;
  const Bits x = ToBits(x_real);
  const Bits y = ToBits(y_real);
  const Bits y_magnitude = y & ~Format::kSign;
  if (IsPositiveFinite<Format>(x) && IsPositiveFinite<Format>(y_magnitude)) [[likely]] {
    return FromBits(
        static_cast<Bits>(PowPositive<Format>(Decompose(x), Decompose(y_magnitude), y != y_magnitude, watcher)));
  }
  return FromBits(PowSpecial<Format>(x, y, watcher));
}

}  // namespace

double Pow(double x, double y, Trace& trace) { return PowAny<Binary64>(x, y, trace); }
float Powf(float x, float y, Trace& trace) { return PowAny<Binary32>(x, y, trace); }

}  // namespace internal

double Pow(double x, double y) {
  internal::NoTrace nobody;
  return internal::PowAny<internal::Binary64>(x, y, nobody);
}
float Powf(float x, float y) {
  internal::NoTrace nobody;
  return internal::PowAny<internal::Binary32>(x, y, nobody);
}

}  // namespace lockstep::exact
