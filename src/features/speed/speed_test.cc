// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's scalar code against plainer texts of its definition, and both metrics with their options, refusals, names and
// sequences.
#include "features/speed/speed.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "features/score_name.h"
#include "features/speed/speed_algebra.h"
#include "features/speed/speed_options.h"
#include "features/speed/speed_pair.h"
#include "features/speed/speed_plane.h"
#include "features/speed/speed_preparation.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::RunSegment;
using test_run::Scores;
using test_run::TryMakeFeature;

constexpr int kSize = kSpeedPositions;

// ---- Taps and sizes.

TEST(SpeedPlaneTest, Taps) {
  const SpeedTaps taps = *MakeSpeedTaps(1.0);
  const std::vector<float> low_pass = {0.0756488293f, 0.0991033912f, 0.120188937f,  0.13493669f,  0.14024429f,
                                       0.13493669f,   0.120188937f,  0.0991033912f, 0.0756488293f};
  EXPECT_EQ(taps.low_pass, low_pass);
  EXPECT_EQ(taps.local_mean, (std::vector<float>{0.166378513f, 0.667242944f, 0.166378513f}));
}

TEST(SpeedPlaneTest, TapCounts) {
  struct Case {
    double scale;
    std::size_t low_pass;
    std::size_t local_mean;
  };
  constexpr Case kCases[] = {{1.0, 9, 3},          {0.5, 5, 3},     {1.0 / 2.25, 5, 3}, {2.0 / 3.0, 7, 3},
                             {0.711111, 7, 3},     {0.74074, 7, 3}, {1.06667, 11, 3},   {1.111111, 11, 3},
                             {3.5 / 3.0, 11, 3},   {1.25, 13, 3},   {4.0 / 3.0, 13, 3}, {4.25 / 3.0, 13, 3},
                             {1.4746, 15, 3},      {1.5, 15, 3},    {1.54, 15, 5},      {1.6, 15, 5},
                             {5.0 / 3.0, 15, 5},   {2.0, 19, 5},    {2.4, 23, 5},       {3.0, 27, 7},
                             {360.0 / 97.0, 35, 9}};
  for (const Case& c : kCases) {
    const std::optional<SpeedTaps> taps = MakeSpeedTaps(c.scale);
    ASSERT_TRUE(taps) << c.scale;
    EXPECT_EQ(taps->low_pass.size(), c.low_pass) << c.scale;
    EXPECT_EQ(taps->local_mean.size(), c.local_mean) << c.scale;
    // Nearly the same scale has the taps of the scale itself only if the count is the same, but it is taken.
    EXPECT_TRUE(MakeSpeedTaps(c.scale + 0.0009));
    float sum = 0.0f;
    for (const float tap : taps->low_pass) sum += tap;
    EXPECT_NEAR(sum, 1.0f, 1e-6f) << c.scale;
  }
  for (const double scale : {0.1, 0.6, 0.7, 1.1, 1.3, 1.7, 2.1, 3.5, 4.0, 1.002}) {
    EXPECT_FALSE(MakeSpeedTaps(scale)) << scale;
  }
}

TEST(SpeedPlaneTest, Geometry) {
  const SpeedGeometry full = MakeSpeedGeometry({960, 540}, 1.0);
  EXPECT_FALSE(full.resized);
  EXPECT_EQ(full.prepared, (PlaneSize{60, 33}));
  EXPECT_EQ(full.blocks_across, 12);
  EXPECT_EQ(full.blocks_down, 6);
  EXPECT_EQ(full.window().width, 56);
  EXPECT_EQ(full.window().height, 26);

  const SpeedGeometry half = MakeSpeedGeometry({1921, 1081}, 0.5);
  EXPECT_TRUE(half.resized);
  EXPECT_EQ(half.scaled, (PlaneSize{961, 541}));

  // Almost 1 resizes nothing, and never reads beyond the plane.
  const SpeedGeometry larger = MakeSpeedGeometry({1000, 600}, 1.0009);
  EXPECT_FALSE(larger.resized);
  EXPECT_EQ(larger.scaled, (PlaneSize{1000, 600}));
  const SpeedGeometry smaller = MakeSpeedGeometry({1000, 400}, 0.9991);
  EXPECT_FALSE(smaller.resized);
  EXPECT_EQ(smaller.scaled, (PlaneSize{999, 400}));
  EXPECT_EQ(smaller.prepared.width, 62);
}

// ---- The prepared plane, made of whole planes.

using Plane = std::vector<float>;

Plane FilterWhole(const Plane& in, int width, int height, const std::vector<float>& taps) {
  const int count = static_cast<int>(taps.size());
  const auto reflect = [](int i, int n) { return i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i); };
  Plane vertical(in.size());
  Plane out(in.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (int k = 0; k < count; ++k) {
        const float product = taps[static_cast<std::size_t>(k)] *
                              in[static_cast<std::size_t>(reflect(y - count / 2 + k, height) * width + x)];
        sum = sum + product;
      }
      vertical[static_cast<std::size_t>(y * width + x)] = sum;
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (int k = 0; k < count; ++k) {
        const float product = taps[static_cast<std::size_t>(k)] *
                              vertical[static_cast<std::size_t>(y * width + reflect(x - count / 2 + k, width))];
        sum = sum + product;
      }
      out[static_cast<std::size_t>(y * width + x)] = sum;
    }
  }
  return out;
}

