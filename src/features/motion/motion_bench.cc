// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of motion's facts for one frame.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "features/motion/motion.h"
#include "features/test_facts_bench.h"

namespace lockstep {
namespace {

using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::OptionTexts;

/// 0: independent noise, whose differences are of any size; 1: a moving texture, as in natural pictures; 2: a still
/// one.
std::vector<Frame> MakePictures(const VideoFormat& format, std::int64_t kind) {
  if (kind == 0) return test_run::NoiseFrames(format, 2, 1);
  std::vector<Frame> frames;
  for (int n = 0; n < 2; ++n) {
    std::uint64_t state = static_cast<std::uint64_t>(n);
    const int shift = kind == 1 ? 3 * n : 0;
    frames.push_back(MakeFrame(format, 1, [&](int, int x, int y) {
      const int value = 64 + (((x + shift) >> 2) & 63) + ((y >> 3) & 31);
      return (value << (format.bit_depth - 8)) + (kind == 1 ? static_cast<int>(NextRandom(state) & 7) : 0);
    }));
  }
  return frames;
}

void RunFacts(benchmark::State& state, const OptionTexts& options) {
  const std::unique_ptr<Feature> feature = facts_bench::MakeFeature(state, kMotion, options);
  if (feature == nullptr) return;
  const std::vector<Frame> reference = MakePictures(facts_bench::FormatOf(state), state.range(4));
  test_run::Pictures pictures(*feature, reference, {});
  for (auto _ : state) benchmark::DoNotOptimize(pictures.Facts(1).data());
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"width", "height", "depth", "target", "picture"})
      ->ArgsProduct({{1920}, {1080}, {8, 10, 16}, {0, 1, 2, 3, 4}, {0, 1}})
      ->ArgsProduct({{3840}, {2160}, {8}, {0, 1, 2, 3, 4}, {1}})
      ->ArgsProduct({{1920}, {1080}, {8}, {0, 1, 2, 3, 4}, {2}})
      ->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(RunFacts, default_options, OptionTexts{})->Apply(Sizes);
BENCHMARK_CAPTURE(RunFacts, add_uv, OptionTexts{{"motion_add_uv", "true"}})->Apply(Sizes);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
