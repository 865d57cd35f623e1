// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's model files: what is read, and that every malformed one is refused by the name of its field.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "exact/elementary.h"
#include "model/json_tree.h"
#include "model/model.h"
#include "model/number_text.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr const char* kSvm =
    "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n4 1:1 2:0.25 \n-2 2:0.5 \n";

json Whole() {
  return {{"param_dict", {{"C", 4.0}, {"score_clip", nullptr}}},
          {"model_dict",
           {{"model_type", "LIBSVMNUSVR"},
            {"norm_type", "linear_rescale"},
            {"slopes", {0.5, 2.0, 1.0}},
            {"intercepts", {0.25, 0.5, 0.0}},
            {"feature_names", {"a", "b"}},
            {"feature_opts_dicts", {{{"x", 1.0}, {"y", true}, {"z", "1.0"}, {"w", 0.123456789}}, json::object()}},
            {"score_clip", {0, 100.0}},
            {"score_transform", {{"p1", 2.0}, {"out_gte_in", "true"}}},
            {"feature_dict", {{"ignored", {"a"}}}},
            {"model", kSvm}}}};
}

Result<LoadedModel> Parse(const json& document, const ModelFlags& flags = {}) {
  return ParseModelJson(document.dump(), "m.json", flags);
}

/// "field" of the error, after a check of everything else in it; "none" for a model that loads.
std::string FieldOf(const std::string& text, ErrorCode code = ErrorCode::kFormat) {
  const Result<LoadedModel> loaded = ParseModelJson(text, "m.json", {});
  if (loaded.ok()) return "none";
  EXPECT_EQ(loaded.error().code, code) << loaded.error().Describe();
  EXPECT_EQ(loaded.error().file, "m.json");
  EXPECT_FALSE(loaded.error().message.empty());
  EXPECT_LT(loaded.error().message.size(), 400U);
  return loaded.error().field;
}

std::string FieldWith(const std::string& key, const json& value) {
  json document = Whole();
  document["model_dict"][key] = value;
  return FieldOf(document.dump());
}

std::string MessageOfSvm(const std::string& text, ErrorCode code = ErrorCode::kFormat) {
  json document = Whole();
  document["model_dict"]["model"] = text;
  const Result<LoadedModel> loaded = Parse(document);
  if (loaded.ok()) return "none";
  EXPECT_EQ(loaded.error().code, code);
  EXPECT_EQ(loaded.error().field, "model_dict.model");
  return loaded.error().message;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ModelJson, ReadsAWholeModel) {
  const Result<LoadedModel> loaded = Parse(Whole());
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  EXPECT_FALSE(loaded->is_collection());
  const std::vector<ModelFeature>& features = loaded->main.features();
  ASSERT_EQ(features.size(), 2U);
  EXPECT_EQ(features[0].raw_name, "a");
  EXPECT_EQ(*features[0].options.Find("x"), "1");
  EXPECT_EQ(*features[0].options.Find("y"), "true");
  EXPECT_EQ(*features[0].options.Find("z"), "1.0");
  EXPECT_EQ(*features[0].options.Find("w"), "0.123457");
  EXPECT_TRUE(features[1].options.entries().empty());
  // x = (2 * 0.25 + 0.5, 0.25) lies on the first support vector; the second one has its missing value at 0.
  const double sum = 4.0 * 1.0 + -2.0 * exact::Exp(-0.5 * (1.0 + 0.0625));
  EXPECT_EQ(loaded->main.Predict(std::vector<double>{0.25, 0.25}), (sum - -1.5 - 0.25) / 0.5);
}

