// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which rows and columns of each scale adm needs, and by how much its sums are rounded.
#pragma once

#include <array>

#include "features/adm/adm_arithmetic.h"

namespace lockstep {

inline constexpr int kAdmScales = 4;

/// One axis of one scale. Only the middle four fifths of a band enter the sums, so the outer parts are computed as far
/// as inner or coarser coefficients depend on them.
struct AdmAxis {
  i32 inputs = 0;
  i32 outputs = 0;
  AdmRange inner{};    // entering the sums
  AdmRange detail{};   // detail bands: the inner part and its neighbours
  AdmRange low{};      // low band: what the next scale reads
  AdmRange wavelet{};  // union of low and detail
};

/// All scales of an axis of `size` samples, worked out from the last scale backwards.
/// in      size >= 33, so that the last scale has three coefficients
[[nodiscard]] std::array<AdmAxis, kAdmScales> MakeAdmAxes(i32 size, bool skip_scale0);

/// The rows of which only a band enters the sums: rows [band.begin, band.end) of the last scale and those of the other
/// scales that its coefficients cover. Bands that make up the rows of the last scale cut every scale without gaps; rows
/// that only neighbours depend on are part of both bands.
/// in      rows: of MakeAdmAxes()
[[nodiscard]] std::array<AdmAxis, kAdmScales> AdmBandRows(const std::array<AdmAxis, kAdmScales>& rows, AdmRange band);

/// Rounding shifts of one scale's sums.
struct AdmShifts {
  AdmNumeratorShifts numerator{};
  i32 denominator_cube = 0;
  i32 denominator_row = 0;
};

[[nodiscard]] AdmShifts MakeAdmShifts(int scale, const AdmAxis& columns, const AdmAxis& rows);

/// Coefficients of one band that enter the sums.
[[nodiscard]] i32 AdmInnerArea(const AdmAxis& columns, const AdmAxis& rows);

}  // namespace lockstep
