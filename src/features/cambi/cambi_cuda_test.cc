// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's tuned CUDA program: its kernels on the host give the scalar code's facts; its plan.
#include "features/cambi/cambi_cuda.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

// Before the kernels.
#include "features/device/test_cuda_warp.h"
//
#include "features/cambi/cambi.h"
#include "features/cambi/cambi_cuda_kernels.cuh"
#include "features/cambi/cambi_test_banding.h"
#include "features/device/test_cuda_run.h"

namespace lockstep {
namespace {

using test_run::CambiFrames;
using test_run::MakeFeature;
using test_run::OptionTexts;
using test_run::ScalarFacts;

const test_cuda::Kernels kKernels = {{"code_strips_u8", lockstep_cambi_code_strips_u8},
                                     {"code_strips_u16", lockstep_cambi_code_strips_u16},
                                     {"mask_strips", lockstep_cambi_mask_strips},
                                     {"mask_strips_half", lockstep_cambi_mask_strips_half},
                                     {"mode_strips", lockstep_cambi_mode_strips},
                                     {"contrast_strips", lockstep_cambi_contrast_strips},
                                     {"contrast_strips_5", lockstep_cambi_contrast_strips_5},
                                     {"contrast_strips_9", lockstep_cambi_contrast_strips_9},
                                     {"contrast_strips_17", lockstep_cambi_contrast_strips_17},
                                     {"digit_strips", lockstep_cambi_digit_strips}};

constexpr int kLocalBytes = 227 << 10;

VideoFormat Luma(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

/// Two batches of pictures, of `every` kinds one.
void Compare(const VideoFormat& format, const OptionTexts& options, std::size_t every = 1,
             int local_bytes = kLocalBytes, int multiprocessors = 4) {
  const auto feature = MakeFeature(kCambi, options, format);
  const auto program = feature->MakeDeviceProgram(test_cuda::Traits(multiprocessors, local_bytes));
  ASSERT_TRUE(program->needs().zero_results);
  const std::vector<Frame> frames = CambiFrames(format);
  for (std::size_t i = static_cast<std::size_t>(format.width) % every; i < frames.size(); i += 2 * every) {
    const std::size_t count = i + every < frames.size() ? 2 : 1;
    const std::span<const Frame> distorted = std::span(frames).subspan(i, count);
    const std::span<const Frame> reference = std::span(frames).subspan(frames.size() - i - count, count);
    ASSERT_EQ(test_cuda::BatchFacts(*program, *feature, kKernels, reference, distorted),
              ScalarFacts(*feature, reference, distorted))
        << format.width << "x" << format.height << ", " << format.bit_depth << " bit, picture " << i
        << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

TEST(CambiCudaTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{216, 52}, {61, 216}, {217, 65}, {231, 121}, {256, 40}, {257, 33}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) Compare(Luma(size.width, size.height, depth), {}, depth == 8 ? 2 : 4);
  }
}

TEST(CambiCudaTest, OneSideMayBeTiny) {
  for (const int side : {1, 2, 3, 4, 5, 8, 9, 17}) {
    Compare(Luma(216, side, 8), {}, 4);
    Compare(Luma(side, 216, 10), {}, 4);
  }
}

TEST(CambiCudaTest, OddDepths) {
  for (const int depth : {9, 11, 13, 14, 15}) Compare(Luma(216, 40, depth), {}, 3);
}

TEST(CambiCudaTest, Options) {
  const OptionTexts cases[] = {
      {{"window_size", "15"}},
      {{"topk", "0.05"}},
      {{"topk", "1"}},
      {{"cambi_topk", "0.0001"}},
      {{"tvi_threshold", "0.005"}},
      {{"cambi_vis_lum_threshold", "0.06"}},
      {{"cambi_vis_lum_threshold", "300"}},
      {{"max_log_contrast", "0"}},
      {{"max_log_contrast", "3"}},
      {{"max_log_contrast", "5"}, {"tvi_threshold", "0.0001"}},
      {{"eotf", "pq"}},
      {{"full_ref", "true"}},
      {{"enc_bitdepth", "6"}},
      {{"enc_bitdepth", "10"}},
  };
  for (const OptionTexts& options : cases) {
    Compare(Luma(233, 45, 8), options, 3);
    Compare(Luma(234, 21, 10), options, 4);
  }
}

// Windows of every number of words, and every place of their first column in its word.
TEST(CambiCudaTest, Windows) {
  for (const char* const window_size : {"15", "31", "47", "63", "79", "95", "111", "127"}) {
    Compare(Luma(1203, 7, 8), {{"window_size", window_size}}, 8);
    Compare(Luma(2700, 8, 8), {{"window_size", window_size}}, 5);
  }
}

TEST(CambiCudaTest, SpeedUp) {
  const OptionTexts model = {
      {"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}};
  Compare(Luma(1921, 1081, 8), model, 8);
}

TEST(CambiCudaTest, SmallSharedMemory) {
  Compare(Luma(300, 120, 8), {}, 3, 99 << 10);
  Compare(Luma(300, 120, 10), {{"cambi_vis_lum_threshold", "0.06"}}, 3, 64 << 10, 100);
}

TEST(CambiCudaTest, BlocksFitTheirMemory) {
  for (const int local_bytes : {48 << 10, 99 << 10, 163 << 10, 227 << 10}) {
    for (const int code_count : {1, 497, 564, 1056}) {
      for (int radius = 0; radius <= 32; ++radius) {
        const int columns = CambiCudaColumns(radius, code_count, local_bytes);
        EXPECT_EQ(columns % 32, 0);
        EXPECT_LE(CambiCudaContrastBytes(columns, code_count), local_bytes);
        EXPECT_TRUE(columns == 0 || columns - 2 * CambiCudaHalo(radius) >= 32);
      }
    }
  }
  EXPECT_EQ(CambiCudaColumns(16, 497, 227 << 10), 224);
  EXPECT_EQ(CambiCudaColumns(32, 1056, 48 << 10), 0);
}

TEST(CambiCudaTest, OtherDevicesGetThePortableProgram) {
  const VideoFormat format = Luma(216, 64, 8);
  const auto feature = MakeFeature(kCambi, {}, format);
  EXPECT_FALSE(feature->MakeDeviceProgram({})->needs().zero_results);
  EXPECT_TRUE(feature->MakeDeviceProgram(test_cuda::Traits(4, kLocalBytes))->needs().zero_results);
  EXPECT_FALSE(feature->MakeDeviceProgram(test_cuda::Traits(4, 16 << 10))->needs().zero_results);
  const auto resampled = MakeFeature(kCambi, {{"enc_width", "216"}, {"enc_height", "150"}}, Luma(432, 300, 8));
  EXPECT_FALSE(resampled->MakeDeviceProgram(test_cuda::Traits(4, kLocalBytes))->needs().zero_results);
}

}  // namespace
}  // namespace lockstep
