// SPDX-License-Identifier: BSD-2-Clause-Patent
// Correctly rounded elementary functions, so that no score depends on a C
// library, a compiler or the state of the floating-point unit.
#ifndef LOCKSTEP_EXACT_ELEMENTARY_H_
#define LOCKSTEP_EXACT_ELEMENTARY_H_

namespace lockstep::exact {

// What holds for every function here:
//
// exact   The result is the mathematical value rounded once, to nearest, ties
//         to even; subnormal results and overflow to infinity included. It is
//         a function of the bits of the arguments alone: computed in integers,
//         independent of rounding mode, flush-to-zero, FMA, x87, fast-math
//         flags and libm.
// domain  All values, subnormals included. A NaN argument gives the quiet NaN
//         0x7ff8000000000000 (binary32: 0x7fc00000) whatever its payload,
//         unless stated otherwise; so does an argument outside the domain.
// errors  none: errno and the floating-point flags are not touched
// thread  safe: constant tables, no state
// source  numerics.md; special values as in ISO C Annex F

/// e^x.
/// domain  all x; Exp(-inf) = 0, Exp(inf) = inf
double Exp(double x);

/// Natural logarithm.
/// domain  x >= 0; Log(1) = +0, Log(+-0) = -inf, Log(inf) = inf, x < 0: NaN
double Log(double x);

/// Logarithm to base 2.
/// domain  as Log; exact for powers of two
double Log2(double x);

/// Logarithm to base 10.
/// domain  as Log; exact for the 23 powers of ten that binary64 represents
double Log10(double x);

/// x^y.
/// domain  x < 0 needs an integer y (its parity gives the sign), else NaN.
///         Pow(x, +-0) = Pow(1, y) = 1 even for NaN; Pow(-1, +-inf) = 1;
///         Pow(+-0, y < 0) = +-inf (the sign counts only for odd y)
/// exact   exact results and ties (x^2 of a 27-bit x, say) included
double Pow(double x, double y);

/// Sine of x radians.
/// domain  finite x of any size; Sin(+-0) = +-0, Sin(+-inf) = NaN
double Sin(double x);

/// Cosine of x radians.
/// domain  finite x of any size; Cos(+-inf) = NaN
double Cos(double x);

/// The angle of the point (x, y) in [-pi, pi]; its sign is that of y.
/// domain  all, zeros and infinities by quadrant: Atan2(+-0, +0) = +-0,
///         Atan2(+-0, -0) = +-pi, Atan2(+-inf, -inf) = +-3 pi / 4
double Atan2(double y, double x);

/// Square root.
/// domain  x >= 0; Sqrt(-0) = -0, Sqrt(inf) = inf, x < 0: NaN
/// exact   the square root that IEEE 754 prescribes. For a binary32 x the
///         result rounded to binary32 is the correctly rounded binary32 root.
double Sqrt(double x);

/// x^y in binary32.
/// domain  as Pow
/// exact   rounded once to binary32, not by way of binary64
float Powf(float x, float y);

/// Logarithm to base 2 in binary32.
/// domain  as Log2
/// exact   rounded once to binary32, not by way of binary64
float Log2f(float x);

}  // namespace lockstep::exact

#endif  // LOCKSTEP_EXACT_ELEMENTARY_H_
