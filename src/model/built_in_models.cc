// SPDX-License-Identifier: BSD-2-Clause-Patent
// The models that the library carries: what each is for, and how its figures become models.
#include "model/built_in_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/json_tree.h"
#include "model/model_data.h"
#include "model/model_fields.h"

namespace lockstep {
namespace {

// In the order in which people are told of them. Distances are in heights (H) of the picture on the screen.
constexpr std::array<BuiltInModelInfo, 17> kInfo = {{
    {"vmaf_v0.6.1", "1080p television seen from 3 H (with the transform enabled: a phone)", false},
    {"vmaf_v0.6.1neg", "vmaf_v0.6.1 without credit for enhancement such as sharpening (NEG)", false},
    {"vmaf_b_v0.6.3", "as vmaf_v0.6.1, with a 95 % confidence interval from 20 bootstrap members", true},
    {"vmaf_4k_v0.6.1", "2160p television seen from 1.5 H", false},
    {"vmaf_4k_v0.6.1neg", "vmaf_4k_v0.6.1 without credit for enhancement such as sharpening (NEG)", false},
    {"vmaf_float_v0.6.1", "vmaf_v0.6.1 on floating-point metrics", false},
    {"vmaf_float_v0.6.1neg", "vmaf_v0.6.1neg on floating-point metrics", false},
    {"vmaf_float_b_v0.6.3", "vmaf_b_v0.6.3 on floating-point metrics", true},
    {"vmaf_float_4k_v0.6.1", "vmaf_4k_v0.6.1 on floating-point metrics", false},
    {"vmaf_v1.0.16_3d0h", "VMAF v1: 1080p seen from 3 H; sees banding and chroma, NEG", false},
    {"vmaf_v1.0.16_5d0h", "VMAF v1: 1080p seen from 5 H, for instance on a phone", false},
    {"vmaf_v1.0.16_1d5h_2160", "VMAF v1: 2160p seen from 1.5 H", false},
    {"vmaf_v1.0.16_3d0h_2160", "VMAF v1: 2160p seen from 3 H, scores up to 110", false},
    {"vmaf_v1.0.16_hfr_3d0h", "VMAF v1: 1080p of a high frame rate seen from 3 H", false},
    {"vmaf_v1.0.16_hfr_5d0h", "VMAF v1: 1080p of a high frame rate seen from 5 H", false},
    {"vmaf_v1.0.16_hfr_1d5h_2160", "VMAF v1: 2160p of a high frame rate seen from 1.5 H", false},
    {"vmaf_v1.0.16_hfr_3d0h_2160", "VMAF v1: 2160p of a high frame rate seen from 3 H, scores up to 110", false},
}};

// A file that derives from one that derives from one that holds figures is the longest chain there is.
constexpr int kMaximumDerivations = 4;

using DataList = std::vector<std::shared_ptr<Model::Data>>;

class FiguresReader {
 public:
  FiguresReader(std::span<const ModelFigures> files, const ModelFlags& flags) : files_(files), flags_(flags) {}

  /// The regressions of a model; all share everything but the regression itself.
  Result<DataList> Read(std::string_view version, int derivations) {
    const auto file =
        std::find_if(files_.begin(), files_.end(), [&](const ModelFigures& f) { return f.version == version; });
    if (file == files_.end()) {
      return Error{ErrorCode::kNotFound, "no such model", std::string(version), {}, {}};
    }
    Result<DataList> list = ReadText(file->text, derivations);
    if (!list && list.error().file.empty()) return std::move(list).error().WithFile(std::string(version));
    return list;
  }

