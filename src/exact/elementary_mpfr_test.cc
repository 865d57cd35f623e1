// SPDX-License-Identifier: BSD-2-Clause-Patent
// Elementary functions against MPFR: pseudo-random arguments over the whole
// range, near ties that a search finds, and the slow phase on its own.
// LOCKSTEP_MPFR_COUNT sets the arguments per function (default 1000000).
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "exact/elementary.h"
#include "exact/elementary_arguments.h"
#include "exact/elementary_internal.h"
#include "exact/fixed_point.h"
#include "exact/float_bits.h"
#include "exact/rounding.h"
#include "exact/slow_phase.h"

namespace lockstep::exact {
namespace {

using internal::Approximation;
using internal::Binary32;
using internal::Binary64;
using internal::Fixed384;
using internal::kUint128One;
using internal::SlowResult;
using internal::Trace;
using test::Arguments;
using test::Call;
using test::Case;
using test::Function;
using test::IsSingle;
using test::kCases;
using test::Random;

uint64_t CountPerFunction() {
  const char* text = std::getenv("LOCKSTEP_MPFR_COUNT");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1000000;
}

/// The arguments of one function are shared out evenly among its cases.
uint64_t CountPerCase(Function function) {
  uint64_t cases = 0;
  for (const Case& c : kCases) cases += c.function == function;
  return CountPerFunction() / cases + 1;
}

/// The correctly rounded value by MPFR. MPFR rounds to the precision of the
/// format within its exponent range; mpfr_subnormalize then rounds again where
/// the result has fewer bits, taking the first rounding into account.
class Reference {
 public:
  Reference() {
    mpfr_init2(x_, Binary64::kPrecision);
    mpfr_init2(y_, Binary64::kPrecision);
    mpfr_init2(double_, Binary64::kPrecision);
    mpfr_init2(single_, Binary32::kPrecision);
  }
  ~Reference() { mpfr_clears(x_, y_, double_, single_, static_cast<mpfr_ptr>(nullptr)); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  double Call(Function f, Arguments a) {
    const bool single = IsSingle(f);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_set_d(x_, a.x, MPFR_RNDN);
    mpfr_set_d(y_, a.y, MPFR_RNDN);
    mpfr_set_emin(single ? -148 : -1073);
    mpfr_set_emax(single ? 128 : 1024);
    mpfr_ptr result = single ? single_ : double_;
    const int direction = Compute(f, result);
    mpfr_subnormalize(result, direction, MPFR_RNDN);
    return mpfr_get_d(result, MPFR_RNDN);
  }

  double SquareRoot(double x) {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_sqrt(double_, x_, MPFR_RNDN);
    return mpfr_get_d(double_, MPFR_RNDN);
  }

 private:
  int Compute(Function f, mpfr_ptr result) {
    switch (f) {
      case Function::kExp:
        return mpfr_exp(result, x_, MPFR_RNDN);
      case Function::kLog:
        return mpfr_log(result, x_, MPFR_RNDN);
      case Function::kLog2:
      case Function::kLog2f:
        return mpfr_log2(result, x_, MPFR_RNDN);
      case Function::kLog10:
        return mpfr_log10(result, x_, MPFR_RNDN);
      case Function::kPow:
      case Function::kPowf:
        return mpfr_pow(result, x_, y_, MPFR_RNDN);
      case Function::kSin:
        return mpfr_sin(result, x_, MPFR_RNDN);
      case Function::kCos:
        return mpfr_cos(result, x_, MPFR_RNDN);
      case Function::kAtan2:
        return mpfr_atan2(result, y_, x_, MPFR_RNDN);
    }
    return 0;
  }

  mpfr_t x_, y_, double_, single_;
};

bool SameBits(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

testing::AssertionResult IsCorrect(Reference& reference, const Case& c, Arguments a, double got) {
  const double want = reference.Call(c.function, a);
  if (SameBits(got, want)) return testing::AssertionSuccess();
  char text[160];
  std::snprintf(text, sizeof(text), "%s x=%a y=%a gives %a, not %a", c.name, a.x, a.y, got, want);
  return testing::AssertionFailure() << text;
}

/// True if the value lies within 2^-15 units in the last place of a tie.
template <class Format>
bool IsNearTie(Approximation a) {
  const internal::Uint128 widened = kUint128One << (127 - Format::kPrecision - 14);
  if (a.error < widened) a.error = widened;
  return !internal::RoundIfDecided<Format>(a).decided;
}

/// Error of the quick phase over its stated bound, both measured against the
/// slow result.
double ErrorOverBound(const Approximation& quick, const SlowResult& slow) {
  const Fixed384 want = internal::ShiftLeft(slow.magnitude, slow.exponent - quick.exponent - 1);
  const Fixed384 got = {{0, 0, 0, internal::Low64(quick.significand), internal::High64(quick.significand), 0}};
  const Fixed384 error = internal::Compare(want, got) >= 0 ? want - got : got - want;
  const double units = static_cast<double>(error.limb[5]) * 0x1p128 + static_cast<double>(error.limb[4]) * 0x1p64 +
                       static_cast<double>(error.limb[3]) + static_cast<double>(error.limb[2]) * 0x1p-64;
  return units / static_cast<double>(quick.error);
}

/// True if the slow result is within 2^-120 units in the last place (or so,
/// for subnormal ones) of a tie: too close to trust.
template <class Format>
bool IsUndecided(const SlowResult& slow) {
  const int top = internal::Exponent(slow.magnitude);
  Fixed384 rest = internal::ShiftLeft(slow.magnitude, Format::kPrecision - 1 - top);
  rest.limb[internal::kUnitsLimb] = 0;
  constexpr Fixed384 kHalf = {{0, 0, 0, 0, uint64_t{1} << 63, 0}};
  const Fixed384 distance = internal::Compare(rest, kHalf) >= 0 ? rest - kHalf : kHalf - rest;
  return internal::IsZero(distance) || internal::Exponent(distance) < -120;
}

class ElementaryMpfrTest : public testing::TestWithParam<Function> {
 protected:
  /// Calls visit(case, arguments) for `per_case` arguments of every case.
  template <class Visit>
  void ForEachArgument(uint64_t seed, uint64_t per_case, Visit visit) {
    uint64_t index = 0;
    for (const Case& c : kCases) {
      ++index;
      if (c.function != GetParam()) continue;
      Random random(seed * 1000003 + index);
      for (uint64_t i = 0; i < per_case && !HasFailure(); ++i) {
        visit(c, c.draw(random));
      }
    }
  }
};

TEST_P(ElementaryMpfrTest, PseudoRandomArguments) {
  Reference reference;
  ForEachArgument(1, CountPerCase(GetParam()),
                  [&](const Case& c, Arguments a) { EXPECT_TRUE(IsCorrect(reference, c, a, Call(c.function, a))); });
}

TEST_P(ElementaryMpfrTest, NearTies) {
  Reference reference;
  int near_ties = 0;
  const uint64_t per_case = 16 * CountPerCase(GetParam());
  ForEachArgument(2, per_case, [&](const Case& c, Arguments a) {
    Trace trace;
    const double got = Call(c.function, a, trace);
    if (!trace.quick.has_value()) return;
    const bool near = IsSingle(c.function) ? IsNearTie<Binary32>(*trace.quick) : IsNearTie<Binary64>(*trace.quick);
    if (!near) return;
    ++near_ties;
    EXPECT_TRUE(IsCorrect(reference, c, a, got));
  });
  RecordProperty("near_ties", near_ties);
}

TEST_P(ElementaryMpfrTest, SlowPhase) {
  Reference reference;
  int slow_results = 0;
  double worst = 0;
  const uint64_t per_case = CountPerCase(GetParam()) / 50 + 1;
  ForEachArgument(3, per_case, [&](const Case& c, Arguments a) {
    Trace trace;
    trace.force_slow_phase = true;
    EXPECT_TRUE(IsCorrect(reference, c, a, Call(c.function, a, trace)));
    if (!trace.slow.has_value()) return;
    ++slow_results;
    worst = std::max(worst, ErrorOverBound(*trace.quick, *trace.slow));
    EXPECT_FALSE(IsSingle(c.function) ? IsUndecided<Binary32>(*trace.slow) : IsUndecided<Binary64>(*trace.slow))
        << c.name << " x=" << a.x << " y=" << a.y;
  });
  EXPECT_GT(slow_results, 0);
  EXPECT_LT(worst, 0.75) << "the quick phase's error comes near its bound";
  RecordProperty("worst_error_over_bound", std::to_string(worst));
}

std::string NameOf(const testing::TestParamInfo<Function>& tested) {
  static constexpr const char* kNames[] = {"Exp", "Log", "Log2",  "Log10", "Pow",
                                           "Sin", "Cos", "Atan2", "Powf",  "Log2f"};
  return kNames[static_cast<int>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(Functions, ElementaryMpfrTest,
                         testing::Values(Function::kExp, Function::kLog, Function::kLog2, Function::kLog10,
                                         Function::kPow, Function::kSin, Function::kCos, Function::kAtan2,
                                         Function::kPowf, Function::kLog2f),
                         NameOf);

TEST(SquareRootMpfrTest, PseudoRandomArguments) {
  Reference reference;
  Random random(1);
  for (uint64_t i = 0; i < CountPerFunction(); ++i) {
    double x = random.AnyPositive();
    if (i % 2 != 0) {  // next to a square
      const auto root = static_cast<double>(random.Next() >> 38);
      x = random.Near(root * root + 1, 2);
    }
    ASSERT_TRUE(SameBits(Sqrt(x), reference.SquareRoot(x))) << x;
  }
}

}  // namespace
}  // namespace lockstep::exact
