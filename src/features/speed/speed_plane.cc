// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes of planes and taps of filters, settled when the metric is created.
#include "features/speed/speed_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "exact/elementary.h"

namespace lockstep {
namespace {

struct KernelScale {
  float value;
  const char* name;
};

constexpr std::array kKernelScales = {
    KernelScale{1.0f, "1"},
    KernelScale{1.0f / 2.0f, "1/2"},
    KernelScale{3.0f / 2.0f, "3/2"},
    KernelScale{2.0f, "2"},
    KernelScale{2.0f / 3.0f, "2/3"},
    KernelScale{24.0f / 10.0f, "24/10"},
    KernelScale{360.0f / 97.0f, "360/97"},
    KernelScale{4.0f / 3.0f, "4/3"},
    KernelScale{3.5f / 3.0f, "3.5/3"},
    KernelScale{3.75f / 3.0f, "3.75/3"},
    KernelScale{4.25f / 3.0f, "4.25/3"},
    KernelScale{5.0f / 3.0f, "5/3"},
    KernelScale{3.0f, "3"},
    KernelScale{1.0f / 2.25f, "1/2.25"},
    KernelScale{1.4746f, "1.4746"},
    KernelScale{1.54f, "1.54"},
    KernelScale{1.6f, "1.6"},
    KernelScale{1.06667f, "1.06667"},
    KernelScale{0.711111f, "0.711111"},
    KernelScale{0.740740f, "0.740740"},
    KernelScale{1.111111f, "1.111111"},
};

/// Taps for `length` samples of the unscaled filter: odd, at least 3.
int TapCount(int length, float kernel_scale) {
  const float wanted = static_cast<float>(length) * kernel_scale;
  int count = static_cast<int>(wanted);
  if (static_cast<float>(count) < wanted) ++count;
  if (count % 2 == 0) ++count;
  return std::max(count, 3);
}

std::vector<float> GaussianTaps(int count, float sigma) {
  constexpr double kTwoPi = 2.0 * 3.14159265358979323846;
  const double wide_sigma = static_cast<double>(sigma);
  const float divisor = static_cast<float>(1.0 / (wide_sigma * exact::Sqrt(kTwoPi)));
  std::vector<float> taps;
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) {
    const int from_centre = i - (count - 1) / 2;
    const auto x = static_cast<double>(from_centre);
    const float value = static_cast<float>(exact::Exp((((-0.5 * x) / wide_sigma) * x) / wide_sigma));
    taps.push_back(value / divisor);
    sum = sum + taps.back();
  }
  for (float& tap : taps) tap = tap / sum;
  return taps;
}

}  // namespace

SpeedGeometry MakeSpeedGeometry(PlaneSize plane, double prescale) {
  SpeedGeometry geometry;
  geometry.plane = plane;
  geometry.scaled = {ResizedLength(plane.width, prescale), ResizedLength(plane.height, prescale)};
  geometry.resized = !(prescale - 1.0 < 1e-3 && prescale - 1.0 > -1e-3) && geometry.scaled != plane;
  if (!geometry.resized) {
    geometry.scaled = {std::min(geometry.scaled.width, plane.width), std::min(geometry.scaled.height, plane.height)};
  }
  geometry.prepared = {geometry.scaled.width / kSpeedDecimation, geometry.scaled.height / kSpeedDecimation};
  geometry.blocks_across = geometry.prepared.width / kSpeedBlock;
  geometry.blocks_down = geometry.prepared.height / kSpeedBlock;
  return geometry;
}

std::optional<SpeedTaps> MakeSpeedTaps(double kernel_scale) {
  const float scale = static_cast<float>(kernel_scale);
  const bool known = std::any_of(kKernelScales.begin(), kKernelScales.end(), [&](const KernelScale& candidate) {
    const float difference = scale - candidate.value;
    return (difference < 0.0f ? -difference : difference) < 1e-3;
  });
  if (!known) return std::nullopt;
  // Of the dyadic scales' filters of 2^(4 - scale) + 1 samples, those of scale 1 and 4.
  const int low_pass = TapCount(9, scale);
  const int local_mean = TapCount(2, scale);
  return SpeedTaps{GaussianTaps(low_pass, static_cast<float>(static_cast<double>(2 * low_pass) / 5.0)),
                   GaussianTaps(local_mean, static_cast<float>(local_mean) / 5.0f)};
}

std::string SpeedKernelScales() {
  std::string names;
  for (const KernelScale& scale : kKernelScales) names += fmt::format("{}{}", names.empty() ? "" : ", ", scale.name);
  return names;
}

}  // namespace lockstep
