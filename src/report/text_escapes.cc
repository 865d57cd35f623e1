// SPDX-License-Identifier: BSD-2-Clause-Patent
// Escapes of the four report formats, all on top of one strict UTF-8 reader.
#include "report/text_escapes.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lockstep {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void AppendUtf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

/// The code point at the front of `text`, which is not empty, and removes it. Overlong forms, surrogates and values
/// above U+10FFFF are as wrong as stray bytes: one byte is removed and U+FFFD returned.
char32_t TakeCodePoint(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  std::size_t length = 1;
  char32_t value = lead;
  char32_t smallest = 0;
  if (lead >= 0xF0 && lead < 0xF8) {
    length = 4;
    value = lead & 0x07U;
    smallest = 0x10000;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    value = lead & 0x0FU;
    smallest = 0x800;
  } else if (lead >= 0xC0 && lead < 0xE0) {
    length = 2;
    value = lead & 0x1FU;
    smallest = 0x80;
  } else if (lead >= 0x80) {
    length = 0;
  }
  bool valid = length != 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0U) == 0x80U;
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  if (!valid || value < smallest || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(length);
  return value;
}

bool IsAsciiLetter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char32_t c) { return c >= '0' && c <= '9'; }

void AppendNameEscape(char32_t c, std::string& out) {
  fmt::format_to(std::back_inserter(out), "_x{:0{}X}_", static_cast<std::uint32_t>(c), c < 0x10000 ? 4 : 8);
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) AppendUtf8(TakeCodePoint(text), out);
  return out;
}

void AppendXmlText(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const char32_t c = TakeCodePoint(text);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        // Written literally they would come back as blanks.
        fmt::format_to(std::back_inserter(out), "&#{};", static_cast<std::uint32_t>(c));
        break;
      default:
        AppendUtf8(c < 0x20 || c == 0xFFFE || c == 0xFFFF ? kReplacement : c, out);
    }
  }
}

std::string XmlName(std::string_view name) {
  std::string out;
  // A namespace declaration, not an attribute, to every parser that knows namespaces.
  if (name == "xmlns") {
    AppendNameEscape('x', out);
    name.remove_prefix(1);
  }
  while (!name.empty()) {
    const bool looks_like_escape = name.starts_with("_x");
    const char32_t c = TakeCodePoint(name);
    const bool starts = out.empty();
    const bool plain =
        IsAsciiLetter(c) || (c == '_' && !looks_like_escape) || (!starts && (IsAsciiDigit(c) || c == '-' || c == '.'));
    if (plain) {
      out += static_cast<char>(c);
    } else {
      AppendNameEscape(c, out);
    }
  }
  // Not the encoding of any other name: an underscore before an x is always written as an escape.
  if (out.empty()) out = "_x_";
  return out;
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const char32_t c = TakeCodePoint(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      AppendUtf8(c, out);
    }
  }
  out += '"';
}

void AppendCsvField(std::string_view text, std::string& out) {
  const std::string valid = ValidUtf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) {
    out += valid;
    return;
  }
  out += '"';
  for (const char c : valid) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string SubtitleName(std::string_view name) {
  std::string out = ValidUtf8(name);
  for (char& c : out) {
    if (c == '{' || c == '}' || c == '|' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '_';
  }
  return out;
}

}  // namespace lockstep
