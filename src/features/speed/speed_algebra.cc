// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's algebra in its plain order: every sum is a chain, every operation rounded by itself.
#include "features/speed/speed_algebra.h"

#include <algorithm>
#include <array>

#include "exact/elementary.h"

namespace lockstep {
namespace {

constexpr int kSize = kSpeedPositions;
using Matrix = std::array<std::array<float, kSize>, kSize>;

// The hardware's roots are those of IEEE 754.
float SquareRoot(float x) { return __builtin_sqrtf(x); }
float InverseSquareRoot(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }
float Magnitude(float x) { return __builtin_fabsf(x); }
float SignOf(float x) { return x >= 0.0f ? 1.0f : -1.0f; }
/// Length of the hypotenuse.
float Hypotenuse(float a, float b) { return SquareRoot(a * a + b * b); }

Matrix FullMatrix(const float* covariances) {
  Matrix matrix;
  for (int p = 0; p < kSize; ++p) {
    for (int q = 0; q <= p; ++q) matrix[p][q] = matrix[q][p] = covariances[SpeedPair(p, q)];
  }
  return matrix;
}

/// Applies the reflection 1 - tau v v' on both sides of rows and columns `first` …
void ReflectBothSides(Matrix& a, int first, float tau, const std::array<float, kSize>& v) {
  std::array<float, kSize> x;
  for (int r = first; r < kSize; ++r) {
    float sum = 0.0f;
    for (int c = first; c < kSize; ++c) sum = sum + (tau * a[r][c]) * v[c];
    x[r] = sum;
  }
  float product = 0.0f;
  for (int r = first; r < kSize; ++r) product = product + x[r] * v[r];
  const float alpha = static_cast<float>((-0.5 * static_cast<double>(tau)) * static_cast<double>(product));
  for (int r = first; r < kSize; ++r) x[r] = x[r] + alpha * v[r];
  for (int r = first; r < kSize; ++r) {
    for (int c = first; c < kSize; ++c) a[r][c] = a[r][c] - (x[r] * v[c] + v[r] * x[c]);
  }
}

/// Entries beside the diagonal that do not count become 0, in [begin, end].
void Chop(const float* d, float* e, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const float scale = Magnitude(d[i]) + Magnitude(d[i + 1]);
    if (static_cast<double>(Magnitude(e[i])) < kSpeedTolerance * static_cast<double>(scale)) e[i] = 0.0f;
  }
}

/// Wilkinson's shift.
float Shift(const float* d, const float* e, int count) {
  const float before = d[count - 2];
  const float last = d[count - 1];
  const float beside = e[count - 2];
  const float half = (before - last) / 2.0f;
  if (half > 0.0f) return last - beside * (beside / (half + Hypotenuse(half, beside)));
  if (half == 0.0f) return last - Magnitude(beside);
  // Not a number ends here too, and stays none.
  return last + beside * (beside / (-half + Hypotenuse(half, beside)));
}

struct Rotation {
  float c;
  float s;
};

Rotation GivensRotation(float a, float b) {
  if (b == 0.0f) return {1.0f, 0.0f};
  if (Magnitude(b) > Magnitude(a)) {
    const float t = -a / b;
    const float s = InverseSquareRoot(1.0f + t * t);
    return {s * t, s};
  }
  const float t = -b / a;
  const float c = InverseSquareRoot(1.0f + t * t);
  return {c, c * t};
}

/// One implicit QR step on a block of `count` >= 2 entries.
void QrStep(float* d, float* e, int count) {
  float shift = Shift(d, e, count);
  const float top = Magnitude(d[0]) + Magnitude(e[0]);
  if (kSpeedTolerance * static_cast<double>(Magnitude(shift)) > static_cast<double>(top)) shift = 0.0f;
  float x = d[0] - shift;
  float z = e[0];
  float ak = 0.0f;
  float bk = 0.0f;
  float zk = 0.0f;
  float ap = d[0];
  float bp = e[0];
  float aq = d[1];
  float bq = count > 2 ? e[1] : 0.0f;
  for (int k = 0; k < count - 1; ++k) {
    const auto [c, s] = GivensRotation(x, z);
    const float bk1 = c * bk - s * zk;
    const float ap1 = c * (c * ap - s * bp) + s * (s * aq - c * bp);
    const float bp1 = c * (s * ap + c * bp) - s * (s * bp + c * aq);
    const float zp1 = -s * bq;
    const float aq1 = s * (s * ap + c * bp) + c * (s * bp + c * aq);
    const float bq1 = c * bq;
    ak = ap1;
    bk = bp1;
    zk = zp1;
    ap = aq1;
    bp = bq1;
    if (k < count - 2) aq = d[k + 2];
    if (k < count - 3) bq = e[k + 2];
    d[k] = ak;
    if (k > 0) e[k - 1] = bk1;
    if (k < count - 2) e[k + 1] = bp;
    x = bk;
    z = zk;
  }
  d[count - 1] = ap;
  e[count - 2] = bk;
}

Matrix Product(const Matrix& left, const Matrix& right) {
  Matrix product;
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < kSize; ++k) sum = sum + left[i][k] * right[k][j];
      product[i][j] = sum;
    }
  }
  return product;
}

