// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's gain terms in integers and in software binary64 against the hardware's binary64.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "features/vif/vif_gain_binary64.h"
#include "features/vif/vif_gain_integer.h"

namespace lockstep {
namespace {

// One unit in its last place hardly ever shows in a term.
static_assert(VifGainSoftBinary64::kEpsilon == std::bit_cast<Binary64Bits>(65536 * 1.0e-10));

constexpr double kLimits[] = {1.0, 100.0, 1.5, 2.0, 0x1.0000000000001p+0, 99.0, 99.999999999999986, 1.0625, 3.0};

VifIntegerLimit IntegerLimit(double limit) {
  const auto whole = static_cast<u32>(limit);
  return {whole, static_cast<double>(whole) == limit ? 1u : 0u};
}

// Compares the forms, and counts.
class Comparison {
 public:
  void Add(i64 s1, i64 s2, i64 s12, double limit) {
    const auto fits = [](i64 value) { return value <= INT32_MAX; };
    if (s1 < kVifNoise || s2 < 1 || s12 < 1 || !fits(s1) || !fits(s2) || !fits(s12)) return;
    const auto a = static_cast<i32>(s1);
    const auto b = static_cast<i32>(s2);
    const auto c = static_cast<i32>(s12);
    const VifGainTerms expected = VifGainBinary64::Terms(a, b, c, limit);
    const VifGainTerms soft = VifGainSoftBinary64::Terms(a, b, c, std::bit_cast<Binary64Bits>(limit));
    const VifIntegerTerms integer = VifIntegerGain(a, b, c, IntegerLimit(limit));
    ++count;
    if (!integer.decided) ++undecided;
    if (!Same(soft, expected) || (integer.decided && !Same(integer.terms, expected))) {
      if (failures++ == 0) {
        first_failure =
            std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + ", limit " + std::to_string(limit);
      }
    }
  }

  std::int64_t count = 0;
  std::int64_t undecided = 0;
  std::int64_t failures = 0;
  std::string first_failure;

 private:
  static bool Same(const VifGainTerms& a, const VifGainTerms& b) {
    return a.residual == b.residual && a.signal == b.signal;
  }
};

class Draws {
 public:
  /// All magnitudes alike.
  i64 Value(int lowest_bits, int highest_bits) {
    const u64 random = NextSplitMix(state_);
    const int bits = lowest_bits + static_cast<int>(random % static_cast<unsigned>(highest_bits - lowest_bits + 1));
    return static_cast<i64>((NextSplitMix(state_) | 0x8000000000000000u) >> (64 - bits));
  }
  i64 Below(i64 end) { return static_cast<i64>(NextSplitMix(state_) % static_cast<u64>(end)); }

 private:
  std::uint64_t state_ = 1;
};

TEST(VifGainTest, RandomOperands) {
  Draws draws;
  Comparison comparison;
  for (int i = 0; i < 10000000; ++i) {
    comparison.Add(draws.Value(18, 31), draws.Value(1, 31), draws.Value(1, 31), kLimits[i % 9]);
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_GT(comparison.count, 9900000);
}

// A covariance as pictures have it, at most the geometric mean of the variances.
TEST(VifGainTest, PlausibleOperandsAreDecided) {
  Draws draws;
  Comparison comparison;
  for (int i = 0; i < 6000000; ++i) {
    const i64 s1 = draws.Value(18, 29);
    const i64 gain = draws.Value(1, 18);  // 2^-16
    const i64 s12 = (s1 * gain) >> 16;
    const i64 explained = (s12 * gain) >> 16;
    comparison.Add(s1, explained + draws.Below(explained + 2), s12, 100.0);
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_LT(comparison.undecided, comparison.count / 20000);
}

// s12^2 / s1 = q + rest / s1 where the rest is a square j^2 (s12 = q m + j, s1 = q m^2 + 2 j m) and q was chosen so
// that the rest is next to 65536e-10 q or twice that: where rounding decides, and where the band ends.
TEST(VifGainTest, RestsAtTheBand) {
  Draws draws;
  Comparison comparison;
  for (i64 j = 1; j <= 130; ++j) {
    for (const double factor : {1.0, 2.0}) {
      const auto middle = static_cast<i64>(static_cast<double>(j * j) / (65536e-10 * factor));
      for (i64 m = 1; m <= 40; ++m) {
        for (i64 d = -60; d <= 60; ++d) {
          const i64 q = middle + (d < -30 || d > 30 ? d * (1 + m * j / 4) : d);
          const i64 s12 = q * m + j;
          const i64 s1 = m * (2 * j + q * m);
          comparison.Add(s1, q + 1 + draws.Below(4), s12, 100.0);
          comparison.Add(s1, draws.Value(8, 31), s12, kLimits[static_cast<std::size_t>(m % 9)]);
        }
      }
    }
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_GT(comparison.undecided, comparison.count / 100);
  EXPECT_LT(comparison.undecided, comparison.count);
}

// Quotients that are integers or next to one.
TEST(VifGainTest, SmallRests) {
  Draws draws;
  Comparison comparison;
  for (int i = 0; i < 1500000; ++i) {
    // s12^2 / s1 = a c^2.
    const i64 a = draws.Value(1, 20);
    const i64 b = draws.Value(1, 12);
    const i64 c = draws.Value(1, 12);
    const i64 s1 = a * b * b + draws.Below(5) / 4;
    const i64 s12 = a * b * c + draws.Below(5) - 2;
    if (s1 > INT32_MAX || s12 > INT32_MAX) continue;
    comparison.Add(s1, a * c * c + draws.Below(7) - 3, s12, kLimits[i % 9]);
    comparison.Add(s1, draws.Value(20, 31), s12, kLimits[i % 9]);
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_GT(comparison.count, 300000);
}

TEST(VifGainTest, GainsAtTheLimit) {
  Draws draws;
  Comparison comparison;
  for (int i = 0; i < 1000000; ++i) {
    const double limit = kLimits[i % 9];
    const i64 s1 = draws.Value(18, 31);
    const i64 s12 = static_cast<i64>(static_cast<double>(s1) * limit) + draws.Below(7) - 3;
    comparison.Add(s1, draws.Value(1, 31), s12, limit);
    comparison.Add(s1, draws.Value(1, 31), s12 + draws.Below(s12), limit);
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_GT(comparison.count, 1000000);
}

TEST(VifGainTest, Extremes) {
  const i64 values[] = {1, 2, 3, 131072, 131073, 262143, 65536, INT32_MAX - 1, INT32_MAX, 0x40000000, 0x3fffffff};
  Comparison comparison;
  for (const i64 s1 : values) {
    for (const i64 s2 : values) {
      for (const i64 s12 : values) {
        for (const double limit : kLimits) comparison.Add(s1, s2, s12, limit);
      }
    }
  }
  EXPECT_EQ(comparison.failures, 0) << comparison.first_failure;
  EXPECT_GT(comparison.count, 6000);
}

// A limit between integers: gains up to the integer below it are decided, those beyond are not.
TEST(VifGainTest, LimitBetweenIntegers) {
  EXPECT_TRUE(VifIntegerGain(1000000, 1000000, 999990, {1, 0}).decided);
  EXPECT_FALSE(VifIntegerGain(1000000, 1000000, 1000010, {1, 0}).decided);
  EXPECT_TRUE(VifIntegerGain(1000000, 1000000, 1000010, {1, 1}).decided);
}

}  // namespace
}  // namespace lockstep