Plane PrepareWhole(const Frame& frame, const Frame* earlier, int plane, const SpeedGeometry& geometry,
                   ResizeMethod method, const SpeedTaps& taps) {
  const float divisor = static_cast<float>(1 << (frame.format().bit_depth - 8));
  Plane values;
  for (int y = 0; y < geometry.plane.height; ++y) {
    for (int x = 0; x < geometry.plane.width; ++x) {
      const float value = static_cast<float>(test_run::Sample(frame, plane, x, y)) / divisor - 128.0f;
      if (earlier == nullptr) {
        values.push_back(value);
      } else {
        values.push_back(static_cast<float>(test_run::Sample(*earlier, plane, x, y)) / divisor - 128.0f - value);
      }
    }
  }
  const auto [width, height] = geometry.scaled;
  Plane scaled(static_cast<std::size_t>(width * height));
  if (geometry.resized) {
    PlaneResize(method, geometry.plane, geometry.scaled)
        .Rows(values.data(), geometry.plane.width, 0, height, scaled.data(), width);
  } else {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        scaled[static_cast<std::size_t>(y * width + x)] =
            values[static_cast<std::size_t>(y * geometry.plane.width + x)];
      }
    }
  }
  const Plane filtered = FilterWhole(scaled, width, height, taps.low_pass);
  const auto [small_width, small_height] = geometry.prepared;
  Plane decimated;
  for (int y = 0; y < small_height; ++y) {
    for (int x = 0; x < small_width; ++x) decimated.push_back(filtered[static_cast<std::size_t>(16 * (y * width + x))]);
  }
  const Plane mean = FilterWhole(decimated, small_width, small_height, taps.local_mean);
  for (std::size_t i = 0; i < decimated.size(); ++i) decimated[i] = decimated[i] - mean[i];
  return decimated;
}

void ComparePreparation(PlaneSize size, int depth, double prescale, ResizeMethod method, double kernel_scale) {
  const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
  const std::vector<Frame> frames = NoiseFrames(format, 2, static_cast<std::uint64_t>(size.width + depth));
  const SpeedGeometry geometry = MakeSpeedGeometry(size, prescale);
  const SpeedTaps taps = *MakeSpeedTaps(kernel_scale);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const SpeedPreparation preparation(geometry, method, taps, ChooseSpeedSimd(target, depth));
    SpeedPreparationBuffers buffers(geometry);
    Plane prepared(SpeedPlaneFloats(geometry.prepared));
    const PlaneView earlier = frames[1].plane(0);
    for (const bool difference : {false, true}) {
      const Plane expected = PrepareWhole(frames[0], difference ? &frames[1] : nullptr, 0, geometry, method, taps);
      preparation.Run({frames[0].plane(0), difference ? &earlier : nullptr, depth}, buffers, prepared.data());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(prepared[i]), std::bit_cast<std::uint32_t>(expected[i]))
            << CpuTargetName(target) << ", " << size.width << "x" << size.height << ", " << depth << " bit, prescale "
            << prescale << ", method " << static_cast<int>(method) << ", kernel scale " << kernel_scale << ", place "
            << i << (difference ? ", difference" : "");
      }
    }
  }
}

TEST(SpeedPreparationTest, EqualsFilteredWholePlanes) {
  constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
  int turn = 0;
  for (int width = 80; width < 176; width += 7) {
    ComparePreparation({width, 80 + (width * 3) % 37}, kDepths[turn++ % 6], 1.0, ResizeMethod::kNearest, 1.0);
  }
  for (const double scale : {0.5, 2.0 / 3.0, 1.06667, 1.25, 1.5, 1.6, 2.0, 2.4, 3.0, 360.0 / 97.0}) {
    ComparePreparation({113, 97}, kDepths[turn++ % 6], 1.0, ResizeMethod::kNearest, scale);
  }
  for (const ResizeMethod method :
       {ResizeMethod::kNearest, ResizeMethod::kBilinear, ResizeMethod::kBicubic, ResizeMethod::kLanczos4}) {
    for (const double prescale : {0.5, 0.6, 0.75, 1.3, 2.0}) {
      const int side = static_cast<int>(82.0 / prescale);
      ComparePreparation({side + 13, side + turn % 5}, kDepths[turn % 6], prescale, method, 1.0);
      ++turn;
    }
    ComparePreparation({171, 163}, 10, 0.55, method, 360.0 / 97.0);
    ComparePreparation({173, 161}, 8, 0.52, method, 2.0);
  }
  ComparePreparation({1003, 81}, 8, 0.9991, ResizeMethod::kBicubic, 1.0);
  ComparePreparation({1003, 82}, 12, 1.0009, ResizeMethod::kBicubic, 1.0);
  // The smallest source that a resize makes large enough, and the strongest reduction.
  ComparePreparation({20, 20}, 8, 4.0, ResizeMethod::kLanczos4, 1.0);
  ComparePreparation({801, 800}, 8, 0.1, ResizeMethod::kLanczos4, 1.0);
}

// ---- Covariances.

