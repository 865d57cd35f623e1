// SPDX-License-Identifier: BSD-2-Clause-Patent
// One sample of a resized binary32 plane from tabled positions and weights, for the host and for kernels.
#pragma once

#include "base/kernel_prelude.h"

namespace lockstep {

/// Tables of one axis: for each target position, the source positions it reads and their weights.
struct ResizeAxisView {
  const i32* positions;  // [length * taps], inside the source
  const float* weights;  // [length * taps]
};

/// in      plane: of the source; column and row: of the target
/// exact   The reference adds every product to a sum that begins at zero, rows outside and columns inside, except for
///         the first one of bilinear and the only one of nearest. That differs in the sign of a zero only. Its ninth
///         Lanczos tap has weight zero and is left out.
/// source  specs float_vif.md (Prescale) and speed.md (Resize methods)
template <i32 kTaps, bool kNormalised>
LOCKSTEP_KERNEL float ResizedSample(const float* plane, i64 stride, const ResizeAxisView& columns,
                                    const ResizeAxisView& rows, i32 column, i32 row) {
  const i32* const x = columns.positions + static_cast<i64>(column) * kTaps;
  const float* const weight_x = columns.weights + static_cast<i64>(column) * kTaps;
  const i32* const y = rows.positions + static_cast<i64>(row) * kTaps;
  const float* const weight_y = rows.weights + static_cast<i64>(row) * kTaps;
  float sum = 0.0f;
  float weights = 0.0f;
  for (i32 j = 0; j < kTaps; ++j) {
    const float* const line = plane + y[j] * stride;
    LOCKSTEP_UNROLL
    for (i32 i = 0; i < kTaps; ++i) {
      const float weight = weight_x[i] * weight_y[j];
      if constexpr (kNormalised) weights = weights + weight;
      sum = sum + line[x[i]] * weight;
    }
  }
  return kNormalised ? sum / weights : sum;
}

}  // namespace lockstep