TEST(ModelJson, FlagsAndTheTransform) {
  EXPECT_EQ(Parse(Whole())->main.TransformAndClip(-60.0), 0.0);
  EXPECT_EQ(Parse(Whole(), {.disable_clip = true})->main.TransformAndClip(-60.0), -60.0);
  EXPECT_EQ(Parse(Whole(), {.enable_transform = true})->main.TransformAndClip(30.0), 60.0);
  json document = Whole();
  document["model_dict"]["score_transform"]["enabled"] = true;
  EXPECT_EQ(Parse(document)->main.TransformAndClip(30.0), 60.0);
  document["model_dict"]["score_transform"] = {
      {"enabled", true}, {"p0", nullptr}, {"p1", nullptr}, {"p2", nullptr}, {"knots", {{0, 1}, {10, 21}}}};
  EXPECT_EQ(Parse(document)->main.TransformAndClip(5.0), 11.0);
  document["model_dict"]["score_transform"] = {{"enabled", true}, {"p1", 3.0}, {"out_lte_in", "true"}};
  EXPECT_EQ(Parse(document)->main.TransformAndClip(5.0), 5.0);
  document["model_dict"]["score_transform"] = {{"enabled", true}, {"p1", 3.0}, {"out_lte_in", "false"}};
  EXPECT_EQ(Parse(document)->main.TransformAndClip(5.0), 15.0);
  document["model_dict"].erase("score_transform");
  EXPECT_EQ(Parse(document, {.enable_transform = true})->main.TransformAndClip(30.0), 30.0);
}

TEST(ModelJson, NormTypeNoneNeedsNoSlopes) {
  json document = Whole();
  document["model_dict"]["norm_type"] = "none";
  document["model_dict"].erase("slopes");
  document["model_dict"].erase("intercepts");
  const Result<LoadedModel> loaded = Parse(document);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->main.Predict(std::vector<double>{1.0, 0.25}, false),
            4.0 - 2.0 * exact::Exp(-0.5 * (1.0 + 0.0625)) - -1.5);
}

TEST(ModelJson, OptionalFieldsMayBeAbsentOrNull) {
  for (const char* key : {"feature_opts_dicts", "score_clip", "score_transform", "chroma_correction_parameter"}) {
    json document = Whole();
    document["model_dict"].erase(key);
    EXPECT_EQ(FieldOf(document.dump()), "none") << key;
    EXPECT_EQ(FieldWith(key, nullptr), "none") << key;
  }
}

TEST(ModelJson, MissingFieldIsNamed) {
  EXPECT_EQ(FieldOf("{}"), "model_dict");
  for (const char* key : {"model_type", "norm_type", "slopes", "intercepts", "feature_names", "model"}) {
    json document = Whole();
    document["model_dict"].erase(key);
    EXPECT_EQ(FieldOf(document.dump()), std::string("model_dict.") + key);
    EXPECT_EQ(FieldWith(key, nullptr), std::string("model_dict.") + key);
  }
}

TEST(ModelJson, WrongTypeIsNamed) {
  EXPECT_EQ(FieldOf("[]"), "");
  EXPECT_EQ(FieldOf("3"), "");
  EXPECT_EQ(FieldOf(R"({"model_dict": []})"), "model_dict");
  const json whole = Whole();
  for (const auto& [key, value] : whole["model_dict"].items()) {
    if (key == "feature_dict") continue;
    for (const json& wrong : {json(true), json(7), json("x"), json::object(), json::array({json::array()})}) {
      if (wrong.type() == value.type() && key == "score_transform") continue;
      EXPECT_TRUE(FieldWith(key, wrong).starts_with("model_dict." + key)) << key << wrong;
    }
  }
  EXPECT_EQ(FieldWith("slopes", {1, "2", 3}), "model_dict.slopes[1]");
  EXPECT_EQ(FieldWith("feature_names", {"a", 2}), "model_dict.feature_names[1]");
  EXPECT_EQ(FieldWith("feature_names", {"a", ""}), "model_dict.feature_names[1]");
  EXPECT_EQ(FieldWith("feature_opts_dicts", {json::object(), 3}), "model_dict.feature_opts_dicts[1]");
  EXPECT_EQ(FieldWith("feature_opts_dicts", {{{"k", nullptr}}, json::object()}), "model_dict.feature_opts_dicts[0].k");
  EXPECT_EQ(FieldWith("feature_opts_dicts", {{{"k", json::array()}}, json::object()}),
            "model_dict.feature_opts_dicts[0].k");
  EXPECT_EQ(FieldWith("chroma_correction_parameter", "120"), "model_dict.chroma_correction_parameter");
  for (const char* key : {"enabled", "p0", "p1", "p2", "knots", "out_lte_in", "out_gte_in"}) {
    EXPECT_EQ(FieldWith("score_transform", {{key, "x"}}), std::string("model_dict.score_transform.") + key);
    const json other = std::string(key) == "enabled" ? json(1) : json(true);
    EXPECT_EQ(FieldWith("score_transform", {{key, other}}), std::string("model_dict.score_transform.") + key);
  }
}

