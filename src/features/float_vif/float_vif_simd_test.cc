// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif's vector code gives the bits of its scalar code on every target.
#include "features/float_vif/float_vif_simd.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "features/float_vif/float_vif.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> Pairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("natural and noisy", pairs.Natural(), pairs.Noisy(12, pairs.Gradient()));
  pairs.Add("extremes", pairs.Extremes(), pairs.Extremes());
  pairs.Add("inverted blocks", pairs.Blocks(5, 3), pairs.Inverse(pairs.Blocks(5, 3)));
  pairs.Add("less contrast", pairs.Natural(), pairs.ThreeQuarters(pairs.Natural()));
  pairs.Add("flat reference", pairs.Flat(pairs.top() / 3), pairs.Noise());
  pairs.Add("flat distorted", pairs.Noise(), pairs.Flat(0));
  return pairs.Take();
}

void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  test_targets::ExpectSameFacts(kFloatVif, options, Pairs(format));
}

TEST(FloatVifSimd, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 50; ++i) Compare(16 + i, 16 + i * 29 % 50, depths[i % 5], {});
}

TEST(FloatVifSimd, WidthsAroundRegistersAndStrips) {
  const int depths[] = {8, 10, 16};
  int i = 0;
  for (const int base : {64, 128, 320}) {
    for (const int more : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33}) {
      Compare(base + more, 16 + i % 5, depths[i % 3], {});
      ++i;
    }
  }
}

TEST(FloatVifSimd, EveryKernelScale) {
  int i = 0;
  for (const char* scale : {"0.5", "0.44444", "0.66667", "1.06667", "1.16667", "1.25", "1.41667", "1.4746", "1.66667",
                            "2", "2.4", "3", "3.71134"}) {
    for (const int width : {56, 64, 65, 97, 130}) {
      Compare(width, 72 - i % 16, i % 2 == 0 ? 8 : 10, {{"vif_kernelscale", scale}});
      ++i;
    }
  }
}

TEST(FloatVifSimd, Options) {
  const std::vector<OptionTexts> families = {
      {{"vif_enhn_gain_limit", "1"}},
      {{"vif_enhn_gain_limit", "1.3"}},
      {{"vif_sigma_nsq", "0"}},
      {{"vif_sigma_nsq", "0.1"}},
      {{"vif_sigma_nsq", "0.5"}},
      {{"vif_sigma_nsq", "1.3"}},
      {{"vif_sigma_nsq", "4"}},
      {{"vif_sigma_nsq", "5"}},
      {{"vif_skip_scale0", "true"}},
      {{"vif_prescale", "0.5"}},
      {{"vif_prescale", "1.3"}, {"vif_prescale_method", "bilinear"}},
      {{"vif_prescale", "0.75"}, {"vif_prescale_method", "bicubic"}},
      {{"vif_prescale", "1.1"}, {"vif_prescale_method", "lanczos4"}, {"vif_kernelscale", "1.5"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 10, 16}) Compare(61, 47, depth, options);
  }
}

TEST(FloatVifSimd, BandsAddUpToTheWhole) {
  for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"vif_prescale", "1.5"}}}) {
    for (const int height : {64, 161, 302}) {
      const VideoFormat format{PixelFormat::kYuv400, 77, height, height % 2 == 0 ? 8 : 10};
      const std::vector<PicturePair> pairs = Pairs(format);
      const std::vector<Fact> expected = test_targets::FactsOf(kFloatVif, options, pairs[1], CpuTarget::kScalar);
      for (const CpuTarget target : AvailableCpuTargets()) {
        for (const int bands : {2, 3, 5}) {
          ASSERT_EQ(test_targets::FactsOfBands(kFloatVif, options, pairs[1], target, bands), expected)
              << test_targets::PlaceOf(target, format) << ", " << bands << " bands";
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
