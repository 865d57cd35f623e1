// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of adm's facts for one frame pair.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "features/adm/adm.h"

namespace lockstep {
namespace {

/// Smooth structure with weak noise, the distorted picture with less contrast: most coefficients are near zero, as in
/// film.
Frame MakePicture(const VideoFormat& format, bool distorted) {
  Frame frame(format);
  const MutablePlaneView plane = frame.mutable_plane(0);
  std::uint32_t state = distorted ? 7 : 12345;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      state = state * 1664525u + 1013904223u;
      const int noise = static_cast<int>(state >> 29);
      int value = 64 + ((x >> 2) & 63) + ((y >> 3) & 31) + (((x >> 6) ^ (y >> 6)) & 1) * 48;
      value = distorted ? value * 15 / 16 + 8 + noise / 2 : value + noise;
      if (format.bit_depth == 8) {
        plane.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
      } else {
        plane.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value << (format.bit_depth - 8));
      }
    }
  }
  return frame;
}

void BM_AdmFacts(benchmark::State& state) {
  const VideoFormat format{PixelFormat::kYuv400, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                           static_cast<int>(state.range(2))};
  const auto target = static_cast<std::size_t>(state.range(3));
  if (target >= AvailableCpuTargets().size()) {
    state.SkipWithError("not available");
    return;
  }
  state.SetLabel(std::string(CpuTargetName(AvailableCpuTargets()[target])));
  const Frame reference = MakePicture(format, false);
  const Frame distorted = MakePicture(format, true);
  const auto feature = kAdm.create(OptionValues(kAdm.options), format, AvailableCpuTargets()[target]);
  const std::unique_ptr<Workspace> workspace = (*feature)->MakeWorkspace();
  FrameWindow window;
  window.reference = &reference;
  window.distorted = &distorted;
  std::array<Fact, 36> facts{};
  for (auto _ : state) {
    (*feature)->Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts);
  }
}
BENCHMARK(BM_AdmFacts)
    ->ArgNames({"width", "height", "depth", "target"})
    ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}})
    ->ArgsProduct({{3840}, {2160}, {8, 10}, {0, 1, 2, 3, 4}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
