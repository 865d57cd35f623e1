// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's vector code gives the integers of its scalar code on every target.
#include "features/vif/vif_simd.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "features/test_run.h"
#include "features/test_targets.h"
#include "features/vif/vif.h"
#include "features/vif/vif_test_pictures.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;

void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  test_targets::ExpectSameFacts(kVif, options, MakeVifPairs(format));
}

TEST(VifSimdTest, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 60; ++i) Compare(16 + i, 16 + i * 29 % 60, depths[i % 5], {});
  for (int i = 0; i < 60; ++i) Compare(16 + i, 16 + i * 37 % 60, depths[(i + 2) % 5], {});
}

TEST(VifSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) {
    Compare(93, 50, depth, {});
  }
}

TEST(VifSimdTest, WidthsAroundRegisters) {
  std::set<int> widths;
  for (const int base : test_targets::kRegisterBases) {
    for (const int size : {8, 16, 32, 64}) {
      for (int more = 0; more <= 4; ++more) widths.insert(base / size * size + more);
    }
  }
  const int depths[] = {8, 10, 9, 8, 16, 12};
  int i = 0;
  for (const int width : widths) {
    Compare(width, 16 + i % 5, depths[i % 6], {});
    ++i;
  }
}

// Where the mirrored columns begin a chunk of their own.
TEST(VifSimdTest, WidthsAroundChunks) {
  for (int more = -2; more <= 2; ++more) {
    for (const int width : {kVifSimdChunk, 2 * kVifSimdChunk, 3 * kVifSimdChunk}) {
      for (const int mirrored : {0, kVifSimdLead, kVifSimdLead + 9}) {
        Compare(width - mirrored + more, 18 - more, more % 2 == 0 ? 8 : 10, {});
      }
    }
  }
}

TEST(VifSimdTest, Options) {
  const std::vector<OptionTexts> families = {{{"vif_enhn_gain_limit", "1"}},
                                             {{"vif_enhn_gain_limit", "1.2"}},
                                             {{"vif_enhn_gain_limit", "1.0001"}},
                                             {{"vif_enhn_gain_limit", "2.5"}},
                                             {{"vif_enhn_gain_limit", "100"}},
                                             {{"vif_enhn_gain_limit", "99.99"}},
                                             {{"vif_skip_scale0", "true"}},
                                             {{"debug", "true"}},
                                             {{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 9, 10, 12, 16}) Compare(101, 67, depth, options);
  }
}

TEST(VifSimdTest, BandsAddUpToTheWhole) {
  for (const int depth : {8, 10}) {
    for (const int height : {64, 67, 161, 302}) {
      const VideoFormat format{PixelFormat::kYuv400, 77, height, depth};
      for (const PicturePair& pair : MakeVifPairs(format)) {
        const std::vector<Fact> expected = test_targets::FactsOf(kVif, {}, pair, CpuTarget::kScalar);
        for (const CpuTarget target : AvailableCpuTargets()) {
          for (const int bands : {2, 3, 5}) {
            ASSERT_EQ(test_targets::FactsOfBands(kVif, {}, pair, target, bands), expected)
                << test_targets::PlaceOf(target, format) << ", " << bands << " bands, " << pair.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
