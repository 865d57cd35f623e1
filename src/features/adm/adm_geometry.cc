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

bool IsEmpty(AdmRange range) { return range.begin >= range.end; }

AdmRange Union(AdmRange a, AdmRange b) {
  if (IsEmpty(a)) return b;
  return IsEmpty(b) ? a : AdmRange{std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// What the inner coefficients of all scales depend on, worked out from the last scale backwards.
void AddDependencies(std::array<AdmAxis, kAdmScales>& axes) {
  AdmRange reader{};
  for (std::size_t s = kAdmScales; s-- > 0;) {
    AdmAxis& axis = axes[s];
    const bool read = !IsEmpty(reader);
    axis.low = read ? AdmRange{std::max(2 * reader.begin - 1, 0), std::min(2 * reader.end + 1, axis.outputs)} : reader;
    if (IsEmpty(axis.inner)) {
      axis.inner = axis.detail = {axis.low.begin, axis.low.begin};
    } else {
      axis.detail = {std::max(axis.inner.begin - 1, 0), std::min(axis.inner.end + 1, axis.outputs)};
    }
    axis.wavelet = reader = Union(axis.low, axis.detail);
  }
}

i32 CeilLog2(i32 value) { return exact::CeilLog2(static_cast<std::uint64_t>(value)); }

}  // namespace

std::array<AdmAxis, kAdmScales> MakeAdmAxes(i32 size, bool skip_scale0) {
  std::array<AdmAxis, kAdmScales> axes;
  for (AdmAxis& axis : axes) {
    axis.inputs = size;
    axis.outputs = size = (size + 1) / 2;
    const i32 border = BorderWidth(axis.outputs);
    axis.inner = {border, axis.outputs - border};
  }
  if (skip_scale0) axes[0].inner = {};
  AddDependencies(axes);
  return axes;
}

std::array<AdmAxis, kAdmScales> AdmBandRows(const std::array<AdmAxis, kAdmScales>& rows, AdmRange band) {
  std::array<AdmAxis, kAdmScales> own = rows;
  for (std::size_t s = 0; s < kAdmScales; ++s) {
    const i32 ratio = 1 << (kAdmScales - 1 - s);
    own[s].inner = {std::max(rows[s].inner.begin, band.begin * ratio), std::min(rows[s].inner.end, band.end * ratio)};
  }
  AddDependencies(own);
  return own;
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
