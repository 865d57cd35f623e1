// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's gain terms in binary64, for the host and for devices that have it.
#pragma once

#include "features/vif/vif_arithmetic.h"

namespace lockstep {

/// The definition that other forms must equal. Needs a compiler that does not contract the product and the difference.
struct VifGainBinary64 {
  using Limit = double;

  /// exact   |s12| is at most about sqrt(s1 * s2), so that both results are below 2^32; no conversion overflows
  static LOCKSTEP_KERNEL VifGainTerms Terms(i32 s1, i32 s2, i32 s12, double limit) {
    // Keeps the quotient finite in the float metric; here it only decides how the quotient rounds.
    constexpr double kEpsilon = 65536 * 1.0e-10;
    const double gain = s12 / (s1 + kEpsilon);
    const double residual = s2 - gain * s12;
    const double limited = gain < limit ? gain : limit;
    return {residual > 0 ? static_cast<u32>(static_cast<i32>(residual)) : 0u,
            static_cast<u64>(static_cast<i64>(limited * limited * s1))};
  }
};

}  // namespace lockstep
