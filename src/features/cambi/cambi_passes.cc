// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes, one pixel at a time.
#include "features/cambi/cambi_passes.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep {
namespace {

template <class Sample>
void ConvertRow(const Sample* samples, int bit_depth, const CambiShape& shape, u16* codes) {
  if (shape.columns.empty()) {
    for (i32 x = 0; x < shape.width; ++x) codes[x] = CambiCode(samples[x], bit_depth);
    return;
  }
  for (i32 x = 0; x < shape.width; ++x) {
    codes[x] = CambiCode(samples[shape.columns[static_cast<std::size_t>(x)]], bit_depth);
  }
}

u16 CodeOf(u16 marked) { return marked & static_cast<u16>(~kCambiMark); }
u16 MarkOf(u16 marked) { return marked & kCambiMark; }

bool IsInside(i32 index, i32 length) { return index >= 0 && index < length; }

// The horizontal filter at one pixel.
u16 RowMode(const u16* row, i32 x, i32 width) {
  if (x == 0 || x == width - 1) return CodeOf(row[x]);
  return CambiMode(CodeOf(row[x - 1]), CodeOf(row[x]), CodeOf(row[x + 1]));
}

// Histograms of the codes in the window around each pixel of a row, as counts by code and column.
class WindowCounts {
 public:
  WindowCounts(const CambiCodePlane& marked, CambiCodes codes, i32 window, const CambiPlane<u16>& counts)
      : marked_(marked), codes_(codes), reach_(window / 2), counts_(counts) {
    for (i32 code = codes.first; code < codes.end; ++code) {
      std::fill_n(counts_.Row(code - codes.first), marked.width, u16{0});
    }
    for (i32 y = 0; y < reach_; ++y) AddRow(y, 1);
  }

  /// Must be called for the rows 0, 1, … in this order.
  void MoveTo(i32 y) {
    AddRow(y + reach_, 1);
    AddRow(y - reach_ - 1, -1);
  }

  [[nodiscard]] i32 At(i32 code, i32 x) const {
    if (code < codes_.first || code >= codes_.end) return 0;
    return counts_.Row(code - codes_.first)[x];
  }

 private:
  void AddRow(i32 y, i32 sign) {
    if (!IsInside(y, marked_.height)) return;
    const u16* const row = marked_.Row(y);
    for (i32 x = 0; x < marked_.width; ++x) {
      // A mark makes the code greater than all that count.
      if (row[x] < codes_.first || row[x] >= codes_.end) continue;
      u16* const counts = counts_.Row(row[x] - codes_.first);
      const i32 end = std::min(x + reach_ + 1, marked_.width);
      for (i32 at = std::max(x - reach_, 0); at < end; ++at) counts[at] = static_cast<u16>(counts[at] + sign);
    }
  }

  CambiCodePlane marked_;
  CambiCodes codes_;
  i32 reach_;
  CambiPlane<u16> counts_;
};

float ContrastAt(const WindowCounts& counts, const CambiVisibility& visibility, i32 code, i32 x) {
  const auto& reciprocals = CambiReciprocals();
  const i32 own = counts.At(code, x);
  float greatest = 0.0f;
  for (i32 d = 1; d <= visibility.contrasts; ++d) {
    if (!CambiIsVisible(visibility, code, d)) continue;
    const i32 others = std::max(counts.At(code - d, x), counts.At(code + d, x));
    const float reciprocal = reciprocals[static_cast<std::size_t>(own + others)];
    greatest = std::max(greatest, CambiContrast(CambiContrastWeight(d), own, others, reciprocal));
  }
  return greatest;
}

}  // namespace

void CambiConvert(const PlaneView& luma, int bit_depth, const CambiShape& shape, const CambiCodePlane& codes) {
  for (i32 y = 0; y < shape.height; ++y) {
    const i32 source = shape.rows.empty() ? y : shape.rows[static_cast<std::size_t>(y)];
    if (bit_depth == 8) {
      ConvertRow(luma.row<u8>(source), bit_depth, shape, codes.Row(y));
    } else {
      ConvertRow(luma.row<u16>(source), bit_depth, shape, codes.Row(y));
    }
  }
}

