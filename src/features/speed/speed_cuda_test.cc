// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma's tuned CUDA kernel on the host gives the scalar code's facts and the portable kernels' sums.
#include "features/speed/speed_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

// Before the kernels.
#include "features/device/test_cuda_intrinsics.h"
//
#include "features/device/test_cuda_run.h"
#include "features/speed/speed.h"
#include "features/speed/speed_cuda_kernels.cuh"
#include "features/speed/speed_test_pictures.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::OptionTexts;
using test_run::SpeedFrames;

const test_cuda::Kernels kKernels = {{"filter_nearest_u8", lockstep_speed_filter_nearest_u8},
                                     {"filter_nearest_u16", lockstep_speed_filter_nearest_u16},
                                     {"filter_bilinear_u8", lockstep_speed_filter_bilinear_u8},
                                     {"filter_bilinear_u16", lockstep_speed_filter_bilinear_u16},
                                     {"statistics", lockstep_speed_statistics}};

void Compare(const VideoFormat& format, const OptionTexts& options, int frames) {
  const auto feature = MakeFeature(kSpeedChroma, options, format);
  const std::vector<Frame> reference = SpeedFrames(format, frames, false);
  const std::vector<Frame> distorted = SpeedFrames(format, frames, true);
  const auto program = feature->MakeDeviceProgram(test_cuda::Traits(132));
  const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
  EXPECT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, reference, distorted), expected)
      << format.width << "x" << format.height << " " << format.bit_depth << " bit "
      << PixelFormatName(format.pixel_format);
  for (const std::vector<Fact>& facts : expected) EXPECT_GT(DoubleOf(facts[0]), 0.0);
}

TEST(SpeedCudaTest, FactsAreThoseOfTheScalarCode) {
  Compare({PixelFormat::kYuv420, 560, 530, 8}, {}, 1);
  Compare({PixelFormat::kYuv422, 545, 270, 10}, {}, 3);
  Compare({PixelFormat::kYuv444, 261, 410, 16}, {{"speed_kernelscale", "3.7113"}}, 2);
  for (const char* method : {"nearest", "bilinear", "bicubic", "lanczos4"}) {
    const OptionTexts options = {{"speed_prescale", "0.6"}, {"speed_prescale_method", method}};
    for (const int depth : {8, 10}) Compare({PixelFormat::kYuv422, 940, 460, depth}, options, 1);
  }
  Compare({PixelFormat::kYuv420, 1030, 1001, 8}, {{"speed_prescale", "0.5"}, {"speed_prescale_method", "bilinear"}}, 2);
}

/// The kernel over one frame of prepared planes.
std::vector<double> SumsOf(const std::vector<float>& prepared, SpeedWindow window, i32 chunk_rows) {
  std::vector<i32> pairs;
  for (i32 p = 0; p < kSpeedPositions; ++p) {
    for (i32 q = 0; q <= p; ++q) pairs.push_back((p << kSpeedPairShift) + q);
  }
  std::vector<double> sums(kSpeedPairs * kSpeedPlanes);
  const SpeedCudaArgs args = {prepared.data(), sums.data(), pairs.data(), window.width, window.height};
  DeviceSteps steps;
  AddSpeedCudaStatistics(args, chunk_rows, steps);
  const GroupPlan plan = steps.steps()[0].plan(1);
  for (std::uint64_t group = 0; group < plan.groups; ++group) {
    test_cuda::Block::Run(static_cast<int>(group), static_cast<int>(plan.groups), plan.group_size,
                          static_cast<std::size_t>(plan.local_bytes), [&] {
                            lockstep_speed_statistics({&args, 1, plan.plan});
                          });
  }
  return sums;
}

