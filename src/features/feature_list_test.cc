// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the list says of every metric is true of the metric.
#include "features/feature_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "backend/device.h"
#include "features/device/device_program.h"
#include "features/score_name.h"

namespace lockstep {
namespace {

constexpr VideoFormat kFormat = {PixelFormat::kYuv420, 640, 360, 8};

Result<std::unique_ptr<Feature>> Make(const FeatureDescription& description, const VideoFormat& format) {
  return CreateFeature(description, OptionValues(description.options), format, CpuTarget::kScalar);
}

TEST(FeatureList, DevicesComputeWhatTheListSays) {
  for (const FeatureDescription* description : FeatureList()) {
    const Result<std::unique_ptr<Feature>> feature = Make(*description, kFormat);
    ASSERT_TRUE(feature.ok()) << feature.error().Describe();
    for (const char* const tuned : {"", "cuda80"}) {
      DeviceTraits traits;
      traits.tuned = tuned;
      traits.multiprocessors = 100;
      traits.local_bytes = 227 * 1024;
      EXPECT_EQ((*feature)->MakeDeviceProgram(traits) != nullptr, description->on_devices) << description->name;
    }
  }
}

TEST(FeatureList, NamesAreUnique) {
  std::set<std::string> names;
  std::set<std::string> scores;
  for (const FeatureDescription* description : FeatureList()) {
    EXPECT_TRUE(names.insert(description->name).second) << description->name;
    for (const char* const provided : description->provided) {
      EXPECT_TRUE(scores.insert(provided).second) << provided;
      EXPECT_EQ(FindFeatureByScore(provided), description);
    }
    EXPECT_EQ(FindFeature(description->name), description);
    EXPECT_NE(std::string(description->summary), "") << description->name;
  }
}

TEST(FeatureList, OptionsSayWhatTheyAre) {
  for (const FeatureDescription* description : FeatureList()) {
    std::set<std::string> names;
    for (const OptionSpec& spec : description->options) {
      const std::string what = std::string(description->name) + " " + spec.name;
      EXPECT_TRUE(names.insert(spec.name).second) << what;
      EXPECT_NE(std::string(spec.meaning), "") << what;
      const std::vector<std::string_view> choices = ChoicesOf(spec);
      if (spec.type == OptionType::kString && !choices.empty()) {
        EXPECT_NE(std::find(choices.begin(), choices.end(), spec.default_text), choices.end()) << what;
      }
      if (spec.type == OptionType::kBool) {
        EXPECT_TRUE(spec.default_value == 0.0 || spec.default_value == 1.0) << what;
      } else if (spec.type != OptionType::kString) {
        EXPECT_LT(spec.minimum, spec.maximum) << what;
      }
    }
  }
}

// A metric takes pictures of its minimum size, or says what it needs instead.
TEST(FeatureList, MinimumSizes) {
  for (const FeatureDescription* description : FeatureList()) {
    VideoFormat format = kFormat;
    format.width = description->minimum_size.width;
    format.height = description->minimum_size.height;
    const Result<std::unique_ptr<Feature>> smallest = Make(*description, format);
    EXPECT_TRUE(smallest.ok() || smallest.error().code == ErrorCode::kUnsupported) << description->name;
    for (const bool is_narrow : {true, false}) {
      VideoFormat small = format;
      --(is_narrow ? small.width : small.height);
      if (small.width == 0 || small.height == 0) continue;
      const Result<std::unique_ptr<Feature>> feature = Make(*description, small);
      ASSERT_FALSE(feature.ok()) << description->name;
      EXPECT_EQ(feature.error().code, ErrorCode::kUnsupported);
      EXPECT_EQ(feature.error().field, std::string("feature ") + description->name);
    }
  }
}

}  // namespace
}  // namespace lockstep
