// SPDX-License-Identifier: BSD-2-Clause-Patent
// Halving of a plane for the next scale by vector instructions: the bits of SsimDecimate() with kMsSsimKernel.
#pragma once

#include "features/float_ssim/ssim_statistic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// SsimDecimate() where there is no vector code.
[[nodiscard]] SsimDecimateFunction ChooseMsSsimHalve(CpuTarget target);

}  // namespace lockstep