TEST(ModelJson, WrongValueIsNamed) {
  EXPECT_EQ(FieldWith("model_type", "LIBSVM"), "model_dict.model_type");
  EXPECT_EQ(FieldWith("norm_type", "clip_0to1"), "model_dict.norm_type");
  EXPECT_EQ(FieldWith("slopes", {1, 2}), "model_dict.slopes");
  EXPECT_EQ(FieldWith("slopes", {0, 1, 2}), "model_dict.slopes");
  EXPECT_EQ(FieldWith("intercepts", {1, 2, 3, 4}), "model_dict.intercepts");
  EXPECT_EQ(FieldWith("feature_names", json::array()), "model_dict.feature_names");
  EXPECT_EQ(FieldWith("feature_names", json(std::vector<std::string>(65, "n"))), "model_dict.feature_names");
  EXPECT_EQ(FieldWith("feature_opts_dicts", {json::object()}), "model_dict.feature_opts_dicts");
  EXPECT_EQ(FieldWith("score_clip", {1}), "model_dict.score_clip");
  EXPECT_EQ(FieldWith("score_clip", {100, 0}), "model_dict.score_clip");
  EXPECT_EQ(FieldWith("score_transform", {{"knots", {{1, 2}, {1}}}}), "model_dict.score_transform.knots[1]");
  EXPECT_EQ(FieldWith("score_transform", {{"knots", json(std::vector<std::vector<int>>(11, {1, 2}))}}),
            "model_dict.score_transform.knots");
  // Needs an adm3 and a speed_chroma feature, unless it is 0.
  EXPECT_EQ(FieldWith("chroma_correction_parameter", 120.0), "model_dict.chroma_correction_parameter");
  EXPECT_EQ(FieldWith("chroma_correction_parameter", 0), "none");
}

TEST(ModelJson, KeysGivenTwice) {
  std::string text = Whole().dump();
  EXPECT_EQ(FieldOf(Replaced(text, R"("norm_type")", R"("slopes":[1,2,3],"norm_type")")), "model_dict.slopes");
  EXPECT_EQ(FieldOf(Replaced(text, R"("x":1.0)", R"("x":1.0,"x":1)")), "none");
  EXPECT_EQ(FieldOf(Replaced(text, R"("x":1.0)", R"("x":1.0,"x":2)")), "model_dict.feature_opts_dicts[0].x");
}

TEST(ModelJson, NotJson) {
  for (const char* text : {"", " ", "not a model", "{", "{\"model_dict\": {}", "{\"model_dict\": NaN}", "{}{}", "\xff",
                           "{\"a\": \"\xff\"}", "<?xml version=\"1.0\"?>", "svm_type nu_svr"}) {
    EXPECT_EQ(FieldOf(text), "") << text;
  }
  EXPECT_EQ(FieldOf(std::string(1000000, '[')), "");
  EXPECT_EQ(FieldOf(std::string("\"").append(1000000, 'x')), "");
  EXPECT_EQ(FieldOf(std::string(kMaximumJsonBytes + 1, ' ')), "");
  std::string many = "[0";
  while (many.size() < 2 * kMaximumJsonValues + 2) many += ",0";
  EXPECT_EQ(FieldOf(many + "]"), "");
}

TEST(ModelJson, HugeNumbers) {
  const std::string text = Whole().dump();
  EXPECT_EQ(FieldOf(Replaced(text, "[0.25,", "[1e999,")), "");
  EXPECT_EQ(FieldOf(Replaced(text, "[0.25,", "[-1e999,")), "");
  EXPECT_EQ(FieldOf(Replaced(text, "[0.25,", "[1e-999,")), "model_dict.intercepts[0]");
  EXPECT_EQ(FieldOf(Replaced(text, "[0.25,", std::string("[").append(300, '9') + ",")), "none");
  EXPECT_EQ(FieldOf(Replaced(text, "[0.25,", std::string("[").append(400, '9') + ",")), "");
}

