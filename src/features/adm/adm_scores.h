// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of a frame that adm and float_adm share, and the columns that they are written to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "features/feature.h"

namespace lockstep {

struct AdmScores {
  static constexpr std::size_t kScales = 4;
  std::array<float, kScales> numerator{};
  std::array<float, kScales> denominator{};
  double total_numerator = 0.0;
  double total_denominator = 0.0;
  double adm2 = 0.0;
  double aim = 0.0;
  double adm3 = 0.0;
};

/// adm2, aim, adm3 and the ratio of each scale; with `debug` also adm, the totals, and each scale's numerator and
/// denominator.
inline void PutAdmScores(const AdmScores& scores, bool debug, std::int64_t frame, ScoreSink& sink) {
  int column = 0;
  for (const double value : {scores.adm2, scores.aim, scores.adm3}) sink.Put(column++, frame, value);
  for (std::size_t s = 0; s < AdmScores::kScales; ++s) {
    sink.Put(column++, frame, static_cast<double>(scores.numerator[s]) / static_cast<double>(scores.denominator[s]));
  }
  if (!debug) return;
  for (const double value : {scores.adm2, scores.total_numerator, scores.total_denominator}) {
    sink.Put(column++, frame, value);
  }
  for (std::size_t s = 0; s < AdmScores::kScales; ++s) {
    sink.Put(column++, frame, static_cast<double>(scores.numerator[s]));
    sink.Put(column++, frame, static_cast<double>(scores.denominator[s]));
  }
}

}  // namespace lockstep
