// SPDX-License-Identifier: BSD-2-Clause-Patent
// What cambi's device programs share: the sum of the greatest contrasts out of a device's integers, and the frames that
// the host computes.
#pragma once

#include <span>

#include "features/cambi/cambi_settings.h"
#include "features/feature.h"

namespace lockstep {

/// A sum of the greatest contrasts of a scale, in units of 2^-24.
struct CambiPooledSum {
  u64 units = 0;
  u32 least_key = 0;  // of the smallest of them, as CambiKeyOfBits() gives it; 0: it may be anything

  /// Whether binary64 holds every partial sum, so that every order of additions gives this one.
  [[nodiscard]] bool IsExact() const;
  /// in    IsExact()
  [[nodiscard]] double Value() const;
};

/// Whether there are pictures whose sums are not exact.
[[nodiscard]] bool CambiSumsMayRound(const CambiSettings& settings);

/// Facts of a frame whose sums are not exact. Allocates.
void CambiExtractOnHost(const Feature& feature, const FrameWindow& window, std::span<Fact> facts);

}  // namespace lockstep
