// SPDX-License-Identifier: BSD-2-Clause-Patent
// The choice of SpEED's algebra by instruction set, for the host's part of any backend.
#pragma once

#include "features/speed/speed_algebra.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// SpeedBlocks(), or the same bits by vector instructions; never nullptr.
[[nodiscard]] SpeedBlocksFunction ChooseSpeedBlocks(CpuTarget target);

}  // namespace lockstep
