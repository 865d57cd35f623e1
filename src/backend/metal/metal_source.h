// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Metal sources of the kernels that the build embedded in the plugin.
#pragma once

#include <span>

namespace lockstep {

struct MetalSource {
  const char* module;
  const char* text;
};

/// Of every module; the build makes the definition.
[[nodiscard]] std::span<const MetalSource> MetalSources();

}  // namespace lockstep
