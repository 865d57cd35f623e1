// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr's vector code gives the sums of its scalar code on every target.
#include "features/psnr/psnr_simd.h"

#include <gtest/gtest.h>

#include <vector>

#include "features/psnr/psnr.h"
#include "features/psnr/psnr_arithmetic.h"
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
  pairs.Add("faint noise", pairs.Noisy(4, gradient), gradient);
  pairs.Add("equal", gradient, gradient);
  pairs.Add("black and white", black, white);
  pairs.Add("white and black", white, black);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  return pairs.Take();
}

void Compare(const std::vector<VideoFormat>& formats) {
  for (const VideoFormat& format : formats) test_targets::ExpectSameFacts(kPsnr, {}, MakePairs(format));
}

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422,
                                         PixelFormat::kYuv444};

TEST(PsnrSimdTest, SmallSizes) { Compare(test_targets::ShortRows(kPixelFormats)); }

TEST(PsnrSimdTest, WidthsAroundRegisters) { Compare(test_targets::RowsAroundRegisters(kPixelFormats)); }

TEST(PsnrSimdTest, LongRows) { Compare(test_targets::LongRows()); }

TEST(PsnrSimdTest, OptionsGiveTheScoresOfScalarCode) {
  const std::vector<OptionTexts> families = {{},
                                             {{"enable_chroma", "false"}},
                                             {{"enable_mse", "true"}, {"enable_apsnr", "true"}},
                                             {{"reduced_hbd_peak", "true"}},
                                             {{"min_sse", "0.5"}}};
  for (const PixelFormat pixels : kPixelFormats) {
    for (const OptionTexts& options : families) {
      for (const int depth : test_targets::kRowDepths) {
        const VideoFormat format = {pixels, 77, 35, depth};
        const std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 3);
        const std::vector<Frame> distorted = test_run::NoiseFrames(format, 3, 33);
        test_targets::ExpectSameScores(kPsnr, options, reference, distorted);
      }
    }
  }
}

TEST(PsnrSimdTest, Bands) {
  test_targets::ExpectSquaredErrorBands(ChooseSquaredErrorSimd, [](int a, int b) { return SquaredError(a, b); });
}

}  // namespace
}  // namespace lockstep
