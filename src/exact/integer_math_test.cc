// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exact integer logarithms, powers of two and roundings to an integer.
#include "exact/integer_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exact/elementary_arguments.h"

namespace lockstep::exact {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

uint64_t Bits(double x) { return std::bit_cast<uint64_t>(x); }

static_assert(CeilLog2(1) == 0 && CeilLog2(2) == 1 && CeilLog2(3) == 2);
static_assert(Ldexp1(-3) == 0.125 && Floor(-0.5) == -1 && Ceil(2.25) == 3);

TEST(IntegerMathTest, LogarithmsAroundPowersOfTwo) {
  for (int k = 2; k < 64; ++k) {
    const uint64_t power = uint64_t{1} << k;
    EXPECT_EQ(CeilLog2(power - 1), k);
    EXPECT_EQ(CeilLog2(power), k);
    EXPECT_EQ(CeilLog2(power + 1), k + 1);
    EXPECT_EQ(FloorLog2(power - 1), k - 1);
    EXPECT_EQ(FloorLog2(power), k);
    EXPECT_EQ(FloorLog2(power + 1), k);
  }
  EXPECT_EQ(CeilLog2(~uint64_t{0}), 64);
  EXPECT_EQ(FloorLog2(1), 0);
}

TEST(IntegerMathTest, PowersOfTwo) {
  for (int k = -1200; k <= 1200; ++k) {
    EXPECT_EQ(Bits(Ldexp1(k)), Bits(std::ldexp(1.0, k))) << k;
  }
  EXPECT_EQ(Ldexp1(std::numeric_limits<int>::max()), kInf);
  EXPECT_EQ(Bits(Ldexp1(std::numeric_limits<int>::min())), 0u);
}

void ExpectAsInTheLibrary(double x) {
  EXPECT_EQ(Bits(Floor(x)), Bits(std::floor(x))) << x;
  EXPECT_EQ(Bits(Ceil(x)), Bits(std::ceil(x))) << x;
  EXPECT_EQ(Bits(Trunc(x)), Bits(std::trunc(x))) << x;
  EXPECT_EQ(Bits(Round(x)), Bits(std::round(x))) << x;
}

TEST(IntegerMathTest, RoundingToIntegers) {
  for (const double x : {0.0, 0x1p-1074, 0.25, 0.49999999999999994, 0.5, 0.75, 0.9999999999999999, 1.0, 1.5, 2.5,
                         3.4999999999999996, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52, 0x1p52 + 1, 0x1p53, 1e300, kInf}) {
    ExpectAsInTheLibrary(x);
    ExpectAsInTheLibrary(-x);
  }
  test::Random random(1);
  for (int i = 0; i < 100000; ++i) {
    ExpectAsInTheLibrary(random.Sign(random.Magnitude(-3, 55)));
    const auto integer = static_cast<double>(random.Below(1u << 20) + 1);
    ExpectAsInTheLibrary(random.Sign(random.Near(integer, 1)));
    ExpectAsInTheLibrary(random.Sign(random.Near(integer / 2, 1)));
  }
}

TEST(IntegerMathTest, NanGivesTheQuietNan) {
  const double nan = std::bit_cast<double>(uint64_t{0xfff8000000000123u});
  for (double (*round)(double) : {Floor, Ceil, Trunc, Round}) {
    EXPECT_EQ(Bits(round(nan)), 0x7ff8000000000000u);
  }
}

}  // namespace
}  // namespace lockstep::exact
