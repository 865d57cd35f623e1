// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr's vector code gives the bits of its scalar code on every target.
#include "features/float_ansnr/float_ansnr_simd.h"

#include <gtest/gtest.h>

#include <vector>

#include "features/float_ansnr/float_ansnr.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto natural = pairs.Natural();
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("equal", pairs.Gradient(), pairs.Gradient());
  pairs.Add("extremes", pairs.Extremes(), pairs.Rows());
  pairs.Add("grey", pairs.Flat(pairs.top() / 2 + 1), pairs.Columns());
  return pairs.Take();
}

void Compare(int width, int height, int depth) {
  const VideoFormat format = {PixelFormat::kYuv400, width, height, depth};
  test_targets::ExpectSameFacts(kFloatAnsnr, {}, MakePairs(format));
}

TEST(FloatAnsnrSimdTest, SmallSizes) {
  int i = 0;
  for (const PlaneSize size : test_run::SparseSizes()) {
    Compare(size.width, size.height, test_targets::kRowDepths[i % 7]);
    ++i;
  }
}

TEST(FloatAnsnrSimdTest, HeightsAroundGroups) {
  for (const int groups : {1, 2, 3}) {
    for (int more = -3; more <= 3; ++more) {
      Compare(40 + more, groups * kFloatAnsnrSimdRows + more, more % 2 == 0 ? 8 : 10);
    }
  }
}

TEST(FloatAnsnrSimdTest, WidthsAroundRegistersAndStrips) {
  int i = 0;
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {-2, -1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33}) {
      Compare(base + more, 3 + i % 5, test_targets::kRowDepths[i % 7]);
      ++i;
    }
  }
}

TEST(FloatAnsnrSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) Compare(93, 31, depth);
}

}  // namespace
}  // namespace lockstep
