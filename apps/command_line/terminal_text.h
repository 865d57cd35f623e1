// SPDX-License-Identifier: BSD-2-Clause-Patent
// Text for people on a terminal: safe names, numbers, times, warnings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/report.h"
#include "lockstep/result.h"

namespace lockstep {

/// `text` with everything that a terminal might obey (control characters, text direction marks) or cannot show (bytes
/// that are not UTF-8) replaced by `?`. Names of files and models come from strangers.
[[nodiscard]] std::string TerminalText(std::string_view text);

/// A score as the report's number format prints it.
[[nodiscard]] std::string ScoreText(double value, const NumberFormat& numbers);

/// "1:02:03.250", "2:03.250".
[[nodiscard]] std::string TimeText(double seconds);

/// "FILE: frame N: TEXT" with the parts that are known; a file that the text itself names is not repeated.
[[nodiscard]] std::string WarningText(const ReportWarning& warning);

/// Whether `path` names a file that is also an input of the run; writing it would destroy the input.
/// errors  kInvalidArgument, naming the path
[[nodiscard]] Status CheckNotAnInput(const std::string& path, const std::string& reference,
                                     const std::string& distorted);

}  // namespace lockstep
