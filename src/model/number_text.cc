// SPDX-License-Identifier: BSD-2-Clause-Patent
// Decimal text to binary64.
#include "model/number_text.h"

#include <charconv>
#include <system_error>

namespace lockstep {

std::optional<double> ParseFiniteNumber(std::string_view text) {
  // from_chars takes no '+', but reads "inf" and "nan", which no model may hold.
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  if (text.starts_with('+')) text = digits;
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) return std::nullopt;
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace lockstep
