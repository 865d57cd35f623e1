// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi on a CUDA device gives the scalar code's facts.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/cambi/cambi_test_banding.h"
#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;

const OptionTexts kModel = {
    {"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}};

VideoFormat Luma(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

class CambiCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  void Compare(const VideoFormat& format, const OptionTexts& options, const std::vector<int>& batches,
               std::size_t count = 100) {
    const auto feature = test_run::MakeFeature(kCambi, options, format);
    std::vector<Frame> distorted = test_run::CambiFrames(format);
    if (distorted.size() > count) distorted.resize(count);
    std::vector<Frame> reference;
    for (const Frame& frame : distorted) {
      reference.push_back(test_run::BandedFrame(format, 90 + reference.size(), 200, 19 + frame.format().width % 7, 70));
    }
    const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
    for (const int batch : batches) {
      for (const bool graphs : {false, true}) {
        EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, distorted, {batch, graphs}), expected)
            << format.width << "x" << format.height << " " << format.bit_depth << " bit, batch " << batch
            << (graphs ? ", graphs" : "") << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
      }
    }
  }
};

TEST_F(CambiCudaGpuTest, Sizes) {
  constexpr PlaneSize kSizes[] = {{216, 1},  {1, 216},   {216, 2},   {3, 216},   {217, 65},
                                  {64, 216}, {231, 217}, {257, 145}, {576, 324}, {960, 540}};
  for (const PlaneSize size : kSizes) {
    for (const int depth : {8, 9, 10, 12, 15, 16}) Compare(Luma(size.width, size.height, depth), {}, {1, 5, 16});
  }
}

TEST_F(CambiCudaGpuTest, LargerPictures) {
  for (const int depth : {8, 10}) {
    Compare(Luma(1283, 723, depth), {}, {3});
    Compare(Luma(1920, 1080, depth), {}, {3}, 3);
    Compare(Luma(1921, 1081, depth), kModel, {3}, 4);
    Compare(Luma(3840, 2160, depth), kModel, {4}, 3);
    Compare(Luma(3840, 2160, depth), {}, {2}, 2);
  }
}

TEST_F(CambiCudaGpuTest, ChromaPlaysNoPart) { Compare({PixelFormat::kYuv420, 240, 70, 8}, {{"topk", "0.1"}}, {3}, 3); }

TEST_F(CambiCudaGpuTest, Options) {
  const OptionTexts cases[] = {
      {{"window_size", "15"}},
      {{"window_size", "127"}},
      {{"topk", "0.05"}},
      {{"topk", "1"}},
      {{"tvi_threshold", "0.005"}},
      {{"cambi_vis_lum_threshold", "0.06"}},
      {{"cambi_vis_lum_threshold", "300"}},
      {{"max_log_contrast", "0"}},
      {{"max_log_contrast", "5"}, {"tvi_threshold", "0.0001"}},
      {{"eotf", "pq"}},
      {{"full_ref", "true"}},
      {{"enc_bitdepth", "6"}},
      {{"enc_bitdepth", "10"}},
      {{"enc_width", "301"}, {"enc_height", "217"}},
      {{"src_width", "400"}, {"src_height", "300"}, {"full_ref", "true"}},
  };
  for (const OptionTexts& options : cases) {
    for (const int depth : {8, 10, 16}) Compare(Luma(320, 240, depth), options, {1, 8});
  }
}

}  // namespace
}  // namespace lockstep
