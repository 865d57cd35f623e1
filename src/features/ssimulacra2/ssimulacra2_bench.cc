// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of ssimulacra2's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/ssimulacra2/ssimulacra2.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kSsimulacra2, OptionTexts{})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
