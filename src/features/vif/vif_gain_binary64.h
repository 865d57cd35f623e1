// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's gain terms in binary64, for the host and for devices that have it.
#pragma once

#include "features/vif/vif_arithmetic.h"

namespace lockstep {

/// The definition that other forms must equal. Needs a compiler that does not contract the product and the difference.
struct VifGainBinary64 {
  using Limit = double;

  /// exact   residual <= s2 < 2^31 and signal <= 100^2 * s1 < 2^45, so that no conversion overflows
  static LOCKSTEP_KERNEL VifGainTerms Terms(i32 s1, i32 s2, i32 s12, double limit) {
    // Inherited from the float metric, where it keeps the quotient finite; here it decides on which side of an integer
    // the terms fall.
    constexpr double kEpsilon = 65536 * 1.0e-10;
    const double gain = s12 / (s1 + kEpsilon);
    const double residual = s2 - gain * s12;
    const double limited = gain < limit ? gain : limit;
    return {residual > 0 ? static_cast<u32>(static_cast<i32>(residual)) : 0u,
            static_cast<u64>(static_cast<i64>(limited * limited * s1))};
  }
};

}  // namespace lockstep
