// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of psnr_hvs's facts for one frame.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "features/psnr_hvs/psnr_hvs.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

/// Slopes and a distorted picture close to them, as coded video is: most terms are small and many are 0.
void RunSlopes(benchmark::State& state) {
  const std::unique_ptr<Feature> feature = facts_bench::MakeFeature(state, kPsnrHvs, {});
  if (feature == nullptr) return;
  const VideoFormat format = facts_bench::FormatOf(state);
  const auto slopes = [&](std::uint64_t seed, unsigned noise) {
    std::uint64_t random = seed;
    return test_run::ListOf(test_run::MakeFrame(format, seed, [&](int, int x, int y) {
      const unsigned value = 40 + static_cast<unsigned>(x * 5 + y * 3) / 8 % 97;
      return (value << (format.bit_depth - 8)) + (test_run::NextRandom(random) >> 40) % noise;
    }));
  };
  const std::vector<Frame> reference = slopes(1, 2);
  const std::vector<Frame> distorted = slopes(2, 6);
  test_run::Pictures pictures(*feature, reference, distorted);
  for (auto _ : state) benchmark::DoNotOptimize(pictures.Facts(0).data());
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"width", "height", "depth", "target"})
      ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}})
      ->Unit(benchmark::kMillisecond);
}

using facts_bench::RunFacts;

BENCHMARK_CAPTURE(RunFacts, noise, kPsnrHvs, test_run::OptionTexts{})->Apply(Sizes);
BENCHMARK(RunSlopes)->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
