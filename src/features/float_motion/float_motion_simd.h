// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's row chains by vector instructions, one row a lane: the bits of float_motion_arithmetic.h.
#pragma once

#include <cstddef>

#include "base/kernel_prelude.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Rows that are computed together; the widest register has as many values.
inline constexpr i32 kFloatMotionSimdRows = 16;

/// Columns that are filtered vertically before they are filtered horizontally: few enough for the first cache.
inline constexpr i32 kFloatMotionSimdStrip = 192;

/// Columns kept of the strip before, and mirrored columns after the last one.
inline constexpr i32 kFloatMotionSimdCarry = 4;
inline constexpr i32 kFloatMotionSimdMirrored = 2;

/// Of the line buffers, for planes of any size.
inline constexpr std::size_t kFloatMotionSimdBytes =
    sizeof(float) * 2 * kFloatMotionSimdRows *
    (kFloatMotionSimdCarry + kFloatMotionSimdStrip + kFloatMotionSimdMirrored);

struct FloatMotionSimdArgs {
  const void* previous;  // first sample of the plane; 63 bytes after each row may be read
  const void* current;
  i64 previous_stride;  // in samples
  i64 current_stride;
  i32 width;   // >= 3
  i32 height;  // >= 3
  float inverse_scaler;
  i32 begin;        // first row whose sum is computed; rows beyond are read as the filter needs them
  i32 end;          // and the row after the last one
  float* row_sads;  // [height], of which begin … end - 1 are written
  void* lines;      // kFloatMotionSimdBytes, at a multiple of 64
};

/// FloatMotionSadRow() of both blurred planes, which are never stored: filtering two pictures costs less than writing
/// one and reading two of four times their size.
using FloatMotionSimd = void (*)(const FloatMotionSimdArgs& args);

/// With four lanes only: two blurred planes of fewer samples stay in the cache (4 MiB), so that storing them is faster.
inline constexpr i64 kFloatMotionStoredSamples = 512 * 1024;

/// in      tap_count 5, 3 or 1; samples: of a plane
/// out     nullptr: there is only the scalar code, or storing blurred planes is faster
[[nodiscard]] FloatMotionSimd ChooseFloatMotionSimd(CpuTarget target, int bit_depth, int tap_count, i64 samples);

struct FloatMotionStoredArgs {
  const float* previous;  // blurred planes; rows up to a multiple of 16 floats may be read
  const float* current;
  i64 stride;  // in floats, of both planes
  i32 width;
  i32 begin;        // first row whose sum is computed
  i32 end;          // and the row after the last one
  float* row_sads;  // of which begin … end - 1 are written
};

/// FloatMotionSadRow() of stored planes.
using FloatMotionStoredSimd = void (*)(const FloatMotionStoredArgs& args);

/// nullptr: there is only the scalar code.
[[nodiscard]] FloatMotionStoredSimd ChooseFloatMotionStoredSimd(CpuTarget target);

}  // namespace lockstep
