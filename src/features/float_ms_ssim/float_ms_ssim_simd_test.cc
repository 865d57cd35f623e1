// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ms_ssim's vector code gives the bits of its scalar code on every target.
#include "features/float_ms_ssim/float_ms_ssim_simd.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_ms_ssim/float_ms_ssim.h"
#include "features/float_ms_ssim/float_ms_ssim_arithmetic.h"
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
  const auto natural = pairs.Natural();
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("natural", natural, pairs.ThreeQuarters(natural));
  pairs.Add("stripes", pairs.Columns(), pairs.Flat(pairs.top()));
  return pairs.Take();
}

void Compare(int width, int height, int depth, const OptionTexts& options) {
  const VideoFormat format = {PixelFormat::kYuv400, width, height, depth};
  test_targets::ExpectSameFacts(kFloatMsSsim, options, MakePairs(format));
}

TEST(FloatMsSsimSimdTest, WidthsAroundRegisters) {
  int i = 0;
  for (const int width : {176, 177, 191, 193, 208, 223, 257}) {
    const OptionTexts options = i % 2 == 0 ? OptionTexts{} : OptionTexts{{"enable_lcs", "true"}};
    Compare(width, 176 + i % 5, test_targets::kRowDepths[i % 7], options);
    ++i;
  }
}

TEST(FloatMsSsimSimdTest, Depths) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) Compare(181, 177, depth, {{"enable_lcs", "true"}});
}

TEST(FloatMsSsimSimdTest, OptionsGiveTheScoresOfScalarCode) {
  const OptionTexts families[] = {
      {}, {{"enable_db", "true"}}, {{"enable_db", "true"}, {"clip_db", "true"}, {"enable_lcs", "true"}}};
  const VideoFormat format = {PixelFormat::kYuv422, 181, 176, 10};
  const std::vector<Frame> reference = test_run::NoiseFrames(format, 2, 3);
  for (const OptionTexts& options : families) {
    test_targets::ExpectSameScores(kFloatMsSsim, options, reference, reference);
  }
}

std::vector<float> Halved(SsimDecimateFunction function, const SsimPlane& plane) {
  const i64 pitch = SsimPitch(SsimDecimatedLength(plane.width, 2));
  AlignedBuffer lines(SsimDecimateBytes(plane.width, kMsSsimTaps));
  std::vector<float> out(static_cast<std::size_t>(pitch * SsimDecimatedLength(plane.height, 2)));
  const SsimDecimateArgs args = {plane, 2, kMsSsimTaps, kMsSsimKernel.values, out.data(), pitch, lines.data()};
  function(args);
  // The second time meets what the first one left in the lines.
  function(args);
  // What lies beside the rows is nobody's.
  const i32 width = SsimDecimatedLength(plane.width, 2);
  std::vector<float> rows;
  for (i32 y = 0; y < SsimDecimatedLength(plane.height, 2); ++y) {
    rows.insert(rows.end(), out.begin() + y * pitch, out.begin() + y * pitch + width);
  }
  return rows;
}

// The smallest planes that are halved are those of the fourth scale, 22x22.
TEST(FloatMsSsimSimdTest, HalvingOfSmallPlanes) {
  for (int width = 22; width <= 90; ++width) {
    const int height = 22 + width * 29 % 13;
    const int depth = test_targets::kRowDepths[width % 7];
    const VideoFormat format = {PixelFormat::kYuv400, width, height, depth};
    const Frame noise = test_run::NoiseFrame(format, static_cast<std::uint64_t>(width));
    const SsimPlane plane = SsimPlaneOf(noise.plane(0), depth);
    const i64 pitch = SsimPitch(width);
    AlignedBuffer floats(static_cast<std::size_t>(pitch * height) * sizeof(float));
    std::uint64_t state = 3;
    for (i64 i = 0; i < pitch * height; ++i) {
      floats.as<float>()[i] = static_cast<float>(test_run::NextRandom(state) >> 40) * 0x1.1p-16f - 3.0f;
    }
    const SsimPlane float_plane = SsimPlaneOf(floats.as<float>(), pitch, width, height);
    const std::vector<float> expected = Halved(SsimDecimate, plane);
    const std::vector<float> expected_float = Halved(SsimDecimate, float_plane);
    for (const CpuTarget target : AvailableCpuTargets()) {
      EXPECT_EQ(Halved(ChooseMsSsimHalve(target), plane), expected) << test_targets::PlaceOf(target, format);
      EXPECT_EQ(Halved(ChooseMsSsimHalve(target), float_plane), expected_float)
          << test_targets::PlaceOf(target, format);
    }
  }
}

}  // namespace
}  // namespace lockstep
