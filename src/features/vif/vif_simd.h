// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's sums by vector instructions: the integers of vif_arithmetic.h, in another order.
#pragma once

#include "features/vif/vif_rows.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Columns before column 0 of a buffered row: the mirrored ones, in whole pairs.
inline constexpr i32 kVifSimdLead = 16;
/// Rows that are filtered together.
inline constexpr i32 kVifSimdRows = 4;
/// Columns that are filtered vertically before they are filtered horizontally, and how many of them the horizontal
/// filter, which reads ahead, leaves to the next chunk.
inline constexpr i32 kVifSimdChunk = 512;
inline constexpr i32 kVifSimdHalo = 2 * kVifSimdLead;
/// Of the buffers for a chunk. The last register starts before the last column and reads 8 beyond its own.
inline constexpr i64 kVifSimdRowStride = kVifSimdChunk + kVifSimdHalo + 48;

/// Sizes of the buffers for pictures up to `width`; they do not depend on the target.
struct VifSimdSizes {
  explicit VifSimdSizes(i32 width)
      // The widest register has 32 values of 16 bits; a filter reads up to 9 columns beyond the last one.
      : columns((kVifSimdLead + width + 9 + 31) / 32 * 32),
        // The last register of a row may start at its last column.
        row_stride(columns + 176),
        source_stride(columns + 64) {}

  i64 columns;
  i64 row_stride;     // of the next scale's 4 rows
  i64 source_stride;  // of 4 rows

  /// An odd multiple of 16 keeps slots from competing for the same lines of the cache.
  [[nodiscard]] i64 slot_stride(i32 planes) const { return columns * planes + 16; }
  [[nodiscard]] i64 ring_size() const { return slot_stride(8) * 10; }
  [[nodiscard]] i64 rows_size() const { return kVifSimdRowStride * 8 * kVifSimdRows; }
  [[nodiscard]] i64 variances_size() const { return kVifSimdRowStride * 3; }
  [[nodiscard]] i64 words_size() const { return kVifSimdRowStride * 3; }
  [[nodiscard]] i64 filtered_size() const { return row_stride * 4; }
  [[nodiscard]] i64 source_size() const { return source_stride * 4; }
};

struct VifSimdBuffers {
  i32* ring;       // pairs of source rows and of their squares and products
  i16* rows;       // a chunk of vertically filtered rows of 8 planes
  i32* variances;  // and covariance, of a row of a chunk
  i32* words;      // of arguments of logarithms, three kinds
  i16* filtered;   // two rows of both pictures for the next scale
  u16* source;     // rows of both pictures with mirrored columns, u8 or u16
};

struct VifSimdArgs {
  VifPictures pictures;
  VifSamplePlanes next;  // of the next scale, unused at the last one; rows are written in whole registers of 32 samples
  VifSimdBuffers buffers;
  double gain_limit;
  bool scored;  // else only the next scale is made, and the sums are 0
  i32 begin;    // rows [begin, end) and those of the next scale that lie in them; even, the height may be odd
  i32 end;
};

using VifSimdScale = VifSums (*)(const VifSimdArgs& args);

struct VifSimd {
  VifSimdScale scales[kVifScales];  // nullptr: there is only the scalar code
};

[[nodiscard]] VifSimdScale ChooseVifSimdScale0Of8Bits(CpuTarget target);
[[nodiscard]] VifSimdScale ChooseVifSimdScale0Of16Bits(CpuTarget target);
[[nodiscard]] VifSimd ChooseVifSimd(CpuTarget target, int bit_depth);

}  // namespace lockstep
