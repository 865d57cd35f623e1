// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of motion's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/motion/motion.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kMotion, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, add_uv, kMotion, OptionTexts{{"motion_add_uv", "true"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
