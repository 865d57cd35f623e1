// SPDX-License-Identifier: BSD-2-Clause-Patent
// Models in our own form ("schema": "lockstep-model-1"), as models/README.md describes it.
#pragma once

#include <span>
#include <string_view>

#include "lockstep/result.h"
#include "model/model.h"
#include "model/model_figures.h"

namespace lockstep {

/// The model that one of `files` describes. A file may derive from another one of them.
/// errors  kNotFound: no file of that version
///         kFormat: the error names version and field
[[nodiscard]] Result<LoadedModel> ParseModelFigures(std::span<const ModelFigures> files, std::string_view version,
                                                    const ModelFlags& flags);

}  // namespace lockstep
