// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif's filters and row sums by vector instructions: the bits of float_vif_arithmetic.h.
#pragma once

#include <cstddef>

#include "features/float_vif/float_vif_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Rows of the widest register, which are filtered together, one a lane.
inline constexpr i32 kFloatVifSimdLanes = 16;

/// Columns that are filtered vertically before they are filtered horizontally. At least the largest radius, and few
/// enough for the first cache with the default filters.
inline constexpr i32 kFloatVifSimdStrip = 64;

/// Columns of the buffer: those kept of the strip before, the strip, mirrored ones.
inline constexpr i32 kFloatVifSimdColumns =
    (kFloatVifMaximumTaps - 1) + kFloatVifSimdStrip + (kFloatVifMaximumTaps - 1) / 2;

/// Bytes of FloatVifSumArgs::lines.
inline constexpr std::size_t kFloatVifSimdBytes =
    sizeof(float) * 5 * kFloatVifSimdLanes * (kFloatVifSimdColumns + kFloatVifSimdLanes);

/// Floats of FloatVifHalveArgs::line for planes of `width`.
[[nodiscard]] inline std::size_t FloatVifHalveLine(i32 width) {
  return 2 * (static_cast<std::size_t>(width) / 2 + kFloatVifMaximumTaps + 4 * kFloatVifSimdLanes);
}

struct FloatVifSumArgs {
  const void* reference;  // first sample of the plane; 63 bytes after each row may be read
  const void* distorted;
  i64 reference_stride;  // in samples
  i64 distorted_stride;
  i32 width;
  i32 height;
  float inverse_scaler;
  const float* taps;
  i32 tap_count;  // odd, its half less than width and height
  FloatVifSettings settings;
  i32 begin;          // first row whose sums are computed; rows beyond are read as the filter needs them
  i32 end;            // and the row after the last one
  float* numerators;  // [height], of which begin … end - 1 are written
  float* denominators;
  float* lines;  // kFloatVifSimdBytes, at a multiple of 64
};

/// Sums of the terms of each row, left to right.
using FloatVifSum = void (*)(const FloatVifSumArgs& args);

struct FloatVifHalveArgs {
  const void* plane;  // as above
  i64 stride;
  i32 width;
  i32 height;
  float inverse_scaler;
  const float* taps;
  i32 tap_count;
  i32 begin;  // rows of the target
  i32 end;
  float* target;
  i64 target_stride;  // whole registers are written at the end of a row
  float* line;        // FloatVifHalveLine(width)
};

/// Every second column of every second row of the filtered plane.
using FloatVifHalve = void (*)(const FloatVifHalveArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] FloatVifSum ChooseFloatVifSumOfBytes(CpuTarget target);
[[nodiscard]] FloatVifSum ChooseFloatVifSumOfWords(CpuTarget target);
[[nodiscard]] FloatVifSum ChooseFloatVifSumOfFloats(CpuTarget target);
[[nodiscard]] FloatVifHalve ChooseFloatVifHalveOfBytes(CpuTarget target);
[[nodiscard]] FloatVifHalve ChooseFloatVifHalveOfWords(CpuTarget target);
[[nodiscard]] FloatVifHalve ChooseFloatVifHalveOfFloats(CpuTarget target);

}  // namespace lockstep
