// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's device program gives the scalar code's facts.
#include "features/cambi/cambi_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/cambi/cambi_device_pooling.h"
#include "features/cambi/cambi_kernels.h"
#include "features/cambi/cambi_test_banding.h"
#include "features/device/test_device_run.h"

namespace lockstep {
namespace {

using test_run::CambiFrames;
using test_run::DeviceFacts;
using test_run::MakeFeature;
using test_run::OptionTexts;
using test_run::ScalarFacts;

/// in    every: of so many kinds of pictures one is compared
void Compare(const VideoFormat& format, const OptionTexts& options, int every = 1) {
  const auto feature = MakeFeature(kCambi, options, format);
  const std::vector<Frame> frames = CambiFrames(format);
  const std::size_t last = frames.size() - 1;
  for (std::size_t i = static_cast<std::size_t>(format.width % every); i < frames.size();
       i += static_cast<std::size_t>(every)) {
    const std::span<const Frame> distorted = std::span(frames).subspan(i, 1);
    const std::span<const Frame> reference = std::span(frames).subspan(last - i, 1);
    ASSERT_EQ(DeviceFacts(*feature, reference, distorted), ScalarFacts(*feature, reference, distorted))
        << format.width << "x" << format.height << ", " << format.bit_depth << " bit, picture " << i
        << (options.empty() ? "" : ", " + options[0].first + "=" + options[0].second);
  }
}

VideoFormat Luma(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

TEST(CambiDeviceTest, FactsAreThoseOfTheScalarCode) {
  const PlaneSize sizes[] = {{216, 100}, {100, 216}, {217, 65}, {231, 217}};
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 10, 12, 16}) Compare(Luma(size.width, size.height, depth), {}, depth == 8 ? 2 : 4);
  }
  Compare(Luma(576, 324, 8), {}, 4);
  Compare(Luma(577, 323, 10), {}, 4);
}

TEST(CambiDeviceTest, OneSideMayBeTiny) {
  for (const int side : {1, 2, 3, 4, 5, 8, 9, 17}) {
    Compare(Luma(216, side, 8), {}, 4);
    Compare(Luma(side, 216, 10), {}, 4);
  }
}

TEST(CambiDeviceTest, OddDepths) {
  for (const int depth : {9, 11, 13, 14, 15}) Compare(Luma(216, 40, depth), {}, 4);
}

TEST(CambiDeviceTest, ChromaPlaysNoPart) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    Compare({pixels, 216, 61, 8}, {}, 4);
  }
}

