// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of samples and of their squares by vector instructions.
#pragma once

#include "base/kernel_prelude.h"
#include "features/float_moment/float_moment.h"
#include "lanes/cpu_target.h"

namespace lockstep {

struct FloatMomentSimdArgs {
  const void* data;  // first sample of the plane; 63 bytes after each row may be read
  i64 stride;        // in samples
  i32 width;
  i32 height;
};

using FloatMomentSimd = FloatMomentSums (*)(const FloatMomentSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] FloatMomentSimd ChooseFloatMomentSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
