// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exact conversions of whole pictures and rows: bit depth, 4:1:1 chroma, and the check of sample ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/frame.h"
#include "lockstep/result.h"

namespace lockstep {

/// Samples shifted left by the difference of the depths; bytes become 16-bit words.
/// in      in: 8–16 bit; depth: in's depth … 16
/// out     out gets in's format with bit_depth = depth; a different object than in
/// errors  kInvalidArgument when depth is out of range
[[nodiscard]] Status ShiftToDepth(Frame& out, const Frame& in, int depth);

/// One row of 4:1:1 chroma to 4:2:2: out[2i] = (in[i-1] + 110 in[i] + 18 in[i+1] - in[i+2]) / 128 and
/// out[2i+1] = (-3 in[i-1] + 50 in[i] + 86 in[i+1] - 5 in[i+2]) / 128.
/// in      in: [(out.size() + 1) / 2] samples or more
/// edge    indices clamp to the row
/// exact   rounded half up (arithmetic shift), clamped to 0 … 255; the taps sum to 128
/// source  intended conversion of libvmaf's y4m reader
void Convert411RowTo422(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

/// A sample that does not fit its picture's bit depth.
struct SampleOutOfRange {
  int plane = 0;
  int x = 0;
  int y = 0;
  int value = 0;
};

/// The first sample above the format's bit depth. Costs one OR a word when all are fine, and nothing at 8 and 16 bit.
[[nodiscard]] std::optional<SampleOutOfRange> FindSampleOutOfRange(const Frame& frame);

/// The same for one plane or a band of its rows; the result's plane is 0.
[[nodiscard]] std::optional<SampleOutOfRange> FindSampleOutOfRange(const PlaneView& plane, int bit_depth);

/// The error for it: "sample 5000 exceeds 10 bits (luma, x 3, y 0); …". File and frame are the caller's to add.
[[nodiscard]] Error SampleRangeError(const SampleOutOfRange& sample, int bit_depth);

}  // namespace lockstep
