// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of adm's vector code and device program: pictures and options at its edges.
#pragma once

#include <cstdint>
#include <vector>

#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {

/// Contents by what they reach: wrapping centre terms (extremes, stripes), all ratios and signs (noise, opposite), near
/// pixels (weaker, stronger, identical), single units (faint, dim).
inline std::vector<test_targets::PicturePair> MakeAdmPairs(const VideoFormat& format, std::uint64_t seed) {
  test_targets::PicturePairs pairs(format, seed);
  const int top = pairs.top();
  const auto noise = pairs.Noise();
  const auto extremes = pairs.Extremes();
  const auto natural = pairs.Natural();
  const auto weaker = pairs.ThreeQuarters(natural);
  const auto wide_columns = [&](int, int x, int) { return x % 4 < 2 ? top : 0; };
  const auto checks = [&](int, int x, int y) { return (x + y) % 2 == 0 ? 0 : top; };
  const auto blocks = pairs.Blocks(8, 8);
  const auto faint = [&](int, int x, int y) { return top / 2 + (x * y) % 2; };
  const auto dim = [&](int, int, int) { return top / 2 + pairs.Random(2); };
  pairs.Add("noise", noise, noise);
  pairs.Add("extremes", extremes, extremes);
  pairs.Add("natural", natural, natural);
  pairs.Add("weaker", natural, weaker);
  pairs.Add("stronger", weaker, natural);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  pairs.Add("checks", wide_columns, checks);
  pairs.Add("opposite", blocks, pairs.Inverse(blocks));
  pairs.Add("identical", blocks, blocks);
  pairs.Add("faint", faint, natural);
  pairs.Add("dim", dim, dim);
  pairs.Add("flat", pairs.Flat(top), faint);
  return pairs.Take();
}

/// One of each kind: gain limits with and without a fraction, viewing conditions, every contrast sensitivity function
/// (factors that overflow among them), parts left out.
inline std::vector<test_run::OptionTexts> AdmOptionFamilies() {
  return {
      {{"adm_enhn_gain_limit", "1"}},
      {{"adm_enhn_gain_limit", "1.2"}},
      {{"adm_enhn_gain_limit", "1.0001"}},
      {{"adm_enhn_gain_limit", "7"}},
      {{"adm_enhn_gain_limit", "99.99"}},
      {{"adm_noise_weight", "0.02"}, {"adm_dlm_weight", "0.7"}, {"adm_min_val", "0.5"}, {"debug", "true"}},
      {{"adm_norm_view_dist", "5"}},
      {{"adm_norm_view_dist", "24"}, {"adm_ref_display_height", "4320"}},
      {{"adm_csf_mode", "2"}},
      {{"adm_csf_mode", "2"}, {"adm_enhn_gain_limit", "1"}, {"adm_norm_view_dist", "5"}},
      {{"adm_csf_mode", "3"}},
      {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "3"}, {"adm_ref_display_height", "2160"}},
      {{"adm_csf_mode", "1"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.0003"}, {"adm_csf_diag_scale", "0.0003"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.017"}, {"adm_csf_diag_scale", "0.003"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "50"}, {"adm_csf_diag_scale", "0"}},
      {{"adm_skip_aim", "true"}},
      {{"adm_skip_scale0", "true"}},
      {{"adm_skip_scale0", "true"}, {"adm_skip_aim", "true"}, {"adm_enhn_gain_limit", "1"}},
  };
}

}  // namespace lockstep
