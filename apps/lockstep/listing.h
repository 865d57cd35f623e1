// SPDX-License-Identifier: BSD-2-Clause-Patent
// What `lockstep features` and `lockstep models` print.
#pragma once

#include <string>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// One line a metric, or everything about each.
[[nodiscard]] std::string ListFeaturesText(const std::vector<FeatureInfo>& features, bool with_options);

/// Everything about one metric.
/// errors  kNotFound: no such metric; the message lists the names
[[nodiscard]] Result<std::string> DescribeFeatureText(const std::vector<FeatureInfo>& features,
                                                      const std::string& name);

/// One line a device and one a target; `is_forced`: LOCKSTEP_CPU chose.
[[nodiscard]] std::string ListDevicesText(const std::vector<DeviceInfo>& devices, bool is_forced);

[[nodiscard]] std::string ListModelsText(const std::vector<ModelInfo>& models);

}  // namespace lockstep
