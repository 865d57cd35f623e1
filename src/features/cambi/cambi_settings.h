// SPDX-License-Identifier: BSD-2-Clause-Patent
// What cambi's options and the picture format come to: sizes, windows and tables.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/kernel_prelude.h"
#include "features/cambi/cambi_arithmetic.h"
#include "features/option_table.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

enum class CambiTransfer { kBt1886, kPq };

/// Luminance in cd/m2 of a 10-bit code of limited range; codes outside 64 … 940 count as these.
/// exact   doubles, with correctly rounded powers. Only comparisons of them are used.
/// source  ITU-R BT.1886 (white 300, black 0.01), SMPTE ST 2084
[[nodiscard]] double CambiLuminance(CambiTransfer transfer, int code);

/// in      max_log_contrast 0 … 5
/// exact   limits are integers: the code at which a step of d stops to exceed `threshold` of its luminance
[[nodiscard]] CambiVisibility MakeCambiVisibility(CambiTransfer transfer, double threshold, double dark_luminance,
                                                  int max_log_contrast);

/// Entry n is 1/n to nine significant decimal digits, rounded to binary32; entry 0 is 0.
/// exact   libvmaf's table. 42 of its entries are not the binary32 number next to 1/n.
[[nodiscard]] const std::array<float, kCambiMaximumPixels + 1>& CambiReciprocals();

/// How one of the two pictures is scored.
struct CambiShape {
  i32 width = 0;  // after resampling
  i32 height = 0;
  i32 window = 1;  // side, odd
  /// Where the samples of a resampled picture come from; empty: it keeps its size.
  std::vector<i32> columns;
  std::vector<i32> rows;
};

struct CambiSettings {
  int bit_depth = 8;
  bool removes_dither = false;  // applies the anti-dithering filter
  bool has_speedup = false;     // the first scale has half the size already
  bool has_reference = false;   // scores the reference as well
  double pooled_fraction = 0.6;
  double maximum = 1000.0;
  CambiVisibility visibility = {};
  CambiShape distorted;
  CambiShape reference;

  /// Width and height of a scale.
  [[nodiscard]] PlaneSize ScaleSize(const CambiShape& shape, int scale) const {
    PlaneSize size = {shape.width, shape.height};
    for (int i = has_speedup ? -1 : 0; i < scale; ++i) size = {CambiHalf(size.width), CambiHalf(size.height)};
    return size;
  }
  /// How many contrasts of a scale are averaged.
  [[nodiscard]] i64 PooledCount(const CambiShape& shape, int scale) const {
    const PlaneSize size = ScaleSize(shape, scale);
    const i64 pixels = i64{size.width} * size.height;
    return std::clamp<i64>(static_cast<i64>(pooled_fraction * static_cast<double>(pixels)), 1, pixels);
  }
};

/// errors  kUnsupported: sizes below 216 in both directions, a window above 65
///         kInvalidArgument: sizes of encode and source of which one is wider and the other one higher
[[nodiscard]] Result<CambiSettings> MakeCambiSettings(const OptionValues& options, const VideoFormat& format);

}  // namespace lockstep
