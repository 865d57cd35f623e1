// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of motion's facts for one frame.
#include <benchmark/benchmark.h>

#include "features/motion/motion.h"
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
  const std::unique_ptr<Feature> feature = MakeFeature(kMotion, options, format);
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
BENCHMARK_CAPTURE(RunFacts, add_uv, OptionTexts{{"motion_add_uv", "true"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