TEST(ModelJson, SupportVectorText) {
  const std::string svm = kSvm;
  EXPECT_EQ(MessageOfSvm(svm), "none");
  // Spacing, optional keywords and their order are free.
  EXPECT_EQ(MessageOfSvm("kernel_type rbf svm_type epsilon_svr\r\ndegree 3\r\ncoef0 0\r\nprobA 0.1\r\nlabel 1 -1\r\n"
                         "nr_sv 1 1\r\nrho +1e-3\r\ngamma .5\r\ntotal_sv 1\r\nSV\r\n\r\n4\t1:1  2:-2e3\r\n\r\n"),
            "none");
  for (const char* keyword : {"svm_type nu_svr\n", "kernel_type rbf\n", "gamma 0.5\n", "total_sv 2\n", "rho -1.5\n"}) {
    const std::string name(keyword, std::string(keyword).find(' '));
    EXPECT_EQ(MessageOfSvm(Replaced(svm, keyword, "")), name + " is missing");
  }
  EXPECT_EQ(MessageOfSvm(""), "the line SV is missing");
  EXPECT_EQ(MessageOfSvm(svm.substr(0, svm.find("SV"))), "the line SV is missing");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "gamma", "gama")), "unknown keyword 'gama'");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "0.5\nnr", "nan\nnr")), "gamma: 'nan' is not a number");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "-1.5", "inf")), "rho: 'inf' is not a number");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "-1.5", "1,5")), "rho: '1,5' is not a number");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "nr_class 2", "nr_class 3")), "nr_class of a regression must be 2");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "total_sv 2", "total_sv -2")), "total_sv: '-2' is not a count");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "total_sv 2", "total_sv 99999999999999999999")),
            "total_sv: '99999999999999999999' is not a count");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "total_sv 2", "total_sv 1000000000000")),
            "total_sv says 1000000000000, but 2 support vectors follow");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "total_sv 2", "total_sv 1")), "total_sv says 1, but 2 support vectors follow");
  EXPECT_EQ(MessageOfSvm(Replaced(Replaced(svm, "total_sv 2", "total_sv 0"), svm.substr(svm.find("4 1:1")), "")),
            "no support vectors");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "-2 2:0.5", "x 2:0.5")), "support vector 2: 'x' is not a coefficient");
  for (const char* pair : {"2:", ":1", "2", "2:x", "x:2", "2:nan", "2:1e999", "2:0x1", "-1:2"}) {
    EXPECT_EQ(MessageOfSvm(Replaced(svm, "2:0.25", pair)),
              std::string("support vector 1: '") + pair + "' is not index:value");
  }
  for (const char* pair : {"0:1", "3:1", "1:1"}) {
    EXPECT_EQ(MessageOfSvm(Replaced(svm, "2:0.25", pair)),
              std::string("support vector 1: '") + pair + "' is not in ascending order with an index from 1 to 2");
  }
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "rbf", "linear"), ErrorCode::kUnsupported),
            "kernel_type linear: only rbf is supported");
  EXPECT_EQ(MessageOfSvm(Replaced(svm, "nu_svr", "c_svc"), ErrorCode::kUnsupported),
            "svm_type c_svc: only nu_svr and epsilon_svr give a score");
}

TEST(ModelJson, ManySupportVectorsOfManyFeaturesAreRefused) {
  json document = Whole();
  document["model_dict"]["feature_names"] = std::vector<std::string>(64, "n");
  document["model_dict"]["norm_type"] = "none";
  document["model_dict"].erase("feature_opts_dicts");
  std::string svm = Replaced(kSvm, "total_sv 2", "total_sv 70002");
  for (int i = 0; i < 70000; ++i) svm += "4\n";
  document["model_dict"]["model"] = svm;
  EXPECT_EQ(FieldOf(document.dump()), "model_dict.model");
}

