// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of xpsnr's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/test_facts_bench.h"
#include "features/xpsnr/xpsnr.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kXpsnr, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, second_order, kXpsnr, OptionTexts{{"fps", "50"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
