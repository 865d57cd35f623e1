// SPDX-License-Identifier: BSD-2-Clause-Patent
// SpEED's algebra on lanes: a lane is a column of a matrix, or a block; read once for each target.
#if defined(LOCKSTEP_FEATURES_SPEED_SPEED_BLOCKS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_SPEED_SPEED_BLOCKS_LANES_INL_H_
#undef LOCKSTEP_FEATURES_SPEED_SPEED_BLOCKS_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_SPEED_SPEED_BLOCKS_LANES_INL_H_
#endif

#include <algorithm>

#include "features/speed/speed_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// A matrix whose rows are filled up to whole registers.
struct SpeedRows {
  static constexpr i32 kPitch = 32;
  alignas(64) float data[kSpeedPositions * kPitch];

  [[nodiscard]] float* row(i32 i) { return data + i * kPitch; }
  [[nodiscard]] const float* row(i32 i) const { return data + i * kPitch; }
};

LOCKSTEP_LANE_INLINE void FillSpeedRows(const float* covariances, SpeedRows& matrix) {
  std::fill(std::begin(matrix.data), std::end(matrix.data), 0.0f);
  for (i32 p = 0; p < kSpeedPositions; ++p) {
    for (i32 q = 0; q <= p; ++q) matrix.row(p)[q] = matrix.row(q)[p] = covariances[SpeedPair(p, q)];
  }
}

/// The reflection 1 - tau v v' on both sides of rows and columns `first` …, where v is 0 before `first`. The matrix
/// stays symmetric to the bit, so that its rows serve as columns.
template <class L>
LOCKSTEP_LANE_INLINE void SpeedReflectBothSides(SpeedRows& a, i32 first, float tau, const float* v) {
  constexpr i32 kVectors = SpeedRows::kPitch / L::N;
  alignas(64) float x[SpeedRows::kPitch];
  typename L::F32 sums[kVectors];
  Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) { sums[g] = L::SetF(0.0f); });
  for (i32 c = first; c < kSpeedPositions; ++c) {
    const auto factor = L::SetF(v[c]);
    Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
      const auto column = L::Load(a.row(c) + g * L::N);
      sums[g] = L::AddF(sums[g], L::MulF(L::MulF(L::SetF(tau), column), factor));
    });
  }
  Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) { L::Store(sums[g], x + g * L::N); });
  float product = 0.0f;
  for (i32 r = first; r < kSpeedPositions; ++r) product = product + x[r] * v[r];
  const float alpha = static_cast<float>((-0.5 * static_cast<double>(tau)) * static_cast<double>(product));
  for (i32 r = first; r < kSpeedPositions; ++r) x[r] = x[r] + alpha * v[r];
  for (i32 r = first; r < kSpeedPositions; ++r) {
    const auto row_x = L::SetF(x[r]);
    const auto row_v = L::SetF(v[r]);
    Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
      float* const place = a.row(r) + g * L::N;
      const auto change = L::AddF(L::MulF(row_x, L::Load(v + g * L::N)), L::MulF(row_v, L::Load(x + g * L::N)));
      L::Store(L::SubF(L::Load(place), change), place);
    });
  }
}

/// SpeedEigenvalues().
template <class L>
LOCKSTEP_LANE_PASS void SpeedEigenvaluesOnLanes(const SpeedRows& matrix, float (&eigenvalues)[kSpeedPositions]) {
  SpeedRows a = matrix;
  float beside[kSpeedPositions] = {};
  for (i32 i = 0; i < kSpeedPositions - 2; ++i) {
    alignas(64) float v[SpeedRows::kPitch] = {};
    const i32 s = i + 1;
    for (i32 r = s; r < kSpeedPositions; ++r) v[r] = a.row(i)[r];
    const float tau = MakeSpeedReflection(v + s, kSpeedPositions - s, beside[i]);
    if (tau == 0.0f) continue;
    SpeedReflectBothSides<L>(a, s, tau, v);
  }
  for (i32 i = 0; i < kSpeedPositions; ++i) eigenvalues[i] = a.row(i)[i];
  beside[kSpeedPositions - 2] = a.row(kSpeedPositions - 2)[kSpeedPositions - 1];
  SpeedTridiagonalEigenvalues(eigenvalues, beside);
}

