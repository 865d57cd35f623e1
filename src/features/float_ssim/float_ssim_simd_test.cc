// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ssim's vector code gives the bits of its scalar code on every target.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_ssim/float_ssim.h"
#include "features/float_ssim/ssim_simd.h"
#include "features/float_ssim/ssim_statistic.h"
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
  const auto natural = pairs.Natural();
  const auto faint = [&](int, int x, int y) { return pairs.top() / 2 + (x + y) % 2; };
  pairs.Add("noise", noise, noise);
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("equal", pairs.Blocks(5, 3), pairs.Blocks(5, 3));
  pairs.Add("inverse", pairs.Columns(), pairs.Inverse(pairs.Columns()));
  // Variances that rounding makes negative, and covariances without deviations.
  pairs.Add("flat", pairs.Flat(pairs.top() - 1), faint);
  pairs.Add("extremes", pairs.Extremes(), pairs.Extremes());
  return pairs.Take();
}

void Compare(int width, int height, int depth, const OptionTexts& options) {
  const VideoFormat format = {PixelFormat::kYuv400, width, height, depth};
  test_targets::ExpectSameFacts(kFloatSsim, options, MakePairs(format));
}

const OptionTexts kTerms = {{"enable_lcs", "true"}};

TEST(FloatSsimSimdTest, SmallSizes) {
  for (int i = 0; i < 65; ++i) {
    Compare(11 + i, 11 + i * 29 % 33, test_targets::kRowDepths[i % 7], i % 2 == 0 ? OptionTexts{} : kTerms);
  }
}

TEST(FloatSsimSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) Compare(93, 19, depth, kTerms);
}

TEST(FloatSsimSimdTest, WidthsAroundRegisters) {
  int i = 0;
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {0, 1, 9, 10, 11, 17, 26, 33}) {
      Compare(base + more, 11 + i % 3, test_targets::kRowDepths[i % 7], i % 2 == 0 ? OptionTexts{} : kTerms);
      ++i;
    }
  }
}

TEST(FloatSsimSimdTest, Scales) {
  const int depths[] = {8, 10, 16, 12};
  for (int scale = 1; scale <= 10; ++scale) {
    for (int more = 0; more < 6; ++more) {
      const int width = 11 * scale + more * 7;
      const int height = 11 * scale + more * 5 % 6;
      Compare(width, height, depths[(scale + more) % 4], {{"scale", std::to_string(scale)}});
    }
  }
  Compare(385, 384, 8, {});
}

TEST(FloatSsimSimdTest, OptionsGiveTheScoresOfScalarCode) {
  const OptionTexts families[] = {{},
                                  {{"enable_db", "true"}},
                                  {{"enable_db", "true"}, {"clip_db", "true"}},
                                  {{"enable_lcs", "true"}, {"enable_db", "true"}},
                                  {{"enable_lcs", "true"}, {"scale", "2"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 10}) {
      const VideoFormat format = {PixelFormat::kYuv420, 77, 35, depth};
      test_targets::ExpectSameScores(kFloatSsim, options, test_run::NoiseFrames(format, 3, 3),
                                     test_run::NoiseFrames(format, 3, 33));
    }
  }
}

// The planes of a scale are in binary32, and their terms are wanted in other sets than float_ssim's.
TEST(FloatSsimSimdTest, FloatPlanesAndEverySetOfSums) {
  constexpr int kWidth = 75;
  constexpr int kHeight = 23;
  const i64 pitch = SsimPitch(kWidth);
  std::vector<AlignedBuffer> planes(2);
  std::uint64_t state = 5;
  for (AlignedBuffer& plane : planes) {
    plane.Resize(static_cast<std::size_t>(pitch * kHeight) * sizeof(float));
    for (i64 i = 0; i < pitch * kHeight; ++i) {
      plane.as<float>()[i] = static_cast<float>(test_run::NextRandom(state) >> 40) * 0x1.1p-16f - 3.0f;
    }
  }
  const SsimPlane reference = SsimPlaneOf(planes[0].as<float>(), pitch, kWidth, kHeight);
  const SsimPlane distorted = SsimPlaneOf(planes[1].as<float>(), pitch, kWidth, kHeight);
  AlignedBuffer lines(SsimStatisticBytes(kWidth));
  for (const SsimWanted wanted :
       {SsimWanted::kProduct, SsimWanted::kContrastAndStructure, SsimWanted::kTerms, SsimWanted::kProductAndTerms}) {
    const SsimStatisticArgs args = {reference, distorted, wanted, lines.data()};
    const SsimSums expected = SsimStatistic(args);
    EXPECT_EQ(expected.product != 0.0, wanted == SsimWanted::kProduct || wanted == SsimWanted::kProductAndTerms);
    EXPECT_EQ(expected.luminance != 0.0, wanted == SsimWanted::kTerms || wanted == SsimWanted::kProductAndTerms);
    EXPECT_EQ(expected.contrast != 0.0, wanted != SsimWanted::kProduct);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const SsimSums actual = ChooseSsimStatistic(target)(args);
      EXPECT_EQ(actual.product, expected.product) << CpuTargetName(target) << ", " << static_cast<int>(wanted);
      EXPECT_EQ(actual.luminance, expected.luminance) << CpuTargetName(target) << ", " << static_cast<int>(wanted);
      EXPECT_EQ(actual.contrast, expected.contrast) << CpuTargetName(target) << ", " << static_cast<int>(wanted);
      EXPECT_EQ(actual.structure, expected.structure) << CpuTargetName(target) << ", " << static_cast<int>(wanted);
    }
  }
}

// Sums of boxes are exact up to the greatest factor that is left to vector code, where columns come first.
TEST(FloatSsimSimdTest, LargeFactors) {
  for (const int factor : {17, 33, 63, 64}) {
    const VideoFormat format = {PixelFormat::kYuv400, 3 * factor + 5, 2 * factor + 1, 16};
    PicturePairs pairs(format, 11);
    pairs.Add("noise and extremes", pairs.Noise(), pairs.Extremes());
    pairs.Add(
        "ones among whites", [](int, int x, int y) { return (x * 7 + y) % 3 == 0 ? 1 : 65535; }, pairs.Flat(1));
    AlignedBuffer lines(SsimDecimateBytes(format.width, factor));
    const std::vector<float> kernel(static_cast<std::size_t>(factor * factor),
                                    1.0f / static_cast<float>(factor * factor));
    const i64 pitch = SsimPitch(SsimDecimatedLength(format.width, factor));
    const auto decimate = [&](SsimDecimateFunction function, const Frame& frame) {
      std::vector<float> out(static_cast<std::size_t>(pitch * SsimDecimatedLength(format.height, factor)));
      function({SsimPlaneOf(frame.plane(0), 16), factor, factor, kernel.data(), out.data(), pitch, lines.data()});
      return out;
    };
    for (const PicturePair& pair : pairs.Take()) {
      for (const Frame& frame : pair.frames) {
        const std::vector<float> expected = decimate(SsimDecimate, frame);
        for (const CpuTarget target : AvailableCpuTargets()) {
          EXPECT_EQ(decimate(ChooseSsimBoxDecimate(target, factor), frame), expected)
              << test_targets::PlaceOf(target, format) << ", " << pair.name;
        }
      }
    }
  }
  for (const CpuTarget target : AvailableCpuTargets()) EXPECT_EQ(ChooseSsimBoxDecimate(target, 65), &SsimDecimate);
}

}  // namespace
}  // namespace lockstep
