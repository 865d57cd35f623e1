// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sqrt. The hardware's square root is exact too, but follows the rounding mode
// and flush-to-zero, and compilers guard it with a call into libm.
#include <cstdint>

#include "exact/elementary.h"
#include "exact/float_bits.h"
#include "exact/rounding.h"
#include "exact/tables.h"
#include "exact/wide_integer.h"

namespace lockstep::exact {
namespace internal {
namespace {

/// root = floor(sqrt(n)), rest = n - root^2 <= 2 root.
struct RootAndRest {
  uint64_t root;
  uint64_t rest;
};

/// in      2^14 <= n < 2^16
inline RootAndRest SquareRoot16(uint64_t n) {
  // The root of the high byte is at most one below that of n.
  uint64_t root = kSquareRootSeed[(n >> 8) - 64];
  root += (root + 1) * (root + 1) <= n;
  return {root, n - root * root};
}

/// The root of n = high * 2^kLowBits + low from that of high, which has
/// kLowBits bits (the top two not both zero): one division gives kLowBits / 2
/// bits more, at most one unit too high.
/// source  P. Zimmermann, "Karatsuba Square Root", 1999
template <int kLowBits>
inline RootAndRest ExtendRoot(RootAndRest high, uint64_t low) {
  constexpr int kQuarterBits = kLowBits / 2;
  constexpr uint64_t kQuarterMask = (uint64_t{1} << kQuarterBits) - 1;
  const uint64_t dividend = (high.rest << kQuarterBits) + (low >> kQuarterBits);
  const uint64_t digit = dividend / (2 * high.root);
  const uint64_t rest = dividend % (2 * high.root);
  uint64_t root = (high.root << kQuarterBits) + digit;
  // Signed: negative if the digit is one too high.
  auto new_rest = static_cast<int64_t>((rest << kQuarterBits) + (low & kQuarterMask) - digit * digit);
  if (new_rest < 0) {
    new_rest += static_cast<int64_t>(2 * root - 1);
    --root;
  }
  return {root, static_cast<uint64_t>(new_rest)};
}

/// Bits of the square root of a finite value greater than zero.
uint64_t SquareRootOfPositive(Scaled x) {
  // x = n * 2^(2 half_exponent - 62) with 2^62 <= n < 2^64.
  const int odd = x.exponent & 1;
  const int half_exponent = (x.exponent - odd) / 2;
  const uint64_t n = x.significand << (10 + odd);

  const RootAndRest root8 = SquareRoot16(n >> 48);
  const RootAndRest root16 = ExtendRoot<16>(root8, n >> 32 & 0xffff);
  const RootAndRest root32 = ExtendRoot<32>(root16, n & 0xffffffffu);

  // sqrt(n * 2^44) has 54 bits: the same step, with 22 bits from the division.
  const uint64_t dividend = root32.rest << 22;
  const uint64_t digit = dividend / (2 * root32.root);
  const uint64_t left = dividend % (2 * root32.root);
  uint64_t root54 = (root32.root << 22) + digit;
  const uint64_t left_scaled = left << 22;
  const uint64_t square = digit * digit;  // digit <= 2^22
  if (left_scaled < square) --root54;
  const bool inexact = left_scaled != square;

  // The last of the 54 bits is the half. A tie would need a 54-bit root with a
  // square of at most 53 significant bits: there is none.
  const uint64_t significand = (root54 >> 1) + (root54 & 1 & inexact);
  return Compose<Binary64>(significand, half_exponent);
}

}  // namespace
}  // namespace internal

double Sqrt(double x) {
  using internal::Binary64;
  using internal::FromBits;
  const uint64_t bits = internal::ToBits(x);
  if (internal::IsPositiveFinite<Binary64>(bits)) [[likely]] {
    return FromBits(internal::SquareRootOfPositive(internal::Decompose(bits)));
  }
  const bool is_zero = (bits & ~Binary64::kSign) == 0;
  if (is_zero || bits == Binary64::kInfinity) return x;
  return FromBits(Binary64::kQuietNan);
}

}  // namespace lockstep::exact
