// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the benchmarks of metrics: the sizes and the loop that takes one frame's facts.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "features/test_run.h"

namespace lockstep::facts_bench {

inline void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond);
  for (const int depth : {8, 10, 16}) benchmark->Args({1920, 1080, depth});
  benchmark->Args({3840, 2160, 8});
}

inline VideoFormat FormatOf(const benchmark::State& state) {
  return {PixelFormat::kYuv420, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
          static_cast<int>(state.range(2))};
}

inline void RunFacts(benchmark::State& state, const FeatureDescription& metric, const test_run::OptionTexts& options) {
  const VideoFormat format = FormatOf(state);
  const std::unique_ptr<Feature> feature = test_run::MakeFeature(metric, options, format);
  const std::vector<Frame> reference = test_run::NoiseFrames(format, 2, 1);
  const std::vector<Frame> distorted = test_run::NoiseFrames(format, 2, 11);
  test_run::Pictures pictures(*feature, reference, distorted);
  for (auto _ : state) benchmark::DoNotOptimize(pictures.Facts(1).data());
}

}  // namespace lockstep::facts_bench
