// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of float_ssim and float_ms_ssim: their specification written down pixel by pixel, on whole planes.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/frame.h"
#include "features/test_run.h"

namespace lockstep::naive_ssim {

struct Plane {
  Plane(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  float& at(int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  float at(int x, int y) const { return const_cast<Plane*>(this)->at(x, y); }

  int width;
  int height;
  std::vector<float> values;
};

inline Plane LumaOf(const Frame& frame) {
  const VideoFormat& format = frame.format();
  const float divisor = std::pow(2.0f, static_cast<float>(format.bit_depth - 8));
  Plane plane(format.width, format.height);
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      plane.at(x, y) = static_cast<float>(test_run::Sample(frame, 0, x, y)) / divisor;
    }
  }
  return plane;
}

inline int EdgeIndex(int i, int n) {
  if (i < 0) return -i - 1;
  if (i >= n) return n - (i - n) - 1;
  return i;
}

/// Every `factor`-th pixel of the plane filtered by a size x size kernel.
inline Plane Decimated(const Plane& in, int factor, int size, const std::function<float(int, int)>& kernel) {
  Plane out(in.width / factor + in.width % 2, in.height / factor + in.height % 2);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      double sum = 0.0;
      for (int v = 0; v < size; ++v) {
        for (int u = 0; u < size; ++u) {
          const int column = EdgeIndex(x * factor + u - size / 2, in.width);
          const int row = EdgeIndex(y * factor + v - size / 2, in.height);
          const float product = in.at(column, row) * kernel(u, v);
          sum += product;
        }
      }
      out.at(x, y) = static_cast<float>(sum);
    }
  }
  return out;
}

inline Plane BoxDecimated(const Plane& in, int factor) {
  if (factor == 1) return in;
  const auto tap = static_cast<float>(1.0 / (factor * factor));
  return Decimated(in, factor, factor, [&](int, int) { return tap; });
}

inline Plane Windowed(const Plane& in) {
  static constexpr std::array<double, 11> kTaps = {0.001028, 0.007599, 0.036001, 0.109361, 0.213006, 0.266012,
                                                   0.213006, 0.109361, 0.036001, 0.007599, 0.001028};
  const auto filter = [](const std::function<float(int)>& sample) {
    double sum = 0.0;
    for (int k = 0; k < 11; ++k) {
      const float product = sample(k) * static_cast<float>(kTaps[static_cast<std::size_t>(k)]);
      sum += product;
    }
    return static_cast<float>(sum);
  };
  Plane along(in.width - 10, in.height);
  for (int y = 0; y < along.height; ++y) {
    for (int x = 0; x < along.width; ++x) along.at(x, y) = filter([&](int k) { return in.at(x + k, y); });
  }
  Plane out(along.width, in.height - 10);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) out.at(x, y) = filter([&](int k) { return along.at(x, y + k); });
  }
  return out;
}

inline Plane Product(const Plane& a, const Plane& b) {
  Plane out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = a.values[i] * b.values[i];
  return out;
}

struct Means {
  double score;
  double luminance;
  double contrast;
  double structure;
};

inline Means MeansOf(const Plane& reference, const Plane& distorted) {
  const Plane means[] = {Windowed(reference), Windowed(distorted)};
  const Plane squares[] = {Windowed(Product(reference, reference)), Windowed(Product(distorted, distorted))};
  const Plane products = Windowed(Product(reference, distorted));
  // 6.50249958 and 58.5224953 in the specification.
  const float c1 = 0x1.a028f4p+2f;
  const float c2 = 0x1.d42e12p+5f;
  const float c3 = c2 / 2.0f;
  double sums[4] = {};
  for (std::size_t i = 0; i < products.values.size(); ++i) {
    const float r = means[0].values[i];
    const float d = means[1].values[i];
    const float r2 = r * r;
    const float d2 = d * d;
    const float rd = r * d;
    const float vr = std::fmax(0.0f, squares[0].values[i] - r2);
    const float vd = std::fmax(0.0f, squares[1].values[i] - d2);
    float covariance = products.values[i] - rd;
    const float both = vr * vd;
    const float g = std::sqrt(both);
    const float below_l = r2 + d2;
    const float below_c = vr + vd;
    const double l = (2.0 * r * d + c1) / (below_l + c1);
    const double c = (2.0 * g + c2) / (below_c + c2);
    if (covariance < 0.0f && g <= 0.0f) covariance = 0.0f;
    const float s = (covariance + c3) / (g + c3);
    sums[0] += l * c * s;
    sums[1] += l;
    sums[2] += c;
    sums[3] += s;
  }
  const auto mean = [&](double sum) {
    return static_cast<double>(static_cast<float>(sum / static_cast<double>(products.values.size())));
  };
  return {mean(sums[0]), mean(sums[1]), mean(sums[2]), mean(sums[3])};
}

}  // namespace lockstep::naive_ssim
