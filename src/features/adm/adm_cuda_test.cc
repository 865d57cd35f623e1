// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's tuned CUDA program: its kernels on the host give the scalar code's facts; which kernels it takes; its plans.
#include "features/adm/adm_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Before the kernels.
#include "features/device/test_cuda_intrinsics.h"
//
#include "features/adm/adm.h"
#include "features/adm/adm_cuda_kernels.cuh"
#include "features/adm/adm_test_pictures.h"
#include "features/device/test_cuda_run.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::OptionTexts;

const test_cuda::Kernels kKernels = {{"strip_s0_u8", lockstep_adm_strip_s0_u8},
                                     {"strip_s0_u16", lockstep_adm_strip_s0_u16},
                                     {"strip_s1", lockstep_adm_strip_s1},
                                     {"strip_s2", lockstep_adm_strip_s2},
                                     {"strip_s3", lockstep_adm_strip_s3},
                                     {"general_s0_u8", lockstep_adm_general_s0_u8},
                                     {"general_s0_u16", lockstep_adm_general_s0_u16},
                                     {"general_s1", lockstep_adm_general_s1},
                                     {"general_s2", lockstep_adm_general_s2},
                                     {"general_s3", lockstep_adm_general_s3},
                                     {"add_rows", lockstep_adm_add_rows}};

VideoFormat Luma(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

struct Pairs {
  Pairs(const VideoFormat& format, int every) {
    int number = format.width;
    for (test_targets::PicturePair& pair : MakeAdmPairs(format, test_targets::SeedOf(format))) {
      if (number++ % every != 0) continue;
      reference.push_back(std::move(pair.frames[0]));
      distorted.push_back(std::move(pair.frames[1]));
    }
  }
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
};

/// Every `every`th pair of pictures, as one batch.
void Compare(const VideoFormat& format, const OptionTexts& options, int every, int multiprocessors = 132) {
  const std::unique_ptr<Feature> feature = MakeFeature(kAdm, options, format);
  const auto program = feature->MakeDeviceProgram(test_cuda::Traits(multiprocessors));
  const Pairs pairs(format, every);
  EXPECT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, pairs.reference, pairs.distorted),
            test_run::ScalarFacts(*feature, pairs.reference, pairs.distorted))
      << format.width << "x" << format.height << ", " << format.bit_depth << " bit, " << multiprocessors
      << " multiprocessors" << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
}

TEST(AdmCudaTest, GeneralKernels) {
  for (const int depth : {8, 16}) Compare(Luma(64, 50, depth), {}, 1);
  const PlaneSize sizes[] = {{33, 33}, {34, 47}, {47, 34}, {120, 37}, {121, 36}, {122, 35}, {123, 34}, {243, 33}};
  int depth = 8;
  for (const PlaneSize size : sizes) {
    Compare(Luma(size.width, size.height, depth), {}, 4, 1 + size.width % 5);
    depth = depth == 16 ? 8 : depth + 1;
  }
}

// Wide enough for borders at every scale.
TEST(AdmCudaTest, FastKernels) {
  for (const int depth : {8, 16}) Compare(Luma(400, 49, depth), {}, 1);
  const PlaneSize sizes[] = {{321, 33}, {367, 34}, {482, 47}, {486, 39}, {603, 36}};
  int depth = 8;
  for (const PlaneSize size : sizes) {
    Compare(Luma(size.width, size.height, depth), {}, 4, 1 + size.width % 40);
    depth += 2;
  }
}

TEST(AdmCudaTest, Options) {
  int number = 0;
  for (const OptionTexts& options : AdmOptionFamilies()) {
    const int depth = number % 3 == 0 ? 8 : (number % 3 == 1 ? 10 : 16);
    Compare(Luma(320 + number, 36, depth), options, 4);
    Compare(Luma(40 + number, 37, depth == 8 ? 12 : 8), options, 3);
    ++number;
  }
}

TEST(AdmCudaTest, LongSegments) { Compare(Luma(322, 600, 8), {}, 7, 1); }

/// The rearranged steps of the fast kernels beside the formulas, for operands of all sizes.
class AdmCudaStepTest : public testing::Test {
 protected:
  static constexpr int kCount = 2'000'000;

  u64 Bits() { return test_run::NextRandom(state_); }
  /// As likely small as large.
  i32 Magnitude(i32 greatest) {
    const auto value = static_cast<i32>(Bits() >> 33 >> (Bits() % 31));
    return std::min(value, greatest);
  }
  i32 Coefficient(i32 greatest) {
    const i32 value = Magnitude(greatest);
    return Bits() % 2 == 0 ? value : -value;
  }
  /// Of a coefficient that may be like another one.
  i32 Like(i32 value, i32 greatest) {
    switch (Bits() % 4) {
      case 0:
        return value;
      case 1:
        return static_cast<i32>(i64{value} * static_cast<i64>(Bits() % 1024) / 1024);
      case 2:
        return std::clamp(value + static_cast<i32>(Bits() % 7) - 3, -greatest, greatest);
      default:
        return Coefficient(greatest);
    }
  }

