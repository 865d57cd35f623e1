// SPDX-License-Identifier: BSD-2-Clause-Patent
// The models that the library carries, against the golden scores.
#include "model/built_in_models.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "features/score_name.h"
#include "model/model.h"
#include "model/test_goldens.h"

namespace lockstep {
namespace {

using nlohmann::json;

LoadedModel Load(std::string_view version, const ModelFlags& flags = {}) {
  Result<LoadedModel> loaded = LoadBuiltInModel(version, flags);
  if (!loaded) throw std::runtime_error(loaded.error().Describe());
  return std::move(*loaded);
}

/// Feature scores that no model was trained on, the same on every machine.
class Scores {
 public:
  std::vector<double> Next(std::size_t count) {
    std::vector<double> scores(count);
    for (double& score : scores) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      score = static_cast<double>(state_ >> 33) * 0x1p-31;
    }
    return scores;
  }

 private:
  std::uint64_t state_ = 1;
};

std::uint64_t HashOfPredictions(const Model& model) {
  Scores scores;
  std::uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < 64; ++i) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(model.Predict(scores.Next(model.features().size()), false))) *
           1099511628211U;
  }
  return hash;
}

TEST(BuiltInModels, ListAndFilesAgree) {
  EXPECT_EQ(BuiltInModels().size(), 17U);
  EXPECT_EQ(AllModelFigures().size(), 17U);
  for (const BuiltInModelInfo& info : BuiltInModels()) {
    SCOPED_TRACE(info.version);
    const LoadedModel loaded = Load(info.version);
    EXPECT_EQ(loaded.is_collection(), info.is_collection);
    EXPECT_EQ(loaded.members.size(), info.is_collection ? 20U : 0U);
    EXPECT_FALSE(info.summary.empty());
  }
}

