// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_motion for one frame: what it prepares of a picture, and its facts.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "features/float_motion/float_motion.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using facts_bench::Sizes;
using test_run::OptionTexts;

void RunFrame(benchmark::State& state, const OptionTexts& options) {
  const std::unique_ptr<Feature> feature = facts_bench::MakeFeature(state, kFloatMotion, options);
  if (feature == nullptr) return;
  const std::vector<Frame> reference = test_run::NoiseFrames(facts_bench::FormatOf(state), 2, 1);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  AlignedBuffer prepared[2];
  FrameWindow window;
  window.index = 1;
  for (int n = 0; n < 2; ++n) {
    prepared[n].Resize(feature->prepared_bytes());
    feature->Prepare(reference[static_cast<std::size_t>(n)], workspace.get(), prepared[n].data());
    window.earlier_reference[static_cast<std::size_t>(1 - n)] = &reference[static_cast<std::size_t>(n)];
    window.prepared[static_cast<std::size_t>(1 - n)] = prepared[n].data();
  }
  window.reference = &reference[1];
  for (auto _ : state) {
    feature->Prepare(reference[1], workspace.get(), prepared[1].data());
    feature->Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts.data());
  }
}

BENCHMARK_CAPTURE(RunFrame, default_options, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFrame, three_taps, OptionTexts{{"motion_filter_size", "3"}})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFrame, add_scale1, OptionTexts{{"motion_add_scale1", "true"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
