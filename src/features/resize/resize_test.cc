// SPDX-License-Identifier: BSD-2-Clause-Patent
// Resized planes equal the rules of the specification, written down sample by sample, and values worked out by hand.
#include "features/resize/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/split_mix.h"
#include "exact/elementary.h"

namespace lockstep {
namespace {

struct Plane {
  int width;
  int height;
  int stride;
  std::vector<float> samples;

  Plane(int w, int h, int padding)
      : width(w), height(h), stride(w + padding), samples(static_cast<std::size_t>(stride * h), NAN) {}
  float& at(int x, int y) { return samples[static_cast<std::size_t>(y * stride + x)]; }
  [[nodiscard]] float at(int x, int y) const { return samples[static_cast<std::size_t>(y * stride + x)]; }
};

// Columns beyond the row stay NaN, so that reading them shows.
Plane Noise(int width, int height, std::uint64_t seed) {
  Plane plane(width, height, 5);
  std::uint64_t state = seed;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      plane.at(x, y) = static_cast<float>(NextSplitMix(state) >> 48) * (1.0f / 256.0f) - 128.0f;
    }
  }
  return plane;
}

Plane Resized(const Plane& source, ResizeMethod method, int width, int height) {
  const PlaneResize resize(method, {source.width, source.height}, {width, height});
  Plane target(width, height, 3);
  // In two parts, the second one first.
  resize.Rows(source.samples.data(), source.stride, height / 2, height, target.samples.data(), target.stride);
  resize.Rows(source.samples.data(), source.stride, 0, height / 2, target.samples.data(), target.stride);
  return target;
}

float Reflect(float index, float last) {
  if (index < 0.0f) return -index;
  if (index > last) return 2.0f * last - index;
  return index;
}

float Cubic(float t) {
  t = std::fabs(t);
  const float a = -0.75f;
  if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return (((t - 5) * t + 8) * t - 4) * a;
  return 0;
}

float Lanczos(float t) {
  if (t == 0) return 1;
  if (!(std::fabs(t) < 4)) return 0;
  const double x = t;
  return static_cast<float>(((4 * exact::Sin(M_PI * x)) * exact::Sin((M_PI * x) / 4)) / (((M_PI * M_PI) * x) * x));
}

float NaiveSample(const Plane& p, ResizeMethod method, int width, int height, int x, int y) {
  const float rx = static_cast<float>(p.width) / static_cast<float>(width);
  const float ry = static_cast<float>(p.height) / static_cast<float>(height);
  if (method == ResizeMethod::kNearest) {
    return p.at(static_cast<int>(static_cast<float>(x) * rx), static_cast<int>(static_cast<float>(y) * ry));
  }
  const float px = static_cast<float>((x + 0.5) * static_cast<double>(rx) - 0.5);
  const float py = static_cast<float>((y + 0.5) * static_cast<double>(ry) - 0.5);
  const float right = static_cast<float>(p.width - 1);
  const float bottom = static_cast<float>(p.height - 1);
  const auto at = [&](float column, float row) {
    return p.at(static_cast<int>(Reflect(column, right)), static_cast<int>(Reflect(row, bottom)));
  };
  const float x0 = std::floor(px);
  const float y0 = std::floor(py);
  if (method == ResizeMethod::kBilinear) {
    const float dx = px - Reflect(x0, right);
    const float dy = py - Reflect(y0, bottom);
    const float x2 = std::ceil(px);
    const float y2 = std::ceil(py);
    return (((1 - dy) * (1 - dx)) * at(x0, y0) + ((1 - dy) * dx) * at(x2, y0) + (dy * (1 - dx)) * at(x0, y2)) +
           (dy * dx) * at(x2, y2);
  }
  const bool lanczos = method == ResizeMethod::kLanczos4;
  const float dx = px - x0;
  const float dy = py - y0;
  float sum = 0;
  float weights = 0;
  for (int j = lanczos ? -4 : -1; j <= (lanczos ? 4 : 2); ++j) {
    for (int i = lanczos ? -4 : -1; i <= (lanczos ? 4 : 2); ++i) {
      const float tx = static_cast<float>(i) - dx;
      const float ty = static_cast<float>(j) - dy;
      const float weight = lanczos ? Lanczos(tx) * Lanczos(ty) : Cubic(tx) * Cubic(ty);
      weights = weights + weight;
      sum = sum + at(x0 + static_cast<float>(i), y0 + static_cast<float>(j)) * weight;
    }
  }
  return lanczos ? sum / weights : sum;
}

constexpr ResizeMethod kMethods[] = {ResizeMethod::kNearest, ResizeMethod::kBilinear, ResizeMethod::kBicubic,
                                     ResizeMethod::kLanczos4};

