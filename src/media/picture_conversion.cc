// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exact conversions of whole pictures and rows.
#include "media/picture_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace lockstep {
namespace {

template <class From, class To>
void ShiftPlane(const PlaneView& in, const MutablePlaneView& out, int shift) {
  for (int y = 0; y < in.height; ++y) {
    const From* source = in.row<From>(y);
    To* target = out.row<To>(y);
    for (int x = 0; x < in.width; ++x) target[x] = static_cast<To>(static_cast<unsigned>(source[x]) << shift);
  }
}

std::uint16_t OrOfRow(const std::uint16_t* row, int width) {
  // Four independent 64-bit chains keep up with the memory whatever the compiler's vectoriser does.
  std::array<std::uint64_t, 4> any{};
  int x = 0;
  for (; x + 16 <= width; x += 16) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), row + x, sizeof(words));
    for (std::size_t i = 0; i < any.size(); ++i) any[i] |= words[i];
  }
  std::uint64_t all = any[0] | any[1] | any[2] | any[3];
  all |= all >> 32;
  all |= all >> 16;
  for (; x < width; ++x) all |= row[x];
  return static_cast<std::uint16_t>(all);
}

}  // namespace

Status ShiftToDepth(Frame& out, const Frame& in, int depth) {
  const int shift = depth - in.format().bit_depth;
  if (shift < 0 || depth > 16) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is not in {} … 16", depth, in.format().bit_depth),
                 {},
                 {},
                 "bit depth"};
  }
  VideoFormat format = in.format();
  format.bit_depth = depth;
  out.Reset(format);
  for (int p = 0; p < format.plane_count(); ++p) {
    if (depth == 8) {
      ShiftPlane<std::uint8_t, std::uint8_t>(in.plane(p), out.mutable_plane(p), shift);
    } else if (in.format().bit_depth == 8) {
      ShiftPlane<std::uint8_t, std::uint16_t>(in.plane(p), out.mutable_plane(p), shift);
    } else {
      ShiftPlane<std::uint16_t, std::uint16_t>(in.plane(p), out.mutable_plane(p), shift);
    }
  }
  return {};
}

void Convert411RowTo422(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  constexpr std::array<std::array<int, 4>, 2> kTaps{{{1, 110, 18, -1}, {-3, 50, 86, -5}}};
  const auto last = static_cast<std::ptrdiff_t>(in.size()) - 1;
  for (std::size_t x = 0; x < out.size(); ++x) {
    const std::array<int, 4>& taps = kTaps[x % 2];
    int sum = 64;
    for (std::size_t t = 0; t < taps.size(); ++t) {
      const auto index = std::clamp(static_cast<std::ptrdiff_t>(x / 2 + t) - 1, std::ptrdiff_t{0}, last);
      sum += taps[t] * in[static_cast<std::size_t>(index)];
    }
    out[x] = static_cast<std::uint8_t>(std::clamp(sum >> 7, 0, 255));
  }
}

std::optional<SampleOutOfRange> FindSampleOutOfRange(const PlaneView& plane, int bit_depth) {
  if (bit_depth == 8 || bit_depth >= 16) return std::nullopt;
  const int limit = 1 << bit_depth;
  for (int y = 0; y < plane.height; ++y) {
    const auto* row = plane.row<std::uint16_t>(y);
    if (OrOfRow(row, plane.width) < limit) continue;
    const auto* sample = std::find_if(row, row + plane.width, [limit](int value) { return value >= limit; });
    return SampleOutOfRange{0, static_cast<int>(sample - row), y, *sample};
  }
  return std::nullopt;
}

std::optional<SampleOutOfRange> FindSampleOutOfRange(const Frame& frame) {
  for (int p = 0; p < frame.format().plane_count(); ++p) {
    std::optional<SampleOutOfRange> found = FindSampleOutOfRange(frame.plane(p), frame.format().bit_depth);
    if (!found) continue;
    found->plane = p;
    return found;
  }
  return std::nullopt;
}

Error SampleRangeError(const SampleOutOfRange& sample, int bit_depth) {
  constexpr std::array<const char*, 3> kPlaneNames{"luma", "Cb", "Cr"};
  return Error{ErrorCode::kFormat,
               fmt::format("sample {} exceeds {} bits ({}, x {}, y {}); is the bit depth right?", sample.value,
                           bit_depth, kPlaneNames[static_cast<std::size_t>(sample.plane)], sample.x, sample.y),
               {},
               {},
               {}};
}

}  // namespace lockstep