Matrix Identity() {
  Matrix identity{};
  for (int i = 0; i < kSize; ++i) identity[i][i] = 1.0f;
  return identity;
}

float Length(const std::array<float, kSize>& v) {
  float squares = 0.0f;
  for (const float x : v) squares = squares + x * x;
  return SquareRoot(squares);
}

/// The orthogonal factor that turns the matrix into a triangular one.
Matrix OrthogonalFactor(const Matrix& matrix) {
  Matrix reduced = matrix;
  Matrix q = Identity();
  for (int k = 0; k < kSize - 1; ++k) {
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) {
        if (i < k || j < k) reduced[i][j] = i == j ? 1.0f : 0.0f;
      }
    }
    std::array<float, kSize> v;
    for (int i = 0; i < kSize; ++i) v[i] = reduced[i][k];
    // The sign is that of the original matrix, as in libvmaf.
    v[k] = v[k] + SignOf(matrix[k][k]) * Length(v);
    const float length = Length(v);
    for (float& x : v) x = x / length;
    Matrix reflection;
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) reflection[i][j] = (-2.0f * v[i]) * v[j];
      reflection[i][i] = reflection[i][i] + 1.0f;
    }
    reduced = Product(reflection, reduced);
    q = Product(reflection, q);
  }
  return q;
}

/// Solves the system for all blocks; false where a pivot vanishes.
bool Solve(const SpeedBlocksArgs& args) {
  const Matrix matrix = FullMatrix(args.covariances);
  const Matrix q = OrthogonalFactor(matrix);
  const Matrix r = Product(q, matrix);
  const i32 pitch = args.pitch();
  for (int i = kSize - 1; i >= 0; --i) {
    const float pivot = r[i][i];
    if (static_cast<double>(Magnitude(pivot)) < kSpeedTolerance) return false;
    for (i32 b = 0; b < args.blocks(); ++b) {
      float sum = 0.0f;
      for (int k = 0; k < kSize; ++k) sum = sum + q[i][k] * args.samples[k * pitch + b];
      for (int k = i + 1; k < kSize; ++k) sum = sum - args.solution[k * pitch + b] * r[i][k];
      args.solution[i * pitch + b] = sum / pivot;
    }
  }
  return true;
}

/// Weights of the reference's and the distorted picture's entropy.
struct Weights {
  double reference;
  double distorted;
};

double LogOfVariance(float variance) { return exact::Log2(static_cast<double>(1.0f + variance)); }
double LogOfMean(float reference, float distorted) {
  return exact::Log2(1.0 + static_cast<double>(reference + distorted) / 2.0);
}
double LogOfMixture(double part, float reference, float distorted) {
  return exact::Log2(1.0 + (part * static_cast<double>(reference) + (1.0 - part) * static_cast<double>(distorted)));
}

Weights WeightsOf(int weighting, float reference, float distorted) {
  switch (weighting) {
    case 0:
      return {LogOfVariance(reference), LogOfVariance(distorted)};
    case 1: {
      const double weight = LogOfVariance(reference);
      return {weight, weight};
    }
    case 2: {
      const double weight = LogOfVariance(distorted);
      return {weight, weight};
    }
    case 3: {
      const double weight = LogOfMean(reference, distorted);
      return {weight, weight};
    }
    case 4:
      return {LogOfVariance(reference), LogOfMean(reference, distorted)};
    case 5:
      return {LogOfVariance(reference), LogOfMixture(0.75, reference, distorted)};
    default:
      return {LogOfVariance(reference), LogOfMixture(0.25, reference, distorted)};
  }
}

}  // namespace

void SpeedCovariances(const SpeedCovarianceArgs& args) {
  float means[kSpeedPositions];
  const auto start = [&](int p) { return args.prepared + p / kSpeedBlock * args.stride + p % kSpeedBlock; };
  for (int p = 0; p < kSpeedPositions; ++p) means[p] = SpeedMean(start(p), args.stride, args.window);
  for (int p = 0; p < kSpeedPositions; ++p) {
    for (int q = 0; q <= p; ++q) {
      double sum = 0.0;
      for (i32 y = 0; y < args.window.height; ++y) {
        const float* row_p = start(p) + y * args.stride;
        const float* row_q = start(q) + y * args.stride;
        for (i32 x = 0; x < args.window.width; ++x) {
          sum = SpeedCovarianceStep(sum, row_p[x], means[p], row_q[x], means[q]);
        }
      }
      args.covariances[SpeedPair(p, q)] = SpeedCovariance(sum, args.window);
    }
  }
}

float MakeSpeedReflection(float* column, int count, float& beside) {
  const float alpha = column[0];
  beside = alpha;
  float squares = 0.0f;
  for (int r = 1; r < count; ++r) squares = squares + column[r] * column[r];
  const float rest = SquareRoot(squares);
  if (rest == 0.0f) return 0.0f;
  const float beta = -SignOf(alpha) * Hypotenuse(alpha, rest);
  const float tau = (beta - alpha) / beta;
  const float scale = alpha - beta;
  if (scale != 0.0f) {
    for (int r = 1; r < count; ++r) column[r] = column[r] / scale;
    beside = beta;
  }
  column[0] = 1.0f;
  return tau;
}

