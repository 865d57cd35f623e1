// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time of SpEED's facts for one frame pair, and of their parts.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/split_mix.h"
#include "features/speed/speed.h"
#include "features/speed/speed_algebra.h"
#include "features/speed/speed_pair.h"

namespace lockstep {
namespace {

/// Squares and noise: no covariances are singular.
Frame Picture(const VideoFormat& format, std::uint64_t seed) {
  Frame frame(format);
  std::uint64_t state = seed;
  for (int p = 0; p < format.plane_count(); ++p) {
    const MutablePlaneView plane = frame.mutable_plane(p);
    for (int y = 0; y < plane.height; ++y) {
      for (int x = 0; x < plane.width; ++x) {
        const unsigned value = 64u + static_cast<unsigned>(((x >> 5) ^ (y >> 5)) & 1) * 60u +
                               static_cast<unsigned>(NextSplitMix(state) >> 58);
        if (format.bit_depth == 8) {
          plane.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
        } else {
          plane.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value << (format.bit_depth - 8));
        }
      }
    }
  }
  return frame;
}

void Run(benchmark::State& state, const FeatureDescription& metric, const OptionDictionary& dictionary) {
  const VideoFormat format{PixelFormat::kYuv420, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                           static_cast<int>(state.range(2))};
  const auto target = static_cast<std::size_t>(state.range(3));
  if (target >= AvailableCpuTargets().size()) {
    state.SkipWithError("not available");
    return;
  }
  state.SetLabel(std::string(CpuTargetName(AvailableCpuTargets()[target])));
  const Frame reference[2] = {Picture(format, 1), Picture(format, 2)};
  const Frame distorted[2] = {Picture(format, 3), Picture(format, 4)};
  const OptionValues options = *OptionValues::Parse(metric.name, metric.options, dictionary);
  const std::unique_ptr<Feature> feature = std::move(*metric.create(options, format, AvailableCpuTargets()[target]));
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &reference[0];
  window.distorted = &distorted[0];
  window.earlier_reference = {&reference[0], &reference[1], nullptr};
  window.earlier_distorted = {&distorted[0], &distorted[1], nullptr};
  for (auto _ : state) {
    feature->Extract(window, workspace.get(), facts);
    benchmark::DoNotOptimize(facts.data());
  }
}

void BM_SpeedChroma(benchmark::State& state) { Run(state, kSpeedChroma, {}); }
void BM_SpeedTemporal(benchmark::State& state) { Run(state, kSpeedTemporal, {}); }
/// As the models for 2160 lines have it.
void BM_SpeedChromaHalved(benchmark::State& state) {
  OptionDictionary options;
  options.Set("speed_prescale", "0.5");
  options.Set("speed_prescale_method", "bilinear");
  Run(state, kSpeedChroma, options);
}
BENCHMARK(BM_SpeedChroma)
    ->ArgNames({"width", "height", "depth", "target"})
    ->ArgsProduct({{1920}, {1080}, {8, 10}, {0, 1, 2, 3, 4}})
    ->ArgsProduct({{3840}, {2160}, {8}, {4}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_SpeedTemporal)
    ->ArgNames({"width", "height", "depth", "target"})
    ->ArgsProduct({{1920}, {1080}, {8}, {0, 1, 2, 3, 4}})
    ->ArgsProduct({{3840}, {2160}, {8}, {4}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_SpeedChromaHalved)
    ->ArgNames({"width", "height", "depth", "target"})
    ->ArgsProduct({{3840}, {2160}, {10}, {0, 2, 4}})
    ->Unit(benchmark::kMicrosecond);

/// The parts of one plane's statistics, of a chroma or luma plane of 1920x1080.
class Plane {
 public:
  explicit Plane(int blocks_across, int blocks_down)
      : across_(blocks_across),
        down_(blocks_down),
        prepared_(static_cast<std::size_t>(stride() * 5 * blocks_down + kSpeedSlack)),
        covariances_(kSpeedPairs),
        samples_(static_cast<std::size_t>(kSpeedPositions * SpeedPitch(across_ * down_))),
        solution_(samples_.size()),
        variances_(static_cast<std::size_t>(SpeedPitch(across_ * down_))),
        entropies_(variances_.size()) {
    std::uint64_t random = 1;
    for (float& value : prepared_) value = static_cast<float>(NextSplitMix(random) >> 40) * 0x1p-21f - 4.0f;
  }
  [[nodiscard]] i64 stride() const { return kSpeedBlock * across_; }
  SpeedCovarianceArgs Covariances() {
    return {prepared_.data(),
            stride(),
            {kSpeedBlock * (across_ - 1) + 1, kSpeedBlock * (down_ - 1) + 1},
            covariances_.data()};
  }
  SpeedBlocksArgs Blocks() {
    return {covariances_.data(), prepared_.data(), stride(),          across_,          down_, 0.29f,
            samples_.data(),     solution_.data(), variances_.data(), entropies_.data()};
  }

 private:
  i32 across_;
  i32 down_;
  std::vector<float> prepared_;
  std::vector<float> covariances_;
  std::vector<float> samples_;
  std::vector<float> solution_;
  std::vector<float> variances_;
  std::vector<float> entropies_;
};

void BM_SpeedParts(benchmark::State& state) {
  Plane plane(static_cast<i32>(state.range(0)), static_cast<i32>(state.range(1)));
  const CpuTarget target = AvailableCpuTargets().back();
  const SpeedSimd simd = ChooseSpeedSimd(target, 8);
  const SpeedCovarianceFunction covariances = simd.is_available() ? simd.covariances : &SpeedCovariances;
  covariances(plane.Covariances());
  float eigenvalues[kSpeedPositions];
  for (auto _ : state) {
    switch (state.range(2)) {
      case 0:
        state.SetLabel("covariances");
        covariances(plane.Covariances());
        break;
      case 1:
        state.SetLabel("blocks");
        benchmark::DoNotOptimize(simd.blocks(plane.Blocks()));
        break;
      default:
        state.SetLabel("eigenvalues, plain");
        SpeedEigenvalues(plane.Blocks().covariances, eigenvalues);
        benchmark::DoNotOptimize(eigenvalues);
        break;
    }
  }
}
BENCHMARK(BM_SpeedParts)
    ->ArgsProduct({{12}, {6}, {0, 1, 2}})
    ->ArgsProduct({{24}, {13}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