TEST(SpeedAlgebraTest, CovariancesOfAPlane) {
  // Of a plane x, every mean moves with the column, and all covariances are the variance of 0 … 5, 35 / 12.
  std::vector<float> plane;
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 10; ++x) plane.push_back(static_cast<float>(x));
  }
  std::vector<float> covariances(kSpeedPairs);
  SpeedCovariances({plane.data(), 10, {6, 6}, covariances.data()});
  for (const float value : covariances) EXPECT_EQ(value, 35.0f / 12.0f);
}

TEST(SpeedAlgebraTest, CovariancesOfAChequerboard) {
  std::vector<float> plane;
  for (int y = 0; y < 15; ++y) {
    for (int x = 0; x < 15; ++x) plane.push_back((x + y) % 2 == 0 ? 3.0f : -1.0f);
  }
  std::vector<float> covariances(kSpeedPairs);
  SpeedCovariances({plane.data(), 15, {10, 10}, covariances.data()});
  for (int p = 0; p < kSize; ++p) {
    for (int q = 0; q <= p; ++q) {
      const int distance = p / 5 + p % 5 - q / 5 - q % 5;
      EXPECT_EQ(covariances[static_cast<std::size_t>(SpeedPair(p, q))], distance % 2 == 0 ? 4.0f : -4.0f);
    }
  }
}

// ---- Eigenvalues and the linear system.

std::vector<float> Covariances(const std::array<std::array<double, kSize>, kSize>& matrix) {
  std::vector<float> covariances(kSpeedPairs);
  for (int p = 0; p < kSize; ++p) {
    for (int q = 0; q <= p; ++q) {
      covariances[static_cast<std::size_t>(SpeedPair(p, q))] =
          static_cast<float>(matrix[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)]);
    }
  }
  return covariances;
}

// A matrix with these eigenvalues, turned by plane rotations.
std::vector<float> MatrixOf(const std::array<double, kSize>& eigenvalues, std::uint64_t seed) {
  std::array<std::array<double, kSize>, kSize> a{};
  for (std::size_t i = 0; i < kSize; ++i) a[i][i] = eigenvalues[i];
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t p = NextRandom(seed) % kSize;
    const std::size_t q = NextRandom(seed) % kSize;
    if (p == q) continue;
    const double angle = static_cast<double>(NextRandom(seed) >> 11) * 0x1p-53 * 6.283;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    for (std::size_t k = 0; k < kSize; ++k) {
      const double row_p = a[p][k];
      const double row_q = a[q][k];
      a[p][k] = c * row_p - s * row_q;
      a[q][k] = s * row_p + c * row_q;
    }
    for (std::size_t k = 0; k < kSize; ++k) {
      const double column_p = a[k][p];
      const double column_q = a[k][q];
      a[k][p] = c * column_p - s * column_q;
      a[k][q] = s * column_p + c * column_q;
    }
  }
  return Covariances(a);
}

TEST(SpeedAlgebraTest, EigenvaluesOfADiagonalMatrix) {
  std::array<std::array<double, kSize>, kSize> matrix{};
  for (std::size_t i = 0; i < kSize; ++i) matrix[i][i] = static_cast<double>(1 + i * 7 % kSize);
  float eigenvalues[kSize];
  SpeedEigenvalues(Covariances(matrix).data(), eigenvalues);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_EQ(eigenvalues[i], static_cast<float>(1 + i * 7 % kSize));
}

TEST(SpeedAlgebraTest, EigenvaluesOfATurnedMatrix) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::array<double, kSize> expected;
    for (std::size_t i = 0; i < kSize; ++i) expected[i] = 0.5 + static_cast<double>(i * i) * 0.37;
    float eigenvalues[kSize];
    SpeedEigenvalues(MatrixOf(expected, seed).data(), eigenvalues);
    std::sort(std::begin(eigenvalues), std::end(eigenvalues));
    for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(eigenvalues[i], expected[i], 1e-3) << seed;
    EXPECT_FALSE(IsSpeedSingular(eigenvalues));
  }
}

TEST(SpeedAlgebraTest, SmallEigenvaluesAreSingular) {
  float eigenvalues[kSize];
  std::fill(std::begin(eigenvalues), std::end(eigenvalues), 1.0f);
  eigenvalues[7] = 1e-6f;  // just below the double of this name
  EXPECT_TRUE(IsSpeedSingular(eigenvalues));
  eigenvalues[7] = std::nextafter(1e-6f, 1.0f);
  EXPECT_FALSE(IsSpeedSingular(eigenvalues));
  eigenvalues[24] = -1.0f;
  EXPECT_TRUE(IsSpeedSingular(eigenvalues));
}

// Blocks of one plane with whatever covariances.
struct BlocksRun {
  BlocksRun(const std::vector<float>& covariances, const std::vector<float>& plane, int across, int down,
            SpeedBlocksFunction function = &SpeedBlocks)
      : samples(static_cast<std::size_t>(kSize * SpeedPitch(across * down))),
        solution(samples.size()),
        variances(static_cast<std::size_t>(SpeedPitch(across * down))),
        entropies(variances.size()) {
    singular = function({covariances.data(), plane.data(), kSpeedBlock * across, across, down, 0.29f, samples.data(),
                         solution.data(), variances.data(), entropies.data()});
  }

