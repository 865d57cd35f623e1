// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim's vector code gives the bits of its scalar code on every target.
#include <gtest/gtest.h>

#include <vector>

#include "features/ssim/ssim.h"
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
  pairs.Add("white", pairs.Flat(pairs.top()), pairs.Flat(pairs.top()));
  return pairs.Take();
}

void Compare(int width, int height, int depth) {
  const VideoFormat format = {PixelFormat::kYuv400, width, height, depth};
  test_targets::ExpectSameFacts(kSsim, {}, MakePairs(format));
}

TEST(SsimSimdTest, TinySizes) {
  for (int width = 1; width <= 12; ++width) {
    for (int height = 1; height <= 10; ++height) {
      Compare(width, height, test_targets::kRowDepths[(width + height) % 7]);
    }
  }
}

TEST(SsimSimdTest, SmallSizes) {
  int i = 0;
  for (const PlaneSize size : test_run::SparseSizes()) {
    Compare(size.width, size.height, test_targets::kRowDepths[i % 7]);
    ++i;
  }
}

TEST(SsimSimdTest, WidthsAroundRegisters) {
  int i = 0;
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33}) {
      Compare(base + more, 1 + i % 11, test_targets::kRowDepths[i % 7]);
      ++i;
    }
  }
}

TEST(SsimSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) Compare(93, 31, depth);
}

}  // namespace
}  // namespace lockstep
