// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the benchmarks of metrics: the sizes and targets, and the loop that takes one frame's facts.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "features/test_run.h"

namespace lockstep::facts_bench {

/// Width, height, depth, and the place of a target among the available ones.
inline void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"width", "height", "depth", "target"})
      ->ArgsProduct({{1920}, {1080}, {8, 10, 16}, {0, 1, 2, 3, 4}})
      ->ArgsProduct({{3840}, {2160}, {8}, {0, 1, 2, 3, 4}})
      ->Unit(benchmark::kMillisecond);
}

inline VideoFormat FormatOf(const benchmark::State& state) {
  return {PixelFormat::kYuv420, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
          static_cast<int>(state.range(2))};
}

/// nullptr after it has told `state` that there is no such target here.
inline std::unique_ptr<Feature> MakeFeature(benchmark::State& state, const FeatureDescription& metric,
                                            const test_run::OptionTexts& options) {
  const auto index = static_cast<std::size_t>(state.range(3));
  if (index >= AvailableCpuTargets().size()) {
    state.SkipWithError("not available");
    return nullptr;
  }
  const CpuTarget target = AvailableCpuTargets()[index];
  state.SetLabel(std::string(CpuTargetName(target)));
  return test_run::TryMakeFeature(metric, options, FormatOf(state), target).value();
}

inline void RunFacts(benchmark::State& state, const FeatureDescription& metric, const test_run::OptionTexts& options) {
  const std::unique_ptr<Feature> feature = MakeFeature(state, metric, options);
  if (feature == nullptr) return;
  const std::vector<Frame> reference = test_run::NoiseFrames(FormatOf(state), 2, 1);
  const std::vector<Frame> distorted = test_run::NoiseFrames(FormatOf(state), 2, 11);
  test_run::Pictures pictures(*feature, reference, distorted);
  for (auto _ : state) benchmark::DoNotOptimize(pictures.Facts(1).data());
}

}  // namespace lockstep::facts_bench