TEST(CambiDeviceTest, Options) {
  const OptionTexts cases[] = {
      {{"window_size", "15"}},
      {{"window_size", "127"}},
      {{"topk", "0.05"}},
      {{"topk", "1"}},
      {{"cambi_topk", "0.0001"}},
      {{"tvi_threshold", "0.005"}},
      {{"tvi_threshold", "0.2"}},
      {{"cambi_vis_lum_threshold", "0.06"}},
      {{"cambi_vis_lum_threshold", "30"}},
      {{"cambi_vis_lum_threshold", "300"}},
      {{"max_log_contrast", "0"}},
      {{"max_log_contrast", "1"}},
      {{"max_log_contrast", "3"}},
      {{"max_log_contrast", "5"}, {"tvi_threshold", "0.0001"}},
      {{"max_log_contrast", "5"}, {"cambi_vis_lum_threshold", "0.5"}},
      {{"eotf", "pq"}},
      {{"cambi_eotf", "pq"}, {"cambi_vis_lum_threshold", "1"}},
      {{"full_ref", "true"}},
      {{"full_ref", "true"}, {"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}},
      {{"enc_bitdepth", "6"}},
      {{"enc_bitdepth", "10"}},
  };
  for (const OptionTexts& options : cases) {
    Compare(Luma(233, 97, 8), options, 4);
    Compare(Luma(235, 61, 10), options, 5);
  }
}

TEST(CambiDeviceTest, Resampling) {
  const OptionTexts cases[] = {
      {{"enc_width", "216"}, {"enc_height", "150"}},
      {{"enc_width", "301"}, {"enc_height", "217"}, {"full_ref", "true"}},
      {{"src_width", "400"}, {"src_height", "300"}, {"full_ref", "true"}},
      {{"enc_width", "250"}, {"enc_height", "170"}, {"src_width", "333"}, {"src_height", "222"}, {"full_ref", "true"}},
  };
  for (const OptionTexts& options : cases) {
    for (const int depth : {8, 10, 12}) Compare(Luma(320, 240, depth), options, 6);
  }
}

TEST(CambiDeviceTest, SpeedUp) {
  const OptionTexts model = {
      {"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}};
  Compare(Luma(1921, 1081, 8), model, 8);
  Compare(Luma(1920, 1080, 10), model, 8);
}

// Contrasts of thousands, whose sum is too large for binary64 to hold every partial sum if there are small ones as
// well.
TEST(CambiDeviceTest, FramesWhoseSumsMayRoundAreForTheHost) {
  const VideoFormat format = Luma(3000, 72, 10);
  std::vector<Frame> frames;
  frames.push_back(test_run::MakeFrame(format, 3, [](int, int x, int) { return x / 16 % 2 == 0 ? 300 : 325; }));
  for (const bool is_for_host : {true, false}) {
    // Without the pixels of contrast 0 the smallest contrast is large, and with it the unit of all.
    const auto feature = MakeFeature(
        kCambi, {{"window_size", "127"}, {"max_log_contrast", "5"}, {"topk", is_for_host ? "1" : "0.3"}}, format);
    const std::unique_ptr<Device> device = MakeHostDevice(HostOrder::kLate);
    const Feature* const features[] = {feature.get()};
    auto session = DeviceSession::Create(*device, format, features, {1, false});
    ASSERT_TRUE(session);
    const BatchFrame batch[] = {{&frames[0], &frames[0], {1}}};
    (*session)->Submit(batch);
    ASSERT_TRUE((*session)->Take());
    const DeviceProgram& program = (*session)->program(0);
    EXPECT_EQ(program.NeedsPictures((*session)->results(0, 0)), is_for_host);
    std::vector<Fact> facts(kCambiScales);
    program.Collect(test_run::WindowOf(*feature, frames, frames, 0), (*session)->results(0, 0), facts);
    EXPECT_EQ(facts, ScalarFacts(*feature, frames, frames).front());
    EXPECT_GT(DoubleOf(facts[0]), 536870912.0);
  }
}

TEST(CambiDeviceTest, KeysHaveTheOrderOfContrasts) {
  EXPECT_EQ(CambiKeyOfBits(0), 0u);
  EXPECT_EQ(CambiUnitsOfKey(0), 0u);
  EXPECT_EQ(CambiKeyOfBits(0x3f000000), 1u);  // 1/2
  EXPECT_EQ(CambiUnitsOfKey(1), u64{1} << 23);
  EXPECT_EQ(CambiUnitsOfKey(CambiKeyOfBits(0x40490fdb)), u64{0xc90fdb} << 2);
  EXPECT_LT(CambiKeyOfBits(0x467fffff), 1u << (kCambiDigits * kCambiDigitBits));  // below 2^14
}

TEST(CambiDeviceTest, ExactSums) {
  EXPECT_TRUE((CambiPooledSum{(u64{1} << 53) - 1, 0}).IsExact());
  EXPECT_FALSE((CambiPooledSum{u64{1} << 53, 0}).IsExact());
  EXPECT_FALSE((CambiPooledSum{u64{1} << 53, 1u << 23}).IsExact());
  EXPECT_TRUE((CambiPooledSum{u64{1} << 53, (1u << 23) + 1}).IsExact());
  EXPECT_EQ((CambiPooledSum{u64{3} << 23, 1}).Value(), 1.5);
}

}  // namespace
}  // namespace lockstep
