// SPDX-License-Identifier: BSD-2-Clause-Patent
// The similarity terms and the decimation by vector instructions: the bits of ssim_statistic.h.
#pragma once

#include "features/float_ssim/ssim_statistic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// SsimStatistic() where there is no vector code.
[[nodiscard]] SsimStatisticFunction ChooseSsimStatistic(CpuTarget target);

/// The greatest factor at which sums of a box's products are exact, so that their order does not matter.
inline constexpr i32 kSsimExactFactor = 64;

/// SsimDecimate() for kernels whose entries are all equal and whose side is the factor.
[[nodiscard]] SsimDecimateFunction ChooseSsimBoxDecimate(CpuTarget target, i32 factor);

}  // namespace lockstep
