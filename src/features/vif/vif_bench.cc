// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of vif's facts for one frame pair.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/vif/vif.h"

namespace lockstep {
namespace {

// Gradients, edges and a few units of noise: both branches of the statistic, as in natural pictures.
Frame Picture(const VideoFormat& format, unsigned seed) {
  Frame frame(format);
  const MutablePlaneView luma = frame.mutable_plane(0);
  std::uint32_t state = 12345 + seed;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) {
      state = state * 1664525u + 1013904223u;
      const unsigned value = 64u + static_cast<unsigned>((x >> 2) & 63) + static_cast<unsigned>((y >> 3) & 31) +
                             static_cast<unsigned>(((x >> 6) ^ (y >> 6)) & 1) * 48u + ((state >> 16) & 7u);
      if (format.bit_depth == 8) {
        luma.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
      } else {
        luma.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value << (format.bit_depth - 8));
      }
    }
  }
  return frame;
}

void BM_VifExtract(benchmark::State& state) {
  const VideoFormat format{PixelFormat::kYuv400, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                           static_cast<int>(state.range(2))};
  const Frame reference = Picture(format, 0);
  const Frame distorted = Picture(format, 1);
  const auto target = static_cast<std::size_t>(state.range(3));
  if (target >= AvailableCpuTargets().size()) {
    state.SkipWithError("not available");
    return;
  }
  state.SetLabel(std::string(CpuTargetName(AvailableCpuTargets()[target])));
  const std::unique_ptr<Feature> feature =
      std::move(*kVif.create(OptionValues(kVif.options), format, AvailableCpuTargets()[target]));
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &reference;
  window.distorted = &distorted;
  for (auto _ : state) {
    feature->Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts.data());
  }
}
BENCHMARK(BM_VifExtract)
    ->ArgNames({"width", "height", "depth", "target"})
    ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}})
    ->ArgsProduct({{3840}, {2160}, {8}, {0, 1, 2, 3, 4}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
