// SPDX-License-Identifier: BSD-2-Clause-Patent
// The strips of ssimulacra2 by vector instructions, with the bits of ssimulacra2_arithmetic.h.
#pragma once

#include "features/ssimulacra2/ssimulacra2_strip.h"
#include "lanes/cpu_target.h"

namespace lockstep {

struct Ssimulacra2Functions {
  Ssimulacra2StripFunction first_scale = nullptr;
  Ssimulacra2StripFunction other_scale = nullptr;
};

/// Functions are nullptr where there is only the scalar code.
[[nodiscard]] Ssimulacra2Functions ChooseSsimulacra2Simd(CpuTarget target, int bit_depth);

/// The scalar code of the same.
[[nodiscard]] Ssimulacra2Functions ScalarSsimulacra2(int bit_depth);

}  // namespace lockstep
