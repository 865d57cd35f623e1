// SPDX-License-Identifier: BSD-2-Clause-Patent
// Parsing of option texts; independent of the process locale.
#include "features/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace lockstep {
namespace {

// std::from_chars takes no leading '+', which users write.
template <class Number>
std::optional<Number> ParseWhole(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string ListNames(std::span<const OptionSpec> specs) {
  std::string names;
  for (const OptionSpec& spec : specs) names += (names.empty() ? "" : ", ") + std::string(spec.name);
  return names.empty() ? "it takes no options" : "its options are " + names;
}

}  // namespace

void OptionDictionary::Set(std::string_view key, std::string_view value) {
  for (Entry& entry : entries_) {
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  }
  entries_.emplace_back(key, value);
}

void OptionDictionary::Merge(const OptionDictionary& other) {
  for (const Entry& entry : other.entries_) Set(entry.first, entry.second);
}

const std::string* OptionDictionary::Find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

std::string NormaliseNumber(std::string_view text) {
  const std::optional<float> value = ParseWhole<float>(text);
  if (!value) return std::string(text);
  return fmt::format("{:g}", *value);
}

std::vector<std::string_view> ChoicesOf(const OptionSpec& spec) {
  std::vector<std::string_view> words;
  std::string_view rest = spec.choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

OptionValues::OptionValues(std::span<const OptionSpec> specs) : specs_(specs), values_(specs.size()) {
  for (std::size_t i = 0; i < specs.size(); ++i) values_[i] = {specs[i].default_value, specs[i].default_text};
}

Result<OptionValues> OptionValues::Parse(std::string_view feature, std::span<const OptionSpec> specs,
                                         const OptionDictionary& dictionary) {
  OptionValues values(specs);
  for (const OptionDictionary::Entry& entry : dictionary.entries()) {
    const std::string& key = entry.first;
    const std::string& text = entry.second;
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& s) { return s.name == key; });
    const auto fail = [&](std::string message) {
      return Error{ErrorCode::kInvalidArgument, std::move(message), {}, {}, fmt::format("feature {}", feature)};
    };
    if (spec == specs.end()) return fail(fmt::format("unknown option '{}'; {}", key, ListNames(specs)));
    Value& value = values.values_[static_cast<std::size_t>(spec - specs.begin())];
    switch (spec->type) {
      case OptionType::kBool:
        if (text != "true" && text != "false") {
          return fail(fmt::format("option {}: '{}' is not true or false", key, text));
        }
        value.number = text == "true" ? 1.0 : 0.0;
        break;
      case OptionType::kInt:
      case OptionType::kDouble: {
        std::optional<double> number;
        if (spec->type == OptionType::kInt) {
          if (const std::optional<int> whole = ParseWhole<int>(text)) number = *whole;
        } else {
          number = ParseWhole<double>(text);
          if (number && !std::isfinite(*number)) number.reset();
        }
        if (!number) {
          return fail(fmt::format("option {}: '{}' is not {}", key, text,
                                  spec->type == OptionType::kInt ? "a whole number" : "a finite number"));
        }
        if (*number < spec->minimum || *number > spec->maximum) {
          return fail(fmt::format("option {}: {} is outside {:g} to {:g}", key, text, spec->minimum, spec->maximum));
        }
        value.number = *number;
        break;
      }
      case OptionType::kString: {
        const std::vector<std::string_view> choices = ChoicesOf(*spec);
        if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
          return fail(fmt::format("option {}: '{}' is none of {}", key, text, fmt::join(choices, ", ")));
        }
        value.text = text;
        break;
      }
    }
  }
  return values;
}

std::size_t OptionValues::Index(std::string_view name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return i;
  }
  std::abort();  // a metric asked for an option that its own table lacks
}

bool OptionValues::GetBool(std::string_view name) const { return values_[Index(name)].number != 0.0; }
int OptionValues::GetInt(std::string_view name) const { return static_cast<int>(values_[Index(name)].number); }
double OptionValues::GetDouble(std::string_view name) const { return values_[Index(name)].number; }
const std::string& OptionValues::GetString(std::string_view name) const { return values_[Index(name)].text; }

bool OptionValues::IsDefault(std::size_t index) const {
  if (values_[index].is_from_input) return true;
  return values_[index].number == specs_[index].default_value && values_[index].text == specs_[index].default_text;
}

std::string OptionValues::NameText(std::size_t index) const {
  switch (specs_[index].type) {
    case OptionType::kBool:
      return "";
    case OptionType::kInt:
      return fmt::format("{}", static_cast<int>(values_[index].number));
    case OptionType::kDouble:
      return fmt::format("{:g}", values_[index].number);
    case OptionType::kString:
      return values_[index].text;
  }
  return "";
}

bool OptionValues::CanMergeOutputs(const OptionValues& other) const {
  bool both_ask = false;
  bool has_same_form = true;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].effect != OptionEffect::kOutputOnly || specs_[i].type != OptionType::kString) continue;
    if (*specs_[i].choices != '\0') {
      has_same_form = has_same_form && values_[i] == other.values_[i];
    } else if (!IsDefault(i) && !other.IsDefault(i)) {
      both_ask = true;
      if (values_[i] != other.values_[i]) return false;
    }
  }
  return !both_ask || has_same_form;
}

void OptionValues::MergeOutputs(const OptionValues& other) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].effect != OptionEffect::kOutputOnly) continue;
    values_[i].number = std::max(values_[i].number, other.values_[i].number);
    if (values_[i].text == specs_[i].default_text) values_[i].text = other.values_[i].text;
  }
}

const OptionSpec* OptionValues::TakeFrameRate(double rate) {
  if (!(rate > 0.0)) return nullptr;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (!specs_[i].is_frame_rate || !IsDefault(i)) continue;
    values_[i].number = std::clamp(rate, specs_[i].minimum, specs_[i].maximum);
    values_[i].is_from_input = true;
    return &specs_[i];
  }
  return nullptr;
}

bool OptionValues::SameValues(const OptionValues& other, OptionEffect effect) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].effect == effect && values_[i] != other.values_[i]) return false;
  }
  return true;
}

}  // namespace lockstep
