// SPDX-License-Identifier: BSD-2-Clause-Patent
// The two phases of an elementary function, and a way for tests to watch them
// and to force the second. Not for use outside src/exact/.
#ifndef LOCKSTEP_EXACT_ELEMENTARY_INTERNAL_H_
#define LOCKSTEP_EXACT_ELEMENTARY_INTERNAL_H_

#include <cstdint>
#include <optional>

#include "exact/rounding.h"
#include "exact/slow_phase.h"

namespace lockstep::exact::internal {

/// Stands for "nobody watches" in the public functions; compiles to nothing.
struct NoTrace {
  static constexpr bool force_slow_phase = false;
  void RecordQuick(const Approximation&) {}
  void RecordSlow(const SlowResult&) {}
};

/// What one call did. Answers that need no approximation (special values,
/// certain overflow, exact cases) leave both records empty.
struct Trace {
  bool force_slow_phase = false;
  std::optional<Approximation> quick;
  std::optional<SlowResult> slow;

  void RecordQuick(const Approximation& a) { quick = a; }
  void RecordSlow(const SlowResult& r) { slow = r; }
};

/// Bits of the correctly rounded value: from the quick phase if its error bound
/// decides the rounding, else from slow_phase(), which must return them.
template <class Format, class Watcher, class SlowPhase>
inline uint64_t RoundInTwoPhases(const Approximation& quick, Watcher& watcher, SlowPhase slow_phase) {
  watcher.RecordQuick(quick);
  if (!watcher.force_slow_phase) {
    const Rounded rounded = RoundIfDecided<Format>(quick);
    if (rounded.decided) [[likely]]
      return rounded.bits;
  }
  return slow_phase();
}

template <class Format, class Watcher>
inline uint64_t RecordAndRound(const SlowResult& value, Watcher& watcher) {
  watcher.RecordSlow(value);
  return RoundSlow<Format>(value);
}

// The public functions with a watcher.
double Exp(double x, Trace& trace);
double Log(double x, Trace& trace);
double Log2(double x, Trace& trace);
double Log10(double x, Trace& trace);
double Pow(double x, double y, Trace& trace);
double Sin(double x, Trace& trace);
double Cos(double x, Trace& trace);
double Atan2(double y, double x, Trace& trace);
float Powf(float x, float y, Trace& trace);
float Log2f(float x, Trace& trace);

}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_ELEMENTARY_INTERNAL_H_
