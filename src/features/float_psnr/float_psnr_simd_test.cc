// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr's vector code gives the sums of its scalar code on every target.
#include "features/float_psnr/float_psnr_simd.h"

#include <gtest/gtest.h>

#include <vector>

#include "features/float_psnr/float_psnr.h"
#include "features/float_psnr/float_psnr_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto noise = pairs.Noise();
  const auto gradient = pairs.Gradient();
  const auto black = pairs.Flat(0);
  const auto white = pairs.Flat(pairs.top());
  pairs.Add("noise", noise, noise);
  // Squares on both sides of 2^24, from which on they are rounded at 16 bit.
  pairs.Add("medium noise", pairs.Noisy(40, gradient), gradient);
  pairs.Add("faint noise", pairs.Noisy(4, gradient), gradient);
  pairs.Add("equal", gradient, gradient);
  pairs.Add("black and white", black, white);
  pairs.Add("white and black", white, black);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  return pairs.Take();
}

void Compare(const std::vector<VideoFormat>& formats) {
  for (const VideoFormat& format : formats) test_targets::ExpectSameFacts(kFloatPsnr, {}, MakePairs(format));
}

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv400};

TEST(FloatPsnrSimdTest, SmallSizes) { Compare(test_targets::ShortRows(kPixelFormats)); }

TEST(FloatPsnrSimdTest, WidthsAroundRegisters) { Compare(test_targets::RowsAroundRegisters(kPixelFormats)); }

TEST(FloatPsnrSimdTest, LongRows) { Compare(test_targets::LongRows()); }

TEST(FloatPsnrSimdTest, OptionsGiveTheScoresOfScalarCode) {
  for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"uncapped", "true"}}}) {
    for (const int depth : test_targets::kRowDepths) {
      const VideoFormat format = {PixelFormat::kYuv420, 77, 35, depth};
      const std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 3);
      const std::vector<Frame> distorted = test_run::NoiseFrames(format, 3, 33);
      test_targets::ExpectSameScores(kFloatPsnr, options, reference, distorted);
    }
  }
}

TEST(FloatPsnrSimdTest, Bands) {
  test_targets::ExpectSquaredErrorBands(ChooseFloatPsnrSimd, [](int a, int b) { return FloatPsnrSquare(a - b); });
}

}  // namespace
}  // namespace lockstep