  template <i32 S>
  void CheckRestored(i32 greatest) {
    const i32* const table = kAdmReciprocalTable.data();
    for (int i = 0; i < kCount; ++i) {
      const i32 o = Coefficient(greatest);
      const i32 t = Like(o, greatest);
      const bool near = Bits() % 2 == 0;
      const auto limit = static_cast<i32>(1 + Bits() % 100);
      const i32 expected = AdmRestore<S, AdmIntegerSteps<i32>>(o, t, near, table, limit);
      const u32 magnitude = AdmRestoreFast<S>(AdmMagnitude(o), o >> 31, t, near, table, static_cast<u32>(limit),
                                              0x7fffffffu / static_cast<u32>(limit));
      ASSERT_EQ(AdmWithSign(static_cast<i32>(magnitude), o >> 31), expected) << o << ", " << t << ", " << limit;
    }
  }

  /// What is decided is right, next to one degree and elsewhere.
  template <i32 S>
  void CheckNear(i32 greatest) {
    int count[3] = {0, 0, 0};
    for (int i = 0; i < kCount; ++i) {
      const i32 oh = Coefficient(greatest / 4);
      const i32 ov = Like(oh, greatest / 4);
      // Turned by about one degree.
      const double turn = 0.017455 + static_cast<double>(i % 3 - 1) * 1e-7 * static_cast<double>(Bits() % 1024);
      const double gain = static_cast<double>(Bits() % 2048) / 1024.0;
      const bool turned = i % 4 != 0;
      const i32 th = turned ? static_cast<i32>((oh - ov * turn) * gain) : Like(oh, greatest);
      const i32 tv = turned ? static_cast<i32>((ov + oh * turn) * gain) : Like(ov, greatest);
      bool undecided = false;
      const bool near = AdmIsNearFast<S>(oh, ov, th, tv, undecided);
      const bool expected = AdmIsNear<S, AdmBinary64Steps>(oh, ov, th, tv);
      if (!undecided) {
        ASSERT_EQ(near, expected) << oh << ", " << ov << ", " << th << ", " << tv;
      }
      ++count[undecided ? 2 : static_cast<int>(near)];
    }
    EXPECT_GT(count[0], kCount / 8);
    EXPECT_GT(count[1], kCount / 8);
    EXPECT_GT(count[2], 100);
  }

  template <i32 S, bool kDiagonal>
  void CheckMask(i32 greatest, u32 greatest_factor) {
    for (int i = 0; i < kCount / 2; ++i) {
      const u32 factor =
          i % 2 == 0 ? greatest_factor - static_cast<u32>(i % 8) : static_cast<u32>(Bits()) % greatest_factor;
      const i32 value = i % 3 == 0 ? (Bits() % 2 == 0 ? greatest : -greatest) : Coefficient(greatest);
      i32 neighbour = 0;
      i32 centre = 0;
      i32 weighted = 0;
      AdmAddMaskTerms<S, kDiagonal, false>(value, factor, neighbour, centre, weighted);
      const i32 expected = AdmWeight<S, kDiagonal>(value, factor);
      const AdmMaskTerms terms = AdmMask<S>(expected);
      constexpr i32 kMore = S == 0 ? 0 : 1;
      ASSERT_EQ(weighted, expected) << value << ", " << factor;
      ASSERT_EQ(neighbour, terms.neighbour + kMore) << value << ", " << factor;
      ASSERT_EQ(centre, terms.centre + kMore) << value << ", " << factor;
    }
  }

  template <i32 S>
  void CheckCubes(i32 greatest, i32 greatest_hv, i32 greatest_d) {
    for (int i = 0; i < kCount / 2; ++i) {
      const auto shift = static_cast<i32>(Bits() % 15);
      const i32 magnitude = i % 3 == 0 ? greatest - i % 5 : Magnitude(greatest);
      const u64 sum = Bits() >> 20;
      ASSERT_EQ(AdmAddCoefficientCube<S>(sum, static_cast<u32>(magnitude), AdmHalf(shift), shift),
                sum + AdmCoefficientCube<S>(magnitude, shift));
      const i32 hv = i % 3 == 0 ? greatest_hv - i % 5 : Magnitude(greatest_hv);
      ASSERT_EQ((AdmVisibleCubeFast<S, false>(static_cast<u32>(hv), AdmHalf(shift), shift)),
                static_cast<u64>(AdmVisibleCube<S, false>(hv, shift)));
      const i32 d = i % 3 == 0 ? greatest_d - i % 5 : Magnitude(greatest_d);
      ASSERT_EQ((AdmVisibleCubeFast<S, true>(static_cast<u32>(d), AdmHalf(shift), shift)),
                static_cast<u64>(AdmVisibleCube<S, true>(d, shift)));
    }
  }

