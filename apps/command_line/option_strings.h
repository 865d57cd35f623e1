// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's strings for features and models: "psnr=enable_mse=true", "version=vmaf_v0.6.1:name=a:adm.adm_p_norm=2".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// `NAME` or `NAME=KEY=VALUE:KEY=VALUE…`. `\:` is a colon inside a value.
/// errors  kInvalidArgument: no name, or a key without a value. Names and values are checked by CheckRequest().
[[nodiscard]] Result<FeatureRequest> ParseFeatureString(std::string_view text);

struct ParsedModel {
  ModelRequest request;
  bool has_name = false;  // the user chose it
};

/// Colon separated: version=, path=, name=, disable_clip[=true|false], enable_transform[=true|false],
/// FEATURE.OPTION=VALUE. A path may hold colons, plain or as `\:`; a plain colon ends the path where the text after it
/// is a flag or has an equals sign. As in libvmaf, version= wins where a path is given too.
/// errors  kInvalidArgument
[[nodiscard]] Result<ParsedModel> ParseModelString(std::string_view text);

/// ParseModelString(), or just a built-in version, or just the path of a model file (ends in .json or has a slash).
[[nodiscard]] Result<ParsedModel> ParseModelArgument(std::string_view text);

/// The label of a model in reports and on the terminal: its version or path.
[[nodiscard]] const std::string& ModelLabel(const ModelRequest& model);

/// errors  kInvalidArgument: two models have one name, so that their scores could not be told apart
[[nodiscard]] Status CheckModelNames(const std::vector<ModelRequest>& models);

inline constexpr std::string_view kDefaultModelVersion = "vmaf_v0.6.1";

}  // namespace lockstep
