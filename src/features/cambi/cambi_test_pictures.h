// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for cambi's tests: what its mask lets through, and what it does not.
#pragma once

#include <vector>

#include "features/test_targets.h"

namespace lockstep {

/// Flat areas of few codes with steps between them, spots and noise on top; noise; extremes.
inline std::vector<test_targets::PicturePair> MakeCambiPairs(const VideoFormat& format) {
  test_targets::PicturePairs pairs(format, test_targets::SeedOf(format));
  const int bits = format.bit_depth;
  const int code = bits > 10 ? 1 << (bits - 10) : 1;  // of 10 bits
  const int base = bits == 8 ? 25 : 100 * code;
  // Bands along both axes, the steps 1 … 4 codes high, in waves of several widths.
  const auto bands = [=](int width, int step) {
    return [=](int, int x, int y) { return base + code * step * (((x + y / 3) / width + y / (2 * width)) % 7); };
  };
  // One pixel in so many differs.
  const auto spots = [&pairs, code](int rarity, const auto& content) {
    return [&pairs, code, rarity, content](int p, int x, int y) {
      return content(p, x, y) + (pairs.Random(rarity) == 0 ? code * pairs.Random(4) : 0);
    };
  };
  pairs.Add("bands", bands(23, 1), bands(40, 2));
  pairs.Add("narrow bands", bands(5, 1), bands(2, 1));
  pairs.Add("spots", spots(7, bands(64, 3)), spots(20, bands(17, 1)));
  pairs.Add("more spots", spots(3, bands(90, 1)), spots(4, bands(33, 2)));
  pairs.Add("noise", pairs.Noise(), pairs.Extremes());
  pairs.Add("flat", pairs.Flat(base), pairs.Flat(pairs.top()));
  return pairs.Take();
}

}  // namespace lockstep
