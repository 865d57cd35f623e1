// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion's tuned CUDA program: its kernels on the host give the scalar code's facts; its plan.
#include "features/motion/motion_cuda.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Before the kernels.
#include "features/device/test_cuda_warp.h"
//
#include "features/device/test_cuda_run.h"
#include "features/motion/motion.h"
#include "features/motion/motion_cuda_kernels.cuh"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;

const test_cuda::Kernels kKernels = {{"strips_u8", lockstep_motion_strips_u8},
                                     {"strips_u16", lockstep_motion_strips_u16}};

void Compare(const FeatureDescription& metric, const test_run::OptionTexts& options,
             const std::vector<Frame>& reference, int multiprocessors = 4) {
  const VideoFormat& format = reference.front().format();
  const auto feature = MakeFeature(metric, options, format);
  const auto program = feature->MakeDeviceProgram(test_cuda::Traits(multiprocessors));
  ASSERT_TRUE(program->needs().zero_results);
  EXPECT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, reference, {}),
            test_run::ScalarFacts(*feature, reference, {}))
      << metric.name << " " << format.width << "x" << format.height << " " << format.bit_depth << " bit "
      << PixelFormatName(format.pixel_format) << (options.empty() ? "" : ", " + options[0].first);
}

TEST(MotionCudaTest, FactsAreThoseOfTheScalarCode) {
  constexpr PlaneSize kSizes[] = {{3, 3},   {4, 5},   {5, 3},    {17, 17},  {19, 23},  {31, 9},   {33, 33},
                                  {64, 64}, {65, 31}, {120, 10}, {121, 11}, {243, 57}, {360, 30}, {1283, 40}};
  for (const PlaneSize size : kSizes) {
    for (int depth = 8; depth <= 16; ++depth) {
      Compare(kMotion, {}, NoiseFrames({PixelFormat::kYuv400, size.width, size.height, depth}, 3, 5));
    }
  }
}

TEST(MotionCudaTest, LongStrips) {
  for (const int depth : {8, 10}) Compare(kMotion, {}, NoiseFrames({PixelFormat::kYuv400, 700, 331, depth}, 4, 2), 1);
}

TEST(MotionCudaTest, Options) {
  for (const FeatureDescription* metric : {&kMotion, &kMotionV2}) {
    for (const int depth : {8, 10, 16}) {
      const std::vector<Frame> reference = NoiseFrames({PixelFormat::kYuv420, 46, 37, depth}, 5, 7);
      Compare(*metric, {{"motion_five_frame_window", "true"}}, reference);
      Compare(*metric, {{"motion_add_uv", "true"}, {"motion_five_frame_window", "true"}}, reference);
      Compare(*metric, {{"motion_force_zero", "true"}}, reference);
      Compare(*metric, {{"motion_blend_factor", "0.5"}, {"motion_fps_weight", "1.5"}}, reference);
    }
  }
}

TEST(MotionCudaTest, ChromaPlanesHaveTheSizeOfTheirFormat) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size : {PlaneSize{17, 19}, PlaneSize{256, 14}, PlaneSize{71, 45}}) {
      for (const int depth : {8, 12, 16}) {
        Compare(kMotion, {{"motion_add_uv", "true"}}, NoiseFrames({pixels, size.width, size.height, depth}, 3, 5));
      }
    }
  }
}

// The largest sums of either sign.
TEST(MotionCudaTest, Extremes) {
  for (int depth = 8; depth <= 16; ++depth) {
    const VideoFormat format = {PixelFormat::kYuv400, 130, 40, depth};
    const int peak = (1 << depth) - 1;
    Compare(kMotion, {},
            ListOf(MakeFrame(format, 1, [&](int, int, int) { return peak; }),
                   MakeFrame(format, 2, [&](int, int, int) { return 0; }),
                   MakeFrame(format, 3, [&](int, int, int) { return peak; }),
                   MakeFrame(format, 4, [&](int, int x, int y) { return ((x ^ y) & 1) != 0 ? peak : 0; }),
                   MakeFrame(format, 5, [&](int, int x, int y) { return ((x / 3 + y / 2) & 1) != 0 ? 0 : peak; })));
  }
}

// One step up or down: both filters round half up, so that the sign shows.
TEST(MotionCudaTest, Rounding) {
  for (int depth = 8; depth <= 16; ++depth) {
    const VideoFormat format = {PixelFormat::kYuv400, 61, 23, depth};
    Compare(kMotion, {},
            ListOf(MakeFrame(format, 1, [&](int, int x, int y) { return 7 + x * y % 2; }),
                   MakeFrame(format, 2, [&](int, int x, int y) { return 7 + (x + y) % 2; }),
                   MakeFrame(format, 3, [&](int, int x, int) { return 7 + x % 3; }),
                   MakeFrame(format, 4, [&](int, int, int) { return 8; })));
  }
}

TEST(MotionCudaTest, PlansCoverThePlane) {
  for (const int width : {3, 120, 121, 1920, 3840, 32768}) {
    for (const int height : {3, 10, 11, 1080, 32768}) {
      for (const int frames : {1, 4, 64}) {
        for (const int multiprocessors : {1, 132}) {
          const GroupPlan plan = PlanMotionCuda({width, height}, frames, multiprocessors);
          EXPECT_EQ(plan.group_size, kMotionCudaWarps * kMotionCudaWarpLanes);
          EXPECT_EQ(plan.plan % kMotionCudaLoadRows, 0);
          EXPECT_LE(plan.plan, kMotionCudaMostRows);
          EXPECT_GE(static_cast<i64>(plan.groups) * kMotionCudaWarps * plan.plan * kMotionCudaStripColumns,
                    i64{width} * height * frames);
        }
      }
    }
  }
  EXPECT_EQ(PlanMotionCuda({3840, 2160}, 4, 132).plan, 30);
  EXPECT_EQ(PlanMotionCuda({576, 324}, 1, 132).plan, 10);
}

TEST(MotionCudaTest, OtherDevicesGetThePortableProgram) {
  const VideoFormat format = {PixelFormat::kYuv400, 64, 64, 8};
  EXPECT_EQ(MakeMotionCudaProgram(format, 1, 1, {}), nullptr);
  const auto feature = MakeFeature(kMotion, {}, format);
  EXPECT_EQ(feature->MakeDeviceProgram({})->needs().zero_results, false);
}

}  // namespace
}  // namespace lockstep
