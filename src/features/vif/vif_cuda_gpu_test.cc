// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on a CUDA device gives the scalar code's facts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"
#include "features/vif/vif.h"
#include "features/vif/vif_test_pictures.h"

namespace lockstep {
namespace {

VideoFormat Format(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

class VifCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  // The pictures of `first` …, in batches of each size.
  void Compare(const VideoFormat& format, const test_run::OptionTexts& options, const std::vector<int>& batches,
               std::size_t first = 0, std::size_t count = 100) {
    const auto feature = test_run::MakeFeature(kVif, options, format);
    std::vector<Frame> reference;
    std::vector<Frame> distorted;
    std::vector<test_targets::PicturePair> pairs = MakeVifPairs(format);
    for (std::size_t i = first; i < std::min(first + count, pairs.size()); ++i) {
      reference.push_back(std::move(pairs[i].frames[0]));
      distorted.push_back(std::move(pairs[i].frames[1]));
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

TEST_F(VifCudaGpuTest, Sizes) {
  constexpr PlaneSize kSizes[] = {{16, 16}, {17, 17},  {19, 23},  {31, 16},   {16, 90}, {33, 33},
                                  {64, 64}, {66, 120}, {161, 91}, {257, 145}, {480, 33}};
  for (const PlaneSize size : kSizes) {
    for (const int depth : {8, 10, 12, 14, 16}) Compare(Format(size.width, size.height, depth), {}, {1, 5, 16});
  }
}

TEST_F(VifCudaGpuTest, LargerPictures) {
  for (const PlaneSize size : {PlaneSize{576, 324}, {854, 480}, {960, 540}, {1283, 723}}) {
    for (const int depth : {8, 10, 12, 16}) Compare(Format(size.width, size.height, depth), {}, {1, 4}, 0, 5);
  }
  for (const int depth : {8, 10}) {
    Compare(Format(1920, 1080, depth), {}, {2}, 0, 2);
    Compare(Format(3840, 2160, depth), {}, {2}, 1, 2);
  }
}

TEST_F(VifCudaGpuTest, EveryDepthAndManySizes) {
  for (int i = 0; i < 54; ++i)
    Compare(Format(16 + i, 16 + i * 7 % 36, 8 + i % 9), {}, {3}, static_cast<std::size_t>(i % 8), 6);
}

TEST_F(VifCudaGpuTest, Options) {
  for (const int depth : {8, 10, 14, 16}) {
    const VideoFormat format = Format(109, 67, depth);
    for (const char* const limit : {"1", "1.0000000000000002", "1.5", "2", "99.5"}) {
      Compare(format, {{"vif_enhn_gain_limit", limit}}, {5});
    }
    Compare(format, {{"vif_skip_scale0", "true"}}, {1, 5});
    Compare(format, {{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1.25"}}, {5});
  }
}

}  // namespace
}  // namespace lockstep
