// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_motion's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/float_motion/float_motion.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::RunFacts;
using facts_bench::Sizes;
using test_run::OptionTexts;

BENCHMARK_CAPTURE(RunFacts, default_options, kFloatMotion, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, add_scale1, kFloatMotion, OptionTexts{{"motion_add_scale1", "true"}})->Apply(Sizes);

void RunPrepare(benchmark::State& state, const OptionTexts& options) {
  const VideoFormat format = facts_bench::FormatOf(state);
  const std::unique_ptr<Feature> feature = test_run::MakeFeature(kFloatMotion, options, format);
  const std::vector<Frame> reference = test_run::NoiseFrames(format, 1, 1);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  AlignedBuffer prepared(feature->prepared_bytes());
  for (auto _ : state) {
    feature->Prepare(reference[0], workspace.get(), prepared.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(RunPrepare, default_options, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunPrepare, add_scale1, OptionTexts{{"motion_add_scale1", "true"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
