// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of cambi: marked codes, their scales, contrasts by counts that slide down a pair of columns, the greatest
// ones.
#pragma once

#include "features/cambi/cambi_arithmetic.h"
#include "features/device/device_kernel.h"

namespace lockstep {

struct CambiCodesArgs {
  const void* luma;    // first sample
  const i32* columns;  // [width + 1], [height + 1]: the samples of a resampled picture, the last one twice
  const i32* rows;
  u16* codes;  // [height][width]
  i32 width;
  i32 height;
  i32 stride;  // of luma, in samples
  i32 bit_depth;
  i32 is_resampled;
  i32 removes_dither;
};

/// 10-bit codes of luma, resampled, and without dither where that is asked for.
/// in      Sample is u8 for 8 bit, u16 above
/// edge    beyond the last column or row it is repeated: the mean of four is then that of the two that are there
template <class Sample>
LOCKSTEP_KERNEL void CambiCodesKernel(const CambiCodesArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const i32 next_y = y + 1 < args.height ? y + 1 : y;
  const bool is_resampled = args.is_resampled != 0;
  const Sample* luma = static_cast<const Sample*>(args.luma);
  const Sample* row = luma + i64{is_resampled ? args.rows[y] : y} * args.stride;
  const Sample* next_row = luma + i64{is_resampled ? args.rows[y + 1] : next_y} * args.stride;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    const i32 next_x = x + 1 < args.width ? x + 1 : x;
    const i32 column = is_resampled ? args.columns[x] : x;
    const i32 next_column = is_resampled ? args.columns[x + 1] : next_x;
    u16 code = CambiCode(row[column], args.bit_depth);
    if (args.removes_dither != 0) {
      code = CambiMeanOfFour(code, CambiCode(row[next_column], args.bit_depth),
                             CambiCode(next_row[column], args.bit_depth),
                             CambiCode(next_row[next_column], args.bit_depth));
    }
    if (item.row < args.height) args.codes[i64{y} * args.width + x] = code;
  }
}

struct CambiFlatArgs {
  const u16* codes;  // all planes [height][width]
  u8* flat;
  i32 width;
  i32 height;
};

/// Which pixels equal their right and their lower neighbour.
LOCKSTEP_KERNEL void CambiFlatKernel(const CambiFlatArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const u16* row = args.codes + i64{y} * args.width;
  const u16* below = y + 1 < args.height ? row + args.width : row;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    const i32 right = x + 1 < args.width ? x + 1 : x;
    const i32 flat = CambiIsFlat(row[x], row[right], below[x]);
    if (item.row < args.height) args.flat[i64{y} * args.width + x] = static_cast<u8>(flat);
  }
}

struct CambiFlatRowsArgs {
  const u8* flat;  // all planes [height][width]
  u8* sums;
  i32 width;
  i32 height;
};

/// Flat pixels among the 7 around each one in its row.
LOCKSTEP_KERNEL void CambiFlatRowsKernel(const CambiFlatRowsArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const u8* row = args.flat + i64{y} * args.width;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    const i32 begin = x > kCambiMaskRadius ? x - kCambiMaskRadius : 0;
    const i32 end = x + kCambiMaskRadius + 1 < args.width ? x + kCambiMaskRadius + 1 : args.width;
    i32 sum = 0;
    LOCKSTEP_ROLLED
    for (i32 i = begin; i < end; ++i) sum += row[i];
    if (item.row < args.height) args.sums[i64{y} * args.width + x] = static_cast<u8>(sum);
  }
}

struct CambiMaskArgs {
  const u16* codes;  // all planes [height][width]
  const u8* sums;    // of flat pixels, along rows
  u16* marked;
  i32 width;
  i32 height;
  i32 threshold;
};

/// Marks codes outside the mask.
LOCKSTEP_KERNEL void CambiMaskKernel(const CambiMaskArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const i32 begin = y > kCambiMaskRadius ? y - kCambiMaskRadius : 0;
  const i32 end = y + kCambiMaskRadius + 1 < args.height ? y + kCambiMaskRadius + 1 : args.height;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    i32 sum = 0;
    LOCKSTEP_ROLLED
    for (i32 i = begin; i < end; ++i) sum += args.sums[i64{i} * args.width + x];
    const i64 at = i64{y} * args.width + x;
    const u16 mark = sum > args.threshold ? u16{0} : kCambiMark;
    if (item.row < args.height) args.marked[at] = static_cast<u16>(args.codes[at] | mark);
  }
}

struct CambiModesArgs {
  const u16* larger;  // marked codes, [larger_height][larger_width]
  u16* marked;        // [height][width]
  i32 larger_width;
  i32 step;  // 1 or 2: this scale has every step-th sample of `larger`
  i32 width;
  i32 height;
};

