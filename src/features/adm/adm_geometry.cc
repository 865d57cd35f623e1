// SPDX-License-Identifier: BSD-2-Clause-Patent
// Regions of interest and rounding shifts of adm.
#include "features/adm/adm_geometry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exact/integer_math.h"

namespace lockstep {
namespace {

// trunc(size * 0.1 - 0.5) in the reference's binary64; product and difference are exact at the ties.
i32 BorderWidth(i32 size) { return size < 5 ? 0 : (size - 5) / 10; }

i32 CeilLog2(i32 value) { return exact::CeilLog2(static_cast<std::uint64_t>(value)); }

}  // namespace

std::array<AdmAxis, kAdmScales> MakeAdmAxes(i32 size, bool skip_scale0) {
  std::array<AdmAxis, kAdmScales> axes;
  for (AdmAxis& axis : axes) {
    axis.inputs = size;
    axis.outputs = size = (size + 1) / 2;
    const i32 border = BorderWidth(axis.outputs);
    axis.inner = {border, axis.outputs - border};
    axis.detail = {std::max(axis.inner.begin - 1, 0), std::min(axis.inner.end + 1, axis.outputs)};
  }
  axes[3].wavelet = axes[3].detail;
  for (std::size_t s = 3; s-- > 0;) {
    AdmAxis& axis = axes[s];
    const AdmRange reader = axes[s + 1].wavelet;
    axis.low = {std::max(2 * reader.begin - 1, 0), std::min(2 * reader.end + 1, axis.outputs)};
    if (s == 0 && skip_scale0) {
      axis.inner = axis.detail = {axis.low.begin, axis.low.begin};
      axis.wavelet = axis.low;
    } else {
      axis.wavelet = {std::min(axis.low.begin, axis.detail.begin), std::max(axis.low.end, axis.detail.end)};
    }
  }
  return axes;
}

i32 AdmInnerArea(const AdmAxis& columns, const AdmAxis& rows) {
  return (columns.inner.end - columns.inner.begin) * (rows.inner.end - rows.inner.begin);
}

AdmShifts MakeAdmShifts(int scale, const AdmAxis& columns, const AdmAxis& rows) {
  AdmShifts shifts;
  const i32 width = CeilLog2(columns.outputs);
  shifts.numerator.row = CeilLog2(rows.outputs);
  if (scale == 0) {
    shifts.numerator.hv = width - 4;
    shifts.numerator.d = width - 3;
    const i32 area = AdmInnerArea(columns, rows);
    shifts.denominator_row = area > 0 ? std::max(CeilLog2(area) - 20, 0) : 0;
  } else {
    shifts.numerator.hv = shifts.numerator.d = width;
    shifts.denominator_cube = CeilLog2(columns.inner.end - columns.inner.begin);
    shifts.denominator_row = CeilLog2(rows.inner.end - rows.inner.begin);
  }
  return shifts;
}

}  // namespace lockstep