void CambiRemoveDither(const CambiCodePlane& codes) {
  const i32 last_x = codes.width - 1;
  const i32 last_y = codes.height - 1;
  for (i32 y = 0; y < last_y; ++y) {
    u16* const row = codes.Row(y);
    const u16* const below = codes.Row(y + 1);
    for (i32 x = 0; x < last_x; ++x) row[x] = CambiMeanOfFour(row[x], row[x + 1], below[x], below[x + 1]);
    row[last_x] = CambiMeanOfTwo(row[last_x], below[last_x]);
  }
  u16* const row = codes.Row(last_y);
  for (i32 x = 0; x < last_x; ++x) row[x] = CambiMeanOfTwo(row[x], row[x + 1]);
}

void CambiMarkMask(const CambiCodePlane& codes, i32 step, const CambiPlane<u8>& flat, const CambiCodePlane& marked) {
  for (i32 y = 0; y < codes.height; ++y) {
    const u16* const row = codes.Row(y);
    const u16* const below = codes.Row(std::min(y + 1, codes.height - 1));
    for (i32 x = 0; x < codes.width; ++x) {
      flat.Row(y)[x] = static_cast<u8>(CambiIsFlat(row[x], row[std::min(x + 1, codes.width - 1)], below[x]));
    }
  }
  const i32 threshold = CambiMaskThreshold(codes.width, codes.height);
  for (i32 y = 0; y < marked.height; ++y) {
    for (i32 x = 0; x < marked.width; ++x) {
      const i32 centre_x = x * step;
      const i32 centre_y = y * step;
      i32 sum = 0;
      for (i32 i = centre_y - kCambiMaskRadius; i <= centre_y + kCambiMaskRadius; ++i) {
        for (i32 j = centre_x - kCambiMaskRadius; j <= centre_x + kCambiMaskRadius; ++j) {
          if (IsInside(i, codes.height) && IsInside(j, codes.width)) sum += flat.Row(i)[j];
        }
      }
      const u16 code = codes.Row(centre_y)[centre_x];
      marked.Row(y)[x] = sum > threshold ? code : static_cast<u16>(code | kCambiMark);
    }
  }
}

void CambiDecimate(const CambiCodePlane& marked, const CambiCodePlane& smaller) {
  for (i32 y = 0; y < smaller.height; ++y) {
    const u16* const row = marked.Row(2 * y);
    for (i32 x = 0; x < smaller.width; ++x) smaller.Row(y)[x] = row[2 * x];
  }
}

void CambiFilterModes(const CambiCodePlane& marked, const CambiCodePlane& filtered) {
  for (i32 y = 0; y < marked.height; ++y) {
    u16* const out = filtered.Row(y);
    if (y == 0 || y == marked.height - 1) {
      std::copy_n(marked.Row(y), marked.width, out);
      continue;
    }
    for (i32 x = 0; x < marked.width; ++x) {
      const u16 mode = CambiMode(RowMode(marked.Row(y - 1), x, marked.width), RowMode(marked.Row(y), x, marked.width),
                                 RowMode(marked.Row(y + 1), x, marked.width));
      out[x] = mode | MarkOf(marked.Row(y)[x]);
    }
  }
}

void CambiFindContrasts(const CambiCodePlane& marked, const CambiVisibility& visibility, i32 window,
                        const CambiPlane<u16>& counts, const CambiContrastPlane& contrasts) {
  const CambiCodes codes = CambiCodesThatCount(visibility);
  WindowCounts window_counts(marked, codes, window, counts);
  for (i32 y = 0; y < marked.height; ++y) {
    window_counts.MoveTo(y);
    const u16* const row = marked.Row(y);
    for (i32 x = 0; x < marked.width; ++x) {
      const bool counts_here = row[x] >= codes.first && row[x] < codes.end;
      contrasts.Row(y)[x] = counts_here ? ContrastAt(window_counts, visibility, row[x], x) : 0.0f;
    }
  }
}

}  // namespace lockstep
