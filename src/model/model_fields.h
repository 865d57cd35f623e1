// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fields that libvmaf's model files and our own have in common.
#pragma once

#include <optional>
#include <string_view>

#include "features/option_table.h"
#include "lockstep/result.h"
#include "model/json_tree.h"
#include "model/model_data.h"

namespace lockstep {

/// {"name": number | bool | string, …}; numbers take the "%g" form of their binary32 value.
/// errors  kFormat: another type of value, a name given twice with different values, more than 64 names
[[nodiscard]] Result<OptionDictionary> ReadFeatureOptions(const JsonValue& value, std::string_view path);

/// `score_clip` of `object`; absent where the file has none or null, or the flags switch it off.
/// errors  kFormat: not two numbers in ascending order
[[nodiscard]] Result<std::optional<ScoreClip>> ReadScoreClip(const JsonValue& object, std::string_view path,
                                                             const ModelFlags& flags);

/// `score_transform` of `object`; disabled where the file has none or null.
/// errors  kFormat: a value of the wrong type, more than 10 knots
[[nodiscard]] Result<ScoreTransform> ReadScoreTransform(const JsonValue& object, std::string_view path,
                                                        const ModelFlags& flags);

/// Whether a model_type may be a member of a bootstrap collection.
/// errors  kFormat: unknown type
[[nodiscard]] Result<bool> IsBootstrapType(const JsonValue& type, std::string_view path);

}  // namespace lockstep