 private:
  Result<DataList> ReadText(std::string_view text, int derivations) {
    Result<JsonValue> parsed = ParseJson(text);
    if (!parsed) return std::move(parsed).error();
    const JsonValue& root = *parsed;
    if (Status status = ExpectKind(root, JsonValue::Kind::kObject, ""); !status.ok()) {
      return std::move(status).error();
    }
    Result<const JsonValue*> schema = RequireMember(root, "schema", "");
    if (!schema) return std::move(schema).error();
    if ((*schema)->text != "lockstep-model-1") return FormatError("schema", "expected lockstep-model-1");
    Result<const JsonValue*> base = FindMember(root, "derive", "");
    if (!base) return std::move(base).error();
    return *base != nullptr ? ReadDerived(root, **base, derivations) : ReadWhole(root);
  }

  Result<DataList> ReadDerived(const JsonValue& root, const JsonValue& base, int derivations) {
    if (derivations == kMaximumDerivations) return FormatError("derive", "too many models derive from each other");
    Result<std::string> base_version = ReadString(base, "derive");
    if (!base_version) return std::move(base_version).error();
    Result<DataList> list = Read(*base_version, derivations + 1);
    if (!list) return list;

    std::vector<ModelFeature> features = list->front()->features;
    if (Status status = Rename(root, &features); !status.ok()) return std::move(status).error();
    if (Status status = ReplaceOptions(root, &features); !status.ok()) return std::move(status).error();
    for (const std::shared_ptr<Model::Data>& data : *list) data->features = features;
    if (Status status = ReadClipAndTransform(root, &*list); !status.ok()) return std::move(status).error();
    return list;
  }

  /// {"from": prefix, "to": prefix}, for features that have the same figures under other names.
  static Status Rename(const JsonValue& root, std::vector<ModelFeature>* features) {
    Result<const JsonValue*> rename = FindMember(root, "rename", "");
    if (!rename) return std::move(rename).error();
    if (*rename == nullptr) return {};
    std::array<std::string, 2> prefixes;
    constexpr std::array<std::string_view, 2> kKeys = {"from", "to"};
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      Result<const JsonValue*> value = RequireMember(**rename, kKeys[i], "rename");
      if (!value) return std::move(value).error();
      Result<std::string> text = ReadString(**value, MemberPath("rename", kKeys[i]));
      if (!text) return std::move(text).error();
      prefixes[i] = std::move(*text);
    }
    for (ModelFeature& feature : *features) {
      if (!feature.raw_name.starts_with(prefixes[0])) return FormatError("rename.from", "a feature lacks the prefix");
      feature.raw_name = prefixes[1] + feature.raw_name.substr(prefixes[0].size());
    }
    return {};
  }

  static Status ReplaceOptions(const JsonValue& root, std::vector<ModelFeature>* features) {
    Result<const JsonValue*> options = FindMember(root, "options", "");
    if (!options) return std::move(options).error();
    if (*options == nullptr) return {};
    for (std::size_t i = 0; i < (*options)->keys.size(); ++i) {
      const std::string& name = (*options)->keys[i];
      const auto feature =
          std::find_if(features->begin(), features->end(), [&](const ModelFeature& f) { return f.raw_name == name; });
      if (feature == features->end()) return FormatError(MemberPath("options", name), "no such feature");
      Result<OptionDictionary> read = ReadFeatureOptions((*options)->items[i], MemberPath("options", name));
      if (!read) return std::move(read).error();
      feature->options = std::move(*read);
    }
    return {};
  }

  Status ReadClipAndTransform(const JsonValue& root, DataList* list) const {
    Result<std::optional<ScoreClip>> clip = ReadScoreClip(root, "", flags_);
    if (!clip) return std::move(clip).error();
    Result<ScoreTransform> transform = ReadScoreTransform(root, "", flags_);
    if (!transform) return std::move(transform).error();
    Result<const JsonValue*> has_transform = FindMember(root, "score_transform", "");
    for (const std::shared_ptr<Model::Data>& data : *list) {
      if (*clip) data->clip = *clip;
      if (*has_transform != nullptr) data->transform = *transform;
    }
    return {};
  }

