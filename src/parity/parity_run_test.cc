// SPDX-License-Identifier: BSD-2-Clause-Patent
// The gate finds a difference and a hole, and passes only what was compared.
#include "parity/parity_run.h"

#include <gtest/gtest.h>

#include <set>

#include "features/feature_list.h"
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
      EXPECT_NE(all.find(std::string(spec.name) + "="), std::string::npos) << feature->name << " " << spec.name;
    }
    EXPECT_EQ(OptionCases(*feature, true).size(), 1U);
  }
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
