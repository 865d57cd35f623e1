// SPDX-License-Identifier: BSD-2-Clause-Patent
// Factors by adm_csf_mode, and those that options set directly.
#include "features/float_adm/float_adm_csf.h"

#include <cstddef>
#include <string>

#include "exact/elementary.h"
#include "exact/integer_math.h"
#include "features/adm/adm_csf.h"

namespace lockstep {
namespace {

// The function of the paper on the detail loss metric, Li et al. 2011.
float DlmFactor(float pixels_per_degree, int scale, bool diagonal) {
  float frequency = static_cast<float>(static_cast<double>(pixels_per_degree) / exact::Ldexp1(scale + 1));
  if (diagonal) frequency = static_cast<float>(static_cast<double>(frequency) / 0.7);
  const auto wide = static_cast<double>(frequency);
  return static_cast<float>((0.31 + 0.69 * wide) * exact::Exp(-0.29 * wide));
}

float Factor(const OptionValues& options, int scale, bool diagonal) {
  const double fixed = options.GetDouble((diagonal ? "adm_f2s" : "adm_f1s") + std::to_string(scale));
  if (fixed >= 0.0) return static_cast<float>(fixed);
  const float pixels_per_degree =
      AdmPixelsPerDegree(options.GetDouble("adm_norm_view_dist"), options.GetInt("adm_ref_display_height"));
  switch (options.GetInt("adm_csf_mode")) {
    case 1:
      return AdmBartenFactor(pixels_per_degree, scale,
                             options.GetDouble(diagonal ? "adm_csf_diag_scale" : "adm_csf_scale"));
    case 2:
      return DlmFactor(pixels_per_degree, scale, diagonal);
    default:
      return AdmWatsonFactor(pixels_per_degree, scale, diagonal);
  }
}

}  // namespace

std::array<FloatAdmFactors, 4> MakeFloatAdmCsf(const OptionValues& options) {
  std::array<FloatAdmFactors, 4> factors;
  for (int scale = 0; scale < 4; ++scale) {
    factors[static_cast<std::size_t>(scale)] = {Factor(options, scale, false), Factor(options, scale, true)};
  }
  return factors;
}

}  // namespace lockstep
