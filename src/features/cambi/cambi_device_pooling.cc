// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums of contrasts as integers, and whether they are those of binary64.
#include "features/cambi/cambi_device_pooling.h"

#include <memory>

#include "features/cambi/cambi_kernels.h"

namespace lockstep {
namespace {

constexpr int kBinary64Bits = 53;
constexpr double kUnit = 1.0 / (1 << 24);

bool MayRound(const CambiSettings& settings, const CambiShape& shape) {
  // With a and b pixels of two codes in a window of n, a b / (a + b) is n / 4 at most. Roundings are far below 1.
  const double greatest =
      CambiContrastWeight(settings.visibility.contrasts) * (shape.window * shape.window / 4.0 + 1.0);
  const double exact_sums = static_cast<double>(u64{1} << kBinary64Bits) * kUnit;
  return static_cast<double>(settings.PooledCount(shape, 0)) * greatest >= exact_sums;
}

}  // namespace

bool CambiPooledSum::IsExact() const {
  // All contrasts are multiples of 2^-24, and from 2^k / 2 on of 2^k times that.
  const u32 octave = least_key == 0 ? 0 : (least_key - 1) >> 23;
  return units >> octave < u64{1} << kBinary64Bits;
}

double CambiPooledSum::Value() const { return static_cast<double>(units) * kUnit; }

bool CambiSumsMayRound(const CambiSettings& settings) {
  return MayRound(settings, settings.distorted) || (settings.has_reference && MayRound(settings, settings.reference));
}

void CambiExtractOnHost(const Feature& feature, const FrameWindow& window, std::span<Fact> facts) {
  const std::unique_ptr<Workspace> workspace = feature.MakeWorkspace();
  feature.Extract(window, workspace.get(), facts);
}

}  // namespace lockstep
