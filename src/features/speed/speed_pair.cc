// SPDX-License-Identifier: BSD-2-Clause-Patent
// A pair of planes from samples to score.
#include "features/speed/speed_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "features/resize/gaussian_filter.h"

namespace lockstep {
namespace {

std::size_t BlockFloats(const SpeedGeometry& geometry) {
  return static_cast<std::size_t>(SpeedPitch(geometry.blocks())) * sizeof(float);
}

Status CheckSize(const SpeedGeometry& geometry, std::string_view name) {
  if (geometry.blocks_across >= 1 && geometry.blocks_down >= 1) return {};
  const std::string scaled =
      geometry.resized ? fmt::format(" ({}x{} after the resize)", geometry.scaled.width, geometry.scaled.height) : "";
  return Error{ErrorCode::kUnsupported,
               fmt::format("{} are {}x{}{}, but this metric needs at least {}x{}", name, geometry.plane.width,
                           geometry.plane.height, scaled, kSpeedMinimumScaled, kSpeedMinimumScaled),
               {},
               {},
               {}};
}

}  // namespace

SpeedPairWorkspace::SpeedPairWorkspace(const SpeedGeometry& geometry)
    : preparation_(geometry),
      prepared_(SpeedPlaneFloats(geometry.prepared) * sizeof(float)),
      covariances_(kSpeedPairs * sizeof(float)),
      samples_(kSpeedPositions * BlockFloats(geometry)),
      solution_(kSpeedPositions * BlockFloats(geometry)),
      variances_{AlignedBuffer(BlockFloats(geometry)), AlignedBuffer(BlockFloats(geometry))},
      entropies_{AlignedBuffer(BlockFloats(geometry)), AlignedBuffer(BlockFloats(geometry))} {}

SpeedPlanes::SpeedPlanes(SpeedPreparation preparation, const SpeedScoreOptions& options, const SpeedSimd& simd)
    : preparation_(std::move(preparation)),
      covariances_(simd.is_available() ? simd.covariances : &SpeedCovariances),
      blocks_(simd.blocks),
      score_options_(options) {}

Result<SpeedPlanes> SpeedPlanes::Create(const OptionValues& options, PlaneSize plane, std::string_view name,
                                        int bit_depth, int weighting, CpuTarget target) {
  const double kernel_scale = options.GetDouble("speed_kernelscale");
  std::optional<SpeedTaps> taps = MakeSpeedTaps(kernel_scale);
  if (!taps) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("speed_kernelscale is {}; expected one of {}", kernel_scale, kKernelScales),
                 {},
                 {},
                 {}};
  }
  const ResizeMethod method = *ParseResizeMethod(options.GetString("speed_prescale_method"));  // one of the choices
  const SpeedGeometry geometry = MakeSpeedGeometry(plane, options.GetDouble("speed_prescale"));
  if (Status status = CheckSize(geometry, name); !status) return std::move(status).error();
  SpeedScoreOptions score_options;
  score_options.sigma = static_cast<float>(options.GetDouble("speed_sigma_nn"));
  score_options.floor = static_cast<float>(options.GetDouble("speed_nn_floor"));
  score_options.weighting = weighting;
  SpeedSimd simd = ChooseSpeedSimd(target, bit_depth);
  return SpeedPlanes(SpeedPreparation(geometry, method, *std::move(taps), simd), score_options, simd);
}

SpeedPairScore SpeedPlanes::Score(const SpeedSource& reference, const SpeedSource& distorted,
                                  Workspace* workspace) const {
  auto& buffers = static_cast<SpeedPairWorkspace&>(*workspace);
  const SpeedGeometry& sizes = geometry();
  std::array<SpeedStatistics, 2> statistics;
  for (std::size_t side = 0; side < 2; ++side) {
    float* prepared = buffers.prepared_.as<float>();
    float* covariances = buffers.covariances_.as<float>();
    preparation_.Run(side == 0 ? reference : distorted, buffers.preparation_, prepared);
    covariances_({prepared, sizes.prepared.width, sizes.window(), covariances});
    float* variances = buffers.variances_[side].as<float>();
    float* entropies = buffers.entropies_[side].as<float>();
    const bool singular = blocks_({covariances, prepared, sizes.prepared.width, sizes.blocks_across, sizes.blocks_down,
                                   score_options_.sigma, buffers.samples_.as<float>(), buffers.solution_.as<float>(),
                                   variances, entropies});
    statistics[side] = {variances, entropies, singular};
  }
  return {SpeedScore(statistics[0], statistics[1], sizes.blocks(), score_options_), statistics[0].singular,
          statistics[1].singular};
}

}  // namespace lockstep
