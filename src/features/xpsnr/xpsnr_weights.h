// SPDX-License-Identifier: BSD-2-Clause-Patent
// The blocks of xpsnr, their weights, and the weighted error of a plane.
#pragma once

#include <array>
#include <span>

#include "features/xpsnr/xpsnr_arithmetic.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// How planes are cut into blocks. The last block of a row and the last row of blocks may be smaller.
struct XpsnrGeometry {
  int width = 0;  // of luma
  int height = 0;
  int bit_depth = 8;
  /// Edge of a block of luma, a multiple of 4. 0: pictures of fewer than about 2000 samples have no blocks, and all
  /// errors count alike.
  int block = 0;
  /// Blocks, or 0 without them.
  int columns = 0;
  int rows = 0;
  /// Activities are taken of sums of four samples: pictures of more than 2048 * 1152 samples.
  bool of_four = false;
  /// Columns and rows at the picture's edges that have no spatial activity, because the filter would leave the picture.
  int border = 1;
  /// Mean activity that a picture of this size and depth is expected to have; its errors would count as they are.
  double expected_activity = 0.0;

  struct Plane {
    PlaneSize size;
    PlaneSize block;
    int columns = 0;
    int rows = 0;
  };
  std::array<Plane, 3> planes{};

  [[nodiscard]] int block_count() const { return columns * rows; }
  [[nodiscard]] int last(int begin, int length) const { return begin + block < length ? begin + block : length; }
};

[[nodiscard]] XpsnrGeometry MakeXpsnrGeometry(const VideoFormat& format);

/// Samples of one block, of which those in the inner part have a spatial activity.
struct XpsnrBlock {
  int left = 0;
  int right = 0;
  int top = 0;
  int bottom = 0;
  int inner_left = 0;
  int inner_right = 0;
  int inner_top = 0;
  int inner_bottom = 0;

  /// Nothing is left inside the border: errors of the block count as they are.
  [[nodiscard]] bool is_small() const { return inner_right <= inner_left || inner_bottom <= inner_top; }
};

[[nodiscard]] XpsnrBlock MakeXpsnrBlock(const XpsnrGeometry& geometry, int column, int row);

/// Weight of each block: the reciprocal of its activity.
/// in      sums of the blocks, row by row
/// out     weights, as many
/// exact   binary64 in this order; the filter squares the activity and takes the root of it, which in binary
///         arithmetic gives the same number back
/// source  equations (4) … (7) of the ICASSP paper
void XpsnrWeights(const XpsnrGeometry& geometry, std::span<const XpsnrBlockSums> sums, std::span<double> weights);

/// Weighted squared error of a plane, rounded to an integer.
/// in      errors of the plane's blocks row by row, and the weights of luma's
[[nodiscard]] u64 XpsnrWeightedError(const XpsnrGeometry& geometry, std::span<const u64> errors,
                                     std::span<const double> weights);

}  // namespace lockstep
