// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer ssim on lanes, a column each; read once for each target.
#if defined(LOCKSTEP_FEATURES_SSIM_SSIM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_SSIM_SSIM_LANES_INL_H_
#undef LOCKSTEP_FEATURES_SSIM_SSIM_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_SSIM_SSIM_LANES_INL_H_
#endif

#include <type_traits>

#include "features/ssim/ssim_arithmetic.h"
#include "features/ssim/ssim_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

/// Up to 12 bit a row's sums fit 32 bits without a sign. They are kept less this, so that they fit with one.
inline constexpr double kIntegerSsimBias = 2147483648.0;

/// Samples of a row of both pictures and their products, `pitch` apart; those beside the row are 0, as if skipped.
template <class L, class Sample>
LOCKSTEP_LANE_PASS void IntegerSsimProducts(const Sample* reference, const Sample* distorted, i32 width, i32* lines,
                                            i64 pitch) {
  for (i32 x = 0; x < width; x += L::N) {
    const auto inside = L::FirstN(width - x);
    const auto s = L::Keep(inside, L::Load32(reference + x));
    const auto d = L::Keep(inside, L::Load32(distorted + x));
    L::Store(s, lines + x);
    L::Store(d, lines + pitch + x);
    L::Store(L::Mul(s, s), lines + 2 * pitch + x);
    L::Store(L::Mul(s, d), lines + 3 * pitch + x);
    L::Store(L::Mul(d, d), lines + 4 * pitch + x);
  }
}

/// Moments along a row of products that do not wrap, less the bias.
template <class L>
LOCKSTEP_LANE_PASS void IntegerSsimAlong(const i32* line, i32 width, i32* out) {
  constexpr i32 kRadius = kIntegerSsimRadius;
  for (i32 x = 0; x < width; x += L::N) {
    const i32* const centre = line + x;
    auto sum = L::Add(L::Set(INT32_MIN), L::Mul(L::Load(centre), L::Set(kIntegerSsimWindow[kRadius])));
    Unroll<1, kRadius + 1>([&](auto k) __attribute__((always_inline)) {
      const auto pair = L::Add(L::Load(centre - k), L::Load(centre + k));
      sum = L::Add(sum, L::Mul(pair, L::Set(kIntegerSsimWindow[kRadius + k])));
    });
    L::Store(sum, out + x);
  }
}

/// Moments along a row of products that wrap in 32 bits, each before it is added.
template <class L>
LOCKSTEP_LANE_PASS void IntegerSsimAlong(const i32* line, i32 width, double* out) {
  constexpr i32 kRadius = kIntegerSsimRadius;
  for (i32 x = 0; x < width; x += L::N) {
    auto sum = L::SetD(0.0);
    Unroll<0, kIntegerSsimTaps>([&](auto k) __attribute__((always_inline)) {
      const auto product = L::Mul(L::Load(line + x + (k - kRadius)), L::Set(kIntegerSsimWindow[k]));
      sum = L::AddD(sum, L::ToD(product));
    });
    L::StoreD(sum, out + x);
  }
}

/// The moment of a window: its rows' moments, weighed.
/// exact   integers below 2^53, whatever their order
template <class L, class Element>
LOCKSTEP_LANE_INLINE typename L::F64 IntegerSsimDown(const Element* const* rows, i32 x) {
  constexpr i32 kRadius = kIntegerSsimRadius;
  auto sum = L::MulD(L::LoadD(rows[kRadius] + x), L::SetD(kIntegerSsimWindow[kRadius]));
  Unroll<1, kRadius + 1>([&](auto k) __attribute__((always_inline)) {
    const auto pair = L::AddD(L::LoadD(rows[kRadius - k] + x), L::LoadD(rows[kRadius + k] + x));
    sum = L::AddD(sum, L::MulD(pair, L::SetD(kIntegerSsimWindow[kRadius + k])));
  });
  if constexpr (std::is_same_v<Element, i32>) sum = L::AddD(sum, L::SetD(256 * kIntegerSsimBias));
  return sum;
}