TEST(Resize, EverySampleFollowsTheRules) {
  const PlaneSize sizes[] = {{6, 7}, {16, 16}, {17, 33}, {37, 9}};
  for (const PlaneSize size : sizes) {
    const Plane source = Noise(size.width, size.height, static_cast<std::uint64_t>(size.width));
    for (const double factor : {0.1, 0.25, 0.5, 0.6, 0.75, 0.999, 1.0, 1.05, 1.5, 2.0, 3.3, 4.0}) {
      const int width = ResizedLength(size.width, factor);
      const int height = ResizedLength(size.height, factor);
      if (width == size.width || width < 1 || height == size.height || height < 1) continue;
      for (const ResizeMethod method : kMethods) {
        const Plane target = Resized(source, method, width, height);
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            ASSERT_EQ(target.at(x, y), NaiveSample(source, method, width, height, x, y))
                << size.width << "x" << size.height << " to " << width << "x" << height << " method "
                << static_cast<int>(method) << " at " << x << ", " << y;
          }
          for (int x = width; x < target.stride; ++x) ASSERT_TRUE(std::isnan(target.at(x, y)));
        }
      }
    }
  }
}

TEST(Resize, ValuesByHand) {
  // A ramp 0, 16, … 112, twice as wide and as high.
  Plane ramp(8, 8, 0);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) ramp.at(x, y) = static_cast<float>(16 * x);
  }
  const Plane nearest = Resized(ramp, ResizeMethod::kNearest, 16, 16);
  EXPECT_EQ(nearest.at(4, 0), 32.0f);
  EXPECT_EQ(nearest.at(5, 15), 32.0f);
  EXPECT_EQ(nearest.at(15, 3), 112.0f);
  const Plane bilinear = Resized(ramp, ResizeMethod::kBilinear, 16, 16);
  EXPECT_EQ(bilinear.at(1, 4), 4.0f);     // a quarter of the way
  EXPECT_EQ(bilinear.at(2, 4), 12.0f);    // three quarters
  EXPECT_EQ(bilinear.at(0, 4), 36.0f);    // -0.25 seen from the reflected position 1: 2.25 * 16 - 1.25 * 0
  EXPECT_EQ(bilinear.at(15, 4), 108.0f);  // between 7 and its reflection 6
  // A quarter beyond 3: weights -27/256, 225/256, 67/256, -9/256 on 2 … 5.
  EXPECT_EQ(Resized(ramp, ResizeMethod::kBicubic, 16, 16).at(7, 8), 52.75f);
}

TEST(Resize, FlatStaysFlatUnderLanczos) {
  Plane flat(20, 12, 0);
  for (float& sample : flat.samples) sample = -64.0f;
  const Plane target = Resized(flat, ResizeMethod::kLanczos4, 31, 17);
  for (int y = 0; y < 17; ++y) {
    for (int x = 0; x < 31; ++x) EXPECT_NEAR(target.at(x, y), -64.0f, 1e-4f);
  }
}

TEST(Resize, EqualSizesCopyWithEveryMethod) {
  const Plane source = Noise(23, 19, 3);
  for (const ResizeMethod method : kMethods) {
    const Plane target = Resized(source, method, 23, 19);
    for (int y = 0; y < 19; ++y) {
      for (int x = 0; x < 23; ++x) EXPECT_EQ(target.at(x, y), source.at(x, y));
    }
  }
}

TEST(Resize, LengthsAndNames) {
  EXPECT_EQ(ResizedLength(257, 0.5), 129);
  EXPECT_EQ(ResizedLength(145, 0.5), 73);
  EXPECT_EQ(ResizedLength(175, 2.0), 350);
  EXPECT_EQ(ResizedLength(16, 0.1), 2);
  EXPECT_EQ(ParseResizeMethod("nearest"), ResizeMethod::kNearest);
  EXPECT_EQ(ParseResizeMethod("bilinear"), ResizeMethod::kBilinear);
  EXPECT_EQ(ParseResizeMethod("bicubic"), ResizeMethod::kBicubic);
  EXPECT_EQ(ParseResizeMethod("lanczos4"), ResizeMethod::kLanczos4);
  EXPECT_EQ(ParseResizeMethod("Lanczos4"), std::nullopt);
  EXPECT_EQ(ParseResizeMethod(""), std::nullopt);
  EXPECT_EQ(ResizeMinimum(ResizeMethod::kNearest), 1);
  EXPECT_EQ(ResizeMinimum(ResizeMethod::kBilinear), 2);
  EXPECT_EQ(ResizeMinimum(ResizeMethod::kBicubic), 3);
  EXPECT_EQ(ResizeMinimum(ResizeMethod::kLanczos4), 5);
}

}  // namespace
}  // namespace lockstep
