// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Gaussian filters of float_vif.
#pragma once

#include <vector>

namespace lockstep {

/// Taps of the filter of a scale, an odd number of them, at most kFloatVifMaximumTaps.
/// in      IsKernelScale(kernel_scale), 0 <= scale < 4
/// source  spec float_vif.md, Kernel
[[nodiscard]] std::vector<float> MakeFloatVifFilter(int scale, double kernel_scale);

}  // namespace lockstep
