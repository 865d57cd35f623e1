// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm on an NVIDIA device gives the scalar code's facts: sizes, depths, options, batches, recorded or not.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "features/adm/adm.h"
#include "features/adm/adm_test_pictures.h"
#include "features/device/test_cuda_device.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;

class AdmCudaGpuTest : public test_run::CudaGpuTest {
 protected:
  /// Every `every`th pair of pictures.
  void Compare(const VideoFormat& format, const OptionTexts& options, int every, const std::vector<int>& batches,
               bool use_graphs) {
    const std::unique_ptr<Feature> feature = test_run::MakeFeature(kAdm, options, format);
    std::vector<Frame> reference;
    std::vector<Frame> distorted;
    int number = format.width;
    for (test_targets::PicturePair& pair : MakeAdmPairs(format, test_targets::SeedOf(format))) {
      if (number++ % every != 0) continue;
      reference.push_back(std::move(pair.frames[0]));
      distorted.push_back(std::move(pair.frames[1]));
    }
    const auto expected = test_run::ScalarFacts(*feature, reference, distorted);
    for (const int batch : batches) {
      EXPECT_EQ(test_run::DeviceFactsOn(*device_, *feature, reference, distorted, {batch, use_graphs}), expected)
          << format.width << "x" << format.height << ", " << format.bit_depth << " bit, batch " << batch
          << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
    }
  }
  static VideoFormat Luma(int width, int height, int bit_depth) {
    return {PixelFormat::kYuv400, width, height, bit_depth};
  }
};

TEST_F(AdmCudaGpuTest, Sizes) {
  const PlaneSize sizes[] = {{33, 33}, {34, 47}, {47, 34}, {64, 64}, {66, 120}, {161, 91}, {257, 145}, {400, 60}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      Compare(Luma(size.width, size.height, depth), {}, 1, {1, 5, 16}, depth != 12);
    }
  }
  for (const int depth : {8, 10, 12, 16}) Compare(Luma(576, 324, depth), {}, 2, {4, 16}, true);
}

TEST_F(AdmCudaGpuTest, SmallSizes) {
  const int depths[] = {8, 10, 12, 16};
  for (int i = 0; i < 43; ++i) {
    Compare(Luma(33 + i, 33 + i * 29 % 43, depths[i % 4]), {}, 3, {3}, false);
    Compare(Luma(33 + i * 17 % 43, 33 + i, depths[(i + 1) % 4]), {}, 3, {2}, false);
    Compare(Luma(240 + i * 7, 40 + i * 3, depths[(i + 2) % 4]), {}, 3, {5}, i % 2 == 0);
  }
}

TEST_F(AdmCudaGpuTest, Options) {
  for (const OptionTexts& options : AdmOptionFamilies()) {
    for (const int depth : {8, 10, 12, 16}) {
      Compare(Luma(101 + depth, 67, depth), options, 2, {4}, false);
      Compare(Luma(390 + depth, 50 + depth, depth), options, 2, {3}, false);
    }
  }
}

TEST_F(AdmCudaGpuTest, LargeSizes) {
  const PlaneSize sizes[] = {{854, 480}, {960, 540}, {1283, 723}, {1920, 1080}, {3840, 2160}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10}) Compare(Luma(size.width, size.height, depth), {}, 6, {2}, true);
  }
}

}  // namespace
}  // namespace lockstep