  std::vector<float> samples;
  std::vector<float> solution;
  std::vector<float> variances;
  std::vector<float> entropies;
  bool singular;
};

std::vector<float> NoisePlane(int across, int down, std::uint64_t seed) {
  std::vector<float> plane(static_cast<std::size_t>(kSize * across * down));
  for (float& value : plane) value = static_cast<float>(NextRandom(seed) >> 40) * 0x1p-20f - 8.0f;
  return plane;
}

TEST(SpeedAlgebraTest, BlocksWithTheIdentity) {
  std::array<std::array<double, kSize>, kSize> identity{};
  for (std::size_t i = 0; i < kSize; ++i) identity[i][i] = 1.0;
  // Block b is all of 2^b.
  std::vector<float> plane;
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 15; ++x) plane.push_back(static_cast<float>(1 << (x / 5)));
  }
  const BlocksRun run(Covariances(identity), plane, 3, 1);
  EXPECT_FALSE(run.singular);
  for (std::size_t b = 0; b < 3; ++b) {
    const double variance = std::pow(4.0, static_cast<double>(b));
    EXPECT_NEAR(run.variances[b], variance, 1e-5 * variance);
    const double entropy = 25.0 * (std::log2(variance + 0.29) + std::log2(2.0 * M_PI * M_E));
    EXPECT_NEAR(run.entropies[b], entropy, 1e-3);
  }
}

TEST(SpeedAlgebraTest, BlocksSolveTheSystem) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::array<double, kSize> eigenvalues;
    for (std::size_t i = 0; i < kSize; ++i) eigenvalues[i] = 1.0 + static_cast<double>(i);
    const std::vector<float> covariances = MatrixOf(eigenvalues, seed);
    const std::vector<float> plane = NoisePlane(3, 2, seed);
    const BlocksRun run(covariances, plane, 3, 2);
    ASSERT_FALSE(run.singular);
    for (int b = 0; b < 6; ++b) {
      double variance = 0.0;
      for (int p = 0; p < kSize; ++p) {
        const auto y = plane[static_cast<std::size_t>((5 * (b / 3) + p / 5) * 15 + 5 * (b % 3) + p % 5)];
        double product = 0.0;
        for (int q = 0; q < kSize; ++q) {
          const int pair = p >= q ? SpeedPair(p, q) : SpeedPair(q, p);
          product += static_cast<double>(covariances[static_cast<std::size_t>(pair)]) *
                     run.solution[static_cast<std::size_t>(q * SpeedPitch(6) + b)];
        }
        EXPECT_NEAR(product, y, 1e-3);
        variance += static_cast<double>(y) * run.solution[static_cast<std::size_t>(p * SpeedPitch(6) + b)] / 25.0;
      }
      EXPECT_NEAR(run.variances[static_cast<std::size_t>(b)], variance, 1e-4 * variance);
    }
  }
}

TEST(SpeedAlgebraTest, SingularBlocksHaveNoVariance) {
  const BlocksRun run(std::vector<float>(kSpeedPairs), NoisePlane(2, 2, 1), 2, 2);
  EXPECT_TRUE(run.singular);
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(run.variances[b], 0.0f);
    EXPECT_NEAR(run.entropies[b], 57.7078972, 1e-5);
  }
}

// ---- Scores of two planes.

TEST(SpeedScoreTest, Weightings) {
  // Logarithms of 1 + 1 and 1 + 7, and of 1 + 3, where the two are mixed to 3.
  const std::array<float, 2> variances_r = {1.0f, 1.0f};
  const std::array<float, 2> variances_d = {7.0f, 5.0f};
  const std::array<float, 2> entropies_r = {60.0f, 70.0f};
  const std::array<float, 2> entropies_d = {80.0f, 90.0f};
  const auto score = [&](int weighting) {
    return SpeedScore({variances_r.data(), entropies_r.data(), false}, {variances_d.data(), entropies_d.data(), false},
                      2, {0.29f, 0.0f, weighting});
  };
  const double log6 = std::log2(6.0);
  EXPECT_NEAR(score(0), (80 * 3 - 60 * 1 + 90 * log6 - 70) / 2, 1e-4);
  EXPECT_EQ(score(1), (20.0f * 1 + 20.0f * 1) / 2);
  EXPECT_NEAR(score(2), (20 * 3 + 20 * log6) / 2, 1e-5);
  EXPECT_NEAR(score(3), (20 * std::log2(5.0) + 20 * 2.0) / 2, 1e-5);
  EXPECT_NEAR(score(4), (80 * std::log2(5.0) - 60 + 90 * 2.0 - 70) / 2, 1e-4);
  EXPECT_NEAR(score(5), (80 * std::log2(3.5) - 60 + 90 * std::log2(3.0) - 70) / 2, 1e-4);
  EXPECT_NEAR(score(6), (80 * std::log2(6.5) - 60 + 90 * std::log2(5.0) - 70) / 2, 1e-4);
}

