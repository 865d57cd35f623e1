// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exp.
#include <cstdint>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/exp2_quick.h"
#include "exact/float_bits.h"
#include "exact/slow_phase.h"
#include "exact/tables.h"

namespace lockstep::exact {
namespace internal {
namespace {

template <class Watcher>
[[gnu::noinline, gnu::cold]] uint64_t ExpUndecided(Scaled x, bool negative, Watcher& watcher) {
  return RecordAndRound<Binary64>(ExpSlow(x, negative), watcher);
}

/// exp outside 2^-55 <= |x| < 2^10.
uint64_t ExpOutside(uint64_t magnitude_bits, bool negative) {
  if (magnitude_bits > Binary64::kInfinity) return Binary64::kQuietNan;
  // Below 2^-55 the result is within a quarter unit of 1.
  if (magnitude_bits < Binary64::kOne) return Binary64::kOne;
  return negative ? 0 : Binary64::kInfinity;
}

template <class Watcher>
inline double ExpAny(double x, Watcher& watcher) {
  const uint64_t bits = ToBits(x);
  const uint64_t magnitude_bits = bits & ~Binary64::kSign;
  const bool negative = bits != magnitude_bits;
  const int exponent = static_cast<int>(magnitude_bits >> 52) - 1023;
  if (exponent < -55 || exponent > 9) [[unlikely]] {
    return FromBits(ExpOutside(magnitude_bits, negative));
  }
  // exp(x) = 2^z, z = x log2(e). x is a normal number here. The product has
  // 63 - exponent + 126 - 64 fraction bits; the error of z is below 2^-112.
  const uint64_t significand_q63 = (magnitude_bits << 11) | Binary64::kSign;
  const Uint128 product = MultiplyShift64(significand_q63, kLog2EQ126);
  const auto z_q116 = static_cast<Int128>(product >> (9 - exponent));
  constexpr Uint128 kErrorOfZ = 16;
  const Approximation quick = Exp2Quick(negative ? -z_q116 : z_q116, kErrorOfZ);
  return FromBits(RoundInTwoPhases<Binary64>(
      quick, watcher, [&] { return ExpUndecided(Decompose(magnitude_bits), negative, watcher); }));
}

}  // namespace

double Exp(double x, Trace& trace) { return ExpAny(x, trace); }

}  // namespace internal

double Exp(double x) {
  internal::NoTrace nobody;
  return internal::ExpAny(x, nobody);
}

}  // namespace lockstep::exact
