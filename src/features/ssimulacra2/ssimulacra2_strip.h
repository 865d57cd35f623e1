// SPDX-License-Identifier: BSD-2-Clause-Patent
// One vertical strip of one scale of ssimulacra2: its rows become light, colour, blurred means and sums of errors, and
// the light of the next scale, without a plane in between.
#pragma once

#include <array>
#include <cstddef>

#include "features/ssimulacra2/ssimulacra2_arithmetic.h"

namespace lockstep {

inline constexpr i32 kSsimulacra2Scales = 6;
/// Of a colour plane: similarity, ringing and blur, each to the first and to the fourth power.
inline constexpr i32 kSsimulacra2Sums = 6;
/// Columns of a strip, a multiple of 32 so that strips of the next scale begin at whole vectors. Wide, because columns
/// beside a strip are computed twice; yet the lines of a strip stay in the second cache.
inline constexpr i32 kSsimulacra2Strip = 512;
/// Columns of a row that are so far apart share a partial sum.
inline constexpr i32 kSsimulacra2Partials = 16;

/// Floats of a line: a strip, what the blur reads on both sides, and what vectors read beyond; a multiple of 16.
inline constexpr i32 kSsimulacra2Line = 544;
/// Floats beyond a row of a plane of light that may be read and written.
inline constexpr i32 kSsimulacra2RowEnd = 32;

/// Samples of one picture; 63 bytes after each row may be read.
struct Ssimulacra2Picture {
  std::array<const void*, 3> planes{};
  std::array<i64, 3> strides{};  // in samples
  i32 chroma_width = 0;          // 0: there is none
  i32 chroma_height = 0;
  bool halves_width = false;
  bool halves_height = false;
  i32 black = 0;
  i32 neutral = 0;

  template <class Sample>
  [[nodiscard]] const Sample* row(i32 plane, i32 y) const {
    const auto p = static_cast<std::size_t>(plane);
    return static_cast<const Sample*>(planes[p]) + strides[p] * y;
  }
};

/// Light of both pictures at one scale: red, green and blue of the reference, then of the distorted picture.
struct Ssimulacra2Light6 {
  float* data = nullptr;
  i64 pitch = 0;
  i64 plane_size = 0;

  [[nodiscard]] float* row(i32 plane, i32 y) const { return data + plane_size * plane + pitch * y; }
};

struct Ssimulacra2StripArgs {
  /// Source of the first scale.
  std::array<Ssimulacra2Picture, 2> pictures{};
  Ssimulacra2Colour colour{};
  Ssimulacra2Transfer transfer{};
  /// Source of the others.
  Ssimulacra2Light6 light;
  /// The next scale; without data there is none.
  Ssimulacra2Light6 next;
  i32 width = 0;  // of this scale
  i32 height = 0;
  i32 left = 0;            // first column of the strip
  float* lines = nullptr;  // kSsimulacra2LineBytes at a multiple of 64, zeroed before the first use
};

/// Sums of the strip: chains over partial sums 0 … 15, each a binary64 chain over the strip's rows of what a row adds
/// to it, and that a binary32 chain over every 16th column of the row.
using Ssimulacra2StripSums = std::array<std::array<double, kSsimulacra2Sums>, 3>;
using Ssimulacra2PartialSums = std::array<std::array<float, kSsimulacra2Partials>, kSsimulacra2Sums>;

/// The first scale reads samples, the others light.
using Ssimulacra2StripFunction = void (*)(const Ssimulacra2StripArgs& args, Ssimulacra2StripSums& sums);

/// Rows that two rows of the blur need: two at a time read hardly more than one.
inline constexpr i32 kSsimulacra2WindowRows = kSsimulacra2Taps + 1;

/// Lines of one strip, as offsets in floats. A line begins kSsimulacra2Reach columns before the strip.
struct Ssimulacra2Lines {
  static constexpr i32 kSlots = kSsimulacra2WindowRows;
  static constexpr i32 kColour = 0;                   // [kSlots][3][3]: value, difference, energy of each plane
  static constexpr i32 kZero = kColour + kSlots * 9;  // [1]
  static constexpr i32 kBlurred = kZero + 1;          // [2][4]
  static constexpr i32 kLight = kBlurred + 8;         // [2][6]
  static constexpr i32 kScratch = kLight + 12;        // [4]
  static constexpr i32 kCount = kScratch + 4;
};
inline constexpr std::size_t kSsimulacra2LineBytes =
    sizeof(float) * static_cast<std::size_t>(Ssimulacra2Lines::kCount) * kSsimulacra2Line;

/// Lines of the rows around two rows of one colour plane.
struct Ssimulacra2Window {
  const float* value[kSsimulacra2WindowRows];
  const float* difference[kSsimulacra2WindowRows];
  const float* energy[kSsimulacra2WindowRows];
};

/// What a target's functions do is described at ScalarSsimulacra2Rows.
template <class Rows>
class Ssimulacra2StripRun {
 public:
  Ssimulacra2StripRun(const Ssimulacra2StripArgs& args, bool is_first_scale)
      : args_(args), is_first_scale_(is_first_scale) {
    right_ = args.width - args.left < kSsimulacra2Strip ? args.width : args.left + kSsimulacra2Strip;
    begin_ = args.left == 0 ? 0 : args.left - kSsimulacra2Reach;
    end_ = args.width - right_ < kSsimulacra2Reach ? args.width : right_ + kSsimulacra2Reach;
  }

