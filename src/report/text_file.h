// SPDX-License-Identifier: BSD-2-Clause-Patent
// Writing a finished text where the user wants it.
#pragma once

#include <string>
#include <string_view>

#include "lockstep/result.h"

namespace lockstep {

/// Whole or not at all where `path` is a regular file; "-", pipes and devices are written directly.
/// errors  kInputOutput, kOutOfMemory, naming the path
[[nodiscard]] Status WriteTextFile(std::string_view text, const std::string& path);

}  // namespace lockstep
