// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over the blocks of xpsnr, sample by sample: what every vector code must give.
#include <algorithm>

#include "features/xpsnr/xpsnr_simd.h"

namespace lockstep {
namespace {

template <class Sample>
u64 SquaredErrors(const XpsnrPlane& reference, const XpsnrPlane& distorted, const XpsnrBlock& block) {
  u64 sum = 0;
  for (int y = block.top; y < block.bottom; ++y) {
    const Sample* const r = reference.row<Sample>(y);
    const Sample* const d = distorted.row<Sample>(y);
    for (int x = block.left; x < block.right; ++x) sum += XpsnrSquaredError(r[x], d[x]);
  }
  return sum;
}

template <class Sample>
u64 Spatial(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  u64 sum = 0;
  for (int y = block.inner_top; y < block.inner_bottom; ++y) {
    const Sample* const above = pictures.reference.row<Sample>(y - 1);
    const Sample* const row = pictures.reference.row<Sample>(y);
    const Sample* const below = pictures.reference.row<Sample>(y + 1);
    for (int x = block.inner_left; x < block.inner_right; ++x) sum += XpsnrSpatial(above, row, below, x);
  }
  return sum;
}

// Of pictures with an odd width or height the last column or row is repeated.
template <class Sample>
u64 SpatialOfFour(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  u64 sum = 0;
  for (int y = block.inner_top; y < block.inner_bottom; y += 2) {
    const Sample* rows[6];
    for (int i = 0; i < 6; ++i) rows[i] = pictures.reference.row<Sample>(std::min(y - 2 + i, pictures.height - 1));
    for (int x = block.inner_left; x < block.inner_right; x += 2) {
      i32 columns[6];
      for (int i = 0; i < 6; ++i) columns[i] = std::min(x - 2 + i, pictures.width - 1);
      sum += XpsnrSpatialOfFour(rows, columns);
    }
  }
  return sum;
}

template <class Sample>
u64 Temporal(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  const bool is_second = pictures.earlier.data != nullptr;
  u64 sum = 0;
  for (int y = block.top; y < block.bottom; ++y) {
    const Sample* const current = pictures.reference.row<Sample>(y);
    const Sample* const previous = pictures.previous.row<Sample>(y);
    const Sample* const earlier = is_second ? pictures.earlier.row<Sample>(y) : nullptr;
    for (int x = block.left; x < block.right; ++x) {
      sum += is_second ? XpsnrSecondDifference(current[x], previous[x], earlier[x])
                       : XpsnrFirstDifference(current[x], previous[x]);
    }
  }
  return sum;
}

template <class Sample>
u64 TemporalOfFour(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  const bool is_second = pictures.earlier.data != nullptr;
  u64 sum = 0;
  for (int y = block.top; y < block.bottom; y += 2) {
    const int next = std::min(y + 1, pictures.height - 1);
    for (int x = block.left; x < block.right; x += 2) {
      const int beside = std::min(x + 1, pictures.width - 1);
      const auto four = [&](const XpsnrPlane& plane) {
        return XpsnrFour(plane.row<Sample>(y), plane.row<Sample>(next), x, beside);
      };
      sum += is_second
                 ? XpsnrSecondDifference(four(pictures.reference), four(pictures.previous), four(pictures.earlier))
                 : XpsnrFirstDifference(four(pictures.reference), four(pictures.previous));
    }
  }
  return sum;
}

template <class Sample>
XpsnrBlockSums BlockSums(const XpsnrPictures& pictures, const XpsnrBlock& block) {
  XpsnrBlockSums sums;
  sums.squared_error = SquaredErrors<Sample>(pictures.reference, pictures.distorted, block);
  if (block.is_small()) return sums;
  sums.spatial = pictures.of_four ? SpatialOfFour<Sample>(pictures, block) : Spatial<Sample>(pictures, block);
  sums.temporal = pictures.of_four ? TemporalOfFour<Sample>(pictures, block) : Temporal<Sample>(pictures, block);
  return sums;
}

}  // namespace

XpsnrSimd ScalarXpsnr(int bit_depth) {
  if (bit_depth == 8) return {&BlockSums<u8>, &SquaredErrors<u8>};
  return {&BlockSums<u16>, &SquaredErrors<u16>};
}

}  // namespace lockstep