  void Run(Ssimulacra2StripSums& sums) {
    const i32 even_height = (args_.height + 1) / 2 * 2;
    for (i32 y = 0; y < even_height + kSsimulacra2Reach; ++y) {
      if (y < args_.height) {
        MakeRow(y);
        const bool is_last = y + 1 == args_.height;
        if (args_.next.data != nullptr && (y % 2 == 1 || is_last)) HalveRows(y);
      }
      const i32 second = y - kSsimulacra2Reach;
      if (second > 0 && second % 2 == 1) SumRows(second - 1);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < kSsimulacra2Sums; ++i) {
        double sum = 0.0;
        for (const double partial : totals_[c][i]) sum += partial;
        sums[c][i] = sum;
      }
    }
  }

 private:
  [[nodiscard]] float* Line(i32 index) const { return args_.lines + i64{index} * kSsimulacra2Line; }
  /// Where a column of the picture lies in a line.
  [[nodiscard]] i32 At(i32 column) const { return column - args_.left + kSsimulacra2Reach; }
  [[nodiscard]] float* ColourLine(i32 y, i32 index) const {
    return Line(Ssimulacra2Lines::kColour + y % Ssimulacra2Lines::kSlots * 9 + index);
  }
  /// Column begin_ of a row of light that has been made.
  [[nodiscard]] float* LightRow(i32 y, i32 plane) const {
    if (is_first_scale_) return Line(Ssimulacra2Lines::kLight + y % 2 * 6 + plane) + At(begin_);
    return args_.light.row(plane, y) + begin_;
  }

  void MakeRow(i32 y) {
    const i32 count = end_ - begin_;
    float* light[6];
    for (i32 i = 0; i < 6; ++i) light[i] = LightRow(y, i);
    if (is_first_scale_) {
      for (i32 p = 0; p < 2; ++p) {
        Rows::MakeLight(args_, p, y, begin_, count, Line(Ssimulacra2Lines::kScratch), light + 3 * p);
      }
      // The last column of an odd width counts twice at the next scale.
      for (float* row : light) {
        if (end_ == args_.width) row[count] = row[count - 1];
      }
    }
    const i32 first = At(begin_);
    float* out[9];
    for (i32 i = 0; i < 9; ++i) out[i] = ColourLine(y, i) + first;
    Rows::MakeColour(light, count, out);
    for (i32 i = 0; i < 9; ++i) {
      float* const line = ColourLine(y, i);
      for (i32 x = 0; x < first; ++x) line[x] = 0.0f;
      if (end_ < args_.width) continue;
      for (i32 x = At(end_); x < kSsimulacra2Line; ++x) line[x] = 0.0f;
    }
  }

  void HalveRows(i32 y) {
    const i32 upper = y & ~1;
    const i32 skipped = args_.left - begin_;
    const i32 count = (right_ - args_.left + 1) / 2;
    for (i32 plane = 0; plane < 6; ++plane) {
      float* const out = args_.next.row(plane, y / 2) + args_.left / 2;
      Rows::Halve(LightRow(upper, plane) + skipped, LightRow(y, plane) + skipped, count, out);
      if (right_ == args_.width) out[count] = out[count - 1];
    }
  }

  /// Rows y and y + 1, the second one only if it is in the picture.
  void SumRows(i32 y) {
    const i32 columns = right_ - args_.left;
    float* const blurred[2] = {Line(Ssimulacra2Lines::kBlurred), Line(Ssimulacra2Lines::kBlurred + 4)};
    for (i32 c = 0; c < 3; ++c) {
      Ssimulacra2Window window;
      for (i32 i = 0; i < kSsimulacra2WindowRows; ++i) {
        const i32 row = y - kSsimulacra2Reach + i;
        const bool is_inside = row >= 0 && row < args_.height;
        const float* const zero = Line(Ssimulacra2Lines::kZero);
        window.value[i] = is_inside ? ColourLine(row, 3 * c) : zero;
        window.difference[i] = is_inside ? ColourLine(row, 3 * c + 1) : zero;
        window.energy[i] = is_inside ? ColourLine(row, 3 * c + 2) : zero;
      }
      Rows::BlurRows(window, columns + 2 * kSsimulacra2Reach, blurred);
      for (i32 k = 0; k < 2 && y + k < args_.height; ++k) {
        Ssimulacra2PartialSums partials;
        Rows::SumErrors(blurred[k], window.value[kSsimulacra2Reach + k] + kSsimulacra2Reach,
                        window.difference[kSsimulacra2Reach + k] + kSsimulacra2Reach, columns, partials);
        AddPartials(partials, totals_[static_cast<std::size_t>(c)]);
      }
    }
  }

  using Totals = std::array<std::array<double, kSsimulacra2Partials>, kSsimulacra2Sums>;
  static void AddPartials(const Ssimulacra2PartialSums& partials, Totals& totals) {
    for (std::size_t i = 0; i < kSsimulacra2Sums; ++i) {
      for (std::size_t j = 0; j < kSsimulacra2Partials; ++j) totals[i][j] += static_cast<double>(partials[i][j]);
    }
  }

  const Ssimulacra2StripArgs& args_;
  bool is_first_scale_;
  i32 right_ = 0;  // column after the strip
  i32 begin_ = 0;  // columns of the strip and of what the blur reads beside it
  i32 end_ = 0;
  std::array<Totals, 3> totals_{};
};

}  // namespace lockstep
