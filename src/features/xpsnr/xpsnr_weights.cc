// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blocks of xpsnr, their weights, and the weighted error of a plane.
#include "features/xpsnr/xpsnr_weights.h"

#include <algorithm>
#include <cstddef>

#include "exact/elementary.h"

namespace lockstep {
namespace {

constexpr double kReferenceSamples = 3840.0 * 2160.0;

/// What changes over time counts twice.
constexpr double kTemporalGain = 2.0;

/// Blocks of pictures of more samples are not smoothed.
constexpr i64 kSmoothedSamples = 640 * 480;

/// The filter misses the spatial activity of a block of four-sample sums that is at most this wide.
constexpr int kWidthWithoutSpatial = 12;

/// A block may stand out in one direction only: its weight is at most the greatest of its neighbours to the left, to
/// the right and above, of which the left and the upper one are limited already.
void LimitWeights(int columns, std::span<double> weights) {
  const auto stride = static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t column = i % stride;
    const bool is_last = i + 1 == weights.size();
    // In a single row of blocks the last one stays as it is.
    if (is_last && i < stride) continue;
    double limit = 0.0;
    if (column > 0) limit = std::max(limit, weights[i - 1]);
    if (column + 1 < stride) limit = std::max(limit, weights[i + 1]);
    if (i >= stride) limit = std::max(limit, weights[i - stride]);
    // Weights are positive: 0 says that there is no neighbour.
    if (limit > 0.0) weights[i] = std::min(weights[i], limit);
  }
}

}  // namespace

XpsnrGeometry MakeXpsnrGeometry(const VideoFormat& format) {
  XpsnrGeometry geometry;
  geometry.width = format.width;
  geometry.height = format.height;
  geometry.bit_depth = format.bit_depth;
  const i64 samples = i64{format.width} * format.height;
  const double ratio = static_cast<double>(samples) / kReferenceSamples;
  geometry.block = 4 * static_cast<int>(32.0 * exact::Sqrt(ratio) + 0.5);
  geometry.of_four = samples > i64{2048} * 1152;
  geometry.border = geometry.of_four ? 2 : 1;
  const double depth_factor = static_cast<double>(i64{1} << (2 * format.bit_depth - 9));
  geometry.expected_activity = exact::Sqrt(16.0 * depth_factor / exact::Sqrt(std::max(0.00001, ratio)));
  const auto blocks = [](int length, int block) { return (length + block - 1) / block; };
  for (int p = 0; p < format.plane_count(); ++p) {
    XpsnrGeometry::Plane& plane = geometry.planes[static_cast<std::size_t>(p)];
    plane.size = format.plane_size(p);
    if (geometry.block == 0) {
      plane.block = plane.size;
    } else {
      plane.block.width = static_cast<int>(i64{geometry.block} * plane.size.width / format.width);
      plane.block.height = static_cast<int>(i64{geometry.block} * plane.size.height / format.height);
    }
    plane.columns = blocks(plane.size.width, plane.block.width);
    plane.rows = blocks(plane.size.height, plane.block.height);
  }
  if (geometry.block != 0) {
    geometry.columns = geometry.planes[0].columns;
    geometry.rows = geometry.planes[0].rows;
  }
  return geometry;
}

XpsnrBlock MakeXpsnrBlock(const XpsnrGeometry& geometry, int column, int row) {
  XpsnrBlock block;
  block.left = column * geometry.block;
  block.top = row * geometry.block;
  block.right = geometry.last(block.left, geometry.width);
  block.bottom = geometry.last(block.top, geometry.height);
  block.inner_left = column > 0 ? block.left : geometry.border;
  block.inner_top = row > 0 ? block.top : geometry.border;
  block.inner_right = block.right < geometry.width ? block.right : block.right - geometry.border;
  block.inner_bottom = block.bottom < geometry.height ? block.bottom : block.bottom - geometry.border;
  return block;
}

void XpsnrWeights(const XpsnrGeometry& geometry, std::span<const XpsnrBlockSums> sums, std::span<double> weights) {
  const double least_activity = static_cast<double>(1 << (geometry.bit_depth - 6));
  std::size_t i = 0;
  for (int row = 0; row < geometry.rows; ++row) {
    for (int column = 0; column < geometry.columns; ++column, ++i) {
      const XpsnrBlock block = MakeXpsnrBlock(geometry, column, row);
      if (block.is_small()) {
        weights[i] = 1.0;
        continue;
      }
      const bool has_spatial = !geometry.of_four || block.inner_right - block.left > kWidthWithoutSpatial;
      const double inner_samples = static_cast<double>(block.inner_right - block.inner_left) *
                                   static_cast<double>(block.inner_bottom - block.inner_top);
      const double samples =
          static_cast<double>(block.right - block.left) * static_cast<double>(block.bottom - block.top);
      const double spatial = static_cast<double>(has_spatial ? sums[i].spatial : 0) / inner_samples;
      const double temporal = kTemporalGain * static_cast<double>(sums[i].temporal) / samples;
      weights[i] = 1.0 / std::max(spatial + temporal, least_activity);
    }
  }
  if (i64{geometry.width} * geometry.height <= kSmoothedSamples) LimitWeights(geometry.columns, weights);
}

u64 XpsnrWeightedError(const XpsnrGeometry& geometry, std::span<const u64> errors, std::span<const double> weights) {
  double sum = 0.0;
  for (std::size_t i = 0; i < errors.size(); ++i) sum += static_cast<double>(errors[i]) * weights[i];
  return sum <= 0.0 ? 0 : static_cast<u64>(sum * geometry.expected_activity + 0.5);
}

}  // namespace lockstep