/// Rows [begin, begin + kRows) of factor * matrix, products with rows [first, 25) of the matrix only.
/// in      factor: [i * factor_pitch + l] for row i and inner index first + l
template <class L, i32 kRows>
LOCKSTEP_LANE_INLINE void SpeedProductRows(const float* factor, i32 begin, i32 first, const SpeedRows& matrix,
                                           SpeedRows& product) {
  // Columns in two registers at a time; the last ones are filling.
  constexpr i32 kVectors = 2;
  for (i32 column = 0; column < kSpeedPositions; column += kVectors * L::N) {
    typename L::F32 sums[kRows][kVectors];
    Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) { sums[r][g] = L::SetF(0.0f); });
    });
    for (i32 l = first; l < kSpeedPositions; ++l) {
      typename L::F32 row[kVectors];
      Unroll<0, kVectors>([&](auto g)
                              __attribute__((always_inline)) { row[g] = L::Load(matrix.row(l) + column + g * L::N); });
      Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
        const auto scale = L::SetF(factor[(begin + r) * SpeedRows::kPitch + l]);
        Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
          sums[r][g] = L::AddF(sums[r][g], L::MulF(scale, row[g]));
        });
      });
    }
    Unroll<0, kRows>([&](auto r) __attribute__((always_inline)) {
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
        L::Store(sums[r][g], product.row(begin + r) + column + g * L::N);
      });
    });
  }
}

/// Rows [first, 25) of factor * matrix, where the factor is 0 before column `first`.
template <class L>
LOCKSTEP_LANE_PASS void SpeedProduct(const SpeedRows& factor, i32 first, const SpeedRows& matrix, SpeedRows& product) {
  constexpr i32 kRows = 4;
  i32 row = first;
  for (; row + kRows <= kSpeedPositions; row += kRows) {
    SpeedProductRows<L, kRows>(factor.data, row, first, matrix, product);
  }
  for (; row < kSpeedPositions; ++row) SpeedProductRows<L, 1>(factor.data, row, first, matrix, product);
}

LOCKSTEP_LANE_INLINE float SpeedLength(const float* v, i32 begin) {
  float squares = 0.0f;
  for (i32 i = begin; i < kSpeedPositions; ++i) squares = squares + v[i] * v[i];
  return __builtin_sqrtf(squares);
}

LOCKSTEP_LANE_INLINE bool IsSpeedFinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }

/// The orthogonal factor, without the products with what is zero or one.
/// exact   A reflection k is that of rows and columns k … beside the identity. As long as the factor is finite, a
///         product with zero adds a zero, which changes no sum: one that begins with +0 is never -0. Of the reduced
///         matrix, rows and columns before k become the identity's before they are used.
/// result  false: the factor is not finite (what once is not, stays so), and the plain order may differ
template <class L>
LOCKSTEP_LANE_PASS bool SpeedOrthogonalFactor(const SpeedRows& matrix, SpeedRows& q) {
  SpeedRows reduced = matrix;
  SpeedRows next;
  SpeedRows next_q;
  SpeedRows reflection;
  std::fill(std::begin(q.data), std::end(q.data), 0.0f);
  for (i32 i = 0; i < kSpeedPositions; ++i) q.row(i)[i] = 1.0f;
  for (i32 k = 0; k < kSpeedPositions - 1; ++k) {
    float v[kSpeedPositions];
    for (i32 i = k; i < kSpeedPositions; ++i) v[i] = reduced.row(i)[k];
    const float sign = matrix.row(k)[k] >= 0.0f ? 1.0f : -1.0f;
    v[k] = v[k] + sign * SpeedLength(v, k);
    const float length = SpeedLength(v, k);
    for (i32 i = k; i < kSpeedPositions; ++i) v[i] = v[i] / length;
    for (i32 i = k; i < kSpeedPositions; ++i) {
      for (i32 j = k; j < kSpeedPositions; ++j) reflection.row(i)[j] = (-2.0f * v[i]) * v[j];
      reflection.row(i)[i] = reflection.row(i)[i] + 1.0f;
    }
    SpeedProduct<L>(reflection, k, reduced, next);
    SpeedProduct<L>(reflection, k, q, next_q);
    std::copy_n(next.row(k), (kSpeedPositions - k) * SpeedRows::kPitch, reduced.row(k));
    std::copy_n(next_q.row(k), (kSpeedPositions - k) * SpeedRows::kPitch, q.row(k));
  }
  for (i32 i = 0; i < kSpeedPositions; ++i) {
    for (i32 j = 0; j < kSpeedPositions; ++j) {
      if (!IsSpeedFinite(q.row(i)[j])) return false;
    }
  }
  return true;
}

