// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's vector code gives the integers of its scalar code on every target, in one piece and in bands.
#include "features/adm/adm_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/adm/adm.h"
#include "features/adm/adm_frame.h"
#include "features/adm/adm_test_pictures.h"
#include "features/test_run.h"
#include "features/test_targets.h"
#include "lanes/simd_targets.h"
// After the targets are chosen.
#include "features/adm/adm_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

i32 SplitReciprocal(i32 divisor) {
  const auto value = static_cast<i16>(divisor);
  ScalarLane::I16 negative_high;
  ScalarLane::I16 low;
  AdmSplitReciprocal16<ScalarLane>({value, value}, negative_high, low);
  return low.a - 32768 * negative_high.a;
}

/// Beside another divisor: small ones change the way.
i32 Reciprocal(i32 divisor, i32 other) {
  AdmDivisor<ScalarLane> divisors[3] = {AdmDivisor<ScalarLane>(divisor), AdmDivisor<ScalarLane>(other),
                                        AdmDivisor<ScalarLane>(0)};
  divisors[0].divisor = divisor;
  i32 reciprocals[3];
  AdmReciprocals32<ScalarLane>(divisors, reciprocals);
  return reciprocals[0];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

// `every`: one pair of so many.
void Compare(int width, int height, int bit_depth, const OptionTexts& options, int every = 1) {
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  std::vector<PicturePair> pairs = MakeAdmPairs(format, test_targets::SeedOf(format));
  int number = width;
  std::erase_if(pairs, [&](const PicturePair&) { return number++ % every != 0; });
  test_targets::ExpectSameFacts(kAdm, options, pairs);
}

AdmPlan MakePlan(int width, int height, int bit_depth) {
  AdmPlan plan;
  plan.columns = MakeAdmAxes(width, plan.skip_scale0);
  plan.rows = MakeAdmAxes(height, plan.skip_scale0);
  plan.csf = MakeAdmCsf({}).value();
  plan.bit_depth = bit_depth;
  for (std::size_t s = 0; s < kAdmScales; ++s) {
    plan.shifts[s] = MakeAdmShifts(static_cast<int>(s), plan.columns[s], plan.rows[s]);
  }
  return plan;
}

TEST(AdmSimdTest, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 43; ++i) {
    Compare(33 + i, 33 + i * 29 % 43, depths[i % 5], {});
    Compare(33 + i, 33 + i * 17 % 43, depths[(i + 2) % 5], {});
    Compare(33 + i, 33, depths[(i + 3) % 5], {});
  }
}

// Directions a little apart: some pixels are so close to one degree that binary32 cannot tell.
TEST(AdmSimdTest, NearPixels) {
  for (const int depth : {8, 10}) {
    const VideoFormat format{PixelFormat::kYuv400, 960, 540, depth};
    const int unit = 1 << (depth - 8);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      PicturePairs pairs(format, seed);
      const auto clean = [&](int, int x, int y) {
        return unit * (60 + (x / 2 * 5 + y * 3) % 97 + ((x / 16 + y / 16) % 2) * 70);
      };
      const auto brighter = [&](int p, int x, int y) { return clean(p, x, y) * (20 + x / 240) / 22; };
      pairs.Add("near " + std::to_string(seed), pairs.Noisy(3, clean), pairs.Noisy(2, brighter));
      test_targets::ExpectSameFacts(kAdm, {}, pairs.Take());
    }
  }
}

TEST(AdmSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) Compare(93, 50, depth, {});
}

TEST(AdmSimdTest, WidthsAroundRegisters) {
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64}) {
      Compare(base + more, 33 + more % 5, more % 2 == 0 ? 8 : 10, {}, base < 300 ? 1 : 3);
    }
  }
}

TEST(AdmSimdTest, Options) {
  for (const OptionTexts& options : AdmOptionFamilies()) {
    for (const int depth : {8, 10, 12, 16}) Compare(101 + depth, 67, depth, options);
  }
}

TEST(AdmSimdTest, FactorsAtTheEdgesOfTheDomain) {
  const std::vector<AdmFactors> fine = {{43899, 54516}, {43899, 0}, {0, 54516}, {32768, 32768}, {32767, 32769}, {1, 1}};
  const std::vector<AdmFactors> coarse = {{(1u << 28) - 1, (1u << 28) - 1}, {(1u << 28) - 1, 1}, {1, 0}, {0, 7}};
  const VideoFormat format{PixelFormat::kYuv400, 97, 83, 10};
  const std::vector<PicturePair> pairs = MakeAdmPairs(format, 5);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    AdmPlan plan = MakePlan(format.width, format.height, format.bit_depth);
    plan.csf.scales[0].fixed = fine[i];
    for (std::size_t s = 1; s < kAdmScales; ++s) plan.csf.scales[s].fixed = coarse[(i + s) % coarse.size()];
    const AdmRange all = {0, plan.rows[3].outputs};
    const std::unique_ptr<AdmFrame> scalar = AdmFrame::Make(plan, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      ASSERT_EQ(ChooseAdmSimd(target, plan) != nullptr, target != CpuTarget::kScalar);
      const std::unique_ptr<AdmFrame> frame = AdmFrame::Make(plan, target);
      for (const PicturePair& pair : pairs) {
        std::vector<Fact> expected(kAdmFacts);
        std::vector<Fact> facts(kAdmFacts);
        scalar->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0), all, expected);
        frame->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0), all, facts);
        ASSERT_EQ(facts, expected) << CpuTargetName(target) << ", " << i << ", " << pair.name;
      }
    }
  }
}

