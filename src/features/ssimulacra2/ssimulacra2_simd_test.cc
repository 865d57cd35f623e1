// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2's vector code gives the bits of its scalar code on every target.
#include "features/ssimulacra2/ssimulacra2_simd.h"

#include <gtest/gtest.h>

#include <vector>

#include "features/ssimulacra2/ssimulacra2.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv420, PixelFormat::kYuv444, PixelFormat::kYuv422,
                                         PixelFormat::kYuv400};

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto natural = pairs.Natural();
  pairs.Add("noise", pairs.Noise(), pairs.Noise());
  pairs.Add("faint noise", natural, pairs.Noisy(3, natural));
  pairs.Add("extremes", pairs.Extremes(), pairs.Columns());
  pairs.Add("equal", natural, natural);
  return pairs.Take();
}

void Compare(const VideoFormat& format, const OptionTexts& options = {}) {
  test_targets::ExpectSameFacts(kSsimulacra2, options, MakePairs(format));
}

TEST(Ssimulacra2SimdTest, SmallSizes) {
  for (int i = 0; i < 70; ++i) {
    Compare({kPixelFormats[i % 4], 8 + i, 8 + i * 29 % 40, test_targets::kRowDepths[i % 7]});
  }
}

// Around vectors, around strips, and around the columns that a strip reads of its neighbours.
TEST(Ssimulacra2SimdTest, WidthsAroundStrips) {
  int i = 0;
  for (const int base : {96, kSsimulacra2Strip, 2 * kSsimulacra2Strip}) {
    for (int more = -6; more <= 18; ++more, ++i) {
      Compare({kPixelFormats[i % 4], base + more, 9 + i % 3, test_targets::kRowDepths[i % 7]});
    }
  }
}

TEST(Ssimulacra2SimdTest, Options) {
  const std::vector<OptionTexts> families = {{{"matrix", "bt601"}},
                                             {{"matrix", "bt709"}},
                                             {{"matrix", "bt2020"}},
                                             {{"range", "full"}},
                                             {{"transfer", "bt709"}}};
  for (const OptionTexts& options : families) {
    for (const PixelFormat pixels : kPixelFormats) {
      for (const int depth : {8, 10, 12, 16}) Compare({pixels, 45, 21, depth}, options);
    }
  }
}

TEST(Ssimulacra2SimdTest, LargePicture) { Compare({PixelFormat::kYuv420, 643, 361, 8}); }

}  // namespace
}  // namespace lockstep
