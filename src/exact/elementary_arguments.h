// SPDX-License-Identifier: BSD-2-Clause-Patent
// Deterministic pseudo-random arguments for the tests and benchmarks of the
// elementary functions: whole ranges, the ranges metrics use, and hard places.
#ifndef LOCKSTEP_EXACT_ELEMENTARY_ARGUMENTS_H_
#define LOCKSTEP_EXACT_ELEMENTARY_ARGUMENTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "exact/elementary.h"
#include "exact/elementary_internal.h"
#include "exact/float_bits.h"
#include "exact/integer_math.h"
#include "exact/rounding.h"

namespace lockstep::exact::test {

// Conversions between binary32 and binary64 in integers, because the tests run
// with denormals treated as zero, too, and because GCC 12's vectorizer takes
// two adjacent (double)(float)x for no operation.

/// x rounded to binary32.
/// in      a number, not NaN or infinite
inline float Narrow(double x) {
  const uint64_t bits = internal::ToBits(x);
  const uint64_t magnitude = bits & ~internal::Binary64::kSign;
  const uint32_t sign = bits != magnitude ? internal::Binary32::kSign : 0;
  if (magnitude == 0) return internal::FromBits(sign);
  const internal::Scaled scaled = internal::Decompose(magnitude);
  const uint64_t rounded = internal::RoundExact<internal::Binary32>(scaled.significand, scaled.exponent - 52);
  return internal::FromBits(sign | static_cast<uint32_t>(rounded));
}

inline double Widen(float x) {
  using internal::Binary32;
  const uint32_t bits = internal::ToBits(x);
  const uint32_t magnitude = bits & ~Binary32::kSign;
  uint64_t wide = 0;
  if (internal::IsPositiveFinite<Binary32>(magnitude)) {
    const internal::Scaled scaled = internal::Decompose(magnitude);
    wide = internal::Compose<internal::Binary64>(scaled.significand, scaled.exponent);
  } else if (magnitude != 0) {
    wide = magnitude == Binary32::kInfinity ? internal::Binary64::kInfinity : internal::Binary64::kQuietNan;
  }
  return internal::FromBits(bits != magnitude ? wide | internal::Binary64::kSign : wide);
}

/// SplitMix64 and draws from it. The drawn values are the same on every build:
/// they are made of bits, exact products and single operations, so neither
/// contraction nor libm takes part.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// 0 <= result < n.
  uint64_t Below(uint64_t n) { return Next() % n; }

  double Sign(double x) { return Below(2) != 0 ? -x : x; }

  /// Any finite value, all bit patterns alike.
  double AnyFinite() {
    for (;;) {
      const uint64_t bits = Next();
      const bool finite = (bits & internal::Binary64::kInfinity) != internal::Binary64::kInfinity;
      if (finite) return std::bit_cast<double>(bits);
    }
  }
  double AnyPositive() {
    for (;;) {
      const uint64_t bits = std::bit_cast<uint64_t>(AnyFinite()) << 1 >> 1;
      if (bits != 0) return std::bit_cast<double>(bits);
    }
  }
  double AnyPositiveFloat() {
    for (;;) {
      const auto bits = static_cast<uint32_t>(Next() >> 33);
      if (internal::IsPositiveFinite<internal::Binary32>(bits)) {
        return Widen(std::bit_cast<float>(bits));
      }
    }
  }

  /// Exponent uniform in [low, high], any significand.
  double Magnitude(int low, int high) {
    const int exponent = low + static_cast<int>(Below(static_cast<uint64_t>(high - low + 1)));
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52 | Next() >> 12);
  }
  double FloatMagnitude(int low, int high) { return ToFloat(Magnitude(low, high)); }

  /// Uniform in [low, high) with steps of 2^-40.
  double Between(int low, int high) {
    const uint64_t steps = static_cast<uint64_t>(high - low) << 40;
    const int64_t at = static_cast<int64_t>(Below(steps)) + static_cast<int64_t>(low) * kSteps;
    return static_cast<double>(at) * Ldexp1(-40);
  }

  template <size_t n>
  double Pick(const double (&values)[n]) {
    return values[Below(n)];
  }

  /// Within `steps` representable values of x.
  double Near(double x, uint64_t steps) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) + Below(2 * steps + 1) - steps);
  }

  static double ToFloat(double x) { return Widen(Narrow(x)); }

 private:
  static constexpr int64_t kSteps = int64_t{1} << 40;
  uint64_t state_;
};

enum class Function {
  kExp,
  kLog,
  kLog2,
  kLog10,
  kPow,
  kSin,
  kCos,
  kAtan2,
  kPowf,
  kLog2f,
};

constexpr bool IsSingle(Function f) { return f == Function::kPowf || f == Function::kLog2f; }

/// y is the second argument of a power and the first of Atan2.
struct Arguments {
  double x;
  double y;
};

