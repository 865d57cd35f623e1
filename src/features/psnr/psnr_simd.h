// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of squared differences by vector instructions, for the PSNR metrics.
#pragma once

#include "base/kernel_prelude.h"
#include "lanes/cpu_target.h"

namespace lockstep {

struct SquaredErrorSimdArgs {
  const void* reference;  // first sample of the plane; 63 bytes after each row may be read
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 width;
  i32 begin;  // first row that is summed
  i32 end;    // and the row after the last one
};

/// Sum of SquaredErrorRow() over the rows begin … end - 1.
using SquaredErrorSimd = u64 (*)(const SquaredErrorSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] SquaredErrorSimd ChooseSquaredErrorSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
