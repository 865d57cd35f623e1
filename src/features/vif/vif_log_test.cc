// SPDX-License-Identifier: BSD-2-Clause-Patent
// The logarithm on every target's lane equals the table, for each fraction and with any bits below it.
#include "lanes/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/vif/vif_log_test.cc"
#include <hwy/foreach_target.h>

#include "features/vif/vif_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
/// `count` is a multiple of 16.
void LogsOnTarget(const i32* words, i32 count, i32* out) {
  using L = HighwayLane;
  const VifLaneLog<L> log;
  for (i32 i = 0; i < count; i += L::N) L::Store(log.OfFraction(L::Load(words + i)), out + i);
}
#endif
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <vector>

#include "features/vif/vif.h"

namespace lockstep {
namespace {

TEST(VifLogTest, EveryFractionOnEveryTarget) {
  constexpr i32 kFractions = 32768;
  const u16* const table = VifLogTable().data();
  for (const i32 exponent : {1040, 1041, 1054, 1068}) {
    for (const i32 below : {0, 1, 16, 31}) {
      std::vector<i32> words(kFractions);
      for (i32 i = 0; i < kFractions; ++i) words[static_cast<std::size_t>(i)] = exponent << 20 | i << 5 | below;
      for (const CpuTarget target : AvailableCpuTargets()) {
        const auto run = LOCKSTEP_CHOOSE_SIMD(target, LogsOnTarget);
        if (run == nullptr) continue;
        std::vector<i32> logs(kFractions);
        run(words.data(), kFractions, logs.data());
        for (std::size_t i = 0; i < kFractions; ++i) {
          ASSERT_EQ(logs[i], table[i] - 30720) << CpuTargetName(target) << ", fraction " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
#endif
