// SPDX-License-Identifier: BSD-2-Clause-Patent
// Model files in libvmaf's JSON format, single models and bootstrap collections.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "model/json_tree.h"
#include "model/model.h"
#include "model/model_data.h"
#include "model/model_fields.h"

namespace lockstep {
namespace {

/// Names in libvmaf's collections have four digits.
constexpr std::size_t kMaximumMembers = 10000;

struct ParsedModel {
  Model model;
  std::string type;
};

class ModelJsonReader {
 public:
  explicit ModelJsonReader(const ModelFlags& flags) : flags_(flags) {}

  Result<LoadedModel> Read(const JsonValue& root) {
    if (Status status = ExpectKind(root, JsonValue::Kind::kObject, ""); !status.ok()) {
      return std::move(status).error();
    }
    if (root.keys.empty() || root.keys.front() != "0") {
      Result<ParsedModel> parsed = ReadModel(root, "");
      if (!parsed) return std::move(parsed).error();
      return LoadedModel{std::move(parsed->model), {}};
    }
    return ReadCollection(root);
  }

 private:
  Result<LoadedModel> ReadCollection(const JsonValue& root) {
    if (root.items.size() < 2) return FormatError("1", "missing: a collection needs at least two models");
    if (root.items.size() > kMaximumMembers) {
      return FormatError("", fmt::format("a collection of more than {} models", kMaximumMembers));
    }
    std::vector<Model> models;
    std::string type;
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const std::string key = std::to_string(i);
      if (root.keys[i] != key) {
        return FormatError(key, fmt::format("missing: found '{:.40}' in its place", root.keys[i]));
      }
      Result<ParsedModel> parsed = ReadModel(root.items[i], key);
      if (!parsed) return std::move(parsed).error();
      if (i > 0 && parsed->type == "LIBSVMNUSVR") {
        return FormatError(key + ".model_dict.model_type", "a member of a collection must be of a bootstrap type");
      }
      if (i > 1 && parsed->type != type) {
        return FormatError(key + ".model_dict.model_type", "differs from that of the members before");
      }
      type = std::move(parsed->type);
      models.push_back(std::move(parsed->model));
    }
    LoadedModel loaded{std::move(models.front()), {}};
    models.erase(models.begin());
    loaded.members = std::move(models);
    return loaded;
  }

  Result<ParsedModel> ReadModel(const JsonValue& object, const std::string& object_path) {
    if (Status status = ExpectKind(object, JsonValue::Kind::kObject, object_path); !status.ok()) {
      return std::move(status).error();
    }
    Result<const JsonValue*> found = RequireMember(object, "model_dict", object_path);
    if (!found) return std::move(found).error();
    const JsonValue& fields = **found;
    const std::string path = MemberPath(object_path, "model_dict");
    if (Status status = ExpectKind(fields, JsonValue::Kind::kObject, path); !status.ok()) {
      return std::move(status).error();
    }

    Result<const JsonValue*> type = RequireMember(fields, "model_type", path);
    if (!type) return std::move(type).error();
    if (Result<bool> known = IsBootstrapType(**type, MemberPath(path, "model_type")); !known) {
      return std::move(known).error();
    }

    auto data = std::make_shared<Model::Data>();
    if (Status status = ReadFeatures(fields, path, &data->features); !status.ok()) return std::move(status).error();
    if (Status status = ReadNormalisation(fields, path, data.get()); !status.ok()) return std::move(status).error();

    Result<std::optional<ScoreClip>> clip = ReadScoreClip(fields, path, flags_);
    if (!clip) return std::move(clip).error();
    data->clip = *clip;
    Result<ScoreTransform> transform = ReadScoreTransform(fields, path, flags_);
    if (!transform) return std::move(transform).error();
    data->transform = std::move(*transform);

    Result<const JsonValue*> chroma = FindMember(fields, "chroma_correction_parameter", path);
    if (!chroma) return std::move(chroma).error();
    if (*chroma != nullptr) {
      const std::string chroma_path = MemberPath(path, "chroma_correction_parameter");
      Result<double> c = ReadNumber(**chroma, chroma_path);
      if (!c) return std::move(c).error();
      Result<std::optional<ChromaFromLuma>> applied = MakeChromaFromLuma(data->features, *c, chroma_path);
      if (!applied) return std::move(applied).error();
      data->chroma = *applied;
    }

    Result<const JsonValue*> model = RequireMember(fields, "model", path);
    if (!model) return std::move(model).error();
    const std::string model_path = MemberPath(path, "model");
    if (Status status = ExpectKind(**model, JsonValue::Kind::kString, model_path); !status.ok()) {
      return std::move(status).error();
    }
    Result<SupportVectorRegression> regression =
        ParseLibsvmText((*model)->text, data->features.size(), model_path, &value_budget_);
    if (!regression) return std::move(regression).error();
    data->regression = std::move(*regression);
    return ParsedModel{Model(std::move(data)), (*type)->text};
  }