json Collection(int count) {
  json document = json::object();
  for (int i = 0; i < count; ++i) {
    json member = Whole();
    member["model_dict"]["model_type"] = "BOOTSTRAP_LIBSVMNUSVR";
    member["model_dict"]["feature_names"] = {std::string("a").append(std::to_string(i)), "b"};
    document[std::to_string(i)] = member;
  }
  return document;
}

TEST(ModelJson, Collections) {
  const Result<LoadedModel> loaded = Parse(Collection(4));
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  EXPECT_EQ(loaded->main.features()[0].raw_name, "a0");
  ASSERT_EQ(loaded->members.size(), 3U);
  EXPECT_EQ(loaded->members[0].features()[0].raw_name, "a1");
  EXPECT_EQ(loaded->members[2].features()[0].raw_name, "a3");

  EXPECT_EQ(FieldOf(Collection(1).dump()), "1");
  json gap = Collection(4);
  gap.erase("2");
  EXPECT_EQ(FieldOf(gap.dump()), "2");
  json wrong = Collection(3);
  wrong["1"]["model_dict"]["slopes"] = {1, 2};
  EXPECT_EQ(FieldOf(wrong.dump()), "1.model_dict.slopes");
  wrong = Collection(3);
  wrong["2"] = 3;
  EXPECT_EQ(FieldOf(wrong.dump()), "2");
  wrong = Collection(3);
  wrong["2"].erase("model_dict");
  EXPECT_EQ(FieldOf(wrong.dump()), "2.model_dict");
  wrong = Collection(3);
  wrong["2"]["model_dict"]["model_type"] = "RESIDUEBOOTSTRAP_LIBSVMNUSVR";
  EXPECT_EQ(FieldOf(wrong.dump()), "2.model_dict.model_type");
  wrong["2"]["model_dict"]["model_type"] = "LIBSVMNUSVR";
  EXPECT_EQ(FieldOf(wrong.dump()), "2.model_dict.model_type");
}

TEST(ModelJson, CommaLocaleChangesNothing) {
  const std::vector<double> features = {0.375, 0.625};
  const double expected = Parse(Whole())->main.Predict(features);
  const char* const found = std::setlocale(LC_ALL, "de_DE.UTF-8");
  if (found == nullptr) GTEST_SKIP() << "no de_DE.UTF-8 on this machine";
  const Result<LoadedModel> loaded = Parse(Whole());
  const std::optional<double> number = ParseFiniteNumber("1.5");
  std::setlocale(LC_ALL, "C");
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  EXPECT_EQ(loaded->main.Predict(features), expected);
  EXPECT_EQ(*loaded->main.features()[0].options.Find("w"), "0.123457");
  EXPECT_EQ(number, 1.5);
}

TEST(ParseFiniteNumber, Texts) {
  EXPECT_EQ(ParseFiniteNumber("0.1"), 0.1);
  EXPECT_EQ(ParseFiniteNumber("+2"), 2.0);
  EXPECT_EQ(ParseFiniteNumber("-.5e1"), -5.0);
  EXPECT_EQ(ParseFiniteNumber("4.9406564584124654e-324"), 0x1p-1074);
  for (const char* text :
       {"", "+", "-", "+-1", "--1", "inf", "nan", "-inf", "1e999", "1x", " 1", "1 ", "0x10", "1,5"}) {
    EXPECT_EQ(ParseFiniteNumber(text), std::nullopt) << text;
  }
}

TEST(LoadModelFile, FilesAndFolders) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lockstep:model json";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "m.json").string();
  std::ofstream(path) << Whole().dump();
  EXPECT_TRUE(LoadModelFile(path, {}).ok());
  std::ofstream(path) << "{";
  EXPECT_EQ(LoadModelFile(path, {}).error().code, ErrorCode::kFormat);
  EXPECT_EQ(LoadModelFile(path, {}).error().file, path);
  const std::string missing = (folder / "other.json").string();
  EXPECT_EQ(LoadModelFile(missing, {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(LoadModelFile(missing, {}).error().file, missing);
  EXPECT_EQ(LoadModelFile(folder.string(), {}).error().code, ErrorCode::kInputOutput);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lockstep