  static Result<Rescale> ReadRescale(const JsonValue& object, const std::string& path) {
    std::array<double, 2> numbers{};
    constexpr std::array<std::string_view, 2> kKeys = {"slope", "intercept"};
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      Result<double> number = ReadRequiredNumber(object, kKeys[i], path);
      if (!number) return std::move(number).error();
      numbers[i] = *number;
    }
    return Rescale{numbers[0], numbers[1]};
  }

  static Result<double> ReadRequiredNumber(const JsonValue& object, std::string_view key, const std::string& path) {
    Result<const JsonValue*> value = RequireMember(object, key, path);
    if (!value) return std::move(value).error();
    return ReadNumber(**value, MemberPath(path, key));
  }

  static Result<const JsonValue*> RequireArray(const JsonValue& object, std::string_view key, const std::string& path) {
    Result<const JsonValue*> value = RequireMember(object, key, path);
    if (!value) return value;
    if (Status status = ExpectKind(**value, JsonValue::Kind::kArray, MemberPath(path, key)); !status.ok()) {
      return std::move(status).error();
    }
    return value;
  }

  Result<DataList> ReadWhole(const JsonValue& root) const {
    Model::Data shared;
    Result<const JsonValue*> output = RequireMember(root, "output", "");
    if (!output) return std::move(output).error();
    Result<Rescale> rescale = ReadRescale(**output, "output");
    if (!rescale) return std::move(rescale).error();
    shared.output = *rescale;
    if (Status status = ReadFeatures(root, &shared); !status.ok()) return std::move(status).error();

    Result<const JsonValue*> chroma = FindMember(root, "chroma_correction", "");
    if (!chroma) return std::move(chroma).error();
    if (*chroma != nullptr) {
      Result<double> c = ReadNumber(**chroma, "chroma_correction");
      if (!c) return std::move(c).error();
      Result<std::optional<ChromaFromLuma>> applied = MakeChromaFromLuma(shared.features, *c, "chroma_correction");
      if (!applied) return std::move(applied).error();
      shared.chroma = *applied;
    }

    Result<DataList> list = ReadRegressions(root, shared);
    if (!list) return list;
    if (Status status = ReadClipAndTransform(root, &*list); !status.ok()) return std::move(status).error();
    return list;
  }

