// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes of float_vif's filters: half of one scale's on the next.
#include "features/float_vif/float_vif_filter.h"

#include "features/resize/gaussian_filter.h"

namespace lockstep {

std::vector<float> MakeFloatVifFilter(int scale, double kernel_scale) {
  const int count = GaussianTapCount((1 << (4 - scale)) + 1, kernel_scale);
  return GaussianTaps(count, static_cast<float>(count) / 5.0f);
}

}  // namespace lockstep
