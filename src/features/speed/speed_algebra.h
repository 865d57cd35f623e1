// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED from prepared planes to scores, on the host: means and covariances of a plane, eigenvalues, the linear system,
// variances and entropies of blocks, and the score of two planes. The functions here are the plain order of operations;
// speed_simd.h has faster ones with the same bits.
#pragma once

#include "base/kernel_prelude.h"
#include "features/speed/speed_arithmetic.h"

namespace lockstep {

/// One step of a covariance's chain, in binary64: the chain begins at 0 and goes row by row over the window.
inline double SpeedCovarianceStep(double sum, float value_p, float mean_p, float value_q, float mean_q) {
  const double from_mean_p = static_cast<double>(value_p) - static_cast<double>(mean_p);
  const double from_mean_q = static_cast<double>(value_q) - static_cast<double>(mean_q);
  return sum + from_mean_p * from_mean_q;
}

/// The covariance that a finished chain stands for.
inline float SpeedCovariance(double sum, SpeedWindow window) {
  return static_cast<float>(sum / static_cast<double>(window.width * window.height));
}

struct SpeedCovarianceArgs {
  const float* prepared;
  i64 stride;  // in samples
  SpeedWindow window;
  float* covariances;  // [kSpeedPairs]
};

/// Of blocks, position by position: position p of block b is at [p * pitch + b]. A pitch is a multiple of
/// kSpeedBlockPitch, and so much memory is there.
inline constexpr i32 kSpeedBlockPitch = 16;
[[nodiscard]] constexpr i32 SpeedPitch(i32 blocks) {
  return (blocks + kSpeedBlockPitch - 1) / kSpeedBlockPitch * kSpeedBlockPitch;
}

struct SpeedBlocksArgs {
  const float* covariances;  // [kSpeedPairs]
  const float* prepared;
  i64 stride;  // in samples
  i32 blocks_across;
  i32 blocks_down;
  float sigma;
  float* samples;   // scratch, [kSpeedPositions * pitch]
  float* solution;  // scratch, [kSpeedPositions * pitch]
  // Results, [pitch].
  float* variances;
  float* entropies;

  [[nodiscard]] i32 blocks() const { return blocks_across * blocks_down; }
  [[nodiscard]] i32 pitch() const { return SpeedPitch(blocks()); }
};

/// Means of every position, then SpeedCovarianceStep() of all pairs.
using SpeedCovarianceFunction = void (*)(const SpeedCovarianceArgs& args);
void SpeedCovariances(const SpeedCovarianceArgs& args);

/// Variance and entropy of every block.
/// result  whether the covariances are singular, as libvmaf judges it: an eigenvalue below 1e-6 or a vanishing pivot.
///         All variances are 0 then.
using SpeedBlocksFunction = bool (*)(const SpeedBlocksArgs& args);
bool SpeedBlocks(const SpeedBlocksArgs& args);

/// log2(2 pi e), rounded as libvmaf computes it: the entropy of a Gaussian of variance 1, doubled.
inline constexpr double kSpeedEntropyOfOne = 4.0941911703612819;
/// Eigenvalues and pivots below it are none.
inline constexpr double kSpeedTolerance = 1e-6;

/// The eigenvalues of a symmetric matrix, unsorted: Householder tridiagonalisation, then implicit QR, in binary32.
/// in      covariances: [kSpeedPairs]
/// source  libvmaf 3.2.0, feature/speed.c (after the GNU Scientific Library)
void SpeedEigenvalues(const float* covariances, float (&eigenvalues)[kSpeedPositions]);

/// The reflection 1 - tau v v' that leaves of a column its first entry only.
/// in      column: its `count` entries below the diagonal
/// out     column: v, which begins with 1; beside: what the first entry becomes
/// result  tau; 0: there is nothing to reflect
float MakeSpeedReflection(float* column, int count, float& beside);

/// The second half of SpeedEigenvalues(): of a symmetric tridiagonal matrix; `diagonal` becomes the eigenvalues.
void SpeedTridiagonalEigenvalues(float (&diagonal)[kSpeedPositions], float (&beside)[kSpeedPositions]);

[[nodiscard]] bool IsSpeedSingular(const float (&eigenvalues)[kSpeedPositions]);

/// Samples of the blocks, position by position. What lies behind the last block becomes 0.
void GatherSpeedBlocks(const SpeedBlocksArgs& args);

/// One step of a block's entropy.
/// in      eigenvalue not negative
float SpeedEntropyStep(float entropy, float eigenvalue, float variance, float sigma);

struct SpeedScoreOptions {
  float sigma = 0.29f;
  float floor = 0.0f;
  int weighting = 0;  // speed_weight_var_mode, 0 … 6
};

/// What SpeedBlocks() found out about a plane.
struct SpeedStatistics {
  const float* variances = nullptr;
  const float* entropies = nullptr;
  bool singular = false;
};

/// The score of two planes. 0 where one of them is singular, or both.
/// exact   the quiet NaN 0x7fc00000 where it is not a number
[[nodiscard]] float SpeedScore(const SpeedStatistics& reference, const SpeedStatistics& distorted, i32 blocks,
                               const SpeedScoreOptions& options);

}  // namespace lockstep
