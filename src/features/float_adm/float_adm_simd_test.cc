// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm's vector code gives the bits of its scalar code on every target.
#include "features/float_adm/float_adm_simd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "features/float_adm/float_adm.h"
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
  pairs.Add("more contrast", pairs.ThreeQuarters(pairs.Natural()), pairs.Natural());
  pairs.Add("flat reference", pairs.Flat(pairs.top() / 3), pairs.Noise());
  pairs.Add("flat distorted", pairs.Noise(), pairs.Flat(0));
  return pairs.Take();
}

void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  test_targets::ExpectSameFacts(kFloatAdm, options, Pairs(format));
}

TEST(FloatAdmSimd, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 80; ++i) Compare(17 + i, 17 + i * 29 % 80, depths[i % 5], {});
}

TEST(FloatAdmSimd, WidthsAroundRegisters) {
  const int depths[] = {8, 10, 16};
  int i = 0;
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {-1, 0, 1, 2, 3, 15, 16, 17, 31, 32, 33}) {
      Compare(base + more, 17 + i % 5, depths[i % 3], {});
      ++i;
    }
  }
}

TEST(FloatAdmSimd, Options) {
  const std::vector<OptionTexts> families = {{{"adm_enhn_gain_limit", "1"}},
                                             {{"adm_enhn_gain_limit", "1.2"}},
                                             {{"adm_enhn_gain_limit", "1.5"}},
                                             {{"adm_enhn_gain_limit", "99.9"}},
                                             {{"adm_bypass_cm", "1"}},
                                             {{"adm_p_norm", "1"}},
                                             {{"adm_p_norm", "2"}},
                                             {{"adm_p_norm", "2.5"}},
                                             {{"adm_p_norm", "20"}},
                                             {{"adm_skip_scale0", "true"}},
                                             {{"adm_csf_mode", "1"}},
                                             {{"adm_csf_mode", "2"}, {"adm_noise_weight", "0"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 10, 16}) Compare(101, 67, depth, options);
  }
}

// Every estimate of the reciprocal, by way of what is restored of a coefficient, next to and beyond the limits. Where
// the estimate ties, the Newton step hides most differences, so all numbers that share it are tried.
TEST(FloatAdmSimd, EveryReciprocal) {
  std::vector<float> reference;
  std::vector<float> distorted;
  const auto add = [&](int i, int low) {
    const float mantissa = 1.0f + static_cast<float>(i * 4096 + low) * 0x1p-23f;
    reference.push_back(std::ldexp(low % 2 == 0 ? mantissa : -mantissa, i % 11 - 5));
    distorted.push_back(reference.back() * (static_cast<float>((i + low) % 13) * 0.1f));
  };
  for (int i = 0; i < 2048; ++i) {
    for (int low = 0; low < 4096; low += (i == 1984 || i == 2047 ? 1 : 500)) add(i, low);
  }
  const auto count = static_cast<i32>(reference.size());
  reference.resize(reference.size() + 64);
  distorted.resize(distorted.size() + 64);
  std::vector<float> opposite = distorted;
  for (float& value : opposite) value = -value;
  const auto run = [&](CpuTarget target) {
    std::vector<std::vector<float>> rows(15, std::vector<float>(reference.size()));
    FloatAdmDecoupleArgs args{};
    args.columns = {0, count};
    args.gain_limit = 1.05;
    for (int band = 0; band < kFloatAdmBands; ++band) {
      const auto b = static_cast<std::size_t>(band);
      args.reference[band] = reference.data();
      // Not aligned with the reference, so that the product with the reciprocal counts.
      args.distorted[band] = band == 1 ? opposite.data() : distorted.data();
      args.factors[band] = 1.0f + static_cast<float>(band);
      args.impaired.magnitude[band] = rows[b].data();
      args.impaired.mask[band] = rows[3 + b].data();
      args.restored.magnitude[band] = rows[6 + b].data();
      args.restored.mask[band] = rows[9 + b].data();
      args.terms[band] = rows[12 + b].data();
    }
    ChooseFloatAdmPasses(target, args.gain_limit).decouple(args);
    for (std::vector<float>& row : rows) row.resize(static_cast<std::size_t>(count));
    return rows;
  };
  const std::vector<std::vector<float>> expected = run(CpuTarget::kScalar);
  for (const CpuTarget target : AvailableCpuTargets()) EXPECT_EQ(run(target), expected) << CpuTargetName(target);
}

// Powers of numbers of every size, and of those whose power is halfway between two binary32 numbers.
TEST(FloatAdmSimd, Powers) {
  std::vector<float> terms;
  std::uint64_t state = 7;
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(test_run::NextRandom(state) >> 33);
    // Full range, the usual range, and short mantissas, whose powers may be exact ties.
    const std::uint32_t kinds[] = {bits, (bits & 0x07ffffffu) + 0x3c000000u, (bits & 0x07ff0000u) + 0x3c000000u};
    const float term = std::bit_cast<float>(kinds[i % 3]);
    if (std::isfinite(term)) terms.push_back(term);
  }
  for (const float special : {0.0f, 1.0f, 2.0f, 0.5f, 3.0f, 0x1p-126f, 0x1p-149f, 0x1.fffffep-127f}) {
    terms.push_back(special);
  }
  const auto count = static_cast<i32>(terms.size());
  terms.resize(terms.size() + 64);
  for (const float exponent : {1.0f, 1.001f, 1.5f, 2.0f, 2.5f, 3.1f, 4.0f, 4.5f, 20.0f}) {
    std::vector<float> expected = terms;
    ScalarFloatAdmPasses().power(expected.data(), {3, count}, exponent);
    for (const CpuTarget target : AvailableCpuTargets()) {
      std::vector<float> actual = terms;
      ChooseFloatAdmPasses(target, 100.0).power(actual.data(), {3, count}, exponent);
      for (i32 i = 0; i < count; ++i) {
        ASSERT_EQ(actual[static_cast<std::size_t>(i)], expected[static_cast<std::size_t>(i)])
            << CpuTargetName(target) << ": " << terms[static_cast<std::size_t>(i)] << "^" << exponent;
      }
    }
  }
}

TEST(FloatAdmSimd, BandsAddUpToTheWhole) {
  for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"adm_skip_scale0", "true"}}}) {
    for (const int height : {64, 67, 161, 302}) {
      const VideoFormat format{PixelFormat::kYuv400, 77, height, height % 2 == 0 ? 8 : 10};
      const std::vector<PicturePair> pairs = Pairs(format);
      const std::vector<Fact> expected = test_targets::FactsOf(kFloatAdm, options, pairs[1], CpuTarget::kScalar);
      for (const CpuTarget target : AvailableCpuTargets()) {
        for (const int bands : {2, 3, 5}) {
          ASSERT_EQ(test_targets::FactsOfBands(kFloatAdm, options, pairs[1], target, bands), expected)
              << test_targets::PlaceOf(target, format) << ", " << bands << " bands";
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
