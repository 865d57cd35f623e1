// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sums of a frame that float_adm's scores are made of.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "features/adm/adm_geometry.h"
#include "features/feature.h"
#include "features/float_adm/float_adm_csf.h"
#include "features/float_adm/float_adm_rows.h"

namespace lockstep {

/// Sums of a scale, each over bands h, v, d in this order. Their binary32 values are facts.
enum FloatAdmSum : int {
  kFloatAdmRestored = 0,
  kFloatAdmImpaired = 3,
  kFloatAdmReference = 6,
  kFloatAdmSums = 9,
};

/// What the options and the format say about the sums.
struct FloatAdmPlan {
  std::array<AdmAxis, kAdmScales> columns;
  std::array<AdmAxis, kAdmScales> rows;
  std::array<FloatAdmFactors, kAdmScales> factors;
  FloatAdmPasses passes{};
  int bit_depth = 8;
  bool skip_scale0 = false;
  bool bypass_masking = false;
  double gain_limit = 100.0;
  double exponent = 3.0;
};

[[nodiscard]] std::unique_ptr<Workspace> MakeFloatAdmWorkspace(const FloatAdmPlan& plan);
[[nodiscard]] std::unique_ptr<Workspace> MakeFloatAdmLines(const FloatAdmPlan& plan);

/// out     facts: kFloatAdmSums of each scale
/// exact   Terms of a row are added left to right in binary32, rows top to bottom; powers other than the cube are
///         correctly rounded.
void ExtractFloatAdm(const FloatAdmPlan& plan, const FrameWindow& window, Workspace* workspace, std::span<Fact> facts);

}  // namespace lockstep