LOCKSTEP_KERNEL u16 CambiUnmarked(u16 marked) { return static_cast<u16>(marked & ~kCambiMark); }

/// The mode filter along a row of a scale, of column x.
/// edge    the first and the last column stay as they are
LOCKSTEP_KERNEL u16 CambiModeOfRow(const CambiModesArgs& args, i32 y, i32 x) {
  const u16* row = args.larger + i64{y} * args.step * args.larger_width;
  const i32 left = x > 0 ? x - 1 : x;
  const i32 right = x + 1 < args.width ? x + 1 : x;
  const u16 own = CambiUnmarked(row[x * args.step]);
  const u16 mode = CambiMode(CambiUnmarked(row[left * args.step]), own, CambiUnmarked(row[right * args.step]));
  return left == x || right == x ? own : mode;
}

/// Decimation, and the mode filter on codes; marks stay where they are.
/// edge    the first and the last row stay as they are
LOCKSTEP_KERNEL void CambiModesKernel(const CambiModesArgs& args, KernelItem item) {
  const i32 y = LiveRow(item.row, args.height);
  const bool is_inner = y > 0 && y + 1 < args.height;
  const i32 above = is_inner ? y - 1 : y;
  const i32 below = is_inner ? y + 1 : y;
  const u16* row = args.larger + i64{y} * args.step * args.larger_width;
  for (i32 x = item.lane; x < args.width; x += item.lanes) {
    const u16 own = row[x * args.step];
    const u16 mode =
        CambiMode(CambiModeOfRow(args, above, x), CambiModeOfRow(args, y, x), CambiModeOfRow(args, below, x));
    const u16 code = is_inner ? mode : CambiUnmarked(own);
    if (item.row < args.height) {
      args.marked[i64{y} * args.width + x] = static_cast<u16>(code | (own & kCambiMark));
    }
  }
}

struct CambiContrastsArgs {
  const u16* marked;  // [height][width]
  /// [segments][code_count][pairs]: how many pixels of each code are in the windows around two neighbouring columns,
  /// that of the left one in the low half
  u32* counts;
  float* contrasts;  // [height][width]
  const float* reciprocals;
  const CambiVisibility* visibility;
  i32 width;
  i32 height;
  i32 radius;  // of the window
  i32 first_code;
  i32 code_count;
  i32 segment_rows;
  i32 items;  // pairs of columns times segments
};

/// What one work-item counts: the pixels around columns 2 pair and 2 pair + 1, down a segment of rows.
struct CambiPair {
  u32* counts;  // of the first code
  i32 pairs;    // from one code to the next
  i32 pair;
  i32 begin;  // rows
  i32 end;
};

LOCKSTEP_KERNEL CambiPair CambiPairOf(const CambiContrastsArgs& args, i32 index) {
  const i32 pairs = (args.width + 1) / 2;
  const i32 segment = index / pairs;
  const i32 pair = index - segment * pairs;
  const i32 begin = segment * args.segment_rows;
  const i32 end = begin + args.segment_rows;
  return {args.counts + i64{segment} * args.code_count * pairs + pair, pairs, pair, begin,
          end < args.height ? end : args.height};
}

/// A row comes into the windows and another one leaves them; rows outside the picture are empty.
/// exact   a half counts 4225 pixels at most
LOCKSTEP_KERNEL void CambiSlideCounts(const CambiContrastsArgs& args, CambiPair pair, i32 coming, i32 leaving) {
  const bool has_coming = coming < args.height;
  const bool has_leaving = leaving >= 0;
  const u16* coming_row = args.marked + i64{has_coming ? coming : 0} * args.width;
  const u16* leaving_row = args.marked + i64{has_leaving ? leaving : 0} * args.width;
  const i32 column = 2 * pair.pair;
  const i32 begin = column > args.radius ? column - args.radius : 0;
  const i32 end = column + args.radius + 2 < args.width ? column + args.radius + 2 : args.width;
  const u32 code_count = static_cast<u32>(args.code_count);
  LOCKSTEP_ROLLED
  for (i32 x = begin; x < end; ++x) {
    // Marked codes are above all that count.
    const u32 in = has_coming ? static_cast<u32>(coming_row[x] - args.first_code) : code_count;
    const u32 out = has_leaving ? static_cast<u32>(leaving_row[x] - args.first_code) : code_count;
    const u32 one = (x <= column + args.radius ? 1u : 0u) | (x >= column + 1 - args.radius ? 0x10000u : 0u);
    if (in != out && in < code_count) pair.counts[i64{in} * pair.pairs] += one;
    if (in != out && out < code_count) pair.counts[i64{out} * pair.pairs] -= one;
  }
}

