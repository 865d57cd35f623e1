// SPDX-License-Identifier: BSD-2-Clause-Patent
// Names of scores: option suffixes and the short forms that reports print, as libvmaf spells them.
#pragma once

#include <string>
#include <string_view>

#include "features/feature.h"
#include "features/option_table.h"

namespace lockstep {

/// "VMAF_integer_feature_adm2_score" -> "integer_adm2"; names without a short form come back unchanged.
[[nodiscard]] std::string ShortScoreName(std::string_view raw_name);

/// The key of a score: the raw name when every in-name option has its default, else the short name followed by
/// `_<alias>` (bool) or `_<alias>_<value>` for each changed one, sorted by the option's full name.
[[nodiscard]] std::string DecoratedScoreName(const FeatureColumn& column, const OptionValues& options);

/// Like DecoratedScoreName, but with every option that changes values, for the case that two requests of one metric
/// would otherwise write the same name with different values.
[[nodiscard]] std::string FullyDecoratedScoreName(const FeatureColumn& column, const OptionValues& options);

}  // namespace lockstep
