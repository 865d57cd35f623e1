// SPDX-License-Identifier: BSD-2-Clause-Patent
// 384-bit fixed-point arithmetic.
#include "exact/fixed_point.h"

#include "exact/wide_integer.h"

namespace lockstep::exact::internal {

bool IsZero(const Fixed384& a) {
  uint64_t any = 0;
  for (const uint64_t limb : a.limb) any |= limb;
  return any == 0;
}

int Compare(const Fixed384& a, const Fixed384& b) {
  for (int i = kFixedLimbs - 1; i >= 0; --i) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
  }
  return 0;
}

Fixed384 operator+(const Fixed384& a, const Fixed384& b) {
  Fixed384 sum;
  Uint128 carry = 0;
  for (int i = 0; i < kFixedLimbs; ++i) {
    carry += static_cast<Uint128>(a.limb[i]) + b.limb[i];
    sum.limb[i] = Low64(carry);
    carry >>= 64;
  }
  return sum;
}

Fixed384 operator-(const Fixed384& a, const Fixed384& b) {
  Fixed384 difference;
  uint64_t borrow = 0;
  for (int i = 0; i < kFixedLimbs; ++i) {
    const Uint128 step = static_cast<Uint128>(a.limb[i]) - b.limb[i] - borrow;
    difference.limb[i] = Low64(step);
    borrow = High64(step) & 1;
  }
  return difference;
}

Fixed384 operator*(const Fixed384& a, const Fixed384& b) {
  uint64_t product[2 * kFixedLimbs] = {};
  for (int i = 0; i < kFixedLimbs; ++i) {
    Uint128 carry = 0;
    for (int j = 0; j < kFixedLimbs; ++j) {
      carry += static_cast<Uint128>(a.limb[i]) * b.limb[j] + product[i + j];
      product[i + j] = Low64(carry);
      carry >>= 64;
    }
    product[i + kFixedLimbs] = Low64(carry);
  }
  Fixed384 result;
  for (int i = 0; i < kFixedLimbs; ++i) {
    result.limb[i] = product[i + kFixedFractionBits / 64];
  }
  return result;
}

Fixed384 operator*(const Fixed384& a, uint64_t b) {
  Fixed384 product;
  Uint128 carry = 0;
  for (int i = 0; i < kFixedLimbs; ++i) {
    carry += static_cast<Uint128>(a.limb[i]) * b;
    product.limb[i] = Low64(carry);
    carry >>= 64;
  }
  return product;
}

Fixed384 operator/(const Fixed384& a, uint64_t b) {
  Fixed384 quotient;
  Uint128 rest = 0;
  for (int i = kFixedLimbs - 1; i >= 0; --i) {
    rest = (rest << 64) | a.limb[i];
    quotient.limb[i] = static_cast<uint64_t>(rest / b);
    rest %= b;
  }
  return quotient;
}

Fixed384 Ratio(const Fixed384& a, const Fixed384& b) {
  Fixed384 quotient = kFixedZero;
  Fixed384 rest = a;
  for (int i = 0; i < kFixedFractionBits; ++i) {
    rest = ShiftLeft(rest, 1);
    quotient = ShiftLeft(quotient, 1);
    if (Compare(rest, b) >= 0) {
      rest = rest - b;
      quotient.limb[0] |= 1;
    }
  }
  return quotient;
}

Fixed384 ShiftLeft(const Fixed384& a, int shift) {
  // shift = 64 * limbs + bits with 0 <= bits < 64, also for negative shifts.
  const int bits = shift & 63;
  const int limbs = (shift - bits) / 64;
  Fixed384 result = kFixedZero;
  for (int i = 0; i < kFixedLimbs; ++i) {
    const int from = i - limbs;
    if (from >= 0 && from < kFixedLimbs) result.limb[i] = a.limb[from] << bits;
    if (bits != 0 && from >= 1 && from <= kFixedLimbs) {
      result.limb[i] |= a.limb[from - 1] >> (64 - bits);
    }
  }
  return result;
}

int Exponent(const Fixed384& a) {
  int top = kFixedLimbs - 1;
  while (top > 0 && a.limb[top] == 0) --top;
  return 64 * top + 63 - CountLeadingZeros(a.limb[top]) - kFixedFractionBits;
}

}  // namespace lockstep::exact::internal
