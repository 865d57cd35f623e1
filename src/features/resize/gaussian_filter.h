// SPDX-License-Identifier: BSD-2-Clause-Patent
// Gaussian filters whose size follows a kernel scale, as libvmaf's extractors with such an option have them.
#pragma once

#include <vector>

namespace lockstep {

/// Kernel scales that there are, to six digits: what an option of that kind takes.
inline constexpr const char* kKernelScales =
    "1 0.5 1.5 2 0.666667 2.4 3.71134 1.33333 1.16667 1.25 1.41667 1.66667 3 0.444444 1.4746 1.54 1.6 1.06667 0.711111 "
    "0.74074 1.11111";

/// Whether it is one of them to within 0.001, in binary32.
[[nodiscard]] bool IsKernelScale(double kernel_scale);

/// Taps of a filter of `length` samples at this scale: rounded up to an odd number, at least 3.
/// exact   the product is binary32
[[nodiscard]] int GaussianTapCount(int length, double kernel_scale);

/// in      count odd
/// exact   binary32 steps in the order of the reference; the exponential is correctly rounded
/// source  libvmaf 3.2.0, feature/vif_tools.c; specs float_vif.md (Kernel), speed.md (Kernel values)
[[nodiscard]] std::vector<float> GaussianTaps(int count, float sigma);

}  // namespace lockstep
