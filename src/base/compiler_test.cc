// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every score assumes of the compiler: each operation is rounded, in the written order, and nothing is fused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

// Not inlined or specialised, so that the compiler works on unknown values, as it does in the metrics.
#if defined(__clang__)
#define LOCKSTEP_OPAQUE [[gnu::noinline]]
#else
#define LOCKSTEP_OPAQUE [[gnu::noipa]]
#endif

LOCKSTEP_OPAQUE void RoundPairToBinary32(double* values) {
  values[0] = static_cast<double>(static_cast<float>(values[0]));
  values[1] = static_cast<double>(static_cast<float>(values[1]));
}

LOCKSTEP_OPAQUE void RoundMany(double* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = static_cast<double>(static_cast<float>(values[i]));
}

LOCKSTEP_OPAQUE double MultiplyThenAdd(double a, double b, double c) { return a * b + c; }
LOCKSTEP_OPAQUE float MultiplyThenAdd(float a, float b, float c) { return a * b + c; }

LOCKSTEP_OPAQUE float SumLeftToRight(const float* values, int count) {
  float sum = 0.0F;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

TEST(Compiler, RoundsNeighbouringConversions) {
  std::array<double, 2> pair = {0.1, 0.2};
  RoundPairToBinary32(pair.data());
  EXPECT_EQ(pair[0], 0x1.99999ap-4);
  EXPECT_EQ(pair[1], 0x1.99999ap-3);
  std::array<double, 9> many{};
  many.fill(0.1);
  RoundMany(many.data(), static_cast<int>(many.size()));
  for (const double value : many) EXPECT_EQ(value, 0x1.99999ap-4);
}

TEST(Compiler, DoesNotContract) {
  // The product's low half is lost when it is rounded before the addition.
  const double a = 1.0 + 0x1p-30;
  EXPECT_EQ(MultiplyThenAdd(a, a, -(1.0 + 0x1p-29)), 0.0);
  const float b = 1.0F + 0x1p-13F;
  EXPECT_EQ(MultiplyThenAdd(b, b, -(1.0F + 0x1p-12F)), 0.0F);
}

TEST(Compiler, KeepsTheOrderOfAdditions) {
  std::array<float, 16> values{};
  values.fill(1.0F);
  values[0] = 0x1p24F;
  EXPECT_EQ(SumLeftToRight(values.data(), 16), 0x1p24F);
}

TEST(Compiler, KeepsSubnormalsAndNotANumber) {
  volatile double tiny = std::numeric_limits<double>::min();
  EXPECT_NE(tiny / 2.0, 0.0);
  volatile double zero = 0.0;
  EXPECT_NE(zero / zero, zero / zero);
}

}  // namespace
}  // namespace lockstep
