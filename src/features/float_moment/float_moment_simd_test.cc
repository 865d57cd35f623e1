// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment's vector code gives the sums of its scalar code on every target.
#include <gtest/gtest.h>

#include <vector>

#include "features/float_moment/float_moment.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  pairs.Add("noise", pairs.Noise(), pairs.Extremes());
  pairs.Add("white", pairs.Flat(pairs.top()), pairs.Flat(0));
  pairs.Add("gradient", pairs.Gradient(), pairs.Columns());
  return pairs.Take();
}

void Compare(const std::vector<VideoFormat>& formats) {
  for (const VideoFormat& format : formats) test_targets::ExpectSameFacts(kFloatMoment, {}, MakePairs(format));
}

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv400, PixelFormat::kYuv420};

TEST(FloatMomentSimdTest, SmallSizes) { Compare(test_targets::ShortRows(kPixelFormats)); }

TEST(FloatMomentSimdTest, WidthsAroundRegisters) { Compare(test_targets::RowsAroundRegisters(kPixelFormats)); }

TEST(FloatMomentSimdTest, LongRows) { Compare(test_targets::LongRows()); }

TEST(FloatMomentSimdTest, EveryDepth) {
  std::vector<VideoFormat> formats;
  for (int depth = 8; depth <= 16; ++depth) formats.push_back({PixelFormat::kYuv444, 93, 31, depth});
  Compare(formats);
}

}  // namespace
}  // namespace lockstep
