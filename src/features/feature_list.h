// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only list of metrics.
#pragma once

#include <span>
#include <string_view>

#include "features/feature.h"

namespace lockstep {

[[nodiscard]] std::span<const FeatureDescription* const> FeatureList();

/// nullptr when no metric has that name.
[[nodiscard]] const FeatureDescription* FindFeature(std::string_view name);

/// The metric that writes an undecorated score name, as models name their features; nullptr when there is none.
[[nodiscard]] const FeatureDescription* FindFeatureByScore(std::string_view raw_name);

/// errors  kNotFound: no such metric (the message lists the names)
///         kInvalidArgument, kUnsupported: options, picture size or format do not fit (the message says what does)
[[nodiscard]] Result<std::unique_ptr<Feature>> CreateFeature(const FeatureDescription& description,
                                                             const OptionValues& options, const VideoFormat& format,
                                                             CpuTarget target);

}  // namespace lockstep
