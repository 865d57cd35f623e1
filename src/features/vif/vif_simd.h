// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's sums by vector instructions: the integers of vif_arithmetic.h, in another order.
#pragma once

#include "features/vif/vif_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Columns before column 0 of a buffered row: the mirrored ones, in whole pairs.
inline constexpr i32 kVifSimdLead = 16;

/// Sizes of the buffers for pictures up to `width`; they do not depend on the target.
struct VifSimdSizes {
  explicit VifSimdSizes(i32 width)
      // The widest register has 32 values of 16 bits; a filter reads up to 9 columns beyond the last one.
      : columns((kVifSimdLead + width + 9 + 31) / 32 * 32),
        // An odd multiple of 16 keeps planes from competing for the same lines of the cache.
        ring_stride(columns + 16),
        // The last register of a row may start at its last column.
        row_stride(columns + 176),
        source_stride(columns + 64) {}

  i64 columns;
  i64 ring_stride;    // of 9 slots of 8 planes
  i64 row_stride;     // of 16 rows
  i64 source_stride;  // of 4 rows

  [[nodiscard]] i64 ring_size() const { return ring_stride * 9 * 8 + 64; }
  [[nodiscard]] i64 rows_size() const { return row_stride * 16; }
  [[nodiscard]] i64 source_size() const { return source_stride * 4; }
};

struct VifSimdBuffers {
  i32* ring;    // pairs of source rows and of their squares and products
  i16* rows;    // two vertically filtered rows of 8 planes
  u16* source;  // rows of both pictures with mirrored columns, u8 or u16
};

struct VifSimdArgs {
  VifPictures pictures;
  VifSamplePlanes next;  // of the next scale; up to 15 samples after each row may be written, unused at the last scale
  VifSimdBuffers buffers;
  const u16* log_table;  // with one entry to spare
  double gain_limit;
  bool scored;  // else only the next scale is made, and the sums are 0
};

using VifSimdScale = VifSums (*)(const VifSimdArgs& args);

struct VifSimd {
  VifSimdScale scales[kVifScales];  // nullptr: there is only the scalar code
};

[[nodiscard]] VifSimdScale ChooseVifSimdScale0Of8Bits(CpuTarget target);
[[nodiscard]] VifSimdScale ChooseVifSimdScale0Of16Bits(CpuTarget target);
[[nodiscard]] VifSimd ChooseVifSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