/// Blocks b … b + kVectors * L::N - 1 solved, and their variances.
template <class L, i32 kVectors>
LOCKSTEP_LANE_INLINE void SpeedSolveBlocks(const SpeedBlocksArgs& args, const SpeedRows& q, const SpeedRows& r, i32 b) {
  const i32 pitch = args.pitch();
  float* const samples = args.samples + b;
  float* const solution = args.solution + b;
  for (i32 i = 0; i < kSpeedPositions; i += kSpeedBlock) {
    typename L::F32 sums[kSpeedBlock][kVectors];
    Unroll<0, kSpeedBlock>([&](auto o) __attribute__((always_inline)) {
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) { sums[o][g] = L::SetF(0.0f); });
    });
    for (i32 k = 0; k < kSpeedPositions; ++k) {
      typename L::F32 values[kVectors];
      Unroll<0, kVectors>([&](auto g)
                              __attribute__((always_inline)) { values[g] = L::Load(samples + k * pitch + g * L::N); });
      Unroll<0, kSpeedBlock>([&](auto o) __attribute__((always_inline)) {
        const auto factor = L::SetF(q.row(i + o)[k]);
        Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
          sums[o][g] = L::AddF(sums[o][g], L::MulF(factor, values[g]));
        });
      });
    }
    Unroll<0, kSpeedBlock>([&](auto o) __attribute__((always_inline)) {
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
        L::Store(sums[o][g], solution + (i + o) * pitch + g * L::N);
      });
    });
  }
  for (i32 i = kSpeedPositions - 1; i >= 0; --i) {
    typename L::F32 sums[kVectors];
    Unroll<0, kVectors>([&](auto g)
                            __attribute__((always_inline)) { sums[g] = L::Load(solution + i * pitch + g * L::N); });
    for (i32 k = i + 1; k < kSpeedPositions; ++k) {
      const auto factor = L::SetF(r.row(i)[k]);
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
        sums[g] = L::SubF(sums[g], L::MulF(L::Load(solution + k * pitch + g * L::N), factor));
      });
    }
    const auto pivot = L::SetF(r.row(i)[i]);
    Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
      L::Store(L::DivF(sums[g], pivot), solution + i * pitch + g * L::N);
    });
  }
  const auto share = [&](i32 p, i32 g) __attribute__((always_inline)) {
    const i32 place = p * pitch + g * L::N;
    return L::DivF(L::MulF(L::Load(solution + place), L::Load(samples + place)),
                   L::SetF(static_cast<float>(kSpeedPositions)));
  };
  Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
    auto variance = share(0, g);
    for (i32 p = 1; p < kSpeedPositions; ++p) variance = L::AddF(variance, share(p, g));
    L::Store(variance, args.variances + b + g * L::N);
  });
}

