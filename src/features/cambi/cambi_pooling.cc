// SPDX-License-Identifier: BSD-2-Clause-Patent
// Selection of the greatest contrasts by counting where sums are exact, and in libvmaf's order elsewhere.
#include "features/cambi/cambi_pooling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "features/cambi/cambi_arithmetic.h"

namespace lockstep {
namespace {

// The total of those that are at least `edge`, as several sums side by side.
CambiTotal TotalFrom(const CambiContrastPlane& contrasts, float edge) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::array<i32, kSums> counts{};
  CambiTotal total;
  const auto add = [&](std::size_t i, float contrast) __attribute__((always_inline)) {
    const bool counts_here = contrast >= edge;
    sums[i] += static_cast<double>(counts_here ? contrast : 0.0f);
    counts[i] += counts_here ? 1 : 0;
    total.least = std::min(total.least, counts_here ? contrast : total.least);
  };
  for (i32 y = 0; y < contrasts.height; ++y) {
    const float* const row = contrasts.Row(y);
    const auto width = static_cast<std::size_t>(contrasts.width);
    std::size_t x = 0;
    for (; x + kSums <= width; x += kSums) {
      LOCKSTEP_UNROLL
      for (std::size_t i = 0; i < kSums; ++i) add(i, row[x + i]);
    }
    for (; x < width; ++x) add(0, row[x]);
  }
  for (const double sum : sums) total.sum += sum;
  for (const i32 count : counts) total.positive += count;
  return total;
}

// How many there are of each class, and of 0 in the first one. Neighbours, which often are alike, are counted apart:
// one count waits for the other.
void CountClasses(const CambiContrastPlane& contrasts, CambiContrastClasses& classes) {
  using Classes = CambiContrastClasses;
  for (auto& counts : classes.counts) counts.fill(0);
  const auto count = [&](std::size_t table, float contrast) __attribute__((always_inline)) {
    ++classes.counts[table]
                    [(std::max(std::bit_cast<u32>(contrast), Classes::kFirst) - Classes::kFirst) >> Classes::kShift];
  };
  for (i32 y = 0; y < contrasts.height; ++y) {
    const float* const row = contrasts.Row(y);
    i32 x = 0;
    for (; x + 2 <= contrasts.width; x += 2) {
      count(0, row[x]);
      count(1, row[x + 1]);
    }
    if (x < contrasts.width) count(0, row[x]);
  }
}

struct Selection {
  double sum;
  bool is_exact;  // in every order of additions
};

// The sum of the `count` greatest ones, which are fewer than those that are not 0.
Selection SumByCounting(const CambiContrastPlane& contrasts, i64 count, CambiContrastClasses& classes) {
  using Classes = CambiContrastClasses;
  CountClasses(contrasts, classes);
  const auto count_of = [&](u32 index) {
    i64 sum = 0;
    for (const auto& counts : classes.counts) sum += counts[index];
    return sum;
  };
  u32 last = Classes::kClasses - 1;
  for (i64 here = count_of(last); count > here; here = count_of(--last)) count -= here;
  // All above the class `last` is added, and so many of it.
  const u32 lower_edge = Classes::kFirst + (last << Classes::kShift);
  const u32 upper_edge = lower_edge + (u32{1} << Classes::kShift);
  double sum = TotalFrom(contrasts, std::bit_cast<float>(upper_edge)).sum;
  classes.rest.fill(0);
  for (i32 y = 0; y < contrasts.height; ++y) {
    const float* const row = contrasts.Row(y);
    for (i32 x = 0; x < contrasts.width; ++x) {
      const u32 rest = std::bit_cast<u32>(row[x]) - lower_edge;
      if (rest >> Classes::kShift == 0) ++classes.rest[rest];
    }
  }
  for (u32 rest = static_cast<u32>(classes.rest.size()) - 1; count > 0; --rest) {
    const i64 equal = std::min(count, i64{classes.rest[rest]});
    sum += static_cast<double>(equal) * static_cast<double>(std::bit_cast<float>(lower_edge + rest));
    count -= equal;
  }
  // No class reaches beyond a power of two.
  return {sum, sum < CambiExactLimit(std::bit_cast<float>(lower_edge))};
}

// Takes the padding out of the rows.
void MakeContiguous(const CambiContrastPlane& contrasts) {
  for (i32 y = 1; y < contrasts.height; ++y) {
    std::memmove(contrasts.data + i64{y} * contrasts.width, contrasts.Row(y),
                 static_cast<std::size_t>(contrasts.width) * sizeof(float));
  }
}

// Values are looked at in blocks, without a branch for each.
constexpr i64 kSelectionBlock = 64;

// One step of Hoare's partition after the other: the next value from the left that is not above the pivot and the next
// one from the right that is not below it change places, until they meet. On return, [i, j] is what was not looked at,
// and fewer than two blocks.
class BlockPartition {
 public:
  BlockPartition(float* values, i64 left, i64 right, float pivot)
      : values_(values), pivot_(pivot), left_(left), right_(right) {}

