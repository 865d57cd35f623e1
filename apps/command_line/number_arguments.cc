// SPDX-License-Identifier: BSD-2-Clause-Patent
// Strict parsing: the whole text is the number, and nothing depends on the locale.
#include "apps/command_line/number_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace lockstep {
namespace {

Error Refuse(std::string_view option, std::string_view text, std::string_view expected) {
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("\"{}\" is not valid; expected {}", text, expected),
               {},
               std::nullopt,
               std::string(option)};
}

constexpr std::array<std::string_view, 5> kBackends = {"cpu", "sycl", "cuda", "hip", "metal"};
constexpr int kMaxDigits = 17;

}  // namespace

Result<std::uint64_t> ParseUnsigned(std::string_view text, std::uint64_t maximum, std::string_view option) {
  std::string_view digits = text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool whole = error != std::errc::invalid_argument && end == digits.data() + digits.size();
  if (!whole || error == std::errc::result_out_of_range || value > maximum) {
    return Refuse(option, text, fmt::format("a whole number from 0 to {}", maximum));
  }
  return value;
}

Result<std::uint64_t> ParseMask(std::string_view text, std::string_view option) {
  if (text == "-1") return std::numeric_limits<std::uint64_t>::max();
  return ParseUnsigned(text, std::numeric_limits<std::uint64_t>::max(), option);
}

Result<PixelFormat> ParsePixelFormat(std::string_view text, std::string_view option) {
  for (const PixelFormat format :
       {PixelFormat::kYuv400, PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    if (text == PixelFormatName(format)) return format;
  }
  return Refuse(option, text, "400, 420, 422 or 444");
}

Result<int> ParseBitDepth(std::string_view text, std::string_view option) {
  const Result<std::uint64_t> value = ParseUnsigned(text, 16, option);
  if (!value || *value < 8) return Refuse(option, text, "a bit depth from 8 to 16");
  return static_cast<int>(*value);
}

Result<int> ParseDimension(std::string_view text, std::string_view option) {
  const Result<std::uint64_t> value = ParseUnsigned(text, VideoFormat::kMaxDimension, option);
  if (!value || *value < 1) {
    return Refuse(option, text, fmt::format("a whole number from 1 to {}", VideoFormat::kMaxDimension));
  }
  return static_cast<int>(*value);
}

Result<NumberFormat> ParsePrecision(std::string_view text, std::string_view option) {
  if (text == "legacy") return NumberFormat{NumberFormat::Kind::kLegacy, 6};
  if (text == "max") return NumberFormat{NumberFormat::Kind::kMax, kMaxDigits};
  const Result<std::uint64_t> digits = ParseUnsigned(text, kMaxDigits, option);
  if (!digits || *digits < 1) {
    return Refuse(option, text, fmt::format("legacy, max, or 1 to {} significant digits", kMaxDigits));
  }
  return NumberFormat{NumberFormat::Kind::kDigits, static_cast<int>(*digits)};
}

Result<std::pair<std::int64_t, std::int64_t>> ParseFrameRange(std::string_view text, std::string_view option) {
  const std::string_view expected = "A:B with A less than B: frames A to B - 1";
  constexpr std::uint64_t kMaxFrame = std::numeric_limits<std::int64_t>::max();
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Refuse(option, text, expected);
  const Result<std::uint64_t> first = ParseUnsigned(text.substr(0, colon), kMaxFrame, option);
  const Result<std::uint64_t> end = ParseUnsigned(text.substr(colon + 1), kMaxFrame, option);
  if (!first || !end || *first >= *end) return Refuse(option, text, expected);
  return std::pair{static_cast<std::int64_t>(*first), static_cast<std::int64_t>(*end)};
}

Result<std::string_view> ParseBackend(std::string_view text, std::string_view option) {
  // No device is known to be faster, and the scores are the same.
  if (text == "auto") return kBackends.front();
  const auto* const known = std::find(kBackends.begin(), kBackends.end(), text);
  if (known == kBackends.end()) {
    return Refuse(option, text, fmt::format("auto, {}", fmt::join(kBackends, ", ")));
  }
  return *known;
}

Result<GraphUse> ParseGraphUse(std::string_view text, std::string_view option) {
  if (text == "auto") return GraphUse::kAutomatic;
  if (text == "on") return GraphUse::kAlways;
  if (text == "off") return GraphUse::kNever;
  return Refuse(option, text, "auto, on or off");
}

Result<int> ParseBatch(std::string_view text, std::string_view option) {
  const Result<std::uint64_t> value = ParseUnsigned(text, DeviceRequest::kMaximumBatch, option);
  if (!value) return value.error();
  return static_cast<int>(*value);
}

Result<bool> ParseQueueOrder(std::string_view text, std::string_view option) {
  if (text == "in_order") return false;
  if (text == "out_of_order") return true;
  return Refuse(option, text, "in_order or out_of_order");
}

}  // namespace lockstep