TEST(AdmSimdTest, FactorsBeyondTheDomainAreLeftToTheScalarCode) {
  const CpuTarget best = AvailableCpuTargets().back();
  for (const AdmFactors fixed : {AdmFactors{43900, 1}, AdmFactors{1, 54517}}) {
    AdmPlan plan = MakePlan(64, 64, 8);
    plan.csf.scales[0].fixed = fixed;
    EXPECT_EQ(ChooseAdmSimd(best, plan), nullptr);
  }
  for (std::size_t s = 1; s < kAdmScales; ++s) {
    for (const AdmFactors fixed : {AdmFactors{1u << 28, 1}, AdmFactors{1, 1u << 28}}) {
      AdmPlan plan = MakePlan(64, 64, 8);
      plan.csf.scales[s].fixed = fixed;
      EXPECT_EQ(ChooseAdmSimd(best, plan), nullptr);
    }
  }
}

TEST(AdmSimdTest, ReciprocalsEqualTheTable) {
  for (i32 divisor = 1; divisor < kAdmReciprocals; ++divisor) {
    const i32 expected = kAdmReciprocalOne / divisor;
    if (divisor < kAdmReciprocals - 1) {
      ASSERT_EQ(HWY_NAMESPACE::SplitReciprocal(divisor), expected) << divisor;
    }
    ASSERT_EQ(HWY_NAMESPACE::Reciprocal(divisor, 32768), expected) << divisor;
    ASSERT_EQ(HWY_NAMESPACE::Reciprocal(divisor, 1), expected) << divisor;
  }
}

// An error of the text shows here as well, one of an instruction set does not.
TEST(AdmSimdTest, TheTextIsExactOnTheScalarLane) {
  for (const int depth : {8, 10, 16}) {
    const VideoFormat format{PixelFormat::kYuv400, 83 + depth, 71, depth};
    for (const double gain_limit : {100.0, 1.2, 1.0}) {
      AdmPlan plan = MakePlan(format.width, format.height, depth);
      plan.gain_limit = gain_limit;
      const AdmRange all = {0, plan.rows[3].outputs};
      const std::unique_ptr<AdmFrame> scalar = AdmFrame::Make(plan, CpuTarget::kScalar);
      const AdmSimdBuffers buffers(plan.columns);
      for (const PicturePair& pair : MakeAdmPairs(format, 7)) {
        std::vector<Fact> expected(kAdmFacts);
        std::vector<Fact> facts(kAdmFacts);
        scalar->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0), all, expected);
        const AdmSimdArgs args = {plan, {pair.frames[0].plane(0), pair.frames[1].plane(0)}, all, buffers, facts};
        HWY_NAMESPACE::AdmWalk<ScalarLane>(args).Run();
        ASSERT_EQ(facts, expected) << depth << " bit, limit " << gain_limit << ", " << pair.name;
      }
    }
  }
}

TEST(AdmSimdTest, BandsAddUp) {
  for (const auto& [width, height] : {std::pair{70, 33}, {90, 101}, {131, 260}, {64, 541}}) {
    for (const bool skip_scale0 : {false, true}) {
      AdmPlan plan = MakePlan(width, height, 8);
      plan.skip_scale0 = skip_scale0;
      plan.columns = MakeAdmAxes(width, skip_scale0);
      plan.rows = MakeAdmAxes(height, skip_scale0);
      const VideoFormat format{PixelFormat::kYuv400, width, height, 8};
      const std::vector<PicturePair> pairs = MakeAdmPairs(format, 3);
      const i32 rows = plan.rows[3].outputs;
      for (const CpuTarget target : AvailableCpuTargets()) {
        const std::unique_ptr<AdmFrame> frame = AdmFrame::Make(plan, target);
        for (const PicturePair& pair : pairs) {
          std::vector<Fact> expected(kAdmFacts);
          frame->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0), {0, rows}, expected);
          for (const i32 bands : {2, 3, 5, rows}) {
            std::vector<Fact> sums(kAdmFacts);
            for (i32 band = 0; band < bands; ++band) {
              std::vector<Fact> part(kAdmFacts);
              frame->ExtractBand(pair.frames[0].plane(0), pair.frames[1].plane(0),
                                 {rows * band / bands, rows * (band + 1) / bands}, part);
              for (std::size_t i = 0; i < kAdmFacts; ++i) sums[i] += part[i];
            }
            ASSERT_EQ(sums, expected) << CpuTargetName(target) << ", " << width << "x" << height << ", " << bands
                                      << " bands, " << pair.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
