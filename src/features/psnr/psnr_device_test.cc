// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr's device program gives the scalar code's facts.
#include <gtest/gtest.h>

#include <vector>

#include "features/device/test_device_run.h"
#include "features/psnr/psnr.h"

namespace lockstep {
namespace {

using test_run::DeviceFacts;
using test_run::MakeFeature;
using test_run::NoiseFrames;
using test_run::ScalarFacts;

TEST(PsnrDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{1, 1}, {3, 3}, {4, 5}, {17, 17}, {31, 9}, {33, 33}, {64, 64}, {257, 145}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) {
      for (const PixelFormat pixels :
           {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
        const VideoFormat format = {pixels, size.width, size.height, depth};
        const auto feature = MakeFeature(kPsnr, {}, format);
        const std::vector<Frame> reference = NoiseFrames(format, 2, 1);
        const std::vector<Frame> distorted = NoiseFrames(format, 2, 9);
        EXPECT_EQ(DeviceFacts(*feature, reference, distorted), ScalarFacts(*feature, reference, distorted))
            << size.width << "x" << size.height << " " << depth << " bit " << PixelFormatName(pixels);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