TEST(BuiltInModels, UnknownVersionListsTheKnownOnes) {
  const Result<LoadedModel> loaded = LoadBuiltInModel("vmaf_v9", {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kNotFound);
  for (const BuiltInModelInfo& info : BuiltInModels()) {
    EXPECT_NE(loaded.error().message.find(info.version), std::string::npos) << info.version;
  }
}

TEST(BuiltInModels, FeaturesAndOptions) {
  using Entries = std::vector<OptionDictionary::Entry>;
  const LoadedModel neg = Load("vmaf_float_v0.6.1neg");
  const std::vector<std::string> names = {"VMAF_feature_adm2_score",       "VMAF_feature_motion2_score",
                                          "VMAF_feature_vif_scale0_score", "VMAF_feature_vif_scale1_score",
                                          "VMAF_feature_vif_scale2_score", "VMAF_feature_vif_scale3_score"};
  ASSERT_EQ(neg.main.features().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(neg.main.features()[i].raw_name, names[i]);
    const Entries expected = i == 0   ? Entries{{"adm_enhn_gain_limit", "1"}}
                             : i == 1 ? Entries{}
                                      : Entries{{"vif_enhn_gain_limit", "1"}};
    EXPECT_EQ(neg.main.features()[i].options.entries(), expected);
  }
  EXPECT_EQ(Load("vmaf_v0.6.1").main.features()[0].raw_name, "VMAF_integer_feature_adm2_score");
  EXPECT_TRUE(Load("vmaf_v0.6.1").main.features()[0].options.entries().empty());

  const LoadedModel hfr = Load("vmaf_v1.0.16_hfr_3d0h_2160");
  ASSERT_EQ(hfr.main.features().size(), 4U);
  EXPECT_EQ(
      hfr.main.features()[0].options.entries(),
      (Entries{{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}}));
  EXPECT_EQ(hfr.main.features()[1].options.entries(), (Entries{{"speed_nn_floor", "0.1"},
                                                               {"speed_sigma_nn", "0.19"},
                                                               {"speed_weight_var_mode", "5"},
                                                               {"speed_prescale", "0.5"},
                                                               {"speed_prescale_method", "bilinear"},
                                                               {"speed_max_val", "45"}}));
  EXPECT_EQ(*hfr.main.features()[2].options.Find("adm_ref_display_height"), "2160");
  EXPECT_EQ(
      hfr.main.features()[3].options.entries(),
      (Entries{{"motion_max_val", "18"}, {"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}}));
}

TEST(BuiltInModels, DerivedModelsHaveTheFiguresOfTheirBase) {
  const auto hash = [](std::string_view version) { return HashOfPredictions(Load(version).main); };
  EXPECT_EQ(hash("vmaf_v0.6.1neg"), hash("vmaf_v0.6.1"));
  EXPECT_EQ(hash("vmaf_float_v0.6.1"), hash("vmaf_v0.6.1"));
  EXPECT_EQ(hash("vmaf_float_v0.6.1neg"), hash("vmaf_v0.6.1"));
  EXPECT_EQ(hash("vmaf_4k_v0.6.1neg"), hash("vmaf_4k_v0.6.1"));
  EXPECT_EQ(hash("vmaf_float_4k_v0.6.1"), hash("vmaf_4k_v0.6.1"));
  for (const BuiltInModelInfo& info : BuiltInModels()) {
    if (!info.version.starts_with("vmaf_v1")) continue;
    EXPECT_EQ(hash(info.version), hash("vmaf_v1.0.16_3d0h")) << info.version;
  }
  const LoadedModel integer = Load("vmaf_b_v0.6.3");
  const LoadedModel floating = Load("vmaf_float_b_v0.6.3");
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(HashOfPredictions(integer.members[i]), HashOfPredictions(floating.members[i]));
    EXPECT_NE(HashOfPredictions(integer.members[i]), HashOfPredictions(integer.main));
  }
}

TEST(BuiltInModels, PredictionsAreTheseBitsOnEveryMachine) {
  EXPECT_EQ(HashOfPredictions(Load("vmaf_v0.6.1").main), 17258185388947397272U);
  EXPECT_EQ(HashOfPredictions(Load("vmaf_4k_v0.6.1").main), 8281063139932752335U);
  EXPECT_EQ(HashOfPredictions(Load("vmaf_b_v0.6.3").main), 7707826567698000209U);
  EXPECT_EQ(HashOfPredictions(Load("vmaf_b_v0.6.3").members.back()), 12772951323956023051U);
  EXPECT_EQ(HashOfPredictions(Load("vmaf_v1.0.16_3d0h").main), 7235500529958165798U);
}

TEST(BuiltInModels, FlagsChangeClipAndTransform) {
  const double low = -5.0;
  EXPECT_EQ(Load("vmaf_v0.6.1").main.TransformAndClip(low), 0.0);
  EXPECT_EQ(Load("vmaf_v0.6.1", {.disable_clip = true}).main.TransformAndClip(low), low);
  EXPECT_EQ(Load("vmaf_v0.6.1", {.enable_transform = true}).main.TransformAndClip(50.0),
            1.70674692 + 1.72643844 * 50.0 + (-0.00705305 * 50.0) * 50.0);
  EXPECT_EQ(Load("vmaf_v0.6.1").main.TransformAndClip(50.0), 50.0);
  // Without a transform in the model there is nothing to enable.
  EXPECT_EQ(Load("vmaf_4k_v0.6.1", {.enable_transform = true}).main.TransformAndClip(50.0), 50.0);
  EXPECT_EQ(Load("vmaf_v1.0.16_1d5h_2160").main.TransformAndClip(105.0), 100.0);
  EXPECT_EQ(Load("vmaf_v1.0.16_3d0h_2160").main.TransformAndClip(103.0), 108.0);
  EXPECT_EQ(Load("vmaf_v1.0.16_hfr_3d0h_2160").main.TransformAndClip(109.0), 110.0);
}

TEST(ModelFigures, BrokenFilesNameTheField) {
  const std::string whole =
      R"({"schema": "lockstep-model-1", "type": "LIBSVMNUSVR", "output": {"slope": 1, "intercept": 0},
          "features": [{"name": "a", "slope": 1, "intercept": 0}], "gamma": 1, "points": [[0.5]],
          "regressions": [{"rho": 0, "terms": [[4, 0]]}]})";
  const auto field_of = [&](const std::string& changed) {
    const json document = json::parse(whole).patch(json::parse(changed));
    const std::string text = document.dump();
    const std::vector<ModelFigures> files = {{"m", text}};
    const Result<LoadedModel> loaded = ParseModelFigures(files, "m", {});
    if (loaded.ok()) return std::string("none");
    EXPECT_EQ(loaded.error().file, "m");
    return loaded.error().field;
  };
  EXPECT_EQ(field_of("[]"), "none");
  for (const char* field : {"schema", "type", "output", "features", "gamma", "points", "regressions"}) {
    EXPECT_EQ(field_of(std::string(R"([{"op": "remove", "path": "/)") + field + R"("}])"), field);
    EXPECT_EQ(field_of(std::string(R"([{"op": "replace", "path": "/)") + field + R"(", "value": "x"}])").substr(0, 4),
              std::string(field).substr(0, 4));
  }
  EXPECT_EQ(field_of(R"([{"op": "replace", "path": "/points/0", "value": [1, 2]}])"), "points[0]");
  EXPECT_EQ(field_of(R"([{"op": "replace", "path": "/regressions/0/terms/0", "value": [4, 1]}])"),
            "regressions[0].terms[0]");
  EXPECT_EQ(field_of(R"([{"op": "replace", "path": "/regressions/0/terms/0", "value": [4, -1]}])"),
            "regressions[0].terms[0]");
  EXPECT_EQ(field_of(R"([{"op": "add", "path": "/derive", "value": "m"}])"), "derive");
  EXPECT_EQ(field_of(R"([{"op": "add", "path": "/chroma_correction", "value": 3}])"), "chroma_correction");
}

/// The key under which a golden case holds a feature: every case here has one model, so one variant of each.
std::string KeyOf(const json& scores, const std::string& raw_name) {
  if (scores.contains(raw_name)) return raw_name;
  const std::string name = ShortScoreName(raw_name);
  if (scores.contains(name)) return name;
  for (const auto& [key, values] : scores.items()) {
    if (key.starts_with(name + "_")) return key;
  }
  return "";
}

struct Tally {
  int compared = 0;
  int same = 0;
};

/// The golden scores went through the exp of a C library, which is not correctly rounded: a few frames in a hundred
/// differ in their last bits. The sums are the same ones, so all others must be equal.
void Compare(double score, const json& expected, const std::string& what, Tally* tally) {
  ASSERT_TRUE(expected.is_number()) << what;
  ++tally->compared;
  if (score == expected.get<double>()) {
    ++tally->same;
  } else {
    EXPECT_LE(std::fabs(score - expected.get<double>()), 1e-12 * std::fabs(expected.get<double>())) << what;
  }
}

class ModelGolden : public testing::TestWithParam<const char*> {};

TEST_P(ModelGolden, PredictsTheScores) {
  const json document = Goldens().Load(std::string("model_") + GetParam());
  Tally models;
  Tally statistics;
  for (const json& item : document["cases"]) {
    if (!item.contains("scores") || item.contains("error") || item.value("undefined", false)) continue;
    const json& request = item["models"].at(0);
    ASSERT_EQ(item["models"].size(), 1U);
    ModelFlags flags;
    for (const json& flag : request.value("flags", json::array())) {
      flags.disable_clip = flags.disable_clip || flag == "disable_clip";
      flags.enable_transform = flags.enable_transform || flag == "enable_transform";
    }
    const std::string version = request["version"];
    const LoadedModel loaded = Load(version, flags);
    const json& scores = item["scores"];
    std::vector<std::string> keys;
    for (const ModelFeature& feature : loaded.main.features()) {
      keys.push_back(KeyOf(scores, feature.raw_name));
      ASSERT_FALSE(keys.back().empty()) << item["id"] << feature.raw_name;
    }
    for (std::size_t frame = 0; frame < item["frames"].get<std::size_t>(); ++frame) {
      const std::string what = item["id"].get<std::string>() + " frame " + std::to_string(frame);
      std::vector<double> features;
      for (const std::string& key : keys) features.push_back(scores[key].at(frame).get<double>());
      if (!loaded.is_collection()) {
        Compare(loaded.main.Predict(features), scores[version].at(frame), what, &models);
        continue;
      }
      const std::vector<std::vector<double>> of_members(loaded.members.size(), features);
      const BootstrapScore score = PredictBootstrap(loaded.members, of_members);
      for (std::size_t i = 0; i < score.members.size(); ++i) {
        const std::string number = std::to_string(10001 + i).substr(1);
        Compare(score.members[i], scores[version + "_" + number].at(frame), what, &models);
      }
      Compare(score.bagging, scores[version + "_bagging"].at(frame), what, &statistics);
      Compare(score.stddev, scores[version + "_stddev"].at(frame), what, &statistics);
      Compare(score.ci_p95_low, scores[version + "_ci_p95_lo"].at(frame), what, &statistics);
      Compare(score.ci_p95_high, scores[version + "_ci_p95_hi"].at(frame), what, &statistics);
    }
  }
  EXPECT_GT(models.compared, 100);
  EXPECT_GE(models.same * 100, models.compared * 96) << models.same << " of " << models.compared;
  EXPECT_GE(statistics.same * 100, statistics.compared * 85) << statistics.same << " of " << statistics.compared;
  RecordProperty("compared", models.compared);
  RecordProperty("same", models.same);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelGolden,
                         testing::Values("flags", "overload", "vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_b_v0.6.3",
                                         "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_float_v0.6.1",
                                         "vmaf_float_v0.6.1neg", "vmaf_float_b_v0.6.3", "vmaf_float_4k_v0.6.1",
                                         "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_1d5h_2160",
                                         "vmaf_v1.0.16_3d0h_2160", "vmaf_v1.0.16_hfr_3d0h", "vmaf_v1.0.16_hfr_5d0h",
                                         "vmaf_v1.0.16_hfr_1d5h_2160", "vmaf_v1.0.16_hfr_3d0h_2160"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace lockstep