void SpeedTridiagonalEigenvalues(float (&diagonal)[kSpeedPositions], float (&beside)[kSpeedPositions]) {
  constexpr int kMaximumSteps = 500;
  Chop(diagonal, beside, 0, kSize - 1);
  int last = kSize - 1;
  for (int steps = 0; last > 0 && steps < kMaximumSteps;) {
    if (beside[last - 1] == 0.0f) {
      --last;
      continue;
    }
    int first = last - 1;
    while (first > 0 && beside[first - 1] != 0.0f) --first;
    QrStep(diagonal + first, beside + first, last - first + 1);
    Chop(diagonal, beside, first, last);
    ++steps;
  }
}

void SpeedEigenvalues(const float* covariances, float (&eigenvalues)[kSpeedPositions]) {
  Matrix a = FullMatrix(covariances);
  float beside[kSpeedPositions] = {};
  for (int i = 0; i < kSize - 2; ++i) {
    const int s = i + 1;
    std::array<float, kSize> v;
    for (int r = s; r < kSize; ++r) v[r] = a[r][i];
    const float tau = MakeSpeedReflection(&v[s], kSize - s, beside[i]);
    if (tau != 0.0f) ReflectBothSides(a, s, tau, v);
  }
  for (int i = 0; i < kSize; ++i) eigenvalues[i] = a[i][i];
  beside[kSize - 2] = a[kSize - 1][kSize - 2];
  SpeedTridiagonalEigenvalues(eigenvalues, beside);
}

bool IsSpeedSingular(const float (&eigenvalues)[kSpeedPositions]) {
  return std::any_of(std::begin(eigenvalues), std::end(eigenvalues),
                     [](float value) { return static_cast<double>(value) < kSpeedTolerance; });
}

void GatherSpeedBlocks(const SpeedBlocksArgs& args) {
  const i32 pitch = args.pitch();
  for (int p = 0; p < kSpeedPositions; ++p) {
    float* out = args.samples + p * pitch;
    for (i32 y = 0; y < args.blocks_down; ++y) {
      const float* row = args.prepared + (kSpeedBlock * y + p / kSpeedBlock) * args.stride + p % kSpeedBlock;
      for (i32 x = 0; x < args.blocks_across; ++x) *out++ = row[kSpeedBlock * x];
    }
    std::fill(out, args.samples + (p + 1) * pitch, 0.0f);
  }
}

float SpeedEntropyStep(float entropy, float eigenvalue, float variance, float sigma) {
  const double log = exact::Log2(static_cast<double>(eigenvalue * variance + sigma));
  return static_cast<float>(static_cast<double>(entropy) + (log + kSpeedEntropyOfOne));
}

bool SpeedBlocks(const SpeedBlocksArgs& args) {
  float eigenvalues[kSpeedPositions];
  SpeedEigenvalues(args.covariances, eigenvalues);
  bool singular = IsSpeedSingular(eigenvalues);
  GatherSpeedBlocks(args);
  singular = singular || !Solve(args);
  const i32 pitch = args.pitch();
  for (i32 b = 0; b < args.blocks(); ++b) {
    float variance = 0.0f;
    for (int p = 0; p < kSpeedPositions && !singular; ++p) {
      const float product = args.solution[p * pitch + b] * args.samples[p * pitch + b];
      const float share = product / static_cast<float>(kSpeedPositions);
      variance = p == 0 ? share : variance + share;
    }
    float entropy = 0.0f;
    for (const float eigenvalue : eigenvalues) {
      entropy = SpeedEntropyStep(entropy, eigenvalue < 0.0f ? 0.0f : eigenvalue, variance, args.sigma);
    }
    args.variances[b] = variance;
    args.entropies[b] = entropy;
  }
  return singular;
}

float SpeedScore(const SpeedStatistics& reference, const SpeedStatistics& distorted, i32 blocks,
                 const SpeedScoreOptions& options) {
  if (reference.singular != distorted.singular) return 0.0f;
  const float noise = (1.0f + options.floor) * options.sigma;
  const float base = static_cast<float>(static_cast<double>(kSpeedPositions) *
                                        (exact::Log2(static_cast<double>(noise)) + kSpeedEntropyOfOne));
  float sum = 0.0f;
  for (i32 b = 0; b < blocks; ++b) {
    const float entropy_r = reference.entropies[b];
    const float entropy_d = distorted.entropies[b];
    if (entropy_r < base && entropy_d < base) continue;
    const Weights weights = WeightsOf(options.weighting, reference.variances[b], distorted.variances[b]);
    const float weighted_r = static_cast<float>(static_cast<double>(entropy_r) * weights.reference);
    const float weighted_d = static_cast<float>(static_cast<double>(entropy_d) * weights.distorted);
    sum = sum + Magnitude(weighted_r - weighted_d);
  }
  // Processors disagree about the sign of what is not a number.
  if (sum != sum) return __builtin_nanf("");
  return sum / static_cast<float>(blocks);
}

}  // namespace lockstep
