// SPDX-License-Identifier: BSD-2-Clause-Patent
// Elementary functions on lanes in binary64, each with a bound of its error, for ciede; read once for each target.
#if defined(LOCKSTEP_FEATURES_CIEDE_CIEDE_ELEMENTARY_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_CIEDE_CIEDE_ELEMENTARY_LANES_INL_H_
#undef LOCKSTEP_FEATURES_CIEDE_CIEDE_ELEMENTARY_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_CIEDE_CIEDE_ELEMENTARY_LANES_INL_H_
#endif

#include "features/ciede/ciede_arithmetic.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Errors are in units of u = 2^-53, the relative rounding error of one operation. Coefficients are those of
// generate_polynomials.py, whose errors are below one unit.

inline constexpr double kCiedeSineTerms[] = {-0.16666666666666666,   0.008333333333333316,   -0.00019841269841254963,
                                             2.755731921916006e-06,  -2.505210761659258e-08, 1.605897728629806e-10,
                                             -7.643969461442937e-13, 2.7314343517184076e-15};
inline constexpr double kCiedeCosineTerms[] = {0.04166666666666666,     -0.0013888888888884763, 2.4801587298911796e-05,
                                               -2.7557318573024424e-07, 2.0876681529195968e-09, -1.1466251084190046e-11,
                                               4.646418638318574e-14};
inline constexpr double kCiedeArctangentTerms[] = {-0.3333333333333333,  0.19999999999995505,  -0.1428571428466294,
                                                   0.1111111101496664,   -0.09090904566354399, 0.07692182917461161,
                                                   -0.06664507597561675, 0.05858115476299884,  -0.050852748016420944,
                                                   0.03922660551087136,  -0.01917070039374299};
inline constexpr double kCiedeExponentialTerms[] = {
    0.5000000000000001,    0.16666666666666669,   0.04166666666660905,   0.008333333333328903,   0.001388888892445223,
    0.0001984126986862009, 2.480151047990332e-05, 2.755726014240448e-06, 2.7625038243496424e-07, 2.510419190091969e-08};

/// terms[0] + terms[1] x + terms[2] x^2 + …
template <class L, i32 kTerms>
LOCKSTEP_LANE_INLINE typename L::F64 CiedePolynomial(const double (&terms)[kTerms], typename L::F64 x) {
  auto sum = L::SetD(terms[kTerms - 1]);
  Unroll<1, kTerms>([&](auto i) __attribute__((always_inline)) {
    sum = L::AddD(L::MulD(sum, x), L::SetD(terms[kTerms - 1 - i]));
  });
  return sum;
}

/// x^(-1/kRoot) for roots 3 and 5: from the exponent's quotient by Householder's steps, two in binary32 and one more.
/// in      2^-10 < x < 2^10
/// exact   within 2.5 u; before the last step |1 - x r^kRoot| < 2^-20, and its third power is left out
template <class L, i32 kRoot>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeInverseRoot(typename L::F64 x) {
  static_assert(kRoot == 3 || kRoot == 5);
  // (1 - e)^(-1/kRoot) = 1 + first e + second e^2 + …
  constexpr double kFirst = 1.0 / kRoot;
  constexpr double kSecond = (kRoot + 1.0) / (2.0 * kRoot * kRoot);
  // The bits of 1 times 1 + 1 / kRoot, less what makes the greatest error smallest.
  constexpr float kStart = kRoot == 3 ? 1419900544.0f : 1277903744.0f;
  const auto narrow = L::ToF(x);
  const auto one = L::SetF(1.0f);
  auto root = L::AsF(
      L::TruncF(L::SubF(L::SetF(kStart), L::MulF(L::ToF(L::BitsF(narrow)), L::SetF(static_cast<float>(kFirst))))));
  Unroll<0, 2>([&](auto) __attribute__((always_inline)) {
    const auto square = L::MulF(root, root);
    const auto power = kRoot == 3 ? square : L::MulF(square, square);
    const auto e = L::SubF(one, L::MulF(L::MulF(narrow, root), power));
    const auto series = L::AddF(L::SetF(static_cast<float>(kFirst)), L::MulF(e, L::SetF(static_cast<float>(kSecond))));
    root = L::AddF(root, L::MulF(root, L::MulF(e, series)));
  });
  const auto wide = L::ToD(root);
  const auto square = L::MulD(wide, wide);
  const auto power = kRoot == 3 ? square : L::MulD(square, square);
  const auto e = L::SubD(L::SetD(1.0), L::MulD(L::MulD(x, wide), power));
  const auto series = L::AddD(L::SetD(kFirst), L::MulD(e, L::SetD(kSecond)));
  return L::AddD(wide, L::MulD(wide, L::MulD(e, series)));
}

