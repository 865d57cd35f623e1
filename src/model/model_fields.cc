// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options, clip and transform of a model.
#include "model/model_fields.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kMaximumOptions = 64;

/// A number, absent or null.
Status ReadOptionalNumber(const JsonValue& object, std::string_view key, std::string_view path,
                          std::optional<double>* out) {
  Result<const JsonValue*> value = FindMember(object, key, path);
  if (!value) return std::move(value).error();
  if (*value == nullptr) return {};
  Result<double> number = ReadNumber(**value, MemberPath(path, key));
  if (!number) return std::move(number).error();
  *out = *number;
  return {};
}

/// The string "true" or "false"; libvmaf takes no JSON boolean here.
Status ReadTruthText(const JsonValue& object, std::string_view key, std::string_view path, bool* out) {
  Result<const JsonValue*> value = FindMember(object, key, path);
  if (!value) return std::move(value).error();
  if (*value == nullptr) return {};
  Result<std::string> text = ReadString(**value, MemberPath(path, key));
  if (!text) return std::move(text).error();
  if (*text != "true" && *text != "false") {
    return FormatError(MemberPath(path, key), fmt::format("expected \"true\" or \"false\", found \"{:.40}\"", *text));
  }
  *out = *text == "true";
  return {};
}

Status ReadKnots(const JsonValue& object, std::string_view path, std::vector<TransformKnot>* out) {
  Result<const JsonValue*> knots = FindMember(object, "knots", path);
  if (!knots) return std::move(knots).error();
  if (*knots == nullptr) return {};
  const std::string knots_path = MemberPath(path, "knots");
  if (Status status = ExpectKind(**knots, JsonValue::Kind::kArray, knots_path); !status.ok()) return status;
  const std::vector<JsonValue>& items = (*knots)->items;
  if (items.size() > kMaximumKnots) {
    return FormatError(knots_path, fmt::format("{} knots, at most {} are allowed", items.size(), kMaximumKnots));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    Result<std::vector<double>> pair = ReadNumbers(items[i], ItemPath(knots_path, i));
    if (!pair) return std::move(pair).error();
    if (pair->size() != 2) {
      return FormatError(ItemPath(knots_path, i), fmt::format("expected [x, y], found {} numbers", pair->size()));
    }
    out->push_back({(*pair)[0], (*pair)[1]});
  }
  return {};
}

}  // namespace

Result<OptionDictionary> ReadFeatureOptions(const JsonValue& value, std::string_view path) {
  if (Status status = ExpectKind(value, JsonValue::Kind::kObject, path); !status.ok()) {
    return std::move(status).error();
  }
  if (value.items.size() > kMaximumOptions) {
    return FormatError(path, fmt::format("more than {} options", kMaximumOptions));
  }
  OptionDictionary options;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    std::string text;
    switch (item.kind) {
      case JsonValue::Kind::kNumber:
        text = NormaliseNumber(item.text);
        break;
      case JsonValue::Kind::kBool:
        text = item.boolean ? "true" : "false";
        break;
      case JsonValue::Kind::kString:
        text = item.text;
        break;
      default:
        return FormatError(MemberPath(path, value.keys[i]),
                           fmt::format("expected a number, true, false or a string, found {}", item.KindText()));
    }
    if (const std::string* earlier = options.Find(value.keys[i]); earlier != nullptr && *earlier != text) {
      return FormatError(MemberPath(path, value.keys[i]), "given twice with different values");
    }
    options.Set(value.keys[i], text);
  }
  return options;
}

Result<std::optional<ScoreClip>> ReadScoreClip(const JsonValue& object, std::string_view path,
                                               const ModelFlags& flags) {
  Result<const JsonValue*> clip = FindMember(object, "score_clip", path);
  if (!clip) return std::move(clip).error();
  if (*clip == nullptr) return std::optional<ScoreClip>();
  const std::string clip_path = MemberPath(path, "score_clip");
  Result<std::vector<double>> bounds = ReadNumbers(**clip, clip_path);
  if (!bounds) return std::move(bounds).error();
  if (bounds->size() != 2) {
    return FormatError(clip_path, fmt::format("expected [minimum, maximum], found {} numbers", bounds->size()));
  }
  if ((*bounds)[0] > (*bounds)[1]) return FormatError(clip_path, "the minimum is above the maximum");
  if (flags.disable_clip) return std::optional<ScoreClip>();
  return std::optional<ScoreClip>(ScoreClip{(*bounds)[0], (*bounds)[1]});
}

Result<ScoreTransform> ReadScoreTransform(const JsonValue& object, std::string_view path, const ModelFlags& flags) {
  ScoreTransform transform;
  Result<const JsonValue*> value = FindMember(object, "score_transform", path);
  if (!value) return std::move(value).error();
  if (*value == nullptr) return transform;
  const std::string transform_path = MemberPath(path, "score_transform");
  const JsonValue& fields = **value;
  if (Status status = ExpectKind(fields, JsonValue::Kind::kObject, transform_path); !status.ok()) {
    return std::move(status).error();
  }
  Result<const JsonValue*> enabled = FindMember(fields, "enabled", transform_path);
  if (!enabled) return std::move(enabled).error();
  if (*enabled != nullptr) {
    Result<bool> flag = ReadBool(**enabled, MemberPath(transform_path, "enabled"));
    if (!flag) return std::move(flag).error();
    transform.enabled = *flag;
  }
  for (const auto& [key, out] : {std::pair{"p0", &transform.p0}, {"p1", &transform.p1}, {"p2", &transform.p2}}) {
    if (Status status = ReadOptionalNumber(fields, key, transform_path, out); !status.ok()) {
      return std::move(status).error();
    }
  }
  if (Status status = ReadKnots(fields, transform_path, &transform.knots); !status.ok()) {
    return std::move(status).error();
  }
  for (const auto& [key, out] :
       {std::pair{"out_lte_in", &transform.out_lte_in}, {"out_gte_in", &transform.out_gte_in}}) {
    if (Status status = ReadTruthText(fields, key, transform_path, out); !status.ok()) {
      return std::move(status).error();
    }
  }
  if (flags.enable_transform) transform.enabled = true;
  return transform;
}

Result<bool> IsBootstrapType(const JsonValue& type, std::string_view path) {
  Result<std::string> text = ReadString(type, path);
  if (!text) return std::move(text).error();
  if (*text == "LIBSVMNUSVR") return false;
  if (*text == "BOOTSTRAP_LIBSVMNUSVR" || *text == "RESIDUEBOOTSTRAP_LIBSVMNUSVR") return true;
  return FormatError(path, fmt::format("'{:.40}' is not LIBSVMNUSVR, BOOTSTRAP_LIBSVMNUSVR or "
                                       "RESIDUEBOOTSTRAP_LIBSVMNUSVR",
                                       *text));
}

}  // namespace lockstep
