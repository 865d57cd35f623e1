// SPDX-License-Identifier: BSD-2-Clause-Patent
// The files of models/, as the build put them into the library.
#pragma once

#include <span>
#include <string_view>

namespace lockstep {

struct ModelFigures {
  std::string_view version;  // name of the file without ".json"
  std::string_view text;
};

/// Every file, sorted by version.
[[nodiscard]] std::span<const ModelFigures> AllModelFigures();

}  // namespace lockstep
