// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of the greatest contrasts, against a plain selection and against exact integers.
#include "features/cambi/cambi_pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/split_mix.h"
#include "features/cambi/cambi_arithmetic.h"

namespace lockstep {
namespace {

// A plane with padding that must not count.
class Contrasts {
 public:
  template <class Next>
  Contrasts(i32 width, i32 height, Next next) : width_(width), height_(height) {
    values_.assign(static_cast<std::size_t>((width + 7) * height), 9000.0f);
    for (i32 y = 0; y < height; ++y) {
      for (i32 x = 0; x < width; ++x) values_[static_cast<std::size_t>(y * (width + 7) + x)] = next();
    }
  }
  [[nodiscard]] CambiContrastPlane plane() { return {values_.data(), width_ + 7, width_, height_}; }
  [[nodiscard]] std::vector<float> InOrder() const {
    std::vector<float> list;
    for (i32 y = 0; y < height_; ++y) {
      const auto row = values_.begin() + y * (width_ + 7);
      list.insert(list.end(), row, row + width_);
    }
    return list;
  }

 private:
  i32 width_;
  i32 height_;
  std::vector<float> values_;
};

// The definition, a value at a time.
double PlainSelection(std::vector<float> a, i64 count) {
  const i64 size = static_cast<i64>(a.size());
  const auto at = [&](i64 i) -> float& { return a[static_cast<std::size_t>(i)]; };
  i64 left = 0;
  i64 right = size - 1;
  while (count < size && left < right) {
    const float pivot = at(count);
    i64 i = left;
    i64 j = right;
    do {
      while (at(i) > pivot) ++i;
      while (pivot > at(j)) --j;
      if (i <= j) std::swap(at(i++), at(j--));
    } while (i <= j);
    if (j < count) left = i;
    if (count < i) right = j;
  }
  double sum = 0.0;
  for (i64 i = 0; i < count; ++i) sum += static_cast<double>(at(i));
  return sum;
}

// Units of 2^-24, in 128 bits.
__extension__ using Wide = unsigned __int128;
Wide ExactUnits(std::vector<float> values, i64 count) {
  std::sort(values.begin(), values.end(), std::greater<>());
  Wide units = 0;
  for (i64 i = 0; i < count; ++i) {
    units += static_cast<u64>(std::ldexp(static_cast<double>(values[static_cast<std::size_t>(i)]), 24));
  }
  return units;
}

double SumOf(Contrasts& contrasts, i64 count) {
  const auto classes = std::make_unique<CambiContrastClasses>();
  return CambiSumOfGreatest(contrasts.plane(), count, CambiTotalOf(contrasts.plane()), *classes);
}

// Contrasts as pixels have them.
float RandomContrast(std::uint64_t& state, u64 zeros_of_16) {
  const u64 random = NextSplitMix(state);
  if (random % 16 < zeros_of_16) return 0.0f;
  const i32 own = 1 + static_cast<i32>(random >> 8 & 2047);
  const i32 others = 1 + static_cast<i32>(random >> 24 & 2047);
  return CambiContrast(1 + static_cast<i32>(random >> 40 & 7), own, others, 1.0f / static_cast<float>(own + others));
}

TEST(CambiPoolingTest, ExactSums) {
  std::uint64_t state = 1;
  for (const u64 zeros : {0, 3, 8, 15, 16}) {
    for (const i32 width : {1, 3, 8, 13, 64, 257}) {
      Contrasts contrasts(width, 41, [&] { return RandomContrast(state, zeros); });
      const std::vector<float> values = contrasts.InOrder();
      const i64 pixels = static_cast<i64>(values.size());
      for (const i64 count : {i64{1}, (pixels + 9) / 10, (pixels + 1) / 2, pixels * 6 / 10, pixels}) {
        const double sum = SumOf(contrasts, count);
        ASSERT_EQ(static_cast<u64>(std::ldexp(sum, 24)), static_cast<u64>(ExactUnits(values, count)))
            << width << " of " << count;
        ASSERT_EQ(sum, PlainSelection(values, count));
      }
    }
  }
}

TEST(CambiPoolingTest, EqualContrasts) {
  std::uint64_t state = 5;
  const float few[] = {0.0f, 0.5f, 1.25f, 1.25f, 700.0f};
  Contrasts contrasts(101, 37, [&] { return few[NextSplitMix(state) % 5]; });
  const std::vector<float> values = contrasts.InOrder();
  for (i64 count = 1; count <= static_cast<i64>(values.size()); count += 97) {
    ASSERT_EQ(SumOf(contrasts, count), PlainSelection(values, count)) << count;
  }
}

TEST(CambiPoolingTest, ExactLimit) {
  EXPECT_EQ(CambiExactLimit(0.5f), 536870912.0);
  EXPECT_EQ(CambiExactLimit(0.9999f), 536870912.0);
  EXPECT_EQ(CambiExactLimit(1.0f), 1073741824.0);
  EXPECT_EQ(CambiExactLimit(4100.0f), 4398046511104.0);
  EXPECT_EQ(CambiExactLimit(std::numeric_limits<float>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(CambiPoolingTest, Totals) {
  const float few[] = {0.0f, 3.0f, 0.75f, 0.0f, 2.0f};
  Contrasts contrasts(11, 2, [&, i = std::size_t{0}]() mutable { return few[i++ % 5]; });
  const CambiTotal total = CambiTotalOf(contrasts.plane());
  EXPECT_EQ(total.sum, 4 * 5.75 + 3.0);
  EXPECT_EQ(total.positive, 13);
  EXPECT_EQ(total.least, 0.75f);
  Contrasts none(3, 3, [] { return 0.0f; });
  EXPECT_EQ(CambiTotalOf(none.plane()).positive, 0);
  EXPECT_EQ(CambiTotalOf(none.plane()).least, std::numeric_limits<float>::infinity());
}

TEST(CambiPoolingTest, Extremes) {
  Contrasts least(3, 3, [] { return 0.5f; });
  EXPECT_EQ(SumOf(least, 9), 4.5);
  EXPECT_EQ(SumOf(least, 2), 1.0);
  Contrasts greatest(2, 2, [] { return 16383.999f; });
  EXPECT_EQ(SumOf(greatest, 3), 3.0 * static_cast<double>(16383.999f));
}

// The selection's order is that of the definition at every size around its blocks.
TEST(CambiPoolingTest, SelectionOrder) {
  std::uint64_t state = 3;
  for (i32 width = 1; width <= 700; width += width < 300 ? 1 : 37) {
    const u64 zeros = NextSplitMix(state) % 12;
    // Parts of very different size show every change of order.
    const auto next = [&] {
      const float contrast = RandomContrast(state, zeros);
      return NextSplitMix(state) % 2 == 0 ? contrast * 1e12f : contrast;
    };
    const i32 height = 1 + static_cast<i32>(NextSplitMix(state) % 7);
    Contrasts contrasts(width, height, next);
    const std::vector<float> values = contrasts.InOrder();
    const i64 count = 1 + static_cast<i64>(NextSplitMix(state) % values.size());
    ASSERT_EQ(CambiSumInSelectionOrder(contrasts.plane(), count), PlainSelection(values, count)) << width;
  }
}

// Sums too great to be exact: small contrasts are lost in another order than that of the selection.
TEST(CambiPoolingTest, InexactSums) {
  std::uint64_t state = 7;
  const auto next = [&] {
    const u64 random = NextSplitMix(state);
    return random % 3 == 0 ? 0.5f + static_cast<float>(random >> 41) * 0x1p-24f
                           : 9500.0f + static_cast<float>(random >> 60);
  };
  Contrasts contrasts(700, 400, next);
  const std::vector<float> values = contrasts.InOrder();
  const i64 all = static_cast<i64>(values.size());
  ASSERT_GT(CambiTotalOf(contrasts.plane()).sum, CambiExactLimit(0.5f));
  EXPECT_EQ(SumOf(contrasts, all), PlainSelection(values, all));
  Contrasts again(700, 400, [&, i = std::size_t{0}]() mutable { return values[i++]; });
  // The planted numbers do tell orders apart.
  std::vector<float> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_NE(PlainSelection(sorted, all), PlainSelection(values, all));
  EXPECT_EQ(SumOf(again, all - 1), PlainSelection(values, all - 1));
}

// The same sum without small contrasts is exact.
TEST(CambiPoolingTest, SumsWithoutSmallContrastsAreExact) {
  std::uint64_t state = 8;
  const auto next = [&] {
    const std::uint64_t random = NextSplitMix(state);
    return random % 3 == 0 ? 0.0f : 9000.0f + static_cast<float>(random >> 50) * 0x1p-10f;
  };
  Contrasts contrasts(700, 400, next);
  const std::vector<float> values = contrasts.InOrder();
  const i64 all = static_cast<i64>(values.size());
  ASSERT_GT(CambiTotalOf(contrasts.plane()).sum, CambiExactLimit(0.5f));
  EXPECT_EQ(SumOf(contrasts, all), PlainSelection(values, all));
  EXPECT_EQ(contrasts.InOrder(), values);
}

// Great sums of great contrasts alone are exact, whatever small ones there are that do not count.
TEST(CambiPoolingTest, GreatContrastsAreExact) {
  std::uint64_t state = 9;
  const auto next = [&] {
    const u64 random = NextSplitMix(state);
    return random % 4 == 0 ? 0.5f + static_cast<float>(random >> 41) * 0x1p-24f
                           : 4100.0f + static_cast<float>(random >> 52) * 0x1p-11f;
  };
  Contrasts contrasts(700, 400, next);
  const std::vector<float> values = contrasts.InOrder();
  const i64 count = static_cast<i64>(values.size()) * 6 / 10;
  const auto classes = std::make_unique<CambiContrastClasses>();
  const CambiTotal total = CambiTotalOf(contrasts.plane());
  ASSERT_GT(total.sum, CambiExactLimit(total.least));
  const double sum = CambiSumOfGreatest(contrasts.plane(), count, total, *classes);
  EXPECT_EQ(sum, PlainSelection(values, count));
  EXPECT_EQ(std::ldexp(sum, 11), static_cast<double>(static_cast<u64>(ExactUnits(values, count) >> 13)));
  // The plane is as it was: nothing had to be put in order.
  EXPECT_EQ(contrasts.InOrder(), values);
}

}  // namespace
}  // namespace lockstep