TEST(SpeedScoreTest, BlocksBelowTheNoiseDoNotCount) {
  const std::array<float, 2> variances = {1.0f, 3.0f};
  const std::array<float, 2> entropies_r = {57.0f, 57.0f};
  const std::array<float, 2> entropies_d = {57.7f, 57.8f};
  const auto score = [&](float floor) {
    return SpeedScore({variances.data(), entropies_r.data(), false}, {variances.data(), entropies_d.data(), false}, 2,
                      {0.29f, floor, 0});
  };
  // The noise's own entropy is 57.70790; with a floor 0.1 it is 61.15.
  const float difference = std::fabs(57.0f * 2.0f - 57.8f * 2.0f);
  EXPECT_EQ(score(0.0f), difference / 2.0f);
  EXPECT_EQ(score(0.1f), 0.0f);
}

TEST(SpeedScoreTest, SingularPlanes) {
  const std::array<float, 1> variance = {1.0f};
  const std::array<float, 1> none = {0.0f};
  const std::array<float, 1> entropy = {80.0f};
  const auto score = [&](bool reference, bool distorted) {
    return SpeedScore({reference ? none.data() : variance.data(), entropy.data(), reference},
                      {distorted ? none.data() : variance.data(), entropy.data(), distorted}, 1, {0.29f, 0.0f, 0});
  };
  EXPECT_EQ(score(true, false), 0.0f);
  EXPECT_EQ(score(false, true), 0.0f);
  EXPECT_EQ(score(true, true), 0.0f);
}

TEST(SpeedScoreTest, NotANumberHasOneForm) {
  const float nan = -std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 1> variance = {1.0f};
  const std::array<float, 1> entropy = {nan};
  const float score = SpeedScore({variance.data(), entropy.data(), false}, {variance.data(), entropy.data(), false}, 1,
                                 {0.29f, 0.0f, 0});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(score), 0x7fc00000u);
}

// ---- The metrics.

constexpr VideoFormat k444 = {PixelFormat::kYuv444, 176, 160, 8};

Error ErrorOf(const FeatureDescription& metric, const OptionTexts& options, const VideoFormat& format) {
  Result<std::unique_ptr<Feature>> feature = TryMakeFeature(metric, options, format);
  return feature ? Error{ErrorCode::kInternal, "accepted", {}, {}, {}} : feature.error();
}

