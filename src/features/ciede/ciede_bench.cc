// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of ciede's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/ciede/ciede.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using test_run::OptionTexts;

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"width", "height", "depth", "target"})
      ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}})
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(RunFacts, noise, kCiede, OptionTexts{})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