/// The function with the arguments; those of binary32 functions are binary32
/// values already. Optional: a trace.
template <class... OptionalTrace>
double Call(Function f, Arguments a, OptionalTrace&... trace) {
  using namespace lockstep::exact;            // the public functions
  using namespace lockstep::exact::internal;  // those with a trace
  switch (f) {
    case Function::kExp:
      return Exp(a.x, trace...);
    case Function::kLog:
      return Log(a.x, trace...);
    case Function::kLog2:
      return Log2(a.x, trace...);
    case Function::kLog10:
      return Log10(a.x, trace...);
    case Function::kPow:
      return Pow(a.x, a.y, trace...);
    case Function::kSin:
      return Sin(a.x, trace...);
    case Function::kCos:
      return Cos(a.x, trace...);
    case Function::kAtan2:
      return Atan2(a.y, a.x, trace...);
    case Function::kPowf:
      return Widen(Powf(Narrow(a.x), Narrow(a.y), trace...));
    case Function::kLog2f:
      return Widen(Log2f(Narrow(a.x), trace...));
  }
  return 0;
}

struct Case {
  const char* name;
  Function function;
  Arguments (*draw)(Random& r);
};

inline double NearOne(Random& r) { return 1.0 + r.Sign(r.Magnitude(-53, -3)); }

/// Multiples of pi / 2, as near as binary64 comes, and their neighbours.
inline double NearQuarterTurn(Random& r) {
  const auto turns = static_cast<double>(r.Below(1000000) + 1);
  return r.Near(turns * 1.5707963267948966, 8);
}

/// x of any size and y such that x^y is near overflow or underflow.
inline Arguments NearPowLimits(Random& r) {
  const int exponent = static_cast<int>(r.Below(2046)) - 1022;
  const double x = r.Magnitude(exponent, exponent);
  const double log2 = exponent == 0 ? 0.5 : static_cast<double>(exponent);
  return {x, r.Between(-1090, 1030) / log2};
}

/// Small rationals with exponents that make exact results and ties.
inline Arguments ExactPower(Random& r) {
  static constexpr double kExponents[] = {2, 3, 4, 5, 7, 0.5, 1.5, 0.25, -1, -2, 2.5, 0.125, 1, 0.75};
  const auto numerator = static_cast<double>(r.Below(5000) + 1);
  return {numerator * Ldexp1(-static_cast<int>(r.Below(12))), r.Pick(kExponents)};
}

/// Squares of 27-bit integers, half of which are ties.
inline Arguments TiedSquare(Random& r) {
  const uint64_t odd = (r.Below(1u << 26) + (1u << 26)) | 1;
  return {static_cast<double>(odd), 2};
}

/// Arguments of Log10 as PSNR has them.
inline Arguments PsnrRatio(Random& r) {
  switch (r.Below(3)) {
    case 0:
      return {static_cast<double>((r.Next() >> (20 + r.Below(40))) + 1), 0};
    case 1:
      return {65025.0 / r.Magnitude(-20, 14), 0};
    default:
      return {r.Magnitude(-40, -1), 0};
  }
}

/// Slopes far below one, into the subnormal results.
inline Arguments TinySlope(Random& r) {
  const double x = r.FloatMagnitude(-3, 3);
  const double y = x * r.Magnitude(-1022, -20);
  switch (r.Below(3)) {
    case 0:
      return {x, y};
    case 1:
      return {x, static_cast<double>(r.Below(1u << 20)) * Ldexp1(-1074)};
    default:
      return {Ldexp1(static_cast<int>(r.Below(80))), y};
  }
}

