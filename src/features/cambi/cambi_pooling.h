// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sum of the greatest contrasts of a scale.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "base/kernel_prelude.h"
#include "features/cambi/cambi_planes.h"

namespace lockstep {

/// A sum of contrasts of at least `least` that is below this limit is exact in binary64 in every order of additions.
/// in      least >= 1/2; infinity where there are none
/// exact   From 2^k on, binary32 numbers are multiples of 2^(k - 23), and 2^53 of them are 2^(k + 30). A sum that has
///         left this limit does not come back: no addition of these numbers makes a sum smaller.
[[nodiscard]] double CambiExactLimit(float least);

/// Contrasts by the upper bits of their representation, from that of 1/2 on; none reaches 2^14.
struct CambiContrastClasses {
  static constexpr u32 kFirst = 0x3f000000;  // 1/2
  static constexpr u32 kEnd = 0x46800000;    // 2^14
  static constexpr int kShift = 16;
  static constexpr u32 kClasses = (kEnd - kFirst) >> kShift;

  std::array<std::array<u32, kClasses>, 2> counts;  // to be added
  std::array<u32, u32{1} << kShift> rest;           // counts by the lower bits, in one class
};

/// Of all contrasts of a scale or a part of it.
struct CambiTotal {
  double sum = 0.0;  // exact below CambiExactLimit(least); where the exact sum is not below that, this is not either
  i64 positive = 0;  // how many are not 0
  float least = std::numeric_limits<float>::infinity();  // of those

  void Add(const CambiTotal& other) {
    sum += other.sum;
    positive += other.positive;
    least = std::min(least, other.least);
  }
};

/// The total, added up in some order.
[[nodiscard]] CambiTotal CambiTotalOf(const CambiContrastPlane& contrasts);

/// Sum of the `count` greatest of the plane's contrasts. May reorder the plane.
/// in      total = CambiTotalOf(contrasts); contrasts are 0, or at least 1/2 and below 2^14; 1 <= count <= pixels
/// exact   below CambiExactLimit() of the least of them, in any order; else additions in the order in which libvmaf's
///         selection leaves the greatest contrasts
[[nodiscard]] double CambiSumOfGreatest(const CambiContrastPlane& contrasts, i64 count, const CambiTotal& total,
                                        CambiContrastClasses& classes);

/// The same with the additions in the order of the selection, whatever the sum.
[[nodiscard]] double CambiSumInSelectionOrder(const CambiContrastPlane& contrasts, i64 count);

}  // namespace lockstep