// Every remainder of the window's width in steps and of its height in chunks.
TEST(SpeedCudaTest, SumsAreThoseOfThePortableKernels) {
  std::uint64_t state = 1;
  for (const SpeedWindow window : {SpeedWindow{1, 1}, {6, 6}, {11, 1}, {16, 16}, {21, 11}, {26, 21}, {36, 8}}) {
    std::vector<float> prepared(
        static_cast<std::size_t>(kSpeedPlanes * (window.width + kSpeedBlock - 1) * (window.height + kSpeedBlock - 1)));
    for (float& value : prepared) {
      value = static_cast<float>(static_cast<std::int64_t>(test_run::NextRandom(state)) >> 40) / 262144.0f;
    }
    std::vector<float> means(kSpeedPositions * kSpeedPlanes);
    std::vector<Binary64Bits> expected(kSpeedPairs * kSpeedPlanes);
    std::vector<i32> pairs;
    for (i32 p = 0; p < kSpeedPositions; ++p) {
      for (i32 q = 0; q <= p; ++q) pairs.push_back((p << kSpeedPairShift) + q);
    }
    const SpeedStatisticsArgs args = {prepared.data(), means.data(), expected.data(),
                                      pairs.data(),    window.width, window.height};
    DeviceSteps steps;
    steps.AddRows("means", kSpeedPositions * kSpeedPlanes, args);
    steps.AddRows("covariances", kSpeedPairs * kSpeedPlanes, args);
    test_run::RunSteps("speed", steps);
    for (const i32 chunk_rows : {1, 3, 8}) {
      const std::vector<double> sums = SumsOf(prepared, window, std::min(chunk_rows, window.height));
      int differences = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) differences += std::bit_cast<u64>(sums[i]) != expected[i] ? 1 : 0;
      EXPECT_EQ(differences, 0) << window.width << "x" << window.height << ", chunks of " << chunk_rows;
    }
  }
}

// More columns than threads.
TEST(SpeedCudaTest, WidePictures) {
  for (const int width : {3000, 4097}) {
    Compare({PixelFormat::kYuv420, width, 420, 8}, {}, 1);
    Compare({PixelFormat::kYuv444, width, 700, 12}, {{"speed_prescale", "0.5"}, {"speed_prescale_method", "bilinear"}},
            1);
  }
}

TEST(SpeedCudaTest, ChunksFitSharedMemory) {
  const SpeedGeometry wide = MakeSpeedGeometry({7680, 4320}, 4.0);
  const SpeedGeometry usual = MakeSpeedGeometry({960, 540}, 1.0);
  EXPECT_EQ(SpeedCudaChunkRows(usual, {}), 0);
  EXPECT_EQ(SpeedCudaChunkRows(usual, test_cuda::Traits(132)), kSpeedChunkRows);
  EXPECT_EQ(SpeedCudaChunkRows(wide, test_cuda::Traits(132)), 0);
  const i32 rows = SpeedCudaChunkRows(wide, test_cuda::Traits(132, 227 << 10));
  EXPECT_GE(rows, 1);
  EXPECT_LE(SpeedSharedBytes(wide.window().width, rows) + kSpeedPositions * 4, 227 << 10);
  EXPECT_GT(SpeedSharedBytes(wide.window().width, rows + 1), 227 << 10);
  EXPECT_EQ(SpeedCudaChunkRows(MakeSpeedGeometry({100, 90}, 1.0), test_cuda::Traits(132)), 1);
}

// Filters of another size and devices without room in shared memory have the portable kernels.
TEST(SpeedCudaTest, OtherCasesTakeThePortableKernels) {
  const VideoFormat format = {PixelFormat::kYuv444, 300, 300, 8};
  const auto steps_of = [&](const DeviceTraits& traits, const OptionTexts& options = {}) {
    const auto feature = MakeFeature(kSpeedChroma, options, format);
    const auto program = feature->MakeDeviceProgram(traits);
    DeviceSteps steps;
    program->AddSteps({}, steps);
    return steps.steps().size();
  };
  EXPECT_EQ(steps_of(test_cuda::Traits(132)), 3u);
  EXPECT_EQ(steps_of(test_cuda::Traits(132, 500)), 5u);
  EXPECT_EQ(steps_of(test_cuda::Traits(132), {{"speed_kernelscale", "2"}}), 4u);
}

}  // namespace
}  // namespace lockstep