  static Status ReadFeatures(const JsonValue& fields, const std::string& path, std::vector<ModelFeature>* features) {
    Result<const JsonValue*> names = RequireMember(fields, "feature_names", path);
    if (!names) return std::move(names).error();
    const std::string names_path = MemberPath(path, "feature_names");
    if (Status status = ExpectKind(**names, JsonValue::Kind::kArray, names_path); !status.ok()) return status;
    const std::vector<JsonValue>& items = (*names)->items;
    if (items.empty() || items.size() > kMaximumModelFeatures) {
      return FormatError(names_path, fmt::format("{} names, expected 1 to {}", items.size(), kMaximumModelFeatures));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      Result<std::string> name = ReadString(items[i], ItemPath(names_path, i));
      if (!name) return std::move(name).error();
      if (name->empty()) return FormatError(ItemPath(names_path, i), "an empty name");
      features->push_back({std::move(*name), {}});
    }

    Result<const JsonValue*> options = FindMember(fields, "feature_opts_dicts", path);
    if (!options) return std::move(options).error();
    if (*options == nullptr) return {};
    const std::string options_path = MemberPath(path, "feature_opts_dicts");
    if (Status status = ExpectKind(**options, JsonValue::Kind::kArray, options_path); !status.ok()) return status;
    if ((*options)->items.size() != features->size()) {
      return FormatError(options_path,
                         fmt::format("{} entries for {} features", (*options)->items.size(), features->size()));
    }
    for (std::size_t i = 0; i < features->size(); ++i) {
      Result<OptionDictionary> read = ReadFeatureOptions((*options)->items[i], ItemPath(options_path, i));
      if (!read) return std::move(read).error();
      (*features)[i].options = std::move(*read);
    }
    return {};
  }

  static Status ReadNormalisation(const JsonValue& fields, const std::string& path, Model::Data* data) {
    Result<const JsonValue*> kind = RequireMember(fields, "norm_type", path);
    if (!kind) return std::move(kind).error();
    Result<std::string> text = ReadString(**kind, MemberPath(path, "norm_type"));
    if (!text) return std::move(text).error();
    if (*text == "none") return {};
    if (*text != "linear_rescale") {
      return FormatError(MemberPath(path, "norm_type"), fmt::format("'{:.40}' is not linear_rescale or none", *text));
    }
    // Entry 0 belongs to the output, entry i + 1 to feature i.
    std::vector<double> slopes;
    std::vector<double> intercepts;
    for (const auto& [key, out] : {std::pair{"slopes", &slopes}, {"intercepts", &intercepts}}) {
      Result<const JsonValue*> value = RequireMember(fields, key, path);
      if (!value) return std::move(value).error();
      Result<std::vector<double>> numbers = ReadNumbers(**value, MemberPath(path, key));
      if (!numbers) return std::move(numbers).error();
      if (numbers->size() != data->features.size() + 1) {
        return FormatError(MemberPath(path, key),
                           fmt::format("{} numbers, expected {}: one for the output and one for each feature",
                                       numbers->size(), data->features.size() + 1));
      }
      *out = std::move(*numbers);
    }
    if (slopes[0] == 0.0) {
      return FormatError(MemberPath(path, "slopes"), "element 0 is 0, but scores are divided by it");
    }
    data->output = Rescale{slopes[0], intercepts[0]};
    for (std::size_t i = 1; i < slopes.size(); ++i) data->feature_rescale.push_back({slopes[i], intercepts[i]});
    return {};
  }

  ModelFlags flags_;
  std::size_t value_budget_ = kMaximumVectorValues;
};

}  // namespace

Result<LoadedModel> ParseModelJson(std::string_view text, const std::string& source, const ModelFlags& flags) {
  try {
    Result<JsonValue> root = ParseJson(text);
    if (!root) return std::move(root).error().WithFile(source);
    Result<LoadedModel> loaded = ModelJsonReader(flags).Read(*root);
    if (!loaded) return std::move(loaded).error().WithFile(source);
    return loaded;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the model", source, {}, {}};
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInternal, error.what(), source, {}, {}};
  }
}

Result<LoadedModel> LoadModelFile(const std::string& path, const ModelFlags& flags) {
  const auto fail = [&](int code) {
    return Error{code == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInputOutput,
                 std::generic_category().message(code),
                 path,
                 {},
                 {}};
  };
  try {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (file == nullptr) return fail(errno);
    std::string text;
    // One byte beyond the limit is enough for the parser to refuse the file.
    while (text.size() <= kMaximumJsonBytes) {
      const std::size_t size = text.size();
      constexpr std::size_t kBlock = std::size_t{1} << 16;
      text.resize(size + kBlock);
      errno = 0;
      const std::size_t got = std::fread(text.data() + size, 1, kBlock, file.get());
      text.resize(size + got);
      if (std::ferror(file.get()) != 0) return fail(errno != 0 ? errno : EIO);
      if (got == 0) break;
    }
    return ParseModelJson(text, path, flags);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the model", path, {}, {}};
  }
}

}  // namespace lockstep
