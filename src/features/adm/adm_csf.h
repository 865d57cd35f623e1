// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity of the adm metric: factors by scale and orientation for one viewing condition.
#pragma once

#include <array>

#include "features/adm/adm_arithmetic.h"
#include "lockstep/result.h"

namespace lockstep {

/// Values of adm_csf_mode.
enum class AdmCsfMode { kWatson, kBarten, kBlend, kBlendMae };

struct AdmCsfOptions {
  AdmCsfMode mode = AdmCsfMode::kWatson;
  double scale = 1.0;           // adm_csf_scale
  double diagonal_scale = 1.0;  // adm_csf_diag_scale
  double view_distance = 3.0;   // adm_norm_view_dist, in display heights
  int display_height = 1080;    // adm_ref_display_height, in pixels
};

struct AdmCsf {
  struct Scale {
    float hv = 0.0f;
    float d = 0.0f;
    AdmFactors fixed{};  // the same in fixed point, for the numerators
  };
  std::array<Scale, 4> scales;
};

/// Sensitivity factors for a viewing condition.
/// exact   binary32 and binary64 steps in the order of the reference; factors too large for their fixed-point form keep
///         the low bits that x86 conversion instructions leave (csf mode 1 with its default scale does that)
/// errors  kInvalidArgument: view_distance * display_height below 3240, or a table mode without an entry for the pair
/// source  spec adm.md, CSF factors
[[nodiscard]] Result<AdmCsf> MakeAdmCsf(const AdmCsfOptions& options);

/// Pixels of the display that one degree of the viewer's field covers.
/// in      view_distance in display heights
[[nodiscard]] float AdmPixelsPerDegree(double view_distance, int display_height);

/// Inverse of the quantisation step that just hides wavelet noise.
/// in      scale 0 … 3
/// source  Watson et al. 1997, "Visibility of wavelet quantization noise", as spec adm.md gives it
[[nodiscard]] float AdmWatsonFactor(float pixels_per_degree, int scale, bool diagonal);

/// Optical transfer of the eye times neural sensitivity at a luminance of 100 cd/m2, times `factor`.
/// in      scale 0 … 3
/// source  Barten 1999, as spec adm.md gives it
[[nodiscard]] float AdmBartenFactor(float pixels_per_degree, int scale, double factor);

}  // namespace lockstep
