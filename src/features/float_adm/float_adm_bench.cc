// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_adm's facts for one frame pair.
#include "features/float_adm/float_adm.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kFloatAdm, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, fractional_gain, kFloatAdm, OptionTexts{{"adm_enhn_gain_limit", "1.2"}})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, power, kFloatAdm, OptionTexts{{"adm_p_norm", "2.5"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