  void Run() {
    while (right_ - left_ + 1 >= 2 * kSelectionBlock) {
      if (low_.next == low_.count) Collect(low_, [&](i64 k) { return !(values_[left_ + k] > pivot_); });
      if (high_.next == high_.count) Collect(high_, [&](i64 k) { return !(values_[right_ - k] < pivot_); });
      const i32 pairs = std::min(low_.count - low_.next, high_.count - high_.next);
      for (i32 i = 0; i < pairs; ++i) {
        std::swap(values_[left_ + low_.offsets[low_.next + i]], values_[right_ - high_.offsets[high_.next + i]]);
      }
      low_.next += pairs;
      high_.next += pairs;
      if (low_.next == low_.count) left_ += kSelectionBlock;
      if (high_.next == high_.count) right_ -= kSelectionBlock;
    }
  }

  [[nodiscard]] i64 i() const { return low_.next < low_.count ? left_ + low_.offsets[low_.next] : left_; }
  [[nodiscard]] i64 j() const { return high_.next < high_.count ? right_ - high_.offsets[high_.next] : right_; }

 private:
  struct Stops {
    std::array<u8, kSelectionBlock> offsets;
    i32 count = 0;
    i32 next = 0;
  };

  template <class IsStop>
  static void Collect(Stops& stops, const IsStop& is_stop) {
    stops.count = 0;
    stops.next = 0;
    for (i64 k = 0; k < kSelectionBlock; ++k) {
      stops.offsets[static_cast<std::size_t>(stops.count)] = static_cast<u8>(k);
      stops.count += is_stop(k) ? 1 : 0;
    }
  }

  float* values_;
  float pivot_;
  i64 left_;
  i64 right_;
  Stops low_;
  Stops high_;
};

// Hoare's selection with the element at `count` as the pivot: the greatest `count` elements come first.
void Select(float* values, i64 size, i64 count) {
  i64 left = 0;
  i64 right = size - 1;
  while (left < right) {
    const float pivot = values[count];
    BlockPartition blocks(values, left, right, pivot);
    blocks.Run();
    i64 i = blocks.i();
    i64 j = blocks.j();
    while (i <= j) {
      while (values[i] > pivot) ++i;
      while (values[j] < pivot) --j;
      if (i > j) break;
      std::swap(values[i], values[j]);
      ++i;
      --j;
    }
    if (j < count) left = i;
    if (count < i) right = j;
  }
}

}  // namespace

double CambiExactLimit(float least) {
  constexpr u32 kExponent = 0x7f800000;
  constexpr double kUnits = 1073741824.0;  // 2^30
  return kUnits * static_cast<double>(std::bit_cast<float>(std::bit_cast<u32>(least) & kExponent));
}

CambiTotal CambiTotalOf(const CambiContrastPlane& contrasts) {
  constexpr float kLeast = 0.5f;
  return TotalFrom(contrasts, kLeast);
}

double CambiSumOfGreatest(const CambiContrastPlane& contrasts, i64 count, const CambiTotal& total,
                          CambiContrastClasses& classes) {
  if (total.positive <= count) {
    return total.sum < CambiExactLimit(total.least) ? total.sum : CambiSumInSelectionOrder(contrasts, count);
  }
  const Selection selection = SumByCounting(contrasts, count, classes);
  return selection.is_exact ? selection.sum : CambiSumInSelectionOrder(contrasts, count);
}

double CambiSumInSelectionOrder(const CambiContrastPlane& contrasts, i64 count) {
  const i64 pixels = i64{contrasts.width} * contrasts.height;
  MakeContiguous(contrasts);
  if (count < pixels) Select(contrasts.data, pixels, count);
  double sum = 0.0;
  for (i64 i = 0; i < count; ++i) sum += static_cast<double>(contrasts.data[i]);
  return sum;
}

}  // namespace lockstep