/// The greatest contrast of a pixel, whose counts are in the half that starts at bit `shift`.
LOCKSTEP_KERNEL float CambiGreatestContrast(const CambiContrastsArgs& args, CambiPair pair, i32 code, i32 shift) {
  const i32 index = code - args.first_code;
  float greatest = 0.0f;
  if (static_cast<u32>(index) < static_cast<u32>(args.code_count)) {
    const u32* counts = pair.counts + i64{index} * pair.pairs;
    const i32 own = static_cast<i32>(counts[0] >> shift & 0xffffu);
    const i32 contrasts = args.visibility->contrasts;
    const i32 low_limit = args.visibility->low_limit;
    LOCKSTEP_ROLLED
    for (i32 d = 1; d <= contrasts; ++d) {
      if (CambiIsVisible(contrasts, args.visibility->limits[d], low_limit, code, d)) {
        const u32 above = counts[i64{d} * pair.pairs] >> shift & 0xffffu;
        const u32 below = index >= d ? counts[-i64{d} * pair.pairs] >> shift & 0xffffu : 0u;
        const i32 others = static_cast<i32>(above > below ? above : below);
        const float contrast = CambiContrast(CambiContrastWeight(d), own, others, args.reciprocals[own + others]);
        if (contrast > greatest) greatest = contrast;
      }
    }
  }
  return greatest;
}

LOCKSTEP_KERNEL void CambiSegmentContrasts(const CambiContrastsArgs& args, CambiPair pair) {
  LOCKSTEP_ROLLED
  for (i32 i = 0; i < args.code_count; ++i) pair.counts[i64{i} * pair.pairs] = 0;
  // Before the segment's first row the rows of its window come, all but the last one.
  const i32 lead_in = pair.begin > args.radius ? 2 * args.radius : pair.begin + args.radius;
  LOCKSTEP_ROLLED
  for (i32 y = pair.begin - lead_in; y < pair.end; ++y) {
    // Rows above the first window have never come.
    CambiSlideCounts(args, pair, y + args.radius, y > pair.begin ? y - args.radius - 1 : -1);
    const i64 at = i64{y} * args.width + 2 * pair.pair;
    LOCKSTEP_ROLLED
    for (i32 i = 0; i < 2; ++i) {
      if (y >= pair.begin && 2 * pair.pair + i < args.width) {
        args.contrasts[at + i] = CambiGreatestContrast(args, pair, args.marked[at + i], 16 * i);
      }
    }
  }
}

/// Contrasts of all pixels. A work-item slides down a segment of a pair of columns.
LOCKSTEP_KERNEL void CambiContrastsKernel(const CambiContrastsArgs& args, KernelItem item) {
  const CambiPair pair = CambiPairOf(args, LiveRow(item.row, args.items));
  if (item.row < args.items) CambiSegmentContrasts(args, pair);
}

/// Contrasts as keys: 0 for 0, else 1 + what the representation is above that of 1/2. They have the order of the
/// contrasts and three digits of 9 bits.
/// exact   contrasts are below 2^14, and those that are not 0 at least 1/2
inline constexpr i32 kCambiDigits = 3;
inline constexpr i32 kCambiDigitBits = 9;
inline constexpr i32 kCambiDigitValues = 1 << kCambiDigitBits;
inline constexpr u32 kCambiHalfBits = 0x3f000000u;

LOCKSTEP_KERNEL u32 CambiKeyOfBits(u32 bits) { return bits == 0 ? 0u : bits - kCambiHalfBits + 1; }

/// The contrast of a key in units of 2^-24.
/// exact   below 2^38
LOCKSTEP_KERNEL u64 CambiUnitsOfKey(u32 key) {
  const u32 above_half = key - 1;
  const u64 units = u64{0x800000u | (above_half & 0x7fffffu)} << (above_half >> 23 & 63u);
  return key == 0 ? u64{0} : units;
}

/// Work-items that count the contrasts of a scale.
inline constexpr i32 kCambiCounters = 512;

/// Where the search for the smallest of the greatest contrasts of a scale stands.
struct CambiChoice {
  u32 digits;     // that are known, the lowest one last
  u32 remaining;  // how many of the greatest are among those that begin with these digits
};

struct CambiPoolArgs {
  const u32* contrasts[kCambiScales];  // representations
  i32 pixels[kCambiScales];
  i32 pooled[kCambiScales];  // how many of the greatest are wanted
  u32* counts;               // [scale][kCambiDigitValues][kCambiCounters]
  u64* sums;                 // [scale][kCambiCounters], of greater contrasts
  u32* totals;               // [scale][kCambiDigitValues]
  u64* total_sums;           // [scale]
  CambiChoice* choices;      // [scale]
  i32 digit;                 // 0 is the highest one
};

