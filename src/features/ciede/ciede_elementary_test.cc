// SPDX-License-Identifier: BSD-2-Clause-Patent
// The elementary functions of ciede's vector code keep the bounds that they promise, on every target.
#include "features/ciede/ciede_simd.h"
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ciede/ciede_elementary_test.cc"
#include <hwy/foreach_target.h>

#include "features/ciede/ciede_elementary_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

using L = HighwayLane;

/// out[i] = function(first[i], second[i]) in binary64, of binary32 numbers.
template <class Function>
LOCKSTEP_LANE_INLINE void Map(const float* first, const float* second, int count, double* out,
                              const Function& function) {
  for (int i = 0; i < count; i += L::N) L::StoreD(function(L::Load(first + i), L::Load(second + i)), out + i);
}

}  // namespace

void Sines(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32) __attribute__((always_inline)) { return CiedeSine<L>(L::ToD(v)); });
}
void Cosines(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32) __attribute__((always_inline)) { return CiedeCosine<L>(L::ToD(v)); });
}
void Exponentials(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32) __attribute__((always_inline)) { return CiedeExponential<L>(v); });
}
void Angles(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32 w) __attribute__((always_inline)) { return CiedeAngle<L>(w, v); });
}
// Of x + y, which binary32 cannot hold.
void InverseCubeRoots(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32 w) __attribute__((always_inline)) {
        return CiedeInverseRoot<L, 3>(L::AddD(L::ToD(v), L::ToD(w)));
      });
}
void InverseFifthRoots(const float* x, const float* y, int count, double* out) {
  Map(
      x, y, count, out, [](L::F32 v, L::F32 w) __attribute__((always_inline)) {
        return CiedeInverseRoot<L, 5>(L::AddD(L::ToD(v), L::ToD(w)));
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace lockstep {
namespace {

using Function = void (*)(const float* x, const float* y, int count, double* out);
using Reference = long double (*)(float x, float y);

constexpr int kCount = 1 << 17;
static_assert(std::numeric_limits<long double>::digits >= 64, "the reference needs more digits than binary64");

struct Arguments {
  std::vector<float> x;
  std::vector<float> y;
};

template <class Draw>
Arguments DrawArguments(const Draw& draw) {
  std::mt19937 random(3);
  Arguments arguments;
  for (int i = 0; i < kCount; ++i) {
    const auto [x, y] = draw(random);
    arguments.x.push_back(x);
    arguments.y.push_back(y);
  }
  return arguments;
}

float Between(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}
/// Of any magnitude 2^low … 2^high.
float Magnitude(std::mt19937& random, float low, float high) { return std::exp2(Between(random, low, high)); }

/// Greatest error in units of 2^-53, relative or absolute.
double GreatestError(Function function, Reference reference, const Arguments& arguments, bool relative) {
  std::vector<double> out(kCount);
  function(arguments.x.data(), arguments.y.data(), kCount, out.data());
  long double greatest = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const long double expected = reference(arguments.x[i], arguments.y[i]);
    long double error = std::fabs(static_cast<long double>(out[i]) - expected);
    if (relative) error = expected == 0 ? (error == 0 ? 0 : 1e30L) : error / std::fabs(expected);
    greatest = std::max(greatest, error);
  }
  return static_cast<double>(greatest * 0x1p53L);
}

#define EXPECT_WITHIN(units, function, reference, arguments, relative)         \
  for (const CpuTarget target : AvailableCpuTargets()) {                       \
    const Function run = LOCKSTEP_CHOOSE_SIMD(target, function);               \
    if (run == nullptr) continue;                                              \
    const double error = GreatestError(run, reference, arguments, relative);   \
    EXPECT_LT(error, units) << CpuTargetName(target);                          \
    EXPECT_GT(error, 0.4) << "so little cannot be: " << CpuTargetName(target); \
  }

TEST(CiedeElementaryTest, Sine) {
  const Reference reference = [](float x, float) { return std::sin(static_cast<long double>(x)); };
  const Arguments wide = DrawArguments([](auto& r) { return std::pair(Between(r, -1.5709f, 1.5709f), 0.0f); });
  const Arguments small = DrawArguments([](auto& r) { return std::pair(Magnitude(r, -30, 0), 0.0f); });
  EXPECT_WITHIN(5, Sines, reference, wide, true);
  EXPECT_WITHIN(5, Sines, reference, small, true);
}

TEST(CiedeElementaryTest, Cosine) {
  const Reference reference = [](float x, float) { return std::cos(static_cast<long double>(x)); };
  const Arguments wide = DrawArguments([](auto& r) { return std::pair(Between(r, -1.5709f, 1.5709f), 0.0f); });
  EXPECT_WITHIN(5, Cosines, reference, wide, false);
}

TEST(CiedeElementaryTest, Exponential) {
  const Reference reference = [](float x, float) { return std::exp(static_cast<long double>(x)); };
  const Arguments wide = DrawArguments([](auto& r) { return std::pair(Between(r, -64, 0), 0.0f); });
  const Arguments small = DrawArguments([](auto& r) { return std::pair(-Magnitude(r, -30, 1), 0.0f); });
  EXPECT_WITHIN(4, Exponentials, reference, wide, true);
  EXPECT_WITHIN(4, Exponentials, reference, small, true);
}

TEST(CiedeElementaryTest, Angle) {
  const Reference reference = [](float x, float y) {
    return std::atan2(std::fabs(static_cast<long double>(y)), static_cast<long double>(x));
  };
  const auto sign = [](auto& r) { return r() % 2 == 0 ? 1.0f : -1.0f; };
  const Arguments wide = DrawArguments([](auto& r) { return std::pair(Between(r, -200, 200), Between(r, -200, 200)); });
  const Arguments steep =
      DrawArguments([&](auto& r) { return std::pair(sign(r) * Magnitude(r, -20, 8), sign(r) * Magnitude(r, -20, 8)); });
  // Around the tangents where the code goes other ways.
  const Arguments edges = DrawArguments([&](auto& r) {
    constexpr float kTangents[] = {0.41421356f, 1.0f, 2.41421356f};
    const float x = Magnitude(r, -10, 8);
    return std::pair(sign(r) * x, x * kTangents[r() % 3] * (1 + Between(r, -1e-6f, 1e-6f)));
  });
  EXPECT_WITHIN(6, Angles, reference, wide, true);
  EXPECT_WITHIN(6, Angles, reference, steep, true);
  EXPECT_WITHIN(6, Angles, reference, edges, true);
}

TEST(CiedeElementaryTest, AnglesOnTheAxes) {
  const std::vector<float> x = {0, 1, -1, 0, 0, 3, -3, 1e-6f, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<float> y = {0, 0, 0, 1, -1, 3, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const CpuTarget target : AvailableCpuTargets()) {
    const Function run = LOCKSTEP_CHOOSE_SIMD(target, Angles);
    if (run == nullptr) continue;
    std::vector<double> out(x.size());
    run(x.data(), y.data(), static_cast<int>(x.size()), out.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(static_cast<float>(out[i]), static_cast<float>(std::atan2(std::fabs(y[i]), x[i])));
    }
  }
}

TEST(CiedeElementaryTest, InverseRoots) {
  const Reference cube = [](float x, float y) {
    return 1 / std::cbrt(static_cast<long double>(x) + static_cast<long double>(y));
  };
  const Reference fifth = [](float x, float y) {
    return std::pow(static_cast<long double>(x) + static_cast<long double>(y), -0.2L);
  };
  const Arguments all = DrawArguments([](auto& r) {
    const float x = Magnitude(r, -9.9f, 9.9f);
    return std::pair(x, x * Between(r, 0, 0x1p-24f));
  });
  EXPECT_WITHIN(2.5, InverseCubeRoots, cube, all, true);
  EXPECT_WITHIN(2.5, InverseFifthRoots, fifth, all, true);
}

}  // namespace
}  // namespace lockstep
#endif
