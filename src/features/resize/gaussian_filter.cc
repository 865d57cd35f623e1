// SPDX-License-Identifier: BSD-2-Clause-Patent
// Taps of Gaussian filters, rounded as the reference rounds them.
#include "features/resize/gaussian_filter.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "exact/elementary.h"

namespace lockstep {
namespace {

// Quotients of the heights of displays and pictures that are common.
constexpr double kListedScales[] = {1.0,     1.0 / 2, 3.0 / 2,  2.0,      2.0 / 3,  24.0 / 10, 360.0 / 97,
                                    4.0 / 3, 3.5 / 3, 3.75 / 3, 4.25 / 3, 5.0 / 3,  3.0,       1 / 2.25,
                                    1.4746,  1.54,    1.6,      1.06667,  0.711111, 0.740740,  1.111111};

}  // namespace

bool IsKernelScale(double kernel_scale) {
  return std::any_of(std::begin(kListedScales), std::end(kListedScales), [&](double listed) {
    const float difference = static_cast<float>(kernel_scale) - static_cast<float>(listed);
    return static_cast<double>(difference < 0.0f ? -difference : difference) < 1e-3;
  });
}

int GaussianTapCount(int length, double kernel_scale) {
  const float wanted = static_cast<float>(length) * static_cast<float>(kernel_scale);
  const int floor = static_cast<int>(wanted);
  const int ceil = static_cast<float>(floor) < wanted ? floor + 1 : floor;
  return std::max(ceil % 2 == 0 ? ceil + 1 : ceil, 3);
}

std::vector<float> GaussianTaps(int count, float sigma) {
  constexpr double kTwoPi = 2.0 * 3.14159265358979323846;
  const auto wide_sigma = static_cast<double>(sigma);
  const float divisor = static_cast<float>(1.0 / (wide_sigma * exact::Sqrt(kTwoPi)));
  std::vector<float> taps(static_cast<std::size_t>(count));
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) {
    const int from_centre = i - count / 2;
    const auto x = static_cast<double>(from_centre);
    const float bell = static_cast<float>(exact::Exp((((-0.5 * x) / wide_sigma) * x) / wide_sigma));
    float& tap = taps[static_cast<std::size_t>(i)];
    tap = bell / divisor;
    sum = sum + tap;
  }
  for (float& tap : taps) tap = tap / sum;
  return taps;
}

}  // namespace lockstep
