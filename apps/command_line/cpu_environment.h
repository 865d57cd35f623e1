// SPDX-License-Identifier: BSD-2-Clause-Patent
// The environment's say in which instruction set is used.
#pragma once

#include <cstdlib>
#include <string>

namespace lockstep {

/// LOCKSTEP_CPU: an instruction set's name; empty where it is not set.
[[nodiscard]] inline std::string CpuTargetOfEnvironment() {
  const char* const name = std::getenv("LOCKSTEP_CPU");  // NOLINT(concurrency-mt-unsafe): read before any thread runs
  return name != nullptr ? name : "";
}

}  // namespace lockstep