  template <class Sample>
  void CheckVertical(i32 bit_depth) {
    const auto top = static_cast<u32>((1 << bit_depth) - 1);
    for (int i = 0; i < kCount / 16; ++i) {
      Sample samples[4][kAdmQuad];
      for (auto& row : samples) {
        for (Sample& sample : row) {
          sample = static_cast<Sample>(Bits() % 3 == 0 ? (Bits() % 2 == 0 ? 0 : top) : Bits() % (top + 1));
        }
      }
      const i32 all[kAdmQuad] = {0, 1, 2, 3};
      AdmRowPair<Sample> upper;
      AdmRowPair<Sample> lower;
      upper.Set(AdmGather<Sample>(samples[0], all), AdmGather<Sample>(samples[1], all));
      lower.Set(AdmGather<Sample>(samples[2], all), AdmGather<Sample>(samples[3], all));
      const AdmLineQuad line = AdmFilterSamples<Sample>(upper, lower, bit_depth);
      for (i32 c = 0; c < kAdmQuad; ++c) {
        i16 low = 0;
        i16 high = 0;
        AdmVertical<0>(samples[0][c], samples[1][c], samples[2][c], samples[3][c], bit_depth, low, high);
        ASSERT_EQ(line.low[c], low);
        ASSERT_EQ(line.high[c], high);
      }
    }
  }

  static constexpr i32 kGreatest = 22930;                // coefficient of scale 0
  static constexpr i32 kGreatestCoarse = 2'120'000'000;  // of the others
  std::uint64_t state_ = 1;
};

TEST_F(AdmCudaStepTest, Restored) {
  CheckRestored<0>(kGreatest);
  CheckRestored<1>(kGreatestCoarse);
}

// Where both parts of a product have many bits, so that its rounding depends on the sign.
TEST_F(AdmCudaStepTest, RestoredFromLargeCoefficients) {
  const i32* const table = kAdmReciprocalTable.data();
  for (int i = 0; i < kCount; ++i) {
    const i32 o = -static_cast<i32>(kGreatestCoarse - Bits() % (1u << 30)) / 32768 * 32768 - 16384;
    const auto t = static_cast<i32>(static_cast<i64>(o) * static_cast<i64>(Bits() % 32768) / 32768);
    const i32 expected = AdmRestore<1, AdmIntegerSteps<i32>>(o, t, false, table, 100);
    const u32 magnitude = AdmRestoreFast<1>(AdmMagnitude(o), -1, t, false, table, 100, 0x7fffffffu / 100);
    ASSERT_EQ(-static_cast<i32>(magnitude), expected) << o << ", " << t;
  }
}

TEST_F(AdmCudaStepTest, Near) {
  CheckNear<0>(kGreatest);
  CheckNear<1>(kGreatestCoarse);
}

TEST_F(AdmCudaStepTest, Masks) {
  CheckMask<0, false>(kGreatest, 43899);
  CheckMask<0, true>(kGreatest, 65535);
  CheckMask<1, false>(kGreatestCoarse, (1u << 28) - 1);
  CheckMask<1, true>(kGreatestCoarse, (1u << 28) - 1);
}

TEST_F(AdmCudaStepTest, Cubes) {
  CheckCubes<0>(kGreatest, kGreatest * 43899, kGreatest * 65535);
  CheckCubes<1>(kGreatestCoarse, kGreatestCoarse, kGreatestCoarse);
  CheckCubes<2>(kGreatestCoarse, kGreatestCoarse, kGreatestCoarse);
}

TEST_F(AdmCudaStepTest, VerticalResults) {
  CheckVertical<u8>(8);
  for (const i32 bit_depth : {9, 10, 12, 16}) CheckVertical<u16>(bit_depth);
}

std::vector<std::string_view> KernelsOf(const VideoFormat& format, const OptionTexts& options) {
  const auto program = MakeFeature(kAdm, options, format)->MakeDeviceProgram(test_cuda::Traits(132));
  AlignedBuffer scratch;
  scratch.Resize(program->needs().scratch);
  DeviceFrame frame;
  frame.scratch = scratch.data();
  DeviceSteps steps;
  program->AddSteps(frame, steps);
  std::vector<std::string_view> names;
  for (const DeviceStep& step : steps.steps()) names.emplace_back(step.kernels.front());
  return names;
}

