// SPDX-License-Identifier: BSD-2-Clause-Patent
// Option parsing, number normalisation and score names.
#include "features/option_table.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "features/score_name.h"

namespace lockstep {
namespace {

constexpr std::array<OptionSpec, 9> kSpecs = {{
    {"zoom", "z", OptionType::kDouble, OptionEffect::kInName, 1.0, 0.0, 50.0, "factor"},
    {"depth", nullptr, OptionType::kInt, OptionEffect::kInName, 3, -5, 9, "levels"},
    {"average", "avg", OptionType::kBool, OptionEffect::kInName, 0, 0, 1, "average"},
    {"debug", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1, "more output"},
    {"skip", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1, "skip"},
    {"method", "m", OptionType::kString, OptionEffect::kInName, 0, 0, 0, "method", "nearest"},
    {"maps", nullptr, OptionType::kString, OptionEffect::kOutputOnly, 0, 0, 0, "folder"},
    {"curve", nullptr, OptionType::kString, OptionEffect::kInName, 0, 0, 0, "curve", "straight", "straight bent"},
    {"form", nullptr, OptionType::kString, OptionEffect::kOutputOnly, 0, 0, 0, "form of the maps", "raw", "raw png"},
}};

Result<OptionValues> Parse(const std::vector<std::pair<std::string, std::string>>& options) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : options) dictionary.Set(key, value);
  return OptionValues::Parse("metric", kSpecs, dictionary);
}

TEST(OptionTable, DefaultsWithoutOptions) {
  const Result<OptionValues> values = Parse({});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->GetDouble("zoom"), 1.0);
  EXPECT_EQ(values->GetInt("depth"), 3);
  EXPECT_FALSE(values->GetBool("average"));
  EXPECT_EQ(values->GetString("method"), "nearest");
}

TEST(OptionTable, ReadsEveryType) {
  const Result<OptionValues> values =
      Parse({{"zoom", "0.25"}, {"depth", "-2"}, {"average", "true"}, {"method", "cubic"}});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->GetDouble("zoom"), 0.25);
  EXPECT_EQ(values->GetInt("depth"), -2);
  EXPECT_TRUE(values->GetBool("average"));
  EXPECT_EQ(values->GetString("method"), "cubic");
}

TEST(OptionTable, RefusesWhatDoesNotFitAndNamesIt) {
  for (const auto& [key, value, expected] : std::vector<std::array<std::string, 3>>{
           {"zoom", "nan", "finite number"},
           {"zoom", "inf", "finite number"},
           {"zoom", "", "finite number"},
           {"zoom", "1.5x", "finite number"},
           {"zoom", "50.5", "outside 0 to 50"},
           {"zoom", "-1", "outside 0 to 50"},
           {"depth", "1.5", "whole number"},
           {"depth", "10", "outside -5 to 9"},
           {"depth", "99999999999999999999", "whole number"},
           {"average", "1", "not true or false"},
           {"average", "True", "not true or false"},
           {"zomo", "1", "its options are zoom, depth, average, debug, skip, method"},
       }) {
    const Result<OptionValues> values = Parse({{key, value}});
    ASSERT_FALSE(values.ok()) << key << "=" << value;
    EXPECT_NE(values.error().Describe().find(expected), std::string::npos) << values.error().Describe();
    EXPECT_NE(values.error().Describe().find(key), std::string::npos);
  }
}

TEST(OptionTable, UnitesOutputs) {
  Result<OptionValues> plain = Parse({});
  const Result<OptionValues> debug = Parse({{"debug", "true"}});
  EXPECT_TRUE(plain->SameValues(*debug, OptionEffect::kInName));
  plain->MergeOutputs(*debug);
  EXPECT_TRUE(plain->GetBool("debug"));
  plain->MergeOutputs(*Parse({}));
  EXPECT_TRUE(plain->GetBool("debug"));
  EXPECT_FALSE(plain->SameValues(*Parse({{"skip", "true"}}), OptionEffect::kValueOnly));
}

TEST(NormaliseNumber, IsTheShortFormOfTheBinary32Value) {
  EXPECT_EQ(NormaliseNumber("1.0"), "1");
  EXPECT_EQ(NormaliseNumber("1.20"), "1.2");
  EXPECT_EQ(NormaliseNumber("0.06"), "0.06");
  EXPECT_EQ(NormaliseNumber("1234567"), "1.23457e+06");
  EXPECT_EQ(NormaliseNumber("0.123456789"), "0.123457");
  EXPECT_EQ(NormaliseNumber("+.5"), "0.5");
  EXPECT_EQ(NormaliseNumber("true"), "true");
  EXPECT_EQ(NormaliseNumber("1.5x"), "1.5x");
  EXPECT_EQ(NormaliseNumber(""), "");
}