inline constexpr Case kCases[] = {
    {"exp all", Function::kExp,
     [](Random& r) {
       return Arguments{r.Between(-750, 712), 0};
     }},
    {"exp kernels", Function::kExp,
     [](Random& r) {
       return Arguments{r.Between(-20, 0), 0};
     }},
    {"exp tiny", Function::kExp,
     [](Random& r) {
       return Arguments{r.Sign(r.Magnitude(-60, -1)), 0};
     }},
    {"log all", Function::kLog,
     [](Random& r) {
       return Arguments{r.AnyPositive(), 0};
     }},
    {"log near 1", Function::kLog,
     [](Random& r) {
       return Arguments{NearOne(r), 0};
     }},
    {"log2 all", Function::kLog2,
     [](Random& r) {
       return Arguments{r.AnyPositive(), 0};
     }},
    {"log2 near 1", Function::kLog2,
     [](Random& r) {
       return Arguments{NearOne(r), 0};
     }},
    {"log2 of binary32", Function::kLog2,
     [](Random& r) {
       return Arguments{r.FloatMagnitude(-10, 24), 0};
     }},
    {"log10 all", Function::kLog10,
     [](Random& r) {
       return Arguments{r.AnyPositive(), 0};
     }},
    {"log10 near 1", Function::kLog10,
     [](Random& r) {
       return Arguments{NearOne(r), 0};
     }},
    {"log10 psnr", Function::kLog10, PsnrRatio},
    {"pow all", Function::kPow,
     [](Random& r) {
       return Arguments{r.AnyPositive(), r.Sign(r.Magnitude(-20, 12))};
     }},
    {"pow near its limits", Function::kPow, NearPowLimits},
    {"pow 2.4", Function::kPow,
     [](Random& r) {
       return Arguments{r.Magnitude(-4, 0), 2.4};
     }},
    {"pow 1/3", Function::kPow,
     [](Random& r) {
       return Arguments{r.Magnitude(-7, 0), 1.0 / 3};
     }},
    {"pow binary32^7", Function::kPow,
     [](Random& r) {
       return Arguments{r.FloatMagnitude(-3, 7), 7};
     }},
    {"pow ssim", Function::kPow,
     [](Random& r) {
       static constexpr double kExponents[] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
       return Arguments{r.FloatMagnitude(-3, -1), Random::ToFloat(r.Pick(kExponents))};
     }},
    {"pow exact", Function::kPow, ExactPower},
    {"pow ties", Function::kPow, TiedSquare},
    {"pow x near 1", Function::kPow,
     [](Random& r) {
       return Arguments{1.0 + r.Sign(r.Magnitude(-52, -2)), r.Sign(r.Magnitude(-5, 60))};
     }},
    {"pow small y", Function::kPow,
     [](Random& r) {
       static constexpr double kExponents[] = {2, 3, 0.5, 1, -1};
       return Arguments{r.Magnitude(-40, 40), r.Pick(kExponents)};
     }},
    {"pow of 10", Function::kPow,
     [](Random& r) {
       return Arguments{10, Random::ToFloat(r.Between(-3, 6))};
     }},
    {"pow of negative", Function::kPow,
     [](Random& r) {
       const auto y = static_cast<double>(r.Below(200));
       return Arguments{-r.Magnitude(-5, 5), y - 100};
     }},
    {"sin moderate", Function::kSin,
     [](Random& r) {
       return Arguments{r.Between(-32, 32), 0};
     }},
    {"sin all", Function::kSin,
     [](Random& r) {
       return Arguments{r.AnyFinite(), 0};
     }},
    {"sin near quarter turns", Function::kSin,
     [](Random& r) {
       return Arguments{NearQuarterTurn(r), 0};
     }},
    {"sin small", Function::kSin,
     [](Random& r) {
       return Arguments{r.Sign(r.Magnitude(-30, -1)), 0};
     }},
    {"cos moderate", Function::kCos,
     [](Random& r) {
       return Arguments{r.Between(-32, 32), 0};
     }},
    {"cos all", Function::kCos,
     [](Random& r) {
       return Arguments{r.AnyFinite(), 0};
     }},
    {"cos near quarter turns", Function::kCos,
     [](Random& r) {
       return Arguments{NearQuarterTurn(r), 0};
     }},
    {"cos small", Function::kCos,
     [](Random& r) {
       return Arguments{r.Sign(r.Magnitude(-30, -1)), 0};
     }},
    {"atan2 binary32", Function::kAtan2,
     [](Random& r) {
       return Arguments{r.Sign(r.FloatMagnitude(-12, 7)), r.Sign(r.FloatMagnitude(-12, 7))};
     }},
    {"atan2 all", Function::kAtan2,
     [](Random& r) {
       return Arguments{r.AnyFinite(), r.AnyFinite()};
     }},
    {"atan2 alike", Function::kAtan2,
     [](Random& r) {
       return Arguments{r.Sign(r.Magnitude(-3, 3)), r.Sign(r.Magnitude(-3, 3))};
     }},
    {"atan2 diagonal", Function::kAtan2,
     [](Random& r) {
       const double x = r.Magnitude(-3, 3);
       return Arguments{x, r.Near(x, uint64_t{1} << r.Below(40))};
     }},
    {"atan2 tiny slope", Function::kAtan2, TinySlope},
    {"powf all", Function::kPowf,
     [](Random& r) {
       return Arguments{r.AnyPositiveFloat(), r.Sign(r.FloatMagnitude(-10, 9))};
     }},
    {"powf 1/3", Function::kPowf,
     [](Random& r) {
       return Arguments{r.FloatMagnitude(-30, 40), Random::ToFloat(1.0 / 3)};
     }},
    {"powf 7", Function::kPowf,
     [](Random& r) {
       return Arguments{r.FloatMagnitude(-3, 7), 7};
     }},
    {"powf adm", Function::kPowf,
     [](Random& r) {
       static constexpr double kExponents[] = {2,       2.5,       3,       3.5,       1.5,      4,
                                               1.0 / 2, 1.0 / 2.5, 1.0 / 3, 1.0 / 3.5, 1.0 / 1.5};
       return Arguments{r.FloatMagnitude(-20, 12), Random::ToFloat(r.Pick(kExponents))};
     }},
    {"powf exact", Function::kPowf,
     [](Random& r) {
       const Arguments a = ExactPower(r);
       return Arguments{Random::ToFloat(a.x), a.y};
     }},
    {"log2f all", Function::kLog2f,
     [](Random& r) {
       return Arguments{r.AnyPositiveFloat(), 0};
     }},
    {"log2f vif", Function::kLog2f,
     [](Random& r) {
       return Arguments{static_cast<double>(32768 + r.Below(32768)), 0};
     }},
};
inline constexpr size_t kCaseCount = sizeof(kCases) / sizeof(kCases[0]);

}  // namespace lockstep::exact::test

#endif  // LOCKSTEP_EXACT_ELEMENTARY_ARGUMENTS_H_
