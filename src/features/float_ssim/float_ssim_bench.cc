// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_ssim's facts for one frame pair.
#include <benchmark/benchmark.h>

#include "features/float_ssim/float_ssim.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kFloatSsim, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, full_size, kFloatSsim, OptionTexts{{"scale", "1"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
