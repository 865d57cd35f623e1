// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs one metric in every way and compares facts and scores with the scalar code's.
#pragma once

#include "lockstep/parity.h"
#include "lockstep/result.h"

namespace lockstep {

/// As RunParity() of the public API, but exceptions of the libraries below may leave it.
[[nodiscard]] Result<ParityReport> CompareAll(const ParityRequest& request);

}  // namespace lockstep
