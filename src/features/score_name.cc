// SPDX-License-Identifier: BSD-2-Clause-Patent
// Score-name rules of libvmaf 3.2.0.
#include "features/score_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

namespace lockstep {
namespace {

constexpr std::size_t kMaximumLength = 255;

// Scores whose long form "VMAF_feature_X_score" and "VMAF_integer_feature_X_score" have a short form.
constexpr std::array<std::string_view, 10> kShortened = {
    "adm2", "aim", "adm3", "motion", "motion2", "motion3", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"};
// Only the float form of these is shortened; the integer metric writes integer_adm_scaleN itself.
constexpr std::array<std::string_view, 4> kShortenedFloatOnly = {"adm_scale0", "adm_scale1", "adm_scale2",
                                                                 "adm_scale3"};

template <std::size_t kSize>
bool Contains(const std::array<std::string_view, kSize>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The part between prefix and "_score", or empty.
std::string_view Middle(std::string_view name, std::string_view prefix) {
  constexpr std::string_view kSuffix = "_score";
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix) || name.size() < prefix.size() + kSuffix.size()) return {};
  return name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
}

template <class Wanted>
std::vector<std::size_t> ChangedOptions(const OptionValues& options, Wanted wanted) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < options.specs().size(); ++i) {
    if (wanted(options.specs()[i].effect) && !options.IsDefault(i)) changed.push_back(i);
  }
  std::sort(changed.begin(), changed.end(), [&](std::size_t a, std::size_t b) {
    return std::strcmp(options.specs()[a].name, options.specs()[b].name) < 0;
  });
  return changed;
}

std::string WithSuffixes(const std::string& raw_name, const OptionValues& options,
                         const std::vector<std::size_t>& changed) {
  if (changed.empty()) return raw_name;
  std::string name = ShortScoreName(raw_name);
  for (const std::size_t i : changed) {
    const OptionSpec& spec = options.specs()[i];
    name += '_';
    name += spec.alias != nullptr ? spec.alias : spec.name;
    if (spec.type != OptionType::kBool) name += '_' + options.NameText(i);
  }
  if (name.size() > kMaximumLength) name.resize(kMaximumLength);
  return name;
}

}  // namespace

std::string ShortScoreName(std::string_view raw_name) {
  if (const std::string_view x = Middle(raw_name, "VMAF_integer_feature_"); Contains(kShortened, x)) {
    return "integer_" + std::string(x);
  }
  if (const std::string_view x = Middle(raw_name, "VMAF_feature_");
      Contains(kShortened, x) || Contains(kShortenedFloatOnly, x)) {
    return std::string(x);
  }
  for (const std::string_view prefix : {"Cambi_feature_", "Speed_chroma_feature_", "Speed_temporal_feature_"}) {
    if (const std::string_view x = Middle(raw_name, prefix); !x.empty()) return std::string(x);
  }
  return std::string(raw_name);
}

std::string DecoratedScoreName(const FeatureColumn& column, const OptionValues& options) {
  if (!column.decorated) return column.raw_name;
  return WithSuffixes(column.raw_name, options,
                      ChangedOptions(options, [](OptionEffect effect) { return effect == OptionEffect::kInName; }));
}

std::string FullyDecoratedScoreName(const FeatureColumn& column, const OptionValues& options) {
  return WithSuffixes(column.raw_name, options,
                      ChangedOptions(options, [](OptionEffect effect) { return effect != OptionEffect::kOutputOnly; }));
}

}  // namespace lockstep
