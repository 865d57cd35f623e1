// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of cambi's facts for one frame.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/option_table.h"

namespace lockstep {
namespace {

enum Content { kBands, kNatural };

// Wide gradients in 8-bit steps, with smooth waves; for kNatural with a few units of noise in some blocks.
Frame Picture(const VideoFormat& format, Content content) {
  Frame frame(format);
  const MutablePlaneView luma = frame.mutable_plane(0);
  std::uint32_t state = 12345;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) {
      state = state * 1664525u + 1013904223u;
      const unsigned wave = static_cast<unsigned>((x * x / 4096 + y * y / 2048 + x * y / 8192) / 24 % 64);
      unsigned value = 40u + wave;
      if (content == kNatural && ((x / 48) + (y / 40)) % 3 != 0) value += (state >> 16) % 5u;
      if (format.bit_depth == 8) {
        luma.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
      } else {
        luma.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value << (format.bit_depth - 8));
      }
    }
  }
  // LOCKSTEP_BENCH_CLIP: luma of a raw file instead.
  if (const char* path = std::getenv("LOCKSTEP_BENCH_CLIP")) {
    std::ifstream file(path, std::ios::binary);
    for (int y = 0; y < luma.height; ++y) {
      file.read(reinterpret_cast<char*>(luma.row<std::uint8_t>(y)),
                static_cast<std::streamsize>(luma.width) * format.bytes_per_sample());
    }
  }
  return frame;
}

void BM_CambiExtract(benchmark::State& state) {
  const VideoFormat format{PixelFormat::kYuv400, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                           static_cast<int>(state.range(2))};
  const Frame picture = Picture(format, static_cast<Content>(state.range(4)));
  const auto target = static_cast<std::size_t>(state.range(3));
  if (target >= AvailableCpuTargets().size()) {
    state.SkipWithError("not available");
    return;
  }
  state.SetLabel(std::string(CpuTargetName(AvailableCpuTargets()[target])));
  OptionDictionary options;
  if (state.range(5) != 0) {
    options.Set("cambi_high_res_speedup", "1080");
    options.Set("cambi_vis_lum_threshold", "0.06");
  }
  const OptionValues values = std::move(*OptionValues::Parse("cambi", kCambi.options, options));
  const std::unique_ptr<Feature> feature = std::move(*kCambi.create(values, format, AvailableCpuTargets()[target]));
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &picture;
  window.distorted = &picture;
  for (auto _ : state) {
    feature->Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts.data());
  }
}
BENCHMARK(BM_CambiExtract)
    ->ArgNames({"width", "height", "depth", "target", "content", "v1"})
    ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}, {kBands, kNatural}, {0, 1}})
    ->ArgsProduct({{3840}, {2160}, {8}, {0, 1, 2, 3, 4}, {kBands, kNatural}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
