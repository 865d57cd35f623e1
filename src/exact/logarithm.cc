// SPDX-License-Identifier: BSD-2-Clause-Patent
// Log, Log2, Log10 and Log2f.
#include <cstdint>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/float_bits.h"
#include "exact/log2_quick.h"
#include "exact/rounding.h"
#include "exact/slow_phase.h"
#include "exact/tables.h"

namespace lockstep::exact {
namespace internal {
namespace {

/// From log2 to the logarithm of another base.
/// exact   four more units of 2^-127: the constant and the product, each
///         rounded once, and the part that MultiplyHigh128 leaves out
inline Approximation ChangeBase(const Approximation& log2, LogBase base) {
  if (base == LogBase::kTwo) return log2;
  const bool to_e = base == LogBase::kE;
  const Uint128 factor = to_e ? kLn2Q128 : kLog10Of2Q129;
  return NormalizeByOne({MultiplyHigh128(log2.significand, factor), log2.exponent - (to_e ? 0 : 1), log2.error + 4});
}

/// k for x = 10^k, 1 <= k <= 22 (the powers that binary64 represents), else 0.
/// Written with the odd part: 10^k = 5^k 2^k.
int PowerOfTen(Scaled x) {
  uint64_t five_to_k = 1;
  for (int k = 1; k <= 22; ++k) {
    five_to_k *= 5;  // at most 5^22 < 2^52
    const int shift = CountLeadingZeros(five_to_k) - 11;
    if (x.significand == five_to_k << shift && x.exponent == 52 - shift + k) {
      return k;
    }
  }
  return 0;
}

template <class Format, class Watcher>
[[gnu::noinline, gnu::cold]] uint64_t LogUndecided(Scaled x, LogBase base, Watcher& watcher) {
  if (base == LogBase::kTen) {
    if (const int k = PowerOfTen(x); k != 0) {
      return ComposeInteger<Format>(static_cast<uint64_t>(k));
    }
  }
  return RecordAndRound<Format>(LogSlow(x, base), watcher);
}

/// Logarithm of a finite value greater than zero; bits of Format.
template <class Format, class Watcher>
inline uint64_t LogPositive(Scaled x, LogBase base, Watcher& watcher) {
  if (x.significand == uint64_t{1} << 52) [[unlikely]] {  // a power of two
    if (x.exponent == 0) return 0;
    if (base == LogBase::kTwo) {
      const bool negative = x.exponent < 0;
      const int magnitude = negative ? -x.exponent : x.exponent;
      return ComposeInteger<Format>(static_cast<uint64_t>(magnitude)) | (negative ? Format::kSign : 0);
    }
  }
  const SignedApproximation log2 = Log2Quick(x);
  const uint64_t sign = log2.negative ? Format::kSign : 0;
  return sign | RoundInTwoPhases<Format>(ChangeBase(log2.magnitude, base), watcher,
                                         [&] { return LogUndecided<Format>(x, base, watcher); });
}

template <class Format, class Watcher>
inline typename Format::Real LogAny(typename Format::Real x, LogBase base, Watcher& watcher) {
  using Bits = typename Format::Bits;
  const Bits bits = ToBits(x);
  if (IsPositiveFinite<Format>(bits)) [[likely]] {
    return FromBits(static_cast<Bits>(LogPositive<Format>(Decompose(bits), base, watcher)));
  }
  const bool is_zero = (bits & ~Format::kSign) == 0;
  if (is_zero) return FromBits(Format::kInfinity | Format::kSign);
  if (bits == Format::kInfinity) return x;
  return FromBits(Format::kQuietNan);
}

}  // namespace

double Log(double x, Trace& trace) { return LogAny<Binary64>(x, LogBase::kE, trace); }
double Log2(double x, Trace& trace) { return LogAny<Binary64>(x, LogBase::kTwo, trace); }
double Log10(double x, Trace& trace) { return LogAny<Binary64>(x, LogBase::kTen, trace); }
float Log2f(float x, Trace& trace) { return LogAny<Binary32>(x, LogBase::kTwo, trace); }

}  // namespace internal

double Log(double x) {
  internal::NoTrace nobody;
  return internal::LogAny<internal::Binary64>(x, internal::LogBase::kE, nobody);
}
double Log2(double x) {
  internal::NoTrace nobody;
  return internal::LogAny<internal::Binary64>(x, internal::LogBase::kTwo, nobody);
}
double Log10(double x) {
  internal::NoTrace nobody;
  return internal::LogAny<internal::Binary64>(x, internal::LogBase::kTen, nobody);
}
float Log2f(float x) {
  internal::NoTrace nobody;
  return internal::LogAny<internal::Binary32>(x, internal::LogBase::kTwo, nobody);
}

}  // namespace lockstep::exact
