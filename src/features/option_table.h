// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one way options of a metric are declared, parsed and listed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/result.h"

namespace lockstep {

enum class OptionType { kBool, kInt, kDouble, kString };

/// What a non-default value does. It decides the score's name and whether two requests of one metric can be merged.
enum class OptionEffect {
  kInName,  // changes values and is part of the score name (libvmaf's "feature parameter")
  // a bool whose `true`, or a text that when given, adds outputs and changes no value: requests that differ only here
  // are merged
  kOutputOnly,
  kValueOnly,  // changes values, but libvmaf leaves it out of the name
};

/// One row of a metric's option table. Defaults of bool and int are stored in `default_value` (0 or 1, or the number).
struct OptionSpec {
  const char* name;
  const char* alias;  // short form used in score names; nullptr where there is none
  OptionType type;
  OptionEffect effect;
  double default_value;
  double minimum;
  double maximum;
  const char* meaning;
  const char* default_text = "";  // default of a string option
  // Texts that a string option accepts, or numbers that a metric accepts, which checks them itself, with spaces
  // between; empty: any.
  const char* choices = "";
  bool is_frame_rate = false;  // a number that is the input's frame rate where it is not given
};

/// The words of OptionSpec::choices.
[[nodiscard]] std::vector<std::string_view> ChoicesOf(const OptionSpec& spec);

/// Options as the user or a model wrote them: ordered, keys unique.
class OptionDictionary {
 public:
  using Entry = std::pair<std::string, std::string>;

  /// Sets a key; a key already there keeps its place and gets the new value.
  void Set(std::string_view key, std::string_view value);
  /// Entries of `other` override.
  void Merge(const OptionDictionary& other);
  [[nodiscard]] const std::string* Find(std::string_view key) const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  friend bool operator==(const OptionDictionary&, const OptionDictionary&) = default;

 private:
  std::vector<Entry> entries_;
};

/// libvmaf's normalisation of numbers in feature strings and model files: text that is one whole number becomes the
/// "%g" form of its binary32 value ("1.0" -> "1", "0.123456789" -> "0.123457"); anything else is returned unchanged.
/// exact   locale independent
[[nodiscard]] std::string NormaliseNumber(std::string_view text);

/// Parsed values of one metric's options, in the order of its table.
class OptionValues {
 public:
  /// All defaults.
  explicit OptionValues(std::span<const OptionSpec> specs);

  /// errors  kInvalidArgument: unknown name (the message lists the valid ones), text of the wrong type, NaN or
  /// infinity,
  ///         value outside the range, text that is none of the choices
  [[nodiscard]] static Result<OptionValues> Parse(std::string_view feature, std::span<const OptionSpec> specs,
                                                  const OptionDictionary& dictionary);

  [[nodiscard]] bool GetBool(std::string_view name) const;
  [[nodiscard]] int GetInt(std::string_view name) const;
  [[nodiscard]] double GetDouble(std::string_view name) const;
  [[nodiscard]] const std::string& GetString(std::string_view name) const;

  [[nodiscard]] std::span<const OptionSpec> specs() const { return specs_; }
  [[nodiscard]] bool IsDefault(std::size_t index) const;
  /// Text as it stands in a score name: "%g", "%d", the string, or nothing for a bool.
  [[nodiscard]] std::string NameText(std::size_t index) const;
  /// False where both ask for an output text, such as a path, and not for the same one or in another of the forms that
  /// are its choices.
  [[nodiscard]] bool CanMergeOutputs(const OptionValues& other) const;
  /// Switches on every output that `other` (same table) asks for: output-only bools are united, texts taken over.
  void MergeOutputs(const OptionValues& other);
  /// Puts a frame rate, cut to the option's range, where one belongs and none was given; `rate` 0: unknown. Names of
  /// scores still say what was given.
  /// returns  the option that has it now, or nullptr
  const OptionSpec* TakeFrameRate(double rate);
  [[nodiscard]] bool SameValues(const OptionValues& other, OptionEffect effect) const;

 private:
  struct Value {
    double number = 0.0;
    std::string text;
    bool is_from_input = false;  // and not asked for
    friend bool operator==(const Value&, const Value&) = default;
  };
  [[nodiscard]] std::size_t Index(std::string_view name) const;

  std::span<const OptionSpec> specs_;
  std::vector<Value> values_;
};

}  // namespace lockstep
