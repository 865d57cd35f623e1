// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs's vector code gives the errors of its scalar code on every target.
#include "features/psnr_hvs/psnr_hvs_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "features/psnr_hvs/psnr_hvs.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto noise = pairs.Noise();
  const auto gradient = pairs.Gradient();
  const auto natural = pairs.Natural();
  const auto extremes = pairs.Extremes();
  const auto black = pairs.Flat(0);
  const auto white = pairs.Flat(pairs.top());
  pairs.Add("noise", noise, noise);
  pairs.Add("faint noise", pairs.Noisy(4, gradient), gradient);
  pairs.Add("natural", natural, natural);
  pairs.Add("extremes", extremes, extremes);
  pairs.Add("equal", gradient, gradient);
  pairs.Add("black and white", black, white);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  pairs.Add("one step", pairs.Flat(pairs.unit() * 100), pairs.Flat(pairs.unit() * 101));
  return pairs.Take();
}

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444};
constexpr int kDepths[] = {8, 9, 10, 11, 12};

// Every number of blocks across up to a little more than three groups, and every rest beyond the last block.
TEST(PsnrHvsSimdTest, Widths) {
  for (int blocks = 1; blocks <= 3 * kPsnrHvsGroup + 2; ++blocks) {
    const int width = kPsnrHvsStep * blocks + 1 + blocks % kPsnrHvsStep;
    const VideoFormat format = {PixelFormat::kYuv444, width, 8 + blocks % 13, kDepths[blocks % 5]};
    test_targets::ExpectSameFacts(kPsnrHvs, {}, MakePairs(format));
  }
}

TEST(PsnrHvsSimdTest, FormatsAndDepths) {
  for (const PixelFormat pixels : kPixelFormats) {
    for (const int depth : kDepths) {
      for (const PlaneSize size : {PlaneSize{16, 16}, PlaneSize{33, 47}, PlaneSize{131, 64}, PlaneSize{257, 45}}) {
        test_targets::ExpectSameFacts(kPsnrHvs, {}, MakePairs({pixels, size.width, size.height, depth}));
      }
    }
  }
}

// Pictures large enough that most groups are added in any order, with terms that are half-way between two values of the
// sum: blocks that differ by a constant have one term each, a small integer times the square of one weight.
TEST(PsnrHvsSimdTest, LongChains) {
  for (const int depth : kDepths) {
    const VideoFormat format = {PixelFormat::kYuv420, 640, 360, depth};
    PicturePairs pairs(format, 7);
    const auto gradient = pairs.Gradient();
    const auto one_loud_block = [&](int, int x, int y) { return x < 8 && y < 8 ? pairs.top() : pairs.unit() * 50; };
    pairs.Add("faint noise", pairs.Noisy(3, gradient), gradient);
    pairs.Add("one loud block first", one_loud_block, pairs.Noisy(2, pairs.Flat(pairs.unit() * 50)));
    pairs.Add("constants", pairs.Flat(pairs.unit() * 90), pairs.Blocks(56, 28));
    test_targets::ExpectSameFacts(kPsnrHvs, {}, pairs.Take());
  }
}

TEST(PsnrHvsSimdTest, GreatestCoefficientsOfTwelveBits) {
  const VideoFormat format = {PixelFormat::kYuv444, 300, 43, 12};
  PicturePairs pairs(format, 3);
  const auto black = pairs.Flat(0);
  for (const int period : {1, 2, 3, 4, 7}) {
    pairs.Add("blocks", pairs.Blocks(period, period), black);
    pairs.Add("columns", pairs.Blocks(period, 1000), pairs.Inverse(pairs.Blocks(period, 1000)));
    pairs.Add("rows", pairs.Blocks(1000, period), pairs.Inverse(pairs.Blocks(1000, period)));
  }
  test_targets::ExpectSameFacts(kPsnrHvs, {}, pairs.Take());
}

}  // namespace
}  // namespace lockstep
