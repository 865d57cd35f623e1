// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's tables, sizes and refusals.
#include "features/cambi/cambi_settings.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;

Result<CambiSettings> Settings(int width, int height, const OptionTexts& texts, int bit_depth = 8) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  Result<OptionValues> options = OptionValues::Parse(kCambi.name, kCambi.options, dictionary);
  if (!options) return std::move(options).error();
  return MakeCambiSettings(*options, {PixelFormat::kYuv400, width, height, bit_depth});
}

std::vector<int> Limits(CambiTransfer transfer, double threshold, int max_log_contrast) {
  const CambiVisibility visibility = MakeCambiVisibility(transfer, threshold, 0.0, max_log_contrast);
  return {visibility.limits + 1, visibility.limits + 1 + visibility.contrasts};
}

int LowLimit(CambiTransfer transfer, double luminance) {
  return MakeCambiVisibility(transfer, 0.019, luminance, 0).low_limit;
}

TEST(CambiSettingsTest, Luminance) {
  EXPECT_EQ(CambiLuminance(CambiTransfer::kBt1886, 940), 300.0);
  EXPECT_NEAR(CambiLuminance(CambiTransfer::kBt1886, 64), 0.01, 1e-15);
  // A limit of 0.01 takes black away.
  EXPECT_LT(CambiLuminance(CambiTransfer::kBt1886, 64), 0.01);
  EXPECT_EQ(CambiLuminance(CambiTransfer::kPq, 64), 0.0);
  EXPECT_NEAR(CambiLuminance(CambiTransfer::kPq, 940), 10000.0, 1e-9);
  EXPECT_EQ(CambiLuminance(CambiTransfer::kPq, 0), CambiLuminance(CambiTransfer::kPq, 64));
  EXPECT_EQ(CambiLuminance(CambiTransfer::kBt1886, 1024), CambiLuminance(CambiTransfer::kBt1886, 940));
}

TEST(CambiSettingsTest, VisibilityLimits) {
  std::vector<int> bt1886(32, 1023);
  const int first[] = {178, 305, 432, 559, 686, 813};
  std::copy(std::begin(first), std::end(first), bt1886.begin());
  EXPECT_EQ(Limits(CambiTransfer::kBt1886, 0.019, 5), bt1886);
  EXPECT_EQ(Limits(CambiTransfer::kBt1886, 0.019, 2), std::vector<int>(bt1886.begin(), bt1886.begin() + 4));
  std::vector<int> pq(32, 1023);
  pq[0] = 233;
  EXPECT_EQ(Limits(CambiTransfer::kPq, 0.019, 5), pq);
}

// Limits are integers that no last bit of a power can move.
TEST(CambiSettingsTest, VisibilityLimitsAreFarFromTies) {
  for (const CambiTransfer transfer : {CambiTransfer::kBt1886, CambiTransfer::kPq}) {
    for (const double factor : {1.0 - 1e-9, 1.0 + 1e-9}) {
      EXPECT_EQ(Limits(transfer, 0.019 * factor, 5), Limits(transfer, 0.019, 5));
    }
  }
}

TEST(CambiSettingsTest, LowLimits) {
  const std::vector<std::pair<double, int>> bt1886 = {{0.0, 0},    {0.01, 65},  {0.06, 78},  {0.1, 84},   {1.0, 135},
                                                      {10.0, 268}, {40.0, 436}, {80.0, 564}, {300.0, 940}};
  for (const auto& [luminance, code] : bt1886) EXPECT_EQ(LowLimit(CambiTransfer::kBt1886, luminance), code);
  const std::vector<std::pair<double, int>> pq = {{0.0, 0},    {0.01, 83},  {0.06, 108}, {1.0, 196},
                                                  {10.0, 327}, {40.0, 432}, {100.0, 510}};
  for (const auto& [luminance, code] : pq) EXPECT_EQ(LowLimit(CambiTransfer::kPq, luminance), code);
}

