// SPDX-License-Identifier: BSD-2-Clause-Patent
// The gate finds a difference and a hole, and passes only what was compared.
#include "parity/parity_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "features/feature_list.h"
#include "features/test_run.h"
#include "lanes/cpu_target.h"
#include "parity/option_cases.h"
#include "parity/synthetic_clip.h"

namespace lockstep {
namespace {

TEST(ParityRunTest, EveryMetricOnEveryTargetWithDefaultsIsEqual) {
  ParityRequest request;
  request.default_options_only = true;
  request.threads = 4;
  const Result<ParityReport> report = CompareAll(request);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->all_equal());
  std::set<std::pair<std::string, std::string>> seen;
  for (const ParityCell& cell : report->cells) {
    EXPECT_EQ(cell.state, ParityState::kEqual)
        << cell.feature << ", " << cell.clip << ", " << cell.target << ": " << cell.detail;
    EXPECT_GT(cell.values, 3);
    seen.emplace(cell.feature, cell.target);
  }
  EXPECT_EQ(seen.size(), FeatureList().size() * AvailableCpuTargets().size());
  EXPECT_TRUE(report->refusals.empty());
}

TEST(ParityRunTest, NoCellIsNoPass) { EXPECT_FALSE(ParityReport{}.all_equal()); }

TEST(ParityRunTest, UnknownNamesAreErrors) {
  ParityRequest request;
  request.features = {"psrn"};
  EXPECT_EQ(CompareAll(request).error().code, ErrorCode::kNotFound);
  request.features = {"psnr"};
  request.targets = {"avx3"};
  EXPECT_EQ(CompareAll(request).error().code, ErrorCode::kInvalidArgument);
  request.targets = {};
  request.backends = {"abacus"};
  EXPECT_EQ(CompareAll(request).error().code, ErrorCode::kUnsupported);
  request.backends = {};
  EXPECT_EQ(CompareAll(request).error().code, ErrorCode::kInvalidArgument);
}

TEST(ParityRunTest, StopsWhenAsked) {
  ParityRequest request;
  std::stop_source stop;
  request.stop = stop.get_token();
  request.on_progress = [&](int done, int /*total*/) {
    if (done > 5) stop.request_stop();
  };
  EXPECT_EQ(CompareAll(request).error().code, ErrorCode::kCancelled);
}

TEST(ParityRunTest, OptionsThatNoClipAllowsAreListedNotPassed) {
  ParityRequest request;
  request.features = {"motion"};
  request.targets = {"scalar"};
  request.all_sizes = false;
  const Result<ParityReport> report = CompareAll(request);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->all_equal());
  for (const ParityCell& cell : report->cells) {
    EXPECT_FALSE(cell.options.find("motion_add_uv=true") == 0 && cell.clip.find(" 400 ") != std::string::npos);
  }
}

// The defaults see every clip. Other options see one of the two natural clips and one of the two banded ones, where
// they allow it.
TEST(ParityRunTest, OptionsGoRoundTheLargeClips) {
  ParityRequest request;
  request.features = {"vif", "speed_chroma"};
  request.targets = {"scalar"};
  const Result<ParityReport> report = CompareAll(request);
  ASSERT_TRUE(report.ok());
  std::map<std::pair<std::string, std::string>, std::set<std::string>> clips;
  for (const ParityCell& cell : report->cells) clips[{cell.feature, cell.options}].insert(cell.clip);
  const auto count = [](const std::set<std::string>& names, const char* content) {
    return std::count_if(names.begin(), names.end(),
                         [&](const std::string& name) { return name.starts_with(content); });
  };
  for (const auto& [options, seen] : clips) {
    const bool is_default = options.second.empty();
    if (options.first == "vif") {
      EXPECT_EQ(count(seen, "natural 57") + count(seen, "natural 580"), is_default ? 2 : 1) << options.second;
      EXPECT_EQ(count(seen, "bands"), is_default ? 2 : 1) << options.second;
      EXPECT_EQ(count(seen, "noise 161"), 1) << options.second;
    } else if (!is_default) {
      EXPECT_GE(count(seen, "natural 57") + count(seen, "natural 580") + count(seen, "bands"), 1) << options.second;
    }
  }
}

TEST(OptionCasesTest, EveryOptionIsTried) {
  for (const FeatureDescription* feature : FeatureList()) {
    std::set<std::string> texts;
    std::string all;
    for (const OptionList& options : OptionCases(*feature, false)) {
      const std::string text = OptionText(options);
      EXPECT_TRUE(texts.insert(text).second) << text;
      all += text + ";";
    }
    for (const OptionSpec& spec : feature->options) {
      if (spec.type == OptionType::kString && *spec.choices == '\0') continue;  // a path
      EXPECT_NE(all.find(std::string(spec.name) + "="), std::string::npos) << feature->name << " " << spec.name;
    }
    EXPECT_EQ(OptionCases(*feature, true).size(), 1U);
  }
}

// A clip on which a metric is 0 compares nothing of it.
TEST(SyntheticClipTest, BandsHaveScores) {
  const SyntheticPictures bands({{PixelFormat::kYuv444, 962, 542, 10}, ClipContent::kBands});
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  for (int i = 0; i < 2; ++i) {
    const auto copy = [&](const Frame& frame) {
      return test_run::MakeFrame(frame.format(), 1,
                                 [&](int plane, int x, int y) { return test_run::Sample(frame, plane, x, y); });
    };
    reference.push_back(copy(bands.reference(i)));
    distorted.push_back(copy(bands.distorted(i)));
  }
  const auto score = [&](const char* feature, const test_run::OptionTexts& options) {
    return test_run::RunAll(*test_run::MakeFeature(*FindFeature(feature), options, bands.clip().format), reference,
                            distorted);
  };
  // libvmaf's values of frame 1.
  EXPECT_NEAR(score("cambi", {}).values.at({0, 1}), 22.951559, 5e-7);
  const auto chroma = score("speed_chroma", {{"speed_prescale", "0.5"}, {"speed_prescale_method", "bilinear"}});
  EXPECT_NEAR(chroma.values.at({0, 1}), 11.113275, 5e-7);
  EXPECT_NEAR(chroma.values.at({1, 1}), 18.513914, 5e-7);
}

TEST(OptionCasesTest, HalvedEncodesOfCambiAreTried) {
  std::set<std::string> texts;
  for (const OptionList& options : OptionCases(*FindFeature("cambi"), false)) texts.insert(OptionText(options));
  EXPECT_TRUE(
      texts.contains("enc_width=1920:enc_height=1080:cambi_high_res_speedup=1080:"
                     "cambi_vis_lum_threshold=0.06:cambi_max_val=17"));
}

TEST(SyntheticClipTest, PicturesDoNotChange) {
  // The first samples, so that figures of different versions can be compared.
  const SyntheticPictures noise({{PixelFormat::kYuv420, 17, 17, 10}, ClipContent::kNoise});
  EXPECT_EQ(noise.reference(0).plane(0).row<std::uint16_t>(0)[0], 904);
  const SyntheticPictures natural({{PixelFormat::kYuv420, 64, 64, 8}, ClipContent::kNatural});
  EXPECT_EQ(natural.reference(1).plane(0).row<std::uint8_t>(5)[7], 108);
  for (const SyntheticClip& clip : BuiltInClips(true)) EXPECT_LE(clip.format.width, 1283);
  EXPECT_GT(BuiltInClips(true).size(), BuiltInClips(false).size());
}

}  // namespace
}  // namespace lockstep
