// SPDX-License-Identifier: BSD-2-Clause-Patent
// CIEDE2000 of rows of pixels by vector instructions: the bits of ciede_arithmetic.h.
#pragma once

#include "base/kernel_prelude.h"
#include "features/ciede/ciede_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Pixels that are computed together; rows are padded to a multiple of it.
inline constexpr i32 kCiedeChunk = 64;

/// Rows of samples as 4:4:4, of a padded width.
struct CiedeRow {
  const u16* luma;
  const u16* cb;
  const u16* cr;
};

struct CiedeRowArgs {
  CiedeRow reference;
  CiedeRow distorted;
  CiedeScale scale;
  i32 width;
  float* differences;  // of a padded width
};

/// The definition's difference of pixel x.
[[nodiscard]] float CiedePixelDifference(const CiedeRowArgs& args, i32 x);

/// Differences of a row. Values that are stored as binary32 are computed to within a bound; where both ends of it round
/// to the same number, that is the definition's. All other pixels, fewer than one of a thousand, take
/// CiedePixelDifference().
using CiedeSimd = void (*)(const CiedeRowArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] CiedeSimd ChooseCiedeSimd(CpuTarget target);

}  // namespace lockstep