TEST(AdmCudaTest, ModelsUseFastKernels) {
  using Names = std::vector<std::string_view>;
  const Names fast = {"strip_s0_u8", "strip_s1", "strip_s2", "strip_s3", "add_rows"};
  const Names fast16 = {"strip_s0_u16", "strip_s1", "strip_s2", "strip_s3", "add_rows"};
  const Names general = {"general_s0_u8", "general_s1", "general_s2", "general_s3", "add_rows"};
  const OptionTexts v1 = {{"adm_csf_mode", "2"}, {"adm_enhn_gain_limit", "1"}};
  for (const PlaneSize size : {PlaneSize{400, 240}, {576, 324}, {1920, 1080}, {3840, 2160}}) {
    EXPECT_EQ(KernelsOf(Luma(size.width, size.height, 8), {}), fast) << size.width;
    EXPECT_EQ(KernelsOf(Luma(size.width, size.height, 10), {}), fast16) << size.width;
    EXPECT_EQ(KernelsOf(Luma(size.width, size.height, 8), v1), fast) << size.width;
    EXPECT_EQ(KernelsOf(Luma(size.width, size.height, 8), {{"adm_enhn_gain_limit", "1.5"}}), general) << size.width;
  }
}

AdmPlan PlanWithFactors(AdmFactors factors) {
  AdmPlan plan;
  plan.columns = MakeAdmAxes(576, false);
  plan.rows = MakeAdmAxes(324, false);
  for (std::size_t s = 0; s < kAdmScales; ++s) plan.csf.scales[s].fixed = factors;
  return plan;
}

// The greatest factor is the one of which the neighbour term of the greatest coefficient does not wrap.
TEST(AdmCudaTest, FastKernelsKnowTheirFactors) {
  constexpr i32 kGreatestCoefficient = 22930;
  const auto has_fast = [](u32 hv, u32 d, std::size_t s) { return AdmHasFastKernels(PlanWithFactors({hv, d}), s); };
  const auto neighbour = [](u32 factor) {
    return AdmMask<0>(AdmWeight<0, false>(kGreatestCoefficient, factor)).neighbour;
  };
  u32 factor = 1;
  while (has_fast(factor, 65535, 0)) {
    ASSERT_GE(neighbour(factor), 0) << factor;
    ++factor;
  }
  EXPECT_LT(neighbour(factor + 1), 0);
  EXPECT_GT(AdmMask<0>(AdmWeight<0, true>(kGreatestCoefficient, 65535)).neighbour, 0);
  for (std::size_t s = 1; s < kAdmScales; ++s) {
    EXPECT_TRUE(has_fast(0xfffffffu, 0xfffffffu, s));
    EXPECT_FALSE(has_fast(0x10000000u, 1, s));
    EXPECT_FALSE(has_fast(1, 0x10000000u, s));
  }
}

TEST(AdmCudaTest, SegmentsCoverTheRows) {
  for (const int rows : {1, 2, 3, 7, 33, 96, 97, 193, 866, 1080, 16384}) {
    for (const int strips : {1, 5, 26, 274}) {
      for (const int frames : {1, 4, 16}) {
        for (const int multiprocessors : {1, 30, 132}) {
          const AdmSegmentPlan plan = PlanAdmSegments(rows, strips, frames, multiprocessors, 16);
          EXPECT_GE(plan.rows * plan.segments, rows);
          EXPECT_LT(plan.rows * (plan.segments - 1), rows);
          EXPECT_EQ(plan.strips, strips);
          const AdmSegmentPlan unpacked = AdmUnpackPlan(AdmPackPlan(plan));
          EXPECT_EQ(unpacked.rows, plan.rows);
          EXPECT_EQ(unpacked.strips, plan.strips);
          EXPECT_EQ(unpacked.segments, plan.segments);
        }
      }
    }
  }
}

// Enough for every multiprocessor, where there is enough work.
TEST(AdmCudaTest, SegmentsKeepADeviceBusy) {
  for (const int frames : {1, 4, 16}) {
    const AdmSegmentPlan plan = PlanAdmSegments(868, 26, frames, 132, 16);
    EXPECT_GE(plan.strips * plan.segments * frames, 132 * 8);
  }
}

TEST(AdmCudaTest, OtherDevicesGetThePortableProgram) {
  const auto program = MakeFeature(kAdm, {}, Luma(576, 324, 8))->MakeDeviceProgram({});
  DeviceSteps steps;
  program->AddSteps({}, steps);
  EXPECT_FALSE(steps.steps().front().plan);
}

}  // namespace
}  // namespace lockstep
