// SPDX-License-Identifier: BSD-2-Clause-Patent
// Builds the tree from the events of nlohmann's parser, which itself does not recurse.
#include "model/json_tree.h"

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/number_text.h"

namespace lockstep {
namespace {

// An error of the parser quotes the last token, which can be a whole support-vector text.
constexpr std::size_t kMaximumQuote = 160;

class TreeBuilder {
 public:
  bool null() { return Add({}); }
  bool boolean(bool value) {
    JsonValue node;
    node.kind = JsonValue::Kind::kBool;
    node.boolean = value;
    return Add(std::move(node));
  }
  bool number_integer(std::int64_t value) { return AddText(JsonValue::Kind::kNumber, std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return AddText(JsonValue::Kind::kNumber, std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& text) {
    // The parser's text has the decimal point of the process locale; JSON knows no other foreign character there.
    std::string number = text;
    for (char& c : number) {
      const bool json = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e' || c == 'E';
      if (!json) c = '.';
    }
    return AddText(JsonValue::Kind::kNumber, std::move(number));
  }
  bool string(std::string& value) { return AddText(JsonValue::Kind::kString, std::move(value)); }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
  bool start_object(std::size_t /*elements*/) { return Open(JsonValue::Kind::kObject); }
  bool start_array(std::size_t /*elements*/) { return Open(JsonValue::Kind::kArray); }
  bool key(std::string& name) {
    open_.back()->keys.push_back(std::move(name));
    return true;
  }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/, const std::exception& error) {
    std::string message = error.what();
    if (const std::size_t end = message.find("] "); message.starts_with('[') && end != std::string::npos) {
      message.erase(0, end + 2);
    }
    if (message.size() > kMaximumQuote) {
      std::size_t cut = kMaximumQuote;
      while (cut > 0 && (static_cast<unsigned char>(message[cut]) & 0xc0U) == 0x80U) --cut;  // not inside a character
      message = message.substr(0, cut) + "…";
    }
    return Fail(fmt::format("not JSON (byte {}): {}", position, message));
  }

  [[nodiscard]] std::string& failure() { return failure_; }
  [[nodiscard]] JsonValue& root() { return root_; }

 private:
  bool Fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }
  bool AddText(JsonValue::Kind kind, std::string text) {
    JsonValue node;
    node.kind = kind;
    node.text = std::move(text);
    return Add(std::move(node));
  }
  bool Add(JsonValue node) {
    if (++count_ > kMaximumJsonValues) return Fail(fmt::format("more than {} JSON values", kMaximumJsonValues));
    if (open_.empty()) {
      root_ = std::move(node);
      last_ = &root_;
    } else {
      last_ = &open_.back()->items.emplace_back(std::move(node));
    }
    return true;
  }
  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaximumJsonDepth) return Fail(fmt::format("nested deeper than {} levels", kMaximumJsonDepth));
    JsonValue node;
    node.kind = kind;
    if (!Add(std::move(node))) return false;
    // Stays valid while it is open: only the innermost open value grows, and its own address is in its parent.
    open_.push_back(last_);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonValue root_;
  JsonValue* last_ = nullptr;
  std::vector<JsonValue*> open_;
  std::size_t count_ = 0;
  std::string failure_;
};

std::string_view KindName(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBool:
      return "true or false";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "";
}

}  // namespace

std::string_view JsonValue::KindText() const { return KindName(kind); }

Result<JsonValue> ParseJson(std::string_view text) {
  if (text.size() > kMaximumJsonBytes) {
    return FormatError("", fmt::format("larger than {} bytes", kMaximumJsonBytes));
  }
  TreeBuilder builder;
  try {
    if (!nlohmann::json::sax_parse(text, &builder)) {
      return FormatError("", builder.failure().empty() ? "not JSON" : std::move(builder.failure()));
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the JSON text", {}, {}, {}};
  } catch (const std::exception& error) {
    return FormatError("", fmt::format("not JSON: {}", error.what()));
  }
  return std::move(builder.root());
}

Status ExpectKind(const JsonValue& value, JsonValue::Kind kind, std::string_view path) {
  if (value.kind == kind) return {};
  return FormatError(path, fmt::format("expected {}, found {}", KindName(kind), value.KindText()));
}

Result<double> ReadNumber(const JsonValue& value, std::string_view path) {
  if (Status status = ExpectKind(value, JsonValue::Kind::kNumber, path); !status.ok()) {
    return std::move(status).error();
  }
  const std::optional<double> number = ParseFiniteNumber(value.text);
  if (!number) return FormatError(path, fmt::format("{:.40} does not fit a 64-bit float", value.text));
  return *number;
}

Result<bool> ReadBool(const JsonValue& value, std::string_view path) {
  if (Status status = ExpectKind(value, JsonValue::Kind::kBool, path); !status.ok()) return std::move(status).error();
  return value.boolean;
}

Result<std::string> ReadString(const JsonValue& value, std::string_view path) {
  if (Status status = ExpectKind(value, JsonValue::Kind::kString, path); !status.ok()) {
    return std::move(status).error();
  }
  return value.text;
}

Result<std::vector<double>> ReadNumbers(const JsonValue& value, std::string_view path) {
  if (Status status = ExpectKind(value, JsonValue::Kind::kArray, path); !status.ok()) return std::move(status).error();
  std::vector<double> numbers;
  numbers.reserve(value.items.size());
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    Result<double> number = ReadNumber(value.items[i], ItemPath(path, i));
    if (!number) return std::move(number).error();
    numbers.push_back(*number);
  }
  return numbers;
}

Result<const JsonValue*> FindMember(const JsonValue& object, std::string_view key, std::string_view path) {
  const JsonValue* found = nullptr;
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] != key) continue;
    if (found != nullptr) return FormatError(MemberPath(path, key), "given twice");
    found = &object.items[i];
  }
  return found == nullptr || found->kind == JsonValue::Kind::kNull ? nullptr : found;
}

Result<const JsonValue*> RequireMember(const JsonValue& object, std::string_view key, std::string_view path) {
  Result<const JsonValue*> member = FindMember(object, key, path);
  if (member && *member == nullptr) return FormatError(MemberPath(path, key), "missing");
  return member;
}

std::string MemberPath(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string ItemPath(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

Error FormatError(std::string_view field, std::string message) {
  return Error{ErrorCode::kFormat, std::move(message), {}, {}, std::string(field)};
}

}  // namespace lockstep
