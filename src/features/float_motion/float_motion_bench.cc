// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of float_motion's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/float_motion/float_motion.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::Pictures;

void RunFacts(benchmark::State& state, const OptionTexts& options) {
  const VideoFormat format = {PixelFormat::kYuv420, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                              static_cast<int>(state.range(2))};
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatMotion, options, format);
  const std::vector<Frame> reference = NoiseFrames(format, 2, 1);
  const std::vector<Frame> distorted = NoiseFrames(format, 2, 11);
  Pictures pictures(*feature, reference, distorted);
  for (auto _ : state) benchmark::DoNotOptimize(pictures.Facts(1).data());
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond);
  for (const int depth : {8, 10, 16}) benchmark->Args({1920, 1080, depth});
  benchmark->Args({3840, 2160, 8});
}

BENCHMARK_CAPTURE(RunFacts, default_options, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, add_scale1, OptionTexts{{"motion_add_scale1", "true"}})->Apply(Sizes);

void RunPrepare(benchmark::State& state, const OptionTexts& options) {
  const VideoFormat format = {PixelFormat::kYuv420, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                              static_cast<int>(state.range(2))};
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatMotion, options, format);
  const std::vector<Frame> reference = NoiseFrames(format, 1, 1);
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
