// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity of the float_adm metric.
#pragma once

#include <array>

#include "features/option_table.h"

namespace lockstep {

/// Factors of one scale.
struct FloatAdmFactors {
  float hv = 0.0f;
  float d = 0.0f;
};

/// in      options: parsed values of kFloatAdmOptions
/// exact   binary32 and binary64 steps in the order of the reference, elementary functions correctly rounded
/// source  spec float_adm.md, CSF factors
[[nodiscard]] std::array<FloatAdmFactors, 4> MakeFloatAdmCsf(const OptionValues& options);

}  // namespace lockstep
