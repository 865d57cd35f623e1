// SPDX-License-Identifier: BSD-2-Clause-Patent
// Squared error of two pictures: the integers that psnr's scores are made of.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Square of the difference of two samples.
/// in      8–16 bit samples
/// exact   at most 65535^2 < 2^32
LOCKSTEP_KERNEL u32 SquaredError(i32 reference, i32 distorted) {
  const i32 difference = reference - distorted;
  const u32 magnitude = static_cast<u32>(difference < 0 ? -difference : difference);
  return magnitude * magnitude;
}

}  // namespace lockstep
