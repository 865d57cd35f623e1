// SPDX-License-Identifier: BSD-2-Clause-Patent
// Numbers of model files, read the same way under every locale and C library.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep {

/// The number that the whole text spells, rounded once to binary64; a leading '+' is accepted.
/// Absent for anything else: other text, infinities, NaN, magnitudes that binary64 cannot hold.
[[nodiscard]] std::optional<double> ParseFiniteNumber(std::string_view text);

}  // namespace lockstep
