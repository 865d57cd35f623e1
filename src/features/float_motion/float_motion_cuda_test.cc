// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's tuned CUDA program: its kernels on the host give the scalar code's facts.
#include "features/float_motion/float_motion_cuda.h"

#include <gtest/gtest.h>

#include <vector>

// Before the kernels.
#include "features/device/test_cuda_intrinsics.h"
//
#include "features/device/test_cuda_run.h"
#include "features/float_motion/float_motion.h"
#include "features/float_motion/float_motion_cuda_kernels.cuh"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::OptionTexts;

const test_cuda::Kernels kKernels = {{"filter_and_add_u8", lockstep_float_motion_filter_and_add_u8},
                                     {"filter_and_add_u16", lockstep_float_motion_filter_and_add_u16}};

void Compare(const OptionTexts& options, const std::vector<Frame>& reference) {
  const VideoFormat& format = reference.front().format();
  const auto feature = MakeFeature(kFloatMotion, options, format);
  const auto program = feature->MakeDeviceProgram(test_cuda::Traits(132));
  ASSERT_EQ(program->needs().prepared, 0u);
  EXPECT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, reference, {}),
            test_run::ScalarFacts(*feature, reference, {}))
      << format.width << "x" << format.height << " " << format.bit_depth << " bit "
      << PixelFormatName(format.pixel_format) << (options.empty() ? "" : ", " + options[0].first);
}

TEST(FloatMotionCudaTest, FactsAreThoseOfTheScalarCode) {
  constexpr PlaneSize kSizes[] = {{3, 3},  {4, 5},   {5, 3},   {17, 17},   {19, 23},
                                  {31, 9}, {33, 33}, {64, 64}, {257, 145}, {700, 17}};
  for (const PlaneSize size : kSizes) {
    for (const int depth : {8, 9, 10, 12, 16}) {
      const std::vector<Frame> reference = NoiseFrames({PixelFormat::kYuv400, size.width, size.height, depth}, 3, 5);
      Compare({}, reference);
      Compare({{"motion_filter_size", "3"}}, reference);
      Compare({{"motion_filter_size", "1"}}, reference);
    }
  }
}

// Every place of the last column in its tile and quad, and of the last row in its group.
TEST(FloatMotionCudaTest, Ends) {
  for (int width = 3; width < 140; ++width) {
    const int height = 3 + width * 7 % 38;
    Compare({}, NoiseFrames({PixelFormat::kYuv400, width, height, width % 2 == 0 ? 8 : 10}, 2, 5));
  }
}

TEST(FloatMotionCudaTest, Batches) {
  for (int frames = 2; frames <= 9; ++frames) {
    for (const int depth : {8, 16}) Compare({}, NoiseFrames({PixelFormat::kYuv400, 45, 18, depth}, frames, 5));
  }
}

TEST(FloatMotionCudaTest, Extremes) {
  for (const int depth : {8, 10, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 130, 40, depth};
    const int peak = (1 << depth) - 1;
    Compare({}, ListOf(MakeFrame(format, 1, [&](int, int, int) { return peak; }),
                       MakeFrame(format, 2, [&](int, int, int) { return 0; }),
                       MakeFrame(format, 3, [&](int, int x, int y) { return ((x ^ y) & 1) != 0 ? peak : 0; }),
                       MakeFrame(format, 4, [&](int, int x, int y) { return ((x / 3 + y / 2) & 1) != 0 ? 0 : peak; }),
                       MakeFrame(format, 5, [&](int, int, int) { return peak / 2; }),
                       MakeFrame(format, 6, [&](int, int, int) { return peak / 2 + 1; })));
  }
}

TEST(FloatMotionCudaTest, ChromaPlanesHaveTheSizeOfTheirFormat) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size : {PlaneSize{16, 18}, {71, 45}}) {
      const std::vector<Frame> reference = NoiseFrames({pixels, size.width, size.height, 10}, 3, 5);
      Compare({{"motion_add_uv", "true"}}, reference);
      Compare({{"motion_force_zero", "true"}}, reference);
    }
  }
}

// They need filtered planes that are stored.
TEST(FloatMotionCudaTest, HalfResolutionsTakeThePortableProgram) {
  const VideoFormat format = {PixelFormat::kYuv400, 64, 64, 8};
  const auto halves = MakeFeature(kFloatMotion, {{"motion_add_scale1", "true"}}, format);
  EXPECT_GT(halves->MakeDeviceProgram(test_cuda::Traits(132))->needs().prepared, 0u);
  EXPECT_GT(MakeFeature(kFloatMotion, {}, format)->MakeDeviceProgram({})->needs().prepared, 0u);
}

}  // namespace
}  // namespace lockstep