LOCKSTEP_KERNEL void CambiCountDigits(const CambiPoolArgs& args, i32 scale, i32 counter) {
  u32* counts = args.counts + i64{scale} * kCambiDigitValues * kCambiCounters + counter;
  LOCKSTEP_ROLLED
  for (i32 i = 0; i < kCambiDigitValues; ++i) counts[i * kCambiCounters] = 0;
  const i32 shift = (kCambiDigits - 1 - args.digit) * kCambiDigitBits;
  const u32 chosen = args.digit == 0 ? 0 : args.choices[scale].digits;
  const u32* contrasts = args.contrasts[scale];
  u64 sum = 0;
  LOCKSTEP_ROLLED
  for (i32 i = counter; i < args.pixels[scale]; i += kCambiCounters) {
    const u32 key = CambiKeyOfBits(contrasts[i]);
    const u32 begins = key >> shift >> kCambiDigitBits;
    if (begins == chosen) counts[static_cast<i32>(key >> shift & (kCambiDigitValues - 1)) * kCambiCounters] += 1;
    if (begins > chosen) sum += CambiUnitsOfKey(key);
  }
  args.sums[scale * kCambiCounters + counter] = sum;
}

/// Counts contrasts by the next digit, among those that begin with the digits chosen; sums of the greater ones.
/// exact   sums below 2^64 for 2^26 pixels
LOCKSTEP_KERNEL void CambiCountDigitsKernel(const CambiPoolArgs& args, KernelItem item) {
  const i32 index = LiveRow(item.row, kCambiScales * kCambiCounters);
  if (item.row < kCambiScales * kCambiCounters) {
    CambiCountDigits(args, index / kCambiCounters, index % kCambiCounters);
  }
}

/// Adds up what the counters have, one work-item a digit's value.
LOCKSTEP_KERNEL void CambiAddCountsKernel(const CambiPoolArgs& args, KernelItem item) {
  const i32 index = LiveRow(item.row, kCambiScales * kCambiDigitValues);
  const u32* counts = args.counts + i64{index} * kCambiCounters;
  u32 count = 0;
  LOCKSTEP_ROLLED
  for (i32 i = 0; i < kCambiCounters; ++i) count += counts[i];
  if (item.row < kCambiScales * kCambiDigitValues) args.totals[index] = count;
}

/// The same for the sums, one work-item a scale.
LOCKSTEP_KERNEL void CambiAddSumsKernel(const CambiPoolArgs& args, KernelItem item) {
  const i32 scale = LiveRow(item.row, kCambiScales);
  u64 sum = 0;
  LOCKSTEP_ROLLED
  for (i32 i = 0; i < kCambiCounters; ++i) sum += args.sums[scale * kCambiCounters + i];
  if (item.row < kCambiScales) args.total_sums[scale] = sum;
}

/// Chooses the digit of the smallest of the greatest contrasts, one work-item a scale.
LOCKSTEP_KERNEL void CambiChooseDigitKernel(const CambiPoolArgs& args, KernelItem item) {
  const i32 scale = LiveRow(item.row, kCambiScales);
  const u32* totals = args.totals + scale * kCambiDigitValues;
  const u32 digits = args.digit == 0 ? 0 : args.choices[scale].digits;
  u32 remaining = args.digit == 0 ? static_cast<u32>(args.pooled[scale]) : args.choices[scale].remaining;
  i32 value = kCambiDigitValues - 1;
  for (; value > 0 && totals[value] < remaining; --value) remaining -= totals[value];
  const CambiChoice choice = {digits << kCambiDigitBits | static_cast<u32>(value), remaining};
  if (item.row < kCambiScales) args.choices[scale] = choice;
}

}  // namespace lockstep

// name, type of the arguments, body
#define LOCKSTEP_CAMBI_KERNELS(X)                               \
  X(codes_u8, CambiCodesArgs, CambiCodesKernel<lockstep::u8>)   \
  X(codes_u16, CambiCodesArgs, CambiCodesKernel<lockstep::u16>) \
  X(flat, CambiFlatArgs, CambiFlatKernel)                       \
  X(flat_rows, CambiFlatRowsArgs, CambiFlatRowsKernel)          \
  X(mask, CambiMaskArgs, CambiMaskKernel)                       \
  X(modes, CambiModesArgs, CambiModesKernel)                    \
  X(contrasts, CambiContrastsArgs, CambiContrastsKernel)        \
  X(count_digits, CambiPoolArgs, CambiCountDigitsKernel)        \
  X(add_counts, CambiPoolArgs, CambiAddCountsKernel)            \
  X(add_sums, CambiPoolArgs, CambiAddSumsKernel)                \
  X(choose_digit, CambiPoolArgs, CambiChooseDigitKernel)