/// sin x.
/// in      |x| <= 1.5709
/// exact   within 5 u, relative
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeSine(typename L::F64 x) {
  const auto square = L::MulD(x, x);
  return L::AddD(x, L::MulD(L::MulD(x, square), CiedePolynomial<L>(kCiedeSineTerms, square)));
}

/// cos x.
/// in      |x| <= 1.5709
/// exact   within 5 u, absolute
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeCosine(typename L::F64 x) {
  const auto square = L::MulD(x, x);
  const auto rest = L::MulD(L::MulD(square, square), CiedePolynomial<L>(kCiedeCosineTerms, square));
  return L::AddD(L::SubD(L::SetD(1.0), L::MulD(square, L::SetD(0.5))), rest);
}

/// e^x.
/// in      -64 <= x <= 0
/// exact   within 4 u, relative: the product with the higher half of ln 2, which has 40 bits, is exact, and so is the
///         difference from it
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeExponential(typename L::F32 x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr double kLn2High = 0x1.62e42fefa2p-1;
  constexpr double kLn2Low = 0x1.9ef35793c7673p-41;
  const auto exponent = L::TruncF(L::SubF(L::MulF(x, L::SetF(kLog2E)), L::SetF(0.5f)));
  const auto wide_exponent = L::ToD(exponent);
  const auto rest =
      L::SubD(L::SubD(L::ToD(x), L::MulD(wide_exponent, L::SetD(kLn2High))), L::MulD(wide_exponent, L::SetD(kLn2Low)));
  const auto series = L::MulD(L::MulD(rest, rest), CiedePolynomial<L>(kCiedeExponentialTerms, rest));
  const auto fraction = L::AddD(L::SetD(1.0), L::AddD(rest, series));
  const auto power = L::AsF(L::template Shl<23>(L::Add(exponent, L::Set(127))));
  return L::MulD(fraction, L::ToD(power));
}

/// The angle of (x, |y|) in 0 … pi; 0 for the origin.
/// exact   within 6 u, relative; sums and differences of coordinates that are compared with the tangent of pi / 8 are
///         exact, because their exponents are close
template <class L>
LOCKSTEP_LANE_INLINE typename L::F64 CiedeAngle(typename L::F32 y, typename L::F32 x) {
  constexpr double kTangentOfEighth = 0.41421356237309503;
  constexpr double kBelowAnyCoordinate = 0x1p-126;
  const auto zero = L::SetD(0.0);
  const auto wide_x = L::ToD(x);
  const auto absolute_x = L::ToD(L::AbsF(x));
  const auto absolute_y = L::ToD(L::AbsF(y));
  const auto low = L::MinD(absolute_x, absolute_y);
  const auto high = L::MaxD(L::MaxD(absolute_x, absolute_y), L::SetD(kBelowAnyCoordinate));
  // The tangent, or that of the angle less pi / 4.
  const auto threshold = L::MulD(high, L::SetD(kTangentOfEighth));
  const auto numerator = L::SelectGtD(low, threshold, L::SubD(low, high), low);
  const auto denominator = L::SelectGtD(low, threshold, L::AddD(low, high), high);
  const auto tangent = L::DivD(numerator, denominator);
  const auto square = L::MulD(tangent, tangent);
  const auto rest = L::MulD(L::MulD(tangent, square), CiedePolynomial<L>(kCiedeArctangentTerms, square));
  auto angle = L::AddD(tangent, rest);
  angle = L::SelectGtD(low, threshold, L::AddD(angle, L::SetD(kCiedePi / 4.0)), angle);
  angle = L::SelectGtD(absolute_y, absolute_x, L::SubD(L::SetD(kCiedePi / 2.0), angle), angle);
  return L::SelectGtD(zero, wide_x, L::SubD(L::SetD(kCiedePi), angle), angle);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
