// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a report spells a number.
#pragma once

#include <string>
#include <string_view>

#include "lockstep/report.h"

namespace lockstep {

/// Appends `value`; infinities and NaN become the words `inf`, `-inf` and `nan`. Never looks at the locale.
/// exact   decimal digits of the binary64 value, rounded half to even where it is exactly between two texts
void AppendNumber(double value, const NumberFormat& numbers, std::string& out);

/// Why a value is null in JSON; empty for finite values.
[[nodiscard]] std::string_view NonFiniteReason(double value);

}  // namespace lockstep
