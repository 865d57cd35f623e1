// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sin and Cos.
#include <cstdint>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/float_bits.h"
#include "exact/quarter_turns.h"
#include "exact/rounding.h"
#include "exact/slow_phase.h"
#include "exact/tables.h"

namespace lockstep::exact {
namespace internal {
namespace {

/// 1 - sin(b) / b with 76 fraction bits, b_q70 = b * 2^70.
/// in      0 <= b < 2^-7.34
/// exact   to about 2^-75: b^2/3! - b^4/5! + b^6/7! - b^8/9!
inline uint64_t SineDeficitQ76(uint64_t b_q70) {
  const uint64_t square_q76 = MultiplyHigh(b_q70, b_q70);
  uint64_t sum = kInverseFactorial9Q64;
  sum = kInverseFactorial7Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverseFactorial5Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverseFactorial3Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  return MultiplyHigh(square_q76, sum);
}

/// 1 - cos(b) with 76 fraction bits, b_q70 = b * 2^70.
/// in      0 <= b < 2^-7.34
/// exact   to about 2^-75: b^2/2! - b^4/4! + b^6/6! - b^8/8!
inline uint64_t CosineDeficitQ76(uint64_t b_q70) {
  constexpr uint64_t kInverseFactorial2Q64 = uint64_t{1} << 63;
  const uint64_t square_q76 = MultiplyHigh(b_q70, b_q70);
  uint64_t sum = kInverseFactorial8Q64;
  sum = kInverseFactorial6Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverseFactorial4Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  sum = kInverseFactorial2Q64 - (MultiplyHigh(square_q76, sum) >> 12);
  return MultiplyHigh(square_q76, sum);
}

/// sin(fraction * pi / 2) for a fraction below 1/256 quarter turns.
/// exact   relative error below 2^-72
inline Approximation SineNearZero(const uint64_t (&fraction)[3], uint64_t deficit_q76) {
  // The fraction of a binary64 argument is at least 2^-62. A zero, which cannot
  // be, would go to the slow phase: its error bound here leaves it undecided.
  if (fraction[0] == 0) [[unlikely]] {
    return {kUint128One << 127, 0, kUint128One << 126};
  }
  const int shift = CountLeadingZeros(fraction[0]);
  Uint128 normalized = MakeUint128(fraction[0], fraction[1]);
  if (shift != 0) {
    normalized = normalized << shift | fraction[2] >> (64 - shift);
  }
  Uint128 sine = MultiplyHigh128(normalized, kHalfPiQ127);
  sine -= static_cast<Uint128>(High64(sine)) * deficit_q76 >> 12;
  return Normalize(sine, 127 + shift, kUint128One << 55);
}

/// sin or cos of (row / 128 + b) quarter turns by the addition theorem;
/// b in radians, of either sign.
/// exact   absolute error below 2^-67
inline Approximation SineFromTable(unsigned row, uint64_t b_q70, bool b_negative, uint64_t sine_deficit_q76,
                                   bool cosine) {
  const unsigned mirrored = 128 - row;
  const Uint128 value_q126 = kSineQ126[cosine ? mirrored : row];
  const Uint128 slope_q126 = kSineQ126[cosine ? row : mirrored];
  const auto value_q63 = static_cast<uint64_t>(value_q126 >> 63);
  const auto slope_q63 = static_cast<uint64_t>(slope_q126 >> 63);
  const uint64_t sine_b_q70 = b_q70 - (MultiplyHigh(b_q70, sine_deficit_q76) >> 12);
  const Uint128 change_q126 = static_cast<Uint128>(slope_q63) * sine_b_q70 >> 7;
  const Uint128 scaled_q126 = value_q126 - (static_cast<Uint128>(value_q63) * CosineDeficitQ76(b_q70) >> 13);
  // The sine grows with b, the cosine falls.
  const Uint128 sum_q126 = b_negative != cosine ? scaled_q126 - change_q126 : scaled_q126 + change_q126;
  return Normalize(sum_q126, 126, kUint128One << 59);
}

template <class Watcher>
[[gnu::noinline, gnu::cold]] uint64_t SineUndecided(Scaled x, int quadrant_shift, Watcher& watcher) {
  return RecordAndRound<Binary64>(SineSlow(x, quadrant_shift), watcher);
}

/// Bits of sin(x + quadrant_shift quarter turns).
/// in      x >= 2^-27
template <class Watcher>
inline uint64_t SineOfPositive(Scaled x, int quadrant_shift, Watcher& watcher) {
  const auto turns = ToQuarterTurns<3>(x);
  const int quadrant = (turns.quadrant + quadrant_shift) & 3;
  const bool above_half = (turns.fraction[0] >> 63) != 0;
  const bool cosine = ((quadrant & 1) != 0) != above_half;
  // Above a half go on with 1 - fraction, less 2^-192, which is far below the
  // error of the reduction. One by one: as a loop it becomes a vector operation
  // that waits for the limbs to reach memory.
  const uint64_t flip = above_half ? ~uint64_t{0} : 0;
  const uint64_t fraction[3] = {turns.fraction[0] ^ flip, turns.fraction[1] ^ flip, turns.fraction[2] ^ flip};

  // fraction = row / 128 + rest, |rest| <= 1/256; b = rest * pi / 2.
  const auto row = static_cast<unsigned>((fraction[0] + (uint64_t{1} << 56)) >> 57);
  const auto rest_q128 =
      static_cast<Int128>(MakeUint128(fraction[0], fraction[1]) - (static_cast<Uint128>(row) << 121));
  const auto rest_q70 = static_cast<int64_t>(rest_q128 >> 58);
  constexpr auto kHalfPiQ62 = static_cast<int64_t>(kHalfPiQ127 >> 65);
  const auto b_q70 = static_cast<int64_t>(static_cast<Int128>(rest_q70) * kHalfPiQ62 >> 62);
  const bool b_negative = b_q70 < 0;
  const uint64_t b_magnitude_q70 = b_negative ? 0 - static_cast<uint64_t>(b_q70) : static_cast<uint64_t>(b_q70);
  const uint64_t sine_deficit_q76 = SineDeficitQ76(b_magnitude_q70);

  const Approximation quick = row == 0 && !cosine
                                  ? SineNearZero(fraction, sine_deficit_q76)
                                  : SineFromTable(row, b_magnitude_q70, b_negative, sine_deficit_q76, cosine);
  const uint64_t sign = (quadrant & 2) != 0 ? Binary64::kSign : 0;
  // The slow phase brings its own sign, the same one.
  return sign | RoundInTwoPhases<Binary64>(quick, watcher, [&] { return SineUndecided(x, quadrant_shift, watcher); });
}

template <class Watcher>
inline double SinAny(double x, Watcher& watcher) {
  constexpr uint64_t kTwoToMinus26 = 0x3e50000000000000u;
  const uint64_t bits = ToBits(x);
  const uint64_t magnitude = bits & ~Binary64::kSign;
  if (magnitude >= Binary64::kInfinity) return FromBits(Binary64::kQuietNan);
  // x - x^3/6 is within half a unit of x.
  if (magnitude < kTwoToMinus26) return x;
  const uint64_t sign = bits & Binary64::kSign;
  return FromBits(SineOfPositive(Decompose(magnitude), 0, watcher) ^ sign);
}

template <class Watcher>
inline double CosAny(double x, Watcher& watcher) {
  constexpr uint64_t kTwoToMinus27 = 0x3e40000000000000u;
  const uint64_t magnitude = ToBits(x) & ~Binary64::kSign;
  if (magnitude >= Binary64::kInfinity) return FromBits(Binary64::kQuietNan);
  // 1 - x^2/2 is within a quarter unit of 1.
  if (magnitude < kTwoToMinus27) return FromBits(Binary64::kOne);
  return FromBits(SineOfPositive(Decompose(magnitude), 1, watcher));
}

}  // namespace

double Sin(double x, Trace& trace) { return SinAny(x, trace); }
double Cos(double x, Trace& trace) { return CosAny(x, trace); }

}  // namespace internal

double Sin(double x) {
  internal::NoTrace nobody;
  return internal::SinAny(x, nobody);
}
double Cos(double x) {
  internal::NoTrace nobody;
  return internal::CosAny(x, nobody);
}

}  // namespace lockstep::exact
