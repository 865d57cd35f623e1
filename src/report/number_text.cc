// SPDX-License-Identifier: BSD-2-Clause-Patent
// Number formats: libvmaf's rule, round-trip, or a chosen count of significant digits.
#include "report/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace lockstep {
namespace {

// More digits than 17 say nothing about a binary64.
constexpr int kRoundTripDigits = 17;

/// libvmaf prints six decimals unless the fractional part is so small that they would all be zero.
/// in      finite
bool NeedsSixteenDecimals(double value) {
  const double magnitude = std::abs(value);
  // libvmaf subtracts the value cast to int32; past its range that difference is never below one.
  if (magnitude >= 2147483648.0) return false;
  double fraction = magnitude - static_cast<double>(static_cast<std::int32_t>(magnitude));
  int shifts = 0;
  while (fraction < 1.0 && fraction != 0.0) {
    fraction *= 10.0;
    ++shifts;
  }
  return shifts > 6;
}

}  // namespace

std::string_view NonFiniteReason(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0.0 ? "infinite" : "negative infinite";
  return {};
}

void AppendNumber(double value, const NumberFormat& numbers, std::string& out) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0.0 ? "inf" : "-inf";
    return;
  }
  const auto sink = std::back_inserter(out);
  switch (numbers.kind) {
    case NumberFormat::Kind::kLegacy:
      if (NeedsSixteenDecimals(value)) {
        fmt::format_to(sink, "{:.16f}", value);
      } else {
        fmt::format_to(sink, "{:.6f}", value);
      }
      return;
    case NumberFormat::Kind::kMax:
      fmt::format_to(sink, "{:.{}g}", value, kRoundTripDigits);
      return;
    case NumberFormat::Kind::kDigits:
      fmt::format_to(sink, "{:.{}g}", value, std::clamp(numbers.digits, 1, kRoundTripDigits));
      return;
  }
}

}  // namespace lockstep
