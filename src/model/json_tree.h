// SPDX-License-Identifier: BSD-2-Clause-Patent
// JSON text as a bounded tree that keeps numbers as they are written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/result.h"

namespace lockstep {

/// Bounds on what a model file may make this process allocate. The largest known model has 0.4 MB and depth 5.
inline constexpr std::size_t kMaximumJsonBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaximumJsonValues = std::size_t{1} << 20;
inline constexpr std::size_t kMaximumJsonDepth = 32;

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;               // of a string, or of a number as written, with '.' as the decimal point
  std::vector<std::string> keys;  // of an object, in file order
  std::vector<JsonValue> items;   // of an array or an object

  /// "a number", "an object", …
  [[nodiscard]] std::string_view KindText() const;
};

/// errors  kFormat: not JSON (RFC 8259), or beyond the bounds above
[[nodiscard]] Result<JsonValue> ParseJson(std::string_view text);

/// Typed reading of one value. `path` names it in messages, e.g. "model_dict.slopes[2]".
/// errors  kFormat: another type, or a number that binary64 cannot hold; the field is `path`
[[nodiscard]] Result<double> ReadNumber(const JsonValue& value, std::string_view path);
[[nodiscard]] Result<bool> ReadBool(const JsonValue& value, std::string_view path);
[[nodiscard]] Result<std::string> ReadString(const JsonValue& value, std::string_view path);
[[nodiscard]] Result<std::vector<double>> ReadNumbers(const JsonValue& value, std::string_view path);
/// Any array or object.
[[nodiscard]] Status ExpectKind(const JsonValue& value, JsonValue::Kind kind, std::string_view path);

/// A member of an object; nullptr where it is absent or null.
/// errors  kFormat: the key stands there twice
[[nodiscard]] Result<const JsonValue*> FindMember(const JsonValue& object, std::string_view key, std::string_view path);
/// errors  kFormat: absent, null, or there twice
[[nodiscard]] Result<const JsonValue*> RequireMember(const JsonValue& object, std::string_view key,
                                                     std::string_view path);

/// `path.key`, or `key` when the path is empty.
[[nodiscard]] std::string MemberPath(std::string_view path, std::string_view key);
/// `path[index]`
[[nodiscard]] std::string ItemPath(std::string_view path, std::size_t index);

[[nodiscard]] Error FormatError(std::string_view field, std::string message);

}  // namespace lockstep