  static Status ReadFeatures(const JsonValue& root, Model::Data* data) {
    Result<const JsonValue*> features = RequireArray(root, "features", "");
    if (!features) return std::move(features).error();
    const std::vector<JsonValue>& items = (*features)->items;
    if (items.empty() || items.size() > kMaximumModelFeatures) return FormatError("features", "expected 1 to 64");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string path = ItemPath("features", i);
      Result<const JsonValue*> name = RequireMember(items[i], "name", path);
      if (!name) return std::move(name).error();
      Result<std::string> text = ReadString(**name, MemberPath(path, "name"));
      if (!text) return std::move(text).error();
      Result<Rescale> rescale = ReadRescale(items[i], path);
      if (!rescale) return std::move(rescale).error();
      OptionDictionary dictionary;
      Result<const JsonValue*> options = FindMember(items[i], "options", path);
      if (!options) return std::move(options).error();
      if (*options != nullptr) {
        Result<OptionDictionary> read = ReadFeatureOptions(**options, MemberPath(path, "options"));
        if (!read) return std::move(read).error();
        dictionary = std::move(*read);
      }
      data->features.push_back({std::move(*text), std::move(dictionary)});
      data->feature_rescale.push_back(*rescale);
    }
    return {};
  }

  /// Support vectors are rows of `points`; a regression lists [coefficient, row] in its own order of addition.
  static Result<DataList> ReadRegressions(const JsonValue& root, const Model::Data& shared) {
    const std::size_t count = shared.features.size();
    Result<double> gamma = ReadRequiredNumber(root, "gamma", "");
    if (!gamma) return std::move(gamma).error();
    Result<const JsonValue*> points = RequireArray(root, "points", "");
    if (!points) return std::move(points).error();
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < (*points)->items.size(); ++i) {
      Result<std::vector<double>> row = ReadNumbers((*points)->items[i], ItemPath("points", i));
      if (!row) return std::move(row).error();
      if (row->size() != count) return FormatError(ItemPath("points", i), "expected one number for each feature");
      rows.push_back(std::move(*row));
    }
    Result<const JsonValue*> regressions = RequireArray(root, "regressions", "");
    if (!regressions) return std::move(regressions).error();
    if ((*regressions)->items.empty()) return FormatError("regressions", "expected at least one");
    Result<const JsonValue*> type = RequireMember(root, "type", "");
    if (!type) return std::move(type).error();
    Result<bool> bootstrap = IsBootstrapType(**type, "type");
    if (!bootstrap) return std::move(bootstrap).error();
    if (*bootstrap != ((*regressions)->items.size() > 1)) {
      return FormatError("regressions", "a bootstrap type has several, another type one");
    }
    DataList list;
    std::size_t budget = kMaximumVectorValues;
    for (std::size_t i = 0; i < (*regressions)->items.size(); ++i) {
      const JsonValue& item = (*regressions)->items[i];
      const std::string path = ItemPath("regressions", i);
      auto data = std::make_shared<Model::Data>(shared);
      data->regression.gamma = *gamma;
      data->regression.feature_count = count;
      Result<double> rho = ReadRequiredNumber(item, "rho", path);
      if (!rho) return std::move(rho).error();
      data->regression.rho = *rho;
      Result<const JsonValue*> terms = RequireArray(item, "terms", path);
      if (!terms) return std::move(terms).error();
      for (std::size_t t = 0; t < (*terms)->items.size(); ++t) {
        const std::string term_path = ItemPath(MemberPath(path, "terms"), t);
        Result<std::vector<double>> term = ReadNumbers((*terms)->items[t], term_path);
        if (!term) return std::move(term).error();
        if (term->size() != 2 || !((*term)[1] >= 0.0 && (*term)[1] < static_cast<double>(rows.size()))) {
          return FormatError(term_path, "expected [coefficient, number of a point]");
        }
        if (budget < count) return FormatError(path, "too many terms");
        budget -= count;
        data->regression.coefficients.push_back((*term)[0]);
        const std::vector<double>& row = rows[static_cast<std::size_t>((*term)[1])];
        data->regression.vectors.insert(data->regression.vectors.end(), row.begin(), row.end());
      }
      list.push_back(std::move(data));
    }
    return list;
  }

  std::span<const ModelFigures> files_;
  ModelFlags flags_;
};

}  // namespace

std::span<const BuiltInModelInfo> BuiltInModels() { return kInfo; }

Result<LoadedModel> ParseModelFigures(std::span<const ModelFigures> files, std::string_view version,
                                      const ModelFlags& flags) {
  Result<DataList> list = FiguresReader(files, flags).Read(version, 0);
  if (!list) return std::move(list).error();
  LoadedModel loaded{Model(std::move(list->front())), {}};
  for (std::size_t i = 1; i < list->size(); ++i) loaded.members.emplace_back(std::move((*list)[i]));
  return loaded;
}

Result<LoadedModel> LoadBuiltInModel(std::string_view version, const ModelFlags& flags) {
  try {
    if (std::none_of(kInfo.begin(), kInfo.end(), [&](const BuiltInModelInfo& i) { return i.version == version; })) {
      std::string names;
      for (const BuiltInModelInfo& info : kInfo) names += (names.empty() ? "" : ", ") + std::string(info.version);
      return Error{ErrorCode::kNotFound,
                   fmt::format("unknown model version '{}'; the versions are {}", version, names),
                   {},
                   {},
                   {}};
    }
    return ParseModelFigures(AllModelFigures(), version, flags);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the model", std::string(version), {}, {}};
  }
}

}  // namespace lockstep
