// SPDX-License-Identifier: BSD-2-Clause-Patent
// Binary64 arithmetic on integers against the hardware's.
#include "exact/soft_binary64.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/split_mix.h"

namespace lockstep {
namespace {

u64 Bits(double x) { return std::bit_cast<u64>(x); }
double Value(u64 bits) { return std::bit_cast<double>(bits); }
bool IsZeroOrNormal(double x) { return x == 0 || std::isnormal(x); }

/// Signs, exponents and significands where rounding, carries and cancellation change.
std::vector<double> Edges() {
  std::vector<double> values = {0.0, -0.0};
  for (const int exponent : {-1022, -1021, -500, -54, -53, -52, -1, 0, 1, 30, 31, 52, 53, 54, 62, 500, 1022, 1023}) {
    for (const u64 fraction : {u64{0}, u64{1}, u64{2}, u64{3}, u64{0x5555555555555}, u64{0x7ffffffffffff},
                               u64{0x8000000000000}, u64{0x8000000000001}, u64{0xffffffffffffe}, u64{0xfffffffffffff},
                               u64{0xfffffffe00000}, u64{0x00000001fffff}, u64{0x6a09e667f3bcc}}) {
      const double value = Value((static_cast<u64>(exponent + 1023) << 52) + fraction);
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

/// Exponents near 0, so that sums overlap; runs of ones and zeros, so that many cases are near a tie.
double Draw(std::uint64_t& state) {
  const u64 random = NextSplitMix(state);
  u64 fraction = NextSplitMix(state) & 0xfffffffffffffu;
  const auto kept = static_cast<int>((random >> 8) % 53);
  if ((random & 3) == 1) fraction &= ~u64{0} << kept;
  if ((random & 3) == 2) fraction |= (u64{1} << kept) - 1;
  const u64 exponent = 1023 - 64 + (random >> 16) % 128;
  return Value(((random >> 63) << 63) | (exponent << 52) | fraction);
}

// Counted instead of expected one by one, which would take most of the time.
struct Differences {
  int count = 0;
  double a = 0;
  double b = 0;

  void Note(double x, double y) {
    if (count++ == 0) {
      a = x;
      b = y;
    }
  }
};

/// Every operation whose operands and result are in its domain.
void Compare(double a, double b, Differences& differences) {
  const double sum = a + b;
  const double difference = a - b;
  const double product = a * b;
  const double quotient = a / b;
  // The least normal number may be the rounding of a smaller value.
  const auto in_range = [](double x) { return std::isfinite(x) && std::abs(x) > std::numeric_limits<double>::min(); };
  bool same = true;
  if (IsZeroOrNormal(sum)) same &= Binary64Add(Bits(a), Bits(b)) == Bits(sum);
  if (IsZeroOrNormal(difference)) same &= Binary64Subtract(Bits(a), Bits(b)) == Bits(difference);
  if (in_range(product) || a == 0 || b == 0) same &= Binary64MultiplyNormal(Bits(a), Bits(b)) == Bits(product);
  if (b != 0 && (in_range(quotient) || a == 0)) same &= Binary64DivideNormal(Bits(a), Bits(b)) == Bits(quotient);
  same &= Binary64Less(Bits(a), Bits(b)) == (a < b);
  same &= Binary64Minimum(Bits(a), Bits(b)) == Bits(a < b ? a : b);
  same &= Binary64Maximum(Bits(a), Bits(b)) == Bits(a > b ? a : b);
  if (std::abs(a) < 0x1p63) same &= Binary64ToI64(Bits(a)) == static_cast<i64>(a);
  if (std::abs(a) < 0x1p31) same &= Binary64ToI32(Bits(a)) == static_cast<i32>(a);
  if (!same) differences.Note(a, b);
}

TEST(SoftBinary64Test, EdgesAreThoseOfHardware) {
  const std::vector<double> edges = Edges();
  Differences differences;
  for (const double a : edges) {
    for (const double b : edges) Compare(a, b, differences);
  }
  EXPECT_EQ(differences.count, 0) << std::hexfloat << differences.a << " " << differences.b;
}

TEST(SoftBinary64Test, RandomOperandsAreThoseOfHardware) {
  Differences differences;
  std::uint64_t state = 1;
  for (int i = 0; i < 25000000; ++i) {
    const double a = Draw(state);
    const double b = Draw(state);
    Compare(a, b, differences);
  }
  EXPECT_EQ(differences.count, 0) << std::hexfloat << differences.a << " " << differences.b;
}

TEST(SoftBinary64Test, NeighboursCancel) {
  Differences differences;
  std::uint64_t state = 2;
  for (int i = 0; i < 2000000; ++i) {
    const double a = Draw(state);
    const u64 distance = NextSplitMix(state) >> (8 + i % 56);
    Compare(a, Value(Bits(a) ^ (distance & 0x800fffffffffffffu)), differences);
  }
  EXPECT_EQ(differences.count, 0) << std::hexfloat << differences.a << " " << differences.b;
}

TEST(SoftBinary64Test, IntegersConvertExactly) {
  std::vector<u32> values = {0, 1, 2, 3, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu};
  std::uint64_t state = 3;
  for (int i = 0; i < 3000000; ++i) values.push_back(static_cast<u32>(NextSplitMix(state) >> (32 + i % 32)));
  Differences differences;
  for (const u32 value : values) {
    const auto signed_value = static_cast<i32>(value);
    if (Binary64FromU32(value) != Bits(value)) differences.Note(value, 0);
    if (Binary64FromI32(signed_value) != Bits(signed_value)) differences.Note(signed_value, 1);
    if (Binary64ToI32(Bits(signed_value)) != signed_value) differences.Note(signed_value, 2);
  }
  EXPECT_EQ(differences.count, 0) << differences.a << " " << differences.b;
}

/// Bit patterns of binary32: every exponent but that of infinity, and fractions where rounding changes.
float DrawBinary32(std::uint64_t& state) {
  const u64 random = NextSplitMix(state);
  const u32 exponent = static_cast<u32>(random >> 40) % 255;
  u32 fraction = static_cast<u32>(random) & 0x7fffffu;
  const auto kept = static_cast<int>((random >> 32) % 24);
  if (((random >> 60) & 3) == 1) fraction &= ~u32{0} << kept;
  if (((random >> 60) & 3) == 2) fraction |= (u32{1} << kept) - 1;
  return std::bit_cast<float>(static_cast<u32>(random >> 63 << 31) | exponent << 23 | fraction);
}

TEST(SoftBinary64Test, Binary32ConvertsAsHardwareDoes) {
  std::uint64_t state = 4;
  Differences differences;
  const auto widen = [&](float value) {
    if (Binary64FromBinary32(value) != Bits(value)) differences.Note(value, 0);
  };
  const auto narrow = [&](double value) {
    const auto expected = static_cast<float>(value);
    if (!std::isfinite(expected)) return;
    if (std::bit_cast<u32>(Binary32FromBinary64(Bits(value))) != std::bit_cast<u32>(expected)) {
      differences.Note(value, 1);
    }
  };
  for (const float value : {0.0f, -0.0f, 0x1p-149f, 0x1p-126f, 0x1.fffffcp-127f, 0x1.fffffep127f, 1.0f}) {
    widen(value);
    narrow(static_cast<double>(value));
  }
  for (int i = 0; i < 3000000; ++i) {
    const float value = DrawBinary32(state);
    widen(value);
    narrow(static_cast<double>(value));
    // Halfway to the next number, and next to that.
    const float next = std::bit_cast<float>(std::bit_cast<u32>(value) + 1);
    const double middle = (static_cast<double>(value) + static_cast<double>(next)) / 2;
    narrow(middle);
    narrow(Value(Bits(middle) + 1));
    narrow(Value(Bits(middle) - 1));
    narrow(Value(Bits(middle) ^ (NextSplitMix(state) >> 12)));
    narrow(std::ldexp(middle, -static_cast<int>(NextSplitMix(state) % 40)));
  }
  EXPECT_EQ(differences.count, 0) << std::hexfloat << differences.a << " " << differences.b;
}

TEST(SoftBinary64Test, Binary32DividesAsHardwareDoes) {
  std::uint64_t state = 5;
  Differences differences;
  for (int i = 0; i < 6000000; ++i) {
    const float a = DrawBinary32(state);
    const float b = DrawBinary32(state);
    const float expected = a / b;
    if (b == 0.0f || !std::isfinite(expected)) continue;
    if (std::bit_cast<u32>(Binary32Divide(a, b)) != std::bit_cast<u32>(expected)) differences.Note(a, b);
  }
  EXPECT_EQ(differences.count, 0) << std::hexfloat << differences.a << " " << differences.b;
}

// The bound that the quotient's digits rest on.
TEST(SoftBinary64Test, ReciprocalIsLowByFourAtMost) {
  int failures = 0;
  const auto check = [&failures](u32 divisor) {
    const u64 exact = (u64{1} << 63) / (static_cast<u64>(divisor) + 1);
    const u64 low_by = exact - Reciprocal32(divisor);
    failures += low_by > 4 ? 1 : 0;
  };
  for (u64 divisor = 0x80000000u; divisor <= 0xffffffffu; divisor += 211) check(static_cast<u32>(divisor));
  for (u32 i = 0; i < 1000000; ++i) {
    check(0x80000000u + i);
    check(0xffffffffu - i);
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace lockstep