/// log2 of positive normal values.
/// exact   within 2^-40: the series of the logarithm's odd powers of s = (m - 1) / (m + 1), |s| < 0.172, is cut off
///         after s^15, and what it leaves out is below 2^-45
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 SpeedLog2(typename L::F32 x) {
  // Mantissas from sqrt(1/2) to sqrt(2).
  const auto bits = L::BitsF(x);
  const auto exponent = L::template Sar<23>(L::Sub(bits, L::Set(0x3f3504f3)));
  const auto mantissa = L::ToD(L::AsF(L::Sub(bits, L::template Shl<23>(exponent))));
  const auto one = L::SetD(1.0);
  const auto s = L::DivD(L::SubD(mantissa, one), L::AddD(mantissa, one));
  const auto square = L::MulD(s, s);
  // 2 / ln 2, and its parts for the odd powers.
  constexpr double kFirst = 2.8853900817779268;
  auto sum = L::SetD(kFirst / 15.0);
  for (const double part : {13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) {
    sum = L::AddD(L::MulD(sum, square), L::SetD(kFirst / part));
  }
  return L::AddD(L::ToD(exponent), L::MulD(sum, s));
}

/// SpeedEntropyStep(). The logarithm is not the exact one, but binary32 sums tell apart what is 2^-37 away from them:
/// where a sum so much smaller and one so much larger round to different values, the exact one decides.
template <class L>
LOCKSTEP_LANE_INLINE typename L::F32 SpeedEntropyStepOnLanes(typename L::F32 entropy, float eigenvalue,
                                                             typename L::F32 variance, float sigma) {
  constexpr double kMargin = 0x1p-37;
  const auto argument = L::AddF(L::MulF(L::SetF(eigenvalue), variance), L::SetF(sigma));
  const auto bits = L::BitsF(argument);
  const auto is_normal = L::AndM(L::Gt(bits, L::Set(0x007fffff)), L::Gt(L::Set(0x7f800000), bits));
  const auto sum = L::AddD(L::ToD(entropy), L::AddD(SpeedLog2<L>(argument), L::SetD(kSpeedEntropyOfOne)));
  const auto low = L::ToF(L::SubD(sum, L::SetD(kMargin)));
  const auto high = L::ToF(L::AddD(sum, L::SetD(kMargin)));
  const auto undecided = L::Xor(L::BitsF(low), L::BitsF(high));
  if (L::AllZero(L::Select(is_normal, undecided, L::Set(1)))) [[likely]]
    return low;
  float entropies[L::N];
  float variances[L::N];
  L::Store(entropy, entropies);
  L::Store(variance, variances);
  for (i32 i = 0; i < L::N; ++i) entropies[i] = SpeedEntropyStep(entropies[i], eigenvalue, variances[i], sigma);
  return L::Load(entropies);
}

template <class L>
LOCKSTEP_LANE_PASS void SpeedEntropies(const SpeedBlocksArgs& args, const float (&eigenvalues)[kSpeedPositions]) {
  for (i32 b = 0; b < args.pitch(); b += 16) {
    // Several chains at a time, as each waits for its own logarithm.
    constexpr i32 kVectors = 16 / L::N;
    typename L::F32 entropies[kVectors];
    Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) { entropies[g] = L::SetF(0.0f); });
    for (const float eigenvalue : eigenvalues) {
      const float counted = eigenvalue < 0.0f ? 0.0f : eigenvalue;
      Unroll<0, kVectors>([&](auto g) __attribute__((always_inline)) {
        const auto variance = L::Load(args.variances + b + g * L::N);
        entropies[g] = SpeedEntropyStepOnLanes<L>(entropies[g], counted, variance, args.sigma);
      });
    }
    Unroll<0, kVectors>([&](auto g)
                            __attribute__((always_inline)) { L::Store(entropies[g], args.entropies + b + g * L::N); });
  }
}

template <class L>
LOCKSTEP_LANE_PASS bool SpeedSolve(const SpeedBlocksArgs& args, const SpeedRows& q, const SpeedRows& r) {
  for (i32 i = 0; i < kSpeedPositions; ++i) {
    if (static_cast<double>(__builtin_fabsf(r.row(i)[i])) < kSpeedTolerance) return false;
  }
  constexpr i32 kVectors = L::kRegs == 32 ? 4 : 2;
  i32 b = 0;
  for (; b + kVectors * L::N <= args.pitch(); b += kVectors * L::N) SpeedSolveBlocks<L, kVectors>(args, q, r, b);
  for (; b < args.pitch(); b += L::N) SpeedSolveBlocks<L, 1>(args, q, r, b);
  return true;
}

/// SpeedBlocks().
template <class L>
LOCKSTEP_LANE_INLINE bool SpeedBlocksOnLanes(const SpeedBlocksArgs& args) {
  SpeedRows matrix;
  FillSpeedRows(args.covariances, matrix);
  float eigenvalues[kSpeedPositions];
  SpeedEigenvaluesOnLanes<L>(matrix, eigenvalues);
  bool singular = IsSpeedSingular(eigenvalues);
  if (!singular) {
    SpeedRows q;
    if (!SpeedOrthogonalFactor<L>(matrix, q)) return SpeedBlocks(args);
    SpeedRows r;
    SpeedProduct<L>(q, 0, matrix, r);
    GatherSpeedBlocks(args);
    singular = !SpeedSolve<L>(args, q, r);
  }
  if (singular) std::fill_n(args.variances, args.pitch(), 0.0f);
  SpeedEntropies<L>(args, eigenvalues);
  return singular;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