TEST(CambiSettingsTest, Reciprocals) {
  const std::set<int> above = {82, 83, 244, 488, 564, 614, 664, 1419, 1699, 1906, 2443, 2740, 3812, 4130};
  const std::set<int> below = {504,  510,  528,  749,  760,  892,  2040, 2071, 2112, 2223, 2555, 2927, 3285, 3515,
                               3525, 3705, 3795, 3797, 3837, 3885, 4033, 4080, 4091, 4095, 4142, 4203, 4218, 4224};
  const auto& table = CambiReciprocals();
  EXPECT_EQ(table[0], 0.0f);
  for (int n = 1; n <= kCambiMaximumPixels; ++n) {
    // A single division of these numbers rounds once.
    const auto nearest = std::bit_cast<i32>(1.0f / static_cast<float>(n));
    const i32 expected = nearest + static_cast<i32>(above.count(n)) - static_cast<i32>(below.count(n));
    ASSERT_EQ(std::bit_cast<i32>(table[static_cast<std::size_t>(n)]), expected) << n;
  }
}

TEST(CambiSettingsTest, Weights) {
  const int expected[] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                          8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  for (int d = 1; d <= 32; ++d) EXPECT_EQ(CambiContrastWeight(d), expected[d - 1]) << d;
}

TEST(CambiSettingsTest, WindowAndMaskFollowTheSize) {
  const auto window = [](int width, int height, const OptionTexts& texts) {
    return Settings(width, height, texts)->distorted.window;
  };
  EXPECT_EQ(window(3840, 2160, {}), 65);
  EXPECT_EQ(window(3840, 2160, {{"cambi_high_res_speedup", "2160"}}), 33);
  EXPECT_EQ(window(1920, 1080, {}), 33);
  EXPECT_EQ(window(1920, 1080, {{"cambi_high_res_speedup", "1080"}}), 17);
  EXPECT_EQ(window(1280, 720, {}), 21);
  EXPECT_EQ(window(576, 324, {}), 9);
  const std::vector<std::pair<PlaneSize, int>> thresholds = {{{3840, 2160}, 24}, {{1920, 1080}, 21}, {{1280, 720}, 19},
                                                             {{576, 324}, 16},   {{63, 5000}, 7},    {{64, 64}, 7}};
  for (const auto& [size, threshold] : thresholds) {
    EXPECT_EQ(CambiMaskThreshold(size.width, size.height), threshold) << size.width << "x" << size.height;
  }
}

TEST(CambiSettingsTest, SizesOfEncodeAndSource) {
  const CambiSettings settings = *Settings(640, 480, {{"enc_width", "320"}, {"enc_height", "240"}});
  EXPECT_EQ(settings.distorted.width, 320);
  EXPECT_EQ(settings.distorted.height, 240);
  ASSERT_EQ(settings.distorted.columns.size(), 320u);
  // Of each pair of samples the second one, because halves are rounded up.
  EXPECT_EQ(settings.distorted.columns[0], 1);
  EXPECT_EQ(settings.distorted.columns[319], 639);
  EXPECT_EQ(settings.distorted.rows[100], 201);
  EXPECT_EQ(settings.reference.width, 640);
  EXPECT_TRUE(settings.reference.columns.empty());
  // Without the other side, or larger than the picture: the picture's own size.
  EXPECT_EQ(Settings(640, 480, {{"enc_width", "320"}})->distorted.width, 640);
  EXPECT_EQ(Settings(640, 480, {{"enc_width", "641"}, {"enc_height", "300"}})->distorted.height, 480);
  // Positions that rounding leads beyond the picture end at its last sample.
  const CambiSettings upward =
      *Settings(641, 400, {{"src_width", "7680"}, {"src_height", "4320"}, {"window_size", "15"}});
  for (const int column : upward.reference.columns) ASSERT_TRUE(column >= 0 && column < 641) << column;
  for (std::size_t i = 1; i < 7680; ++i) ASSERT_LE(upward.reference.columns[i - 1], upward.reference.columns[i]);
  EXPECT_EQ(upward.reference.rows.back(), 399);
}

