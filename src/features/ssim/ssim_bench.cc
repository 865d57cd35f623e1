// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of ssim's facts for one frame pair.
#include <benchmark/benchmark.h>

#include "features/ssim/ssim.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kSsim, OptionTexts{})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
