// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time per call of the elementary functions (throughput over independent
// arguments), quick phase as in use and slow phase forced.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "exact/elementary_arguments.h"
#include "exact/elementary_internal.h"

namespace lockstep::exact {
namespace {

using test::Arguments;
using test::Case;
using test::Function;
using test::Random;

constexpr size_t kQuickArguments = 4096;
constexpr size_t kSlowArguments = 64;

std::vector<Arguments> Draw(const Case& c, size_t count) {
  std::vector<Arguments> drawn;
  Random random(1);
  for (size_t i = 0; i < count; ++i) drawn.push_back(c.draw(random));
  return drawn;
}

// test::Call converts binary32 in integers; here the hardware does it, so that
// the function itself is timed.
void CallOnce(Function f, Arguments a) {
  if (f == Function::kPowf) {
    benchmark::DoNotOptimize(Powf(static_cast<float>(a.x), static_cast<float>(a.y)));
  } else if (f == Function::kLog2f) {
    benchmark::DoNotOptimize(Log2f(static_cast<float>(a.x)));
  } else {
    benchmark::DoNotOptimize(test::Call(f, a));
  }
}

void RunQuick(benchmark::State& state, const Case& c) {
  const std::vector<Arguments> drawn = Draw(c, kQuickArguments);
  size_t next = 0;
  for (auto _ : state) {
    CallOnce(c.function, drawn[next]);
    next = (next + 1) % kQuickArguments;
  }
}

void RunSlow(benchmark::State& state, const Case& c) {
  const std::vector<Arguments> drawn = Draw(c, kSlowArguments);
  size_t next = 0;
  for (auto _ : state) {
    internal::Trace trace;
    trace.force_slow_phase = true;
    benchmark::DoNotOptimize(test::Call(c.function, drawn[next], trace));
    next = (next + 1) % kSlowArguments;
  }
}

void RunSquareRoot(benchmark::State& state) {
  Random random(1);
  std::vector<double> drawn;
  for (size_t i = 0; i < kQuickArguments; ++i) drawn.push_back(random.AnyPositive());
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Sqrt(drawn[next]));
    next = (next + 1) % kQuickArguments;
  }
}

}  // namespace
}  // namespace lockstep::exact

int main(int argc, char** argv) {
  using namespace lockstep::exact;
  for (const test::Case& c : test::kCases) {
    benchmark::RegisterBenchmark(c.name, RunQuick, c);
    benchmark::RegisterBenchmark((std::string(c.name) + " (slow)").c_str(), RunSlow, c);
  }
  benchmark::RegisterBenchmark("sqrt", RunSquareRoot);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