TEST(CambiSettingsTest, SpeedupNeedsThePixels) {
  EXPECT_FALSE(Settings(1920, 1079, {{"cambi_high_res_speedup", "1080"}})->has_speedup);
  EXPECT_TRUE(Settings(1920, 1080, {{"cambi_high_res_speedup", "1080"}})->has_speedup);
  EXPECT_FALSE(Settings(1920, 1080, {{"cambi_high_res_speedup", "1440"}})->has_speedup);
  EXPECT_TRUE(Settings(3840, 2160, {{"cambi_high_res_speedup", "2160"}})->has_speedup);
  EXPECT_FALSE(Settings(3840, 2160, {{"cambi_high_res_speedup", "1200"}})->has_speedup);
  const OptionTexts small = {{"cambi_high_res_speedup", "1080"}, {"enc_width", "960"}, {"enc_height", "540"}};
  EXPECT_FALSE(Settings(1920, 1080, small)->has_speedup);
}

TEST(CambiSettingsTest, OptionsThatStandForOthers) {
  EXPECT_TRUE(Settings(640, 360, {}, 8)->removes_dither);
  EXPECT_FALSE(Settings(640, 360, {}, 10)->removes_dither);
  EXPECT_FALSE(Settings(640, 360, {{"enc_bitdepth", "10"}}, 8)->removes_dither);
  EXPECT_TRUE(Settings(640, 360, {{"enc_bitdepth", "9"}}, 16)->removes_dither);
  EXPECT_EQ(Settings(640, 360, {{"topk", "0.5"}, {"cambi_topk", "0.2"}})->pooled_fraction, 0.5);
  EXPECT_EQ(Settings(640, 360, {{"topk", "0.6"}, {"cambi_topk", "0.2"}})->pooled_fraction, 0.2);
  const auto limit = [](const OptionTexts& texts) { return Settings(640, 360, texts)->visibility.limits[1]; };
  EXPECT_EQ(limit({{"eotf", "pq"}}), 233);
  EXPECT_EQ(limit({{"eotf", "pq"}, {"cambi_eotf", "bt1886"}}), 233);
  EXPECT_EQ(limit({{"cambi_eotf", "pq"}}), 233);
}

TEST(CambiSettingsTest, Refusals) {
  const auto code = [](int width, int height, const OptionTexts& texts) {
    const Result<CambiSettings> settings = Settings(width, height, texts);
    return settings.ok() ? std::string("accepted") : settings.error().message;
  };
  EXPECT_EQ(code(215, 215, {}), "pictures are 215x215, but cambi needs a width or a height of at least 216");
  EXPECT_EQ(code(216, 1, {}), "accepted");
  EXPECT_EQ(code(1, 216, {}), "accepted");
  EXPECT_EQ(code(640, 360, {{"enc_width", "200"}, {"enc_height", "200"}}),
            "the encode is 200x200, but cambi needs a width or a height of at least 216");
  EXPECT_EQ(code(640, 360, {{"src_width", "800"}, {"src_height", "300"}}),
            "the source is 800x300 and the encode 640x360; neither may be wider and less high than the other one");
  EXPECT_EQ(code(7680, 4320, {}),
            "the window is 131 pixels wide, but at most 65 are possible; choose a smaller window_size");
  EXPECT_EQ(code(7680, 4320, {{"window_size", "32"}}), "accepted");
  EXPECT_EQ(code(640, 360, {{"eotf", "hlg"}}), "option eotf: 'hlg' is none of bt1886, pq");
  EXPECT_EQ(code(640, 360, {{"cambi_eotf", "PQ"}}), "option cambi_eotf: 'PQ' is none of bt1886, pq");
  EXPECT_EQ(code(640, 360, {{"enc_width", "0"}}), "option enc_width: 0 is outside 180 to 7680");
}

}  // namespace
}  // namespace lockstep
