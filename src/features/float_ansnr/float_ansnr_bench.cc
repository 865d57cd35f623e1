// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_ansnr's facts for one frame pair.
#include <benchmark/benchmark.h>

#include "features/float_ansnr/float_ansnr.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kFloatAnsnr, OptionTexts{})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