TEST(ScoreName, DefaultOptionsKeepTheLongName) {
  EXPECT_EQ(
      DecoratedScoreName({"VMAF_integer_feature_adm2_score", ColumnPhase::kFrame, true}, *Parse({{"debug", "true"}})),
      "VMAF_integer_feature_adm2_score");
}

TEST(OptionTable, TextsWithChoices) {
  EXPECT_EQ(Parse({{"curve", "bent"}})->GetString("curve"), "bent");
  EXPECT_EQ(Parse({})->GetString("curve"), "straight");
  for (const char* const wrong : {"", "ben", "bent ", "straight bent"}) {
    const Result<OptionValues> values = Parse({{"curve", wrong}});
    ASSERT_FALSE(values.ok()) << wrong;
    EXPECT_NE(values.error().message.find("is none of straight, bent"), std::string::npos) << values.error().message;
  }
  EXPECT_EQ(ChoicesOf(kSpecs[7]), (std::vector<std::string_view>{"straight", "bent"}));
  EXPECT_TRUE(ChoicesOf(kSpecs[5]).empty());
}

TEST(OptionTable, OutputTextsAreTakenOver) {
  Result<OptionValues> plain = Parse({});
  const Result<OptionValues> maps = Parse({{"maps", "here"}});
  EXPECT_TRUE(plain->CanMergeOutputs(*maps));
  EXPECT_TRUE(maps->CanMergeOutputs(*plain));
  plain->MergeOutputs(*maps);
  EXPECT_EQ(plain->GetString("maps"), "here");
  plain->MergeOutputs(*Parse({}));
  EXPECT_EQ(plain->GetString("maps"), "here");
  EXPECT_FALSE(plain->CanMergeOutputs(*Parse({{"maps", "there"}})));
  EXPECT_TRUE(plain->CanMergeOutputs(*Parse({{"maps", "here"}, {"method", "other"}})));
  // The form of a map counts where both want one.
  EXPECT_FALSE(plain->CanMergeOutputs(*Parse({{"maps", "here"}, {"form", "png"}})));
  EXPECT_TRUE(Parse({})->CanMergeOutputs(*Parse({{"maps", "here"}, {"form", "png"}})));
}

TEST(ScoreName, ChangedOptionsAreSortedByTheirFullName) {
  const FeatureColumn column{"VMAF_integer_feature_adm2_score", ColumnPhase::kFrame, true};
  EXPECT_EQ(DecoratedScoreName(column, *Parse({{"zoom", "1.2"}, {"depth", "4"}, {"average", "true"}, {"method", "x"}})),
            "integer_adm2_avg_depth_4_m_x_z_1.2");
}

TEST(ScoreName, ValueOnlyOptionsShowOnlyInTheFullForm) {
  const FeatureColumn column{"psnr_y", ColumnPhase::kFrame, false};
  const Result<OptionValues> values = Parse({{"skip", "true"}});
  EXPECT_EQ(DecoratedScoreName(column, *values), "psnr_y");
  EXPECT_EQ(FullyDecoratedScoreName(column, *values), "psnr_y_skip");
}

TEST(ScoreName, ShortForms) {
  EXPECT_EQ(ShortScoreName("VMAF_integer_feature_motion2_score"), "integer_motion2");
  EXPECT_EQ(ShortScoreName("VMAF_feature_vif_scale3_score"), "vif_scale3");
  EXPECT_EQ(ShortScoreName("VMAF_feature_adm_scale0_score"), "adm_scale0");
  EXPECT_EQ(ShortScoreName("VMAF_integer_feature_adm_scale0_score"), "VMAF_integer_feature_adm_scale0_score");
  EXPECT_EQ(ShortScoreName("VMAF_integer_feature_motion_sad_score"), "VMAF_integer_feature_motion_sad_score");
  EXPECT_EQ(ShortScoreName("Cambi_feature_cambi_score"), "cambi");
  EXPECT_EQ(ShortScoreName("psnr_y"), "psnr_y");
}

TEST(ScoreName, NeverLongerThan255) {
  const Result<OptionValues> values = Parse({{"method", std::string(400, 'x')}});
  EXPECT_EQ(DecoratedScoreName({"name", ColumnPhase::kFrame, true}, *values).size(), 255U);
}

}  // namespace
}  // namespace lockstep