/// IntegerSsimTerm() of a row.
/// in      rows: of each moment, those under the window; weights: of the columns
template <class L, class Element>
LOCKSTEP_LANE_PASS void IntegerSsimTermsOfRow(const Element* const (*rows)[kIntegerSsimTaps], i32 width,
                                              double row_weight, const double* weights,
                                              const IntegerSsimConstants& constants, double* out) {
  const auto two = L::SetD(2.0);
  for (i32 x = 0; x < width; x += L::N) {
    const auto weight = L::MulD(L::LoadD(weights + x), L::SetD(row_weight));
    const auto c1 = L::MulD(L::MulD(L::SetD(constants.c1), weight), weight);
    const auto c2 = L::MulD(L::MulD(L::SetD(constants.c2), weight), weight);
    const auto reference = IntegerSsimDown<L>(rows[0], x);
    const auto distorted = IntegerSsimDown<L>(rows[1], x);
    const auto a = L::MulD(reference, reference);
    const auto b = L::MulD(reference, distorted);
    const auto c = L::MulD(distorted, distorted);
    const auto covariance = L::SubD(L::MulD(IntegerSsimDown<L>(rows[3], x), weight), b);
    const auto numerator =
        L::MulD(L::MulD(weight, L::AddD(L::MulD(two, b), c1)), L::AddD(c2, L::MulD(two, covariance)));
    auto variances = L::SubD(L::MulD(IntegerSsimDown<L>(rows[2], x), weight), a);
    variances = L::AddD(variances, L::MulD(IntegerSsimDown<L>(rows[4], x), weight));
    variances = L::AddD(L::SubD(variances, c), c2);
    const auto denominator = L::MulD(L::AddD(L::AddD(a, c), c1), variances);
    L::StoreD(L::DivD(numerator, denominator), out + x);
  }
}

/// Line buffers: products of a row, column weights and terms in binary64, then a ring of moments along rows and a row
/// of zeros.
template <class Element>
struct IntegerSsimLines {
  IntegerSsimLines(void* lines, i32 width)
      : pitch(IntegerSsimSimdPitch(width)),
        weights(static_cast<double*>(lines)),
        terms(weights + pitch),
        products(reinterpret_cast<i32*>(terms + pitch) + kIntegerSsimSimdMargin),
        zeros(reinterpret_cast<Element*>(products - kIntegerSsimSimdMargin + kIntegerSsimMoments * pitch)),
        ring(zeros + pitch) {}

  /// Row y of one moment; the rows of one window have different places.
  [[nodiscard]] Element* Row(i32 moment, i32 y) const {
    return ring + (static_cast<i64>(moment) * kIntegerSsimTaps + y % kIntegerSsimTaps) * pitch;
  }

  i64 pitch;
  double* weights;
  double* terms;
  i32* products;
  Element* zeros;
  Element* ring;
};

template <class L, class Sample, class Element>
LOCKSTEP_LANE_INLINE double IntegerSsimOnLanes(const IntegerSsimSimdArgs& args) {
  constexpr i32 kRadius = kIntegerSsimRadius;
  const IntegerSsimLines<Element> lines(args.lines, args.width);
  for (i32 x = 0; x < args.width; ++x) lines.weights[x] = IntegerSsimWeight(x, args.width);
  const auto zero = static_cast<Element>(std::is_same_v<Element, i32> ? -kIntegerSsimBias : 0.0);
  for (i64 x = 0; x < lines.pitch; ++x) lines.zeros[x] = zero;
  double sum = 0.0;
  i32 loaded = 0;
  for (i32 y = 0; y < args.height; ++y) {
    for (; loaded < args.height && loaded <= y + kRadius; ++loaded) {
      IntegerSsimProducts<L>(static_cast<const Sample*>(args.reference) + loaded * args.reference_stride,
                             static_cast<const Sample*>(args.distorted) + loaded * args.distorted_stride, args.width,
                             lines.products, lines.pitch);
      for (i32 i = 0; i < kIntegerSsimMoments; ++i) {
        IntegerSsimAlong<L>(lines.products + i * lines.pitch, args.width, lines.Row(i, loaded));
      }
    }
    const Element* rows[kIntegerSsimMoments][kIntegerSsimTaps];
    for (i32 i = 0; i < kIntegerSsimMoments; ++i) {
      for (i32 k = 0; k < kIntegerSsimTaps; ++k) {
        const i32 row = y + k - kRadius;
        rows[i][k] = row >= 0 && row < args.height ? lines.Row(i, row) : lines.zeros;
      }
    }
    IntegerSsimTermsOfRow<L>(rows, args.width, IntegerSsimWeight(y, args.height), lines.weights, *args.constants,
                             lines.terms);
    for (i32 x = 0; x < args.width; ++x) sum += lines.terms[x];
  }
  return sum;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
