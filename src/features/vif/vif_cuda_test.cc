// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's tuned CUDA program: its kernels on the host give the scalar code's facts; its plan, its tables and its
// division.
#include "features/vif/vif_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Before the kernels.
#include "features/device/test_cuda_warp.h"
//
#include "features/device/test_cuda_run.h"
#include "features/vif/vif.h"
#include "features/vif/vif_cuda_kernels.cuh"
#include "features/vif/vif_gain_binary64.h"
#include "features/vif/vif_test_pictures.h"

namespace lockstep {
namespace {

const test_cuda::Kernels kKernels = {
    {"scale_8_bit", lockstep_vif_scale_8_bit},   {"scale_12_bit", lockstep_vif_scale_12_bit},
    {"scale_15_bit", lockstep_vif_scale_15_bit}, {"scale_16_bit", lockstep_vif_scale_16_bit},
    {"down_8_bit", lockstep_vif_down_8_bit},     {"down_12_bit", lockstep_vif_down_12_bit},
    {"down_15_bit", lockstep_vif_down_15_bit},   {"down_16_bit", lockstep_vif_down_16_bit}};

VideoFormat Format(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

constexpr int kMuchLocal = 227 << 10;  // bytes: blocks of the most warps fit

// The pictures of `first` … as one batch.
void Compare(const VideoFormat& format, const VifDeviceSettings& settings, const test_run::OptionTexts& options,
             const DeviceTraits& traits, std::size_t first, std::size_t count) {
  const auto feature = test_run::MakeFeature(kVif, options, format);
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  std::vector<test_targets::PicturePair> pairs = MakeVifPairs(format);
  for (std::size_t i = first; i < std::min(first + count, pairs.size()); ++i) {
    reference.push_back(std::move(pairs[i].frames[0]));
    distorted.push_back(std::move(pairs[i].frames[1]));
  }
  const auto program = MakeVifCudaProgram(format, settings, traits);
  EXPECT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, reference, distorted),
            test_run::ScalarFacts(*feature, reference, distorted))
      << format.width << "x" << format.height << " " << format.bit_depth << " bit, pairs from " << first << ", "
      << traits.multiprocessors << " multiprocessors";
}

TEST(VifCudaTest, FactsAreThoseOfTheScalarCode) {
  for (const int depth : {8, 10, 16}) Compare(Format(41, 37, depth), {}, {}, test_cuda::Traits(3), 0, 100);
}

// Blocks of the most warps, several items a block, segments that begin and end anywhere.
TEST(VifCudaTest, LargeBlocks) {
  for (const int depth : {8, 10, 16}) {
    Compare(Format(131, 67, depth), {}, {}, test_cuda::Traits(1, kMuchLocal), 0, 3);
    Compare(Format(200, 100, depth), {}, {}, test_cuda::Traits(2, kMuchLocal), 4, 2);
  }
}

// Every way in which a row can end within a step.
TEST(VifCudaTest, Widths) {
  for (int width = 16; width < 53; ++width) {
    Compare(Format(width, 16, width % 2 == 0 ? 8 : 10), {}, {}, test_cuda::Traits(7), width % 5, 1);
  }
}

TEST(VifCudaTest, Sizes) {
  constexpr PlaneSize kSizes[] = {{16, 16}, {17, 31}, {24, 16}, {25, 33}, {64, 50}, {105, 18}, {16, 90}};
  std::size_t pair = 0;
  for (const PlaneSize size : kSizes) {
    for (const int depth : {8, 12, 15, 16})
      Compare(Format(size.width, size.height, depth), {}, {}, test_cuda::Traits(132), pair++ % 8, 2);
  }
}

TEST(VifCudaTest, Depths) {
  for (int depth = 8; depth <= 16; ++depth)
    Compare(Format(33, 20, depth), {}, {}, test_cuda::Traits(1), depth == 8 ? 0 : 2, 3);
}

TEST(VifCudaTest, Options) {
  for (const int depth : {8, 10, 14, 16}) {
    const VideoFormat format = Format(35, 19, depth);
    for (const double limit : {1.0, 1.0000000000000002, 1.5}) {
      const std::string text = limit == 1.0 ? "1" : limit == 1.5 ? "1.5" : "1.0000000000000002";
      Compare(format, {false, limit}, {{"vif_enhn_gain_limit", text}}, test_cuda::Traits(2), 3, 2);
    }
    Compare(format, {true, 100.0}, {{"vif_skip_scale0", "true"}}, test_cuda::Traits(2), 0, 2);
  }
}

// Every step of every strip belongs to one item, and the blocks are enough for them.
TEST(VifCudaTest, PlansCoverThePicture) {
  for (const int width : {2, 16, 31, 480, 1920, 3840, 32768}) {
    for (const int height : {2, 17, 1080, 2160, 32768}) {
      for (const int frames : {1, 4, 16, 64}) {
        for (const DeviceTraits& traits :
             {test_cuda::Traits(1), test_cuda::Traits(46), test_cuda::Traits(132, kMuchLocal)}) {
          for (const int bytes : {1, 2}) {
            const GroupPlan plan = PlanVifCuda({width, height, bytes, true}, frames, traits);
            const int warps = plan.group_size / kVifCudaWarpLanes;
            EXPECT_TRUE(warps == 4 || warps == 8 || warps == kVifCudaMostWarps);
            EXPECT_GE(plan.plan, 1);
            EXPECT_LE(plan.plan, kVifCudaLongestSegment);
            EXPECT_GE(plan.groups, 1u);
            EXPECT_LE(plan.groups, static_cast<std::uint64_t>(traits.multiprocessors));
            EXPECT_EQ(plan.local_bytes, VifCudaSharedBytes(warps, bytes, true));
            EXPECT_LE(plan.local_bytes, traits.local_bytes);
          }
        }
      }
    }
  }
  // The rightmost column is in what the last step produces.
  for (int width = 1; width < 100; ++width) {
    const int end = VifCudaSteps(width) * kVifCudaStepColumns - kVifCudaReach;
    EXPECT_GE(end, width);
    EXPECT_LT(end - kVifCudaStepColumns, width);
    EXPECT_GE(end / 2, VifCudaStoredColumns(width / 2));
  }
}

TEST(VifCudaTest, ASmallPictureHasABlockForEachMultiprocessor) {
  const DeviceTraits traits = test_cuda::Traits(132, kMuchLocal);
  EXPECT_EQ(PlanVifCuda({3840, 2160, 1, true}, 4, traits).groups, 132u);
  EXPECT_EQ(PlanVifCuda({3840, 2160, 1, true}, 4, traits).group_size, kVifCudaMostWarps * kVifCudaWarpLanes);
  EXPECT_EQ(PlanVifCuda({576, 324, 1, true}, 1, traits).group_size, 128);
}

TEST(VifCudaTest, OtherDevicesGetThePortableProgram) {
  const VideoFormat format = Format(64, 64, 8);
  EXPECT_EQ(MakeVifCudaProgram(format, {}, {}), nullptr);
  EXPECT_EQ(MakeVifCudaProgram(format, {}, {"cuda80", 40, 64 << 10, true}), nullptr);
  const auto feature = test_run::MakeFeature(kVif, {}, format);
  EXPECT_EQ(feature->MakeDeviceProgram({})->needs().zero_results, false);
  EXPECT_EQ(feature->MakeDeviceProgram(test_cuda::Traits(132))->needs().zero_results, true);
}

// For every 15 bits of a mantissa and every exponent that occurs.
TEST(VifCudaTest, LogarithmsAreThoseOfTheTable) {
  const std::vector<std::int16_t> logs = MakeVifCudaLogs();
  const std::span<const std::uint16_t> table = VifLogTable();
  for (u64 m = 32768; m < 65536; ++m) {
    for (int shift = 2; shift < 31; ++shift) {
      const u64 value = m << shift | ((u64{1} << shift) - 1);
      const i32 line = VifCudaLogLine(static_cast<double>(value));
      const i32 expected = 16 * static_cast<i32>(VifLog(table.data(), value)) + 32768 * 1023;
      ASSERT_EQ(line + VifCudaLogCurve(logs.data(), line), expected) << value;
    }
  }
}

TEST(VifCudaTest, AdditionOfPixelsIsThatOfTheScalarCode) {
  const std::vector<std::int16_t> logs = MakeVifCudaLogs();
  std::uint64_t state = 7;
  for (int i = 0; i < 400000; ++i) {
    const std::uint64_t random = test_run::NextRandom(state);
    // Variances of all magnitudes; a covariance that is 0, small, near the most, or a little more than that.
    const auto s1 =
        static_cast<i32>(kVifNoise + (test_run::NextRandom(state) & 0x3fffffffu) % (u64{1} << (10 + random % 20)));
    const auto s2 = static_cast<i32>((test_run::NextRandom(state) & 0x3fffffffu) >> (random >> 8) % 28);
    const double most = std::sqrt(static_cast<double>(s1) * s2);
    i32 s12 = static_cast<i32>(most * static_cast<double>(test_run::NextRandom(state) % 1000) / 1000.0);
    if ((random >> 16) % 4 == 0) s12 = static_cast<i32>(most) + static_cast<i32>((random >> 20) % 65536) - 32768;
    if ((random >> 40) % 16 == 0) s12 = s1;
    if (s12 < 0 || s2 == 0) s12 = 0;
    const double limit = (random >> 50) % 2 == 0 ? 100.0 : 1.0 + static_cast<double>((random >> 52) % 64) / 16;
    VifSums expected = {0, 0, 0, 0};
    VifAddPixel<VifGainBinary64>(expected, s1, s2, s12, VifLogTable().data(), limit);
    VifCudaLaneSums sums = {0, 0, 0, 0};
    VifCudaAddPixel(sums, s1, s2, s12, logs.data(), limit);
    ASSERT_EQ(sums.num, static_cast<i32>(16 * expected.num_log)) << s1 << " " << s2 << " " << s12 << " " << limit;
    ASSERT_EQ(static_cast<u32>(sums.den) - kVifCudaLogOffset, 16 * expected.den_log) << s1;
  }
}

TEST(VifCudaTest, QuotientsAreRoundedOnce) {
  std::uint64_t state = 11;
  for (int i = 0; i < 2000000; ++i) {
    const std::uint64_t random = test_run::NextRandom(state);
    const auto numerator = static_cast<double>((random & 0x7fffffffu) >> (random >> 58) % 31);
    const double denominator =
        static_cast<double>(kVifNoise + (random >> 32) % (u64{1} << (5 + (random >> 27) % 26))) + 65536 * 1.0e-10;
    ASSERT_EQ(VifCudaDivide(numerator, denominator), numerator / denominator) << numerator << " " << denominator;
  }
  EXPECT_EQ(VifCudaDivide(0.0, 65536 * 1.0e-10), 0.0);
}

}  // namespace
}  // namespace lockstep
