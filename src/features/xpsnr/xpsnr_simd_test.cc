// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr's vector code gives the integers of its scalar code on every target, however a picture is cut.
#include "features/xpsnr/xpsnr_simd.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "features/test_run.h"
#include "features/test_targets.h"
#include "features/xpsnr/xpsnr.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePairs;

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv420, PixelFormat::kYuv400, PixelFormat::kYuv422,
                                         PixelFormat::kYuv444};

/// The sums of a block and the error of its samples on every target.
void CompareBlock(const XpsnrPictures& pictures, const XpsnrBlock& block, int bit_depth, const std::string& place) {
  const XpsnrSimd scalar = ScalarXpsnr(bit_depth);
  const XpsnrBlockSums expected = scalar.block(pictures, block);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const XpsnrSimd simd = ChooseXpsnrSimd(target, bit_depth);
    if (simd.block == nullptr) continue;
    const XpsnrBlockSums actual = simd.block(pictures, block);
    const std::string where = std::string(CpuTargetName(target)) + ", " + place;
    ASSERT_EQ(actual.squared_error, expected.squared_error) << where;
    ASSERT_EQ(actual.spatial, expected.spatial) << where;
    ASSERT_EQ(actual.temporal, expected.temporal) << where;
    ASSERT_EQ(simd.error(pictures.reference, pictures.distorted, block), expected.squared_error) << where;
  }
}

XpsnrPlane LumaOf(const Frame& frame) {
  const PlaneView view = frame.plane(0);
  return {view.data, view.stride_bytes / frame.format().bytes_per_sample()};
}

/// Four pictures: reference, distorted, and the two references before it. The last pair has the greatest activities.
std::vector<std::vector<Frame>> Quadruples(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto checks = pairs.Blocks(1, 1);
  const auto large_checks = pairs.Blocks(2, 2);
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("noise", pairs.Extremes(), pairs.Noise());
  pairs.Add("checks", checks, pairs.Inverse(checks));
  pairs.Add("checks", pairs.Inverse(checks), checks);
  pairs.Add("large checks", large_checks, pairs.Inverse(large_checks));
  pairs.Add("large checks", pairs.Inverse(large_checks), large_checks);
  std::vector<test_targets::PicturePair> taken = pairs.Take();
  std::vector<std::vector<Frame>> quadruples;
  for (std::size_t i = 0; i < taken.size(); i += 2) {
    std::vector<Frame> frames = std::move(taken[i].frames);
    for (Frame& frame : taken[i + 1].frames) frames.push_back(std::move(frame));
    quadruples.push_back(std::move(frames));
  }
  return quadruples;
}

/// Blocks of whole pictures of this size, with both orders of differences and both sizes of samples.
void CompareSize(int width, int height, int bit_depth) {
  const VideoFormat format = {PixelFormat::kYuv400, width, height, bit_depth};
  for (const std::vector<Frame>& frames : Quadruples(format)) {
    for (const bool of_four : {false, true}) {
      for (const bool is_second : {false, true}) {
        XpsnrPictures pictures = {LumaOf(frames[0]), LumaOf(frames[1]), LumaOf(frames[2]), {}, width, height, of_four};
        if (is_second) pictures.earlier = LumaOf(frames[3]);
        const int border = of_four ? 2 : 1;
        XpsnrBlock block = {0, width, 0, height, border, width - border, border, height - border};
        const std::string place = std::to_string(width) + "x" + std::to_string(height) + ", " +
                                  std::to_string(bit_depth) + " bit, four " + std::to_string(of_four) + ", second " +
                                  std::to_string(is_second);
        CompareBlock(pictures, block, bit_depth, place);
        // A block that begins inside.
        if (width < 13 || height < 9) continue;
        block.left = block.inner_left = 8;
        block.top = block.inner_top = 4;
        CompareBlock(pictures, block, bit_depth, place + ", inside");
      }
    }
  }
}

TEST(XpsnrSimdTest, BlocksOfAnyWidth) {
  for (int width = 1; width <= 140; ++width) {
    for (int i = 0; i < 3; ++i) {
      const int depth = test_targets::kRowDepths[(width + 2 * i) % 7];
      CompareSize(width, 1 + (width * 29 + i * 5) % 12, depth);
    }
  }
}

TEST(XpsnrSimdTest, BlocksOfSeveralParts) {
  for (const int depth : {8, 12, 16}) {
    for (const int width : {255, 256, 257, 258, 259, 512, 513, 515, 1456}) CompareSize(width, 70, depth);
    CompareSize(64, 1456, depth);
  }
}

TEST(XpsnrSimdTest, SmallPictures) {
  for (const PixelFormat pixels : kPixelFormats) {
    for (const PlaneSize size : {PlaneSize{1, 1}, {2, 3}, {31, 9}, {44, 46}, {45, 45}, {90, 50}, {257, 145}}) {
      for (const int depth : test_targets::kRowDepths) {
        const VideoFormat format = {pixels, size.width, size.height, depth};
        const std::vector<Frame> reference = test_run::NoiseFrames(format, 4, 3);
        const std::vector<Frame> distorted = test_run::NoiseFrames(format, 4, 33);
        for (const char* fps : {"25", "50"}) {
          test_targets::ExpectSameScores(kXpsnr, {{"fps", fps}}, reference, distorted);
        }
      }
    }
  }
}

TEST(XpsnrSimdTest, LargePictures) {
  for (const PlaneSize size : {PlaneSize{1920, 1080}, {2047, 1155}, {4100, 602}}) {
    for (const int depth : {8, 10, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      const std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 3);
      const std::vector<Frame> distorted = test_run::NoiseFrames(format, 3, 33);
      test_targets::ExpectSameScores(kXpsnr, {{"fps", depth == 10 ? "50" : "25"}}, reference, distorted);
    }
  }
}

}  // namespace
}  // namespace lockstep
