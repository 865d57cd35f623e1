// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_vif's facts for one frame pair.
#include "features/float_vif/float_vif.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kFloatVif, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, prescale_lanczos4, kFloatVif,
                  OptionTexts{{"vif_prescale", "0.5"}, {"vif_prescale_method", "lanczos4"}})
    ->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, prescale_bicubic, kFloatVif,
                  OptionTexts{{"vif_prescale", "0.5"}, {"vif_prescale_method", "bicubic"}})
    ->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
