// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of vif's vector code and kernels: pictures of every kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "features/test_targets.h"

namespace lockstep {

/// The first five are what pictures are like; the others are extremes.
inline std::vector<test_targets::PicturePair> MakeVifPairs(const VideoFormat& format) {
  test_targets::PicturePairs pairs(format, test_targets::SeedOf(format));
  const int top = pairs.top();
  const int unit = pairs.unit();
  const auto noise = pairs.Noise();
  const auto natural = pairs.Natural();
  const auto weaker = pairs.ThreeQuarters(natural);
  const auto blocks = pairs.Blocks(8, 8);
  const auto extremes = pairs.Extremes();
  const auto slope = [&](int, int x, int y) { return (x * 3 + y * 5) * unit / 4 % (top + 1); };
  const auto steeper = [&](int p, int x, int y) { return std::min(slope(p, x, y) * 5 / 4, top); };
  const auto faint = [&](int, int x, int y) { return top / 2 + (x + y) % 2; };
  pairs.Add("noise", noise, noise);
  pairs.Add("natural", natural, natural);
  pairs.Add("weaker", natural, weaker);
  pairs.Add("stronger", weaker, natural);
  pairs.Add("identical", blocks, blocks);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  pairs.Add("flat", pairs.Flat(top), faint);
  pairs.Add("enhanced", faint, blocks);
  pairs.Add("extremes", extremes, extremes);
  pairs.Add("slopes", slope, steeper);
  pairs.Add("checkerboards", pairs.Blocks(1, 1), pairs.Inverse(pairs.Blocks(1, 1)));
  pairs.Add("uneven blocks", blocks, pairs.Blocks(5, 7));
  pairs.Add("black", pairs.Flat(0), noise);
  return pairs.Take();
}

}  // namespace lockstep
