// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which errors are about the command line itself.
#pragma once

#include "lockstep/result.h"

namespace lockstep {

/// Wrong names and values are the command line's fault; missing files and what this build lacks are not.
[[nodiscard]] inline bool IsUsageError(const Error& error) {
  return error.file.empty() && (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound);
}

}  // namespace lockstep
