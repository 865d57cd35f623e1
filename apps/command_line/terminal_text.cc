// SPDX-License-Identifier: BSD-2-Clause-Patent
// Formatting for terminals, and the guard against overwriting an input.
#include "apps/command_line/terminal_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep {
namespace {

/// Bytes of the UTF-8 sequence at the front of `text` that a terminal may see, or 0.
std::size_t HarmlessLength(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  unsigned value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  const bool control = value < 0xA0 || value == 0x2028 || value == 0x2029;
  const bool direction = value == 0x200E || value == 0x200F || (value >= 0x202A && value <= 0x202E) ||
                         (value >= 0x2066 && value <= 0x2069);
  return overlong || surrogate || control || direction || value > 0x10FFFF ? 0 : length;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  // Terminals, pipes and /dev/null may well be read and written at once.
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = HarmlessLength(text);
    if (length == 0) {
      out += '?';
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string ScoreText(double value, const NumberFormat& numbers) {
  if (std::isnan(value)) return "nan";
  switch (numbers.kind) {
    case NumberFormat::Kind::kLegacy:
      return fmt::format("{:.6f}", value);
    case NumberFormat::Kind::kMax:
      return fmt::format("{:.17g}", value);
    case NumberFormat::Kind::kDigits:
      return fmt::format("{:.{}g}", value, std::clamp(numbers.digits, 1, 17));
  }
  return {};
}

std::string TimeText(double seconds) {
  const auto milliseconds = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) * 1000.0 + 0.5);
  const std::int64_t whole = milliseconds / 1000;
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}.{:03}", whole / 3600, whole / 60 % 60, whole % 60, milliseconds % 1000);
  }
  return fmt::format("{}:{:02}.{:03}", whole / 60, whole % 60, milliseconds % 1000);
}

std::string WarningText(const ReportWarning& warning) {
  std::string text;
  if (!warning.file.empty() && warning.text.find(warning.file) == std::string::npos) text += warning.file + ": ";
  if (warning.frame) text += fmt::format("frame {}: ", *warning.frame);
  return TerminalText(text + warning.text);
}

Status CheckNotAnInput(const std::string& path, const std::string& reference, const std::string& distorted) {
  for (const std::string& input : {reference, distorted}) {
    if (!IsSameFile(path, input)) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "is an input of this run; writing the report would destroy it",
                 path,
                 std::nullopt,
                 {}};
  }
  return {};
}

}  // namespace lockstep