TEST(SpeedTest, Refusals) {
  const Error gray = ErrorOf(kSpeedChroma, {}, {PixelFormat::kYuv400, 640, 480, 8});
  EXPECT_EQ(gray.code, ErrorCode::kUnsupported);
  EXPECT_EQ(gray.message, "the pictures are 4:0:0 and have no chroma");
  EXPECT_TRUE(TryMakeFeature(kSpeedTemporal, {}, {PixelFormat::kYuv400, 640, 480, 8}));

  for (const FeatureDescription* metric : {&kSpeedChroma, &kSpeedTemporal}) {
    const Error scale = ErrorOf(*metric, {{"speed_kernelscale", "1.1"}}, k444);
    EXPECT_EQ(scale.code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(scale.message.find("speed_kernelscale is 1.1; expected one of 1 0.5 1.5 2 "), 0U) << scale.message;
    const Error method = ErrorOf(*metric, {{"speed_prescale_method", "foo"}}, k444);
    EXPECT_EQ(method.code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(method.message, "option speed_prescale_method: 'foo' is none of nearest, bilinear, bicubic, lanczos4");
    EXPECT_EQ(ErrorOf(*metric, {{"speed_prescale", "4.5"}}, k444).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(ErrorOf(*metric, {{"speed_sigma_nn", "0.05"}}, k444).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(ErrorOf(kSpeedChroma, {{"speed_weight_var_mode", "7"}}, k444).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(kSpeedTemporal, {{"speed_weight_var_mode", "0"}}, k444).code, ErrorCode::kInvalidArgument);
}

TEST(SpeedTest, Sizes) {
  const auto chroma = [](PixelFormat pixels, int width, int height, const OptionTexts& options) {
    return ErrorOf(kSpeedChroma, options, {pixels, width, height, 8}).message;
  };
  EXPECT_EQ(chroma(PixelFormat::kYuv420, 160, 160, {}), "accepted");
  EXPECT_EQ(chroma(PixelFormat::kYuv420, 159, 160, {}),
            "chroma planes are 79x80, but this metric needs at least 80x80");
  EXPECT_EQ(chroma(PixelFormat::kYuv420, 160, 159, {}),
            "chroma planes are 80x79, but this metric needs at least 80x80");
  EXPECT_EQ(chroma(PixelFormat::kYuv422, 160, 80, {}), "accepted");
  EXPECT_EQ(chroma(PixelFormat::kYuv422, 158, 80, {}), "chroma planes are 79x80, but this metric needs at least 80x80");
  EXPECT_EQ(chroma(PixelFormat::kYuv444, 80, 80, {}), "accepted");
  EXPECT_EQ(chroma(PixelFormat::kYuv444, 80, 79, {}), "chroma planes are 80x79, but this metric needs at least 80x80");
  EXPECT_EQ(chroma(PixelFormat::kYuv444, 158, 160, {{"speed_prescale", "0.5"}}),
            "chroma planes are 158x160 (79x80 after the resize), but this metric needs at least 80x80");
  EXPECT_EQ(chroma(PixelFormat::kYuv444, 159, 160, {{"speed_prescale", "0.5"}}), "accepted");
  EXPECT_EQ(chroma(PixelFormat::kYuv444, 20, 20, {{"speed_prescale", "4"}}), "accepted");
  const auto luma = [](int width, int height) {
    return ErrorOf(kSpeedTemporal, {}, {PixelFormat::kYuv420, width, height, 8}).message;
  };
  EXPECT_EQ(luma(80, 80), "accepted");
  EXPECT_EQ(luma(79, 80), "pictures are 79x80, but this metric needs at least 80x80");
}

std::vector<std::string> Names(const FeatureDescription& metric, const OptionTexts& texts) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  const OptionValues values = *OptionValues::Parse(metric.name, metric.options, dictionary);
  std::vector<std::string> names;
  for (const FeatureColumn& column : MakeFeature(metric, texts, k444)->columns()) {
    names.push_back(DecoratedScoreName(column, values));
  }
  return names;
}

TEST(SpeedTest, Names) {
  EXPECT_EQ(Names(kSpeedChroma, {}), (std::vector<std::string>{"Speed_chroma_feature_speed_chroma_u_score",
                                                               "Speed_chroma_feature_speed_chroma_v_score",
                                                               "Speed_chroma_feature_speed_chroma_uv_score"}));
  EXPECT_EQ(Names(kSpeedChroma, {{"speed_nn_floor", "0.1"},
                                 {"speed_sigma_nn", "0.19"},
                                 {"speed_weight_var_mode", "5"},
                                 {"speed_max_val", "45"},
                                 {"speed_prescale", "0.6"},
                                 {"speed_prescale_method", "bilinear"}})[2],
            "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5");
  EXPECT_EQ(Names(kSpeedChroma, {{"speed_kernelscale", "1.5"}})[0], "speed_chroma_u_ks_1.5");
  EXPECT_EQ(Names(kSpeedTemporal, {}), std::vector<std::string>{"Speed_temporal_feature_speed_temporal_score"});
  EXPECT_EQ(Names(kSpeedTemporal, {{"speed_use_ref_diff", "true"}}), std::vector<std::string>{"speed_temporal_urd"});
}

double Score(const Scores& scores, int column, std::int64_t frame) { return scores.values.at({column, frame}); }

// Pictures whose planes differ, with the same samples at every depth.
std::vector<Frame> ScaledNoise(VideoFormat format, int depth, std::uint64_t seed) {
  format.bit_depth = depth;
  std::vector<Frame> frames;
  for (int n = 0; n < 3; ++n) {
    frames.push_back(MakeFrame(format, seed + static_cast<std::uint64_t>(n + depth),
                               [&](int, int, int) { return (NextRandom(seed) >> 56) << (depth - 8); }));
  }
  return frames;
}

TEST(SpeedTest, EveryDepthHasTheScale) {
  for (const FeatureDescription* metric : {&kSpeedChroma, &kSpeedTemporal}) {
    std::map<std::pair<int, std::int64_t>, double> expected;
    for (const int depth : {8, 9, 10, 11, 12, 13, 14, 15, 16}) {
      const std::vector<Frame> reference = ScaledNoise(k444, depth, 1);
      const std::vector<Frame> distorted = ScaledNoise(k444, depth, 2);
      const Scores scores = RunAll(*MakeFeature(*metric, {}, reference[0].format()), reference, distorted);
      if (depth == 8) expected = scores.values;
      EXPECT_GT(scores.values.rbegin()->second, 0.0);
      EXPECT_EQ(scores.values, expected) << metric->name << ", " << depth << " bit";
    }
  }
}

TEST(SpeedTest, EqualPicturesAreZero) {
  const std::vector<Frame> frames = NoiseFrames(k444, 3, 5);
  for (const FeatureDescription* metric : {&kSpeedChroma, &kSpeedTemporal}) {
    for (const auto& [key, value] : RunAll(*MakeFeature(*metric, {}, k444), frames, frames).values) {
      EXPECT_EQ(value, 0.0);
    }
  }
}

TEST(SpeedTest, PaddingDoesNotMatter) {
  const VideoFormat format = {PixelFormat::kYuv444, 170, 165, 10};
  const auto frames = [&](std::uint64_t padding) {
    std::vector<Frame> made;
    for (std::uint64_t n = 0; n < 4; ++n) {
      std::uint64_t state = n;
      made.push_back(MakeFrame(format, padding + n, [&](int, int, int) { return NextRandom(state) >> 54; }));
    }
    return made;
  };
  for (const CpuTarget target : AvailableCpuTargets()) {
    for (const FeatureDescription* metric : {&kSpeedChroma, &kSpeedTemporal}) {
      const std::unique_ptr<Feature> feature = TryMakeFeature(*metric, {}, format, target).value();
      const std::vector<Frame> a = frames(100);
      const std::vector<Frame> b = frames(200);
      const std::span<const Frame> first(a);
      const std::span<const Frame> second(b);
      EXPECT_EQ(RunAll(*feature, first.first(2), first.last(2)).values,
                RunAll(*feature, second.first(2), second.last(2)).values);
    }
  }
}

TEST(SpeedTest, OddChromaIsRoundedDown) {
  // 4:2:0 of 353x321 has stored chroma of 177x161; the last column and row are not read.
  const VideoFormat odd = {PixelFormat::kYuv420, 353, 321, 8};
  const VideoFormat even = {PixelFormat::kYuv420, 352, 320, 8};
  const auto sample = [](int seed) {
    return [seed](int p, int x, int y) {
      std::uint64_t state = static_cast<std::uint64_t>(((seed * 4 + p) * 4096 + y) * 4096 + x);
      return NextRandom(state) >> 56;
    };
  };
  const Scores of_odd = RunAll(*MakeFeature(kSpeedChroma, {}, odd), ListOf(MakeFrame(odd, 1, sample(1))),
                               ListOf(MakeFrame(odd, 2, sample(2))));
  const Scores of_even = RunAll(*MakeFeature(kSpeedChroma, {}, even), ListOf(MakeFrame(even, 1, sample(1))),
                                ListOf(MakeFrame(even, 2, sample(2))));
  EXPECT_EQ(of_odd.values, of_even.values);
  EXPECT_GT(Score(of_odd, 2, 0), 0.0);
}

// Noise, but planes of `flat` are gray.
Frame PartlyFlat(const std::vector<int>& flat, std::uint64_t seed) {
  std::uint64_t state = seed;
  return MakeFrame(k444, seed, [&](int p, int, int) -> std::uint64_t {
    const std::uint64_t value = NextRandom(state) >> 56;
    return std::find(flat.begin(), flat.end(), p) == flat.end() ? value : 128;
  });
}

TEST(SpeedChromaTest, SingularPlanes) {
  const std::unique_ptr<Feature> feature = MakeFeature(kSpeedChroma, {}, k444);
  const auto run = [&](const std::vector<int>& reference, const std::vector<int>& distorted) {
    return RunAll(*feature, ListOf(PartlyFlat(reference, 1)), ListOf(PartlyFlat(distorted, 2)));
  };
  const Scores none = run({}, {});
  const double u = Score(none, 0, 0);
  const double v = Score(none, 1, 0);
  EXPECT_GT(u, 0.0);
  EXPECT_GT(v, 0.0);
  EXPECT_NE(u, v);
  EXPECT_EQ(Score(none, 2, 0), static_cast<double>((static_cast<float>(u) + static_cast<float>(v)) / 2.0f));
  EXPECT_TRUE(none.warnings.empty());

  struct Case {
    std::vector<int> reference;
    std::vector<int> distorted;
    double u;
    double v;
    double uv;
    std::string warning;
  };
  const Case cases[] = {
      {{1}, {}, 0, v, v, "singular covariances: the reference's Cb"},
      {{}, {1}, 0, v, v, "singular covariances: the distorted picture's Cb"},
      {{1}, {1}, 0, v, v, "singular covariances: the reference's Cb, the distorted picture's Cb"},
      {{2}, {}, u, 0, u, "singular covariances: the reference's Cr"},
      {{}, {2}, u, 0, u, "singular covariances: the distorted picture's Cr"},
      {{1}, {2}, 0, 0, 0, "singular covariances: the reference's Cb, the distorted picture's Cr"},
      {{0, 1, 2},
       {0, 1, 2},
       0,
       0,
       0,
       "singular covariances: the reference's Cb, the distorted picture's Cb, the reference's Cr, the distorted "
       "picture's Cr"},
  };
  for (const Case& c : cases) {
    const Scores scores = run(c.reference, c.distorted);
    EXPECT_EQ(Score(scores, 0, 0), c.u);
    EXPECT_EQ(Score(scores, 1, 0), c.v);
    EXPECT_EQ(Score(scores, 2, 0), c.uv);
    ASSERT_EQ(scores.warnings.size(), 1U);
    EXPECT_EQ(scores.warnings[0], (std::pair<std::int64_t, std::string>{0, c.warning}));
  }
}

TEST(SpeedChromaTest, WarningsAreOneForARun) {
  const std::unique_ptr<Feature> feature = MakeFeature(kSpeedChroma, {}, k444);
  const auto reference = ListOf(PartlyFlat({}, 1), PartlyFlat({1}, 2), PartlyFlat({1}, 3), PartlyFlat({2}, 4));
  const auto distorted = ListOf(PartlyFlat({}, 5), PartlyFlat({}, 6), PartlyFlat({}, 7), PartlyFlat({}, 8));
  const Scores scores = RunAll(*feature, reference, distorted);
  const std::vector<std::pair<std::int64_t, std::string>> expected = {
      {1, "singular covariances in frames 1 to 2: the reference's Cb"},
      {3, "singular covariances: the reference's Cr"}};
  EXPECT_EQ(scores.warnings, expected);
}

TEST(SpeedChromaTest, Maximum) {
  const auto reference = ListOf(PartlyFlat({2}, 1));
  const auto distorted = ListOf(PartlyFlat({}, 2));
  const double u = Score(RunAll(*MakeFeature(kSpeedChroma, {}, k444), reference, distorted), 0, 0);
  const Scores clipped = RunAll(*MakeFeature(kSpeedChroma, {{"speed_max_val", "0.25"}}, k444), reference, distorted);
  EXPECT_GT(u, 0.25);
  EXPECT_EQ(Score(clipped, 0, 0), 0.25);
  EXPECT_EQ(Score(clipped, 1, 0), 0.0);
  EXPECT_EQ(Score(clipped, 2, 0), 0.25);
}

TEST(SpeedChromaTest, OptionsChangeTheScore) {
  const std::vector<Frame> reference = NoiseFrames(k444, 1, 1);
  const std::vector<Frame> distorted = NoiseFrames(k444, 1, 9);
  const OptionTexts all = {
      {"speed_kernelscale", "2"},     {"speed_prescale", "1.5"},      {"speed_sigma_nn", "1"},
      {"speed_weight_var_mode", "1"}, {"speed_weight_var_mode", "2"}, {"speed_weight_var_mode", "3"},
      {"speed_weight_var_mode", "4"}, {"speed_weight_var_mode", "5"}, {"speed_weight_var_mode", "6"}};
  std::vector<double> scores = {Score(RunAll(*MakeFeature(kSpeedChroma, {}, k444), reference, distorted), 2, 0)};
  for (const auto& option : all) {
    scores.push_back(Score(RunAll(*MakeFeature(kSpeedChroma, {option}, k444), reference, distorted), 2, 0));
  }
  for (const char* method : {"bilinear", "bicubic", "lanczos4"}) {
    const OptionTexts options = {{"speed_prescale", "1.5"}, {"speed_prescale_method", method}};
    scores.push_back(Score(RunAll(*MakeFeature(kSpeedChroma, options, k444), reference, distorted), 2, 0));
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_GT(scores[i], 0.0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(scores[i], scores[j]) << i << " " << j;
  }
}

TEST(SpeedTemporalTest, DifferencesOfFrames) {
  // The changes as pictures of their own: 4:4:4 chroma planes that hold half of the difference and 128 would round, so
  // the differences here are even and small.
  const VideoFormat format = {PixelFormat::kYuv444, 176, 160, 8};
  const auto value = [](int n, int side, int x, int y) {
    std::uint64_t state = static_cast<std::uint64_t>(((n * 2 + side) * 512 + y) * 512 + x);
    return static_cast<int>(NextRandom(state) % 100);
  };
  const auto picture = [&](int n, int side) {
    return MakeFrame(format, 7, [&](int, int x, int y) { return value(n, side, x, y); });
  };
  const auto reference = ListOf(picture(0, 0), picture(1, 0));
  const auto distorted = ListOf(picture(0, 1), picture(1, 1));
  const Scores plain = RunAll(*MakeFeature(kSpeedTemporal, {}, format), reference, distorted);
  const Scores crossed =
      RunAll(*MakeFeature(kSpeedTemporal, {{"speed_use_ref_diff", "true"}}, format), reference, distorted);
  const auto change = [&](int side, int later_side) {
    return MakeFrame(format, 7,
                     [&](int, int x, int y) { return 128 + value(0, side, x, y) - value(1, later_side, x, y); });
  };
  const std::unique_ptr<Feature> chroma = MakeFeature(kSpeedChroma, {}, format);
  EXPECT_EQ(Score(plain, 0, 0), 0.0);
  EXPECT_EQ(Score(plain, 0, 1), Score(RunAll(*chroma, ListOf(change(0, 0)), ListOf(change(1, 1))), 0, 0));
  EXPECT_EQ(Score(crossed, 0, 1), Score(RunAll(*chroma, ListOf(change(0, 0)), ListOf(change(1, 0))), 0, 0));
  EXPECT_GT(Score(plain, 0, 1), 0.0);
  EXPECT_NE(Score(plain, 0, 1), Score(crossed, 0, 1));
}

TEST(SpeedTemporalTest, MaximumIsNotApplied) {
  const std::vector<Frame> reference = NoiseFrames(k444, 2, 1);
  const std::vector<Frame> distorted = NoiseFrames(k444, 2, 9);
  const Scores plain = RunAll(*MakeFeature(kSpeedTemporal, {}, k444), reference, distorted);
  const Scores limited = RunAll(*MakeFeature(kSpeedTemporal, {{"speed_max_val", "0.01"}}, k444), reference, distorted);
  EXPECT_GT(Score(plain, 0, 1), 0.01);
  EXPECT_EQ(plain.values, limited.values);
}

TEST(SpeedTemporalTest, SegmentsAndStills) {
  std::vector<Frame> reference = NoiseFrames(k444, 3, 1);
  reference.push_back(MakeFrame(k444, 1, [&](int p, int x, int y) { return test_run::Sample(reference[2], p, x, y); }));
  reference.push_back(test_run::NoiseFrame(k444, 77));
  const std::vector<Frame> distorted = NoiseFrames(k444, 5, 9);
  for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"speed_use_ref_diff", "true"}}}) {
    const std::unique_ptr<Feature> feature = MakeFeature(kSpeedTemporal, options, k444);
    EXPECT_EQ(test_run::SegmentThatDiffers(*feature, reference, distorted), "");
    const Scores scores = RunAll(*feature, reference, distorted);
    EXPECT_EQ(Score(scores, 0, 3), 0.0);
    EXPECT_GT(Score(scores, 0, 4), 0.0);
    const std::vector<std::pair<std::int64_t, std::string>> expected = {
        {3, "singular covariances: the reference's change"}};
    EXPECT_EQ(scores.warnings, expected);
  }
}

}  // namespace
}  // namespace lockstep
