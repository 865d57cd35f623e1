// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs of planes by vector instructions, one block a lane: the bits of psnr_hvs_arithmetic.h.
#pragma once

#include <cstddef>

#include "base/kernel_prelude.h"
#include "features/psnr_hvs/psnr_hvs_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Blocks that are computed together: 16-bit values of the widest register.
inline constexpr i32 kPsnrHvsGroup = 32;

/// What a group keeps of each picture (samples, half transformed, coefficients), and its terms.
struct PsnrHvsScratch {
  i16 samples[2][kPsnrHvsCoefficients * kPsnrHvsGroup];
  i16 turned[kPsnrHvsCoefficients * kPsnrHvsGroup];
  i16 coefficients[2][kPsnrHvsCoefficients * kPsnrHvsGroup];
  float terms[kPsnrHvsCoefficients * kPsnrHvsGroup];
};

struct PsnrHvsSimdArgs {
  const void* reference;  // first sample of the plane
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 blocks_across;
  i32 blocks_down;
  const PsnrHvsWeights* weights;
  PsnrHvsScratch* scratch;  // at a multiple of 64
};

/// The sum of a plane's terms: PsnrHvsAddBlock() over all blocks in raster order.
using PsnrHvsSimd = float (*)(const PsnrHvsSimdArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] PsnrHvsSimd ChoosePsnrHvsSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
