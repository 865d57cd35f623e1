// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm's passes by vector instructions: the bits of its scalar code.
#pragma once

#include "features/float_adm/float_adm_rows.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// The passes for a target; the scalar ones where there is no vector code.
/// in      gain_limit: adm_enhn_gain_limit
[[nodiscard]] FloatAdmPasses ChooseFloatAdmPasses(CpuTarget target, double gain_limit);

}  // namespace lockstep
