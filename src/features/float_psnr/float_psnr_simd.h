// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr's sums above 12 bit by vector instructions; up to there the squares are psnr's.
#pragma once

#include "features/psnr/psnr_simd.h"

namespace lockstep {

/// Sum of FloatPsnrRow() over the rows begin … end - 1. nullptr: there is only the scalar code.
[[nodiscard]] SquaredErrorSimd ChooseFloatPsnrSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
