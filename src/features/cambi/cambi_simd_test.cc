// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's vector code gives the facts of its scalar code on every target.
#include "features/cambi/cambi_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "features/cambi/cambi.h"
#include "features/cambi/cambi_passes.h"
#include "features/cambi/cambi_settings.h"
#include "features/cambi/cambi_test_pictures.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;

void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
  OptionTexts with_reference = options;
  with_reference.emplace_back("full_ref", "true");
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  ASSERT_NO_FATAL_FAILURE(test_targets::ExpectSameFacts(kCambi, with_reference, MakeCambiPairs(format)));
}

TEST(CambiSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) {
    ASSERT_NO_FATAL_FAILURE(Compare(231, 67, depth, {}));
    ASSERT_NO_FATAL_FAILURE(Compare(231, 67, depth, {{"enc_bitdepth", depth % 2 == 0 ? "10" : "8"}}));
  }
}

TEST(CambiSimdTest, NarrowAndLow) {
  for (int other = 1; other <= 36; other += 5) {
    ASSERT_NO_FATAL_FAILURE(Compare(other, 216 + other, 8, {{"window_size", "127"}}));
    ASSERT_NO_FATAL_FAILURE(Compare(216 + other, other, 10, {{"window_size", "127"}}));
  }
}

// Ends of rows anywhere in a register, and strips that begin and end anywhere in a window.
TEST(CambiSimdTest, WidthsAroundRegistersAndStrips) {
  for (const int base : {216, 256, 320, kCambiStrip, 2 * kCambiStrip}) {
    for (const int more : {-33, -5, -1, 0, 1, 2, 5, 15, 16, 17, 31, 32, 33}) {
      if (base + more < 216) continue;
      const int height = (base < kCambiStrip ? 22 : 12) - more / 4;
      ASSERT_NO_FATAL_FAILURE(Compare(base + more, height, more % 2 == 0 ? 8 : 10, {}));
    }
  }
}

TEST(CambiSimdTest, Options) {
  const std::vector<OptionTexts> families = {{{"max_log_contrast", "0"}},
                                             {{"max_log_contrast", "1"}},
                                             {{"max_log_contrast", "3"}},
                                             {{"max_log_contrast", "5"}},
                                             {{"window_size", "15"}},
                                             {{"window_size", "127"}},
                                             {{"cambi_topk", "0.01"}},
                                             {{"topk", "1"}},
                                             {{"topk", "0.0001"}},
                                             {{"tvi_threshold", "0.1"}},
                                             {{"tvi_threshold", "0.001"}},
                                             {{"cambi_vis_lum_threshold", "1"}},
                                             {{"cambi_vis_lum_threshold", "300"}},
                                             {{"eotf", "pq"}, {"max_log_contrast", "4"}},
                                             {{"enc_width", "240"}, {"enc_height", "180"}},
                                             {{"src_width", "400"}, {"src_height", "300"}},
                                             {{"enc_bitdepth", "9"}}};
  const int depths[] = {8, 10, 12};
  for (std::size_t i = 0; i < families.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(Compare(249, 187, depths[i % 3], families[i]));
  }
}

// Large enough for the option to have an effect; the pictures are mostly flat, which the scalar code does fast.
TEST(CambiSimdTest, HalvedAtOnce) {
  for (const int depth : {8, 10}) {
    for (const PlaneSize size : {PlaneSize{1921, 1081}, PlaneSize{8001, 261}}) {
      const VideoFormat format{PixelFormat::kYuv400, size.width, size.height, depth};
      std::vector<PicturePair> pairs = MakeCambiPairs(format);
      pairs.resize(1);
      ASSERT_NO_FATAL_FAILURE(test_targets::ExpectSameFacts(
          kCambi, {{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}}, pairs));
    }
  }
}

template <class T>
CambiPlane<T> PlaneIn(std::vector<T>& memory, i32 width, i32 height) {
  const i64 stride = width + kCambiRowPadding;
  memory.assign(static_cast<std::size_t>(stride * height), T{});
  return {memory.data(), stride, width, height};
}

// Contrasts of a plane, and their total, which no fact of a small picture shows.
TEST(CambiSimdTest, ContrastsAndTotals) {
  constexpr i32 kWidth = 2 * kCambiStrip + 40;
  constexpr i32 kHeight = 50;
  constexpr i32 kWindow = 21;
  const CambiVisibility visibility = MakeCambiVisibility(CambiTransfer::kBt1886, 0.019, 0.0, 2);
  const CambiCodes codes = CambiCodesThatCount(visibility);
  const i32 code_count = codes.end - codes.first;
  std::vector<u32> visible(static_cast<std::size_t>(code_count), 15);
  std::vector<float> weights;
  for (i32 d = 0; d <= 4; ++d) weights.push_back(static_cast<float>(d));
  for (const int colours : {1, 4, 30}) {
    std::vector<u16> marked_memory;
    const CambiCodePlane marked = PlaneIn(marked_memory, kWidth, kHeight);
    std::uint64_t state = 5;
    for (i32 y = 0; y < kHeight; ++y) {
      for (i32 x = 0; x < kWidth; ++x) {
        // All steps are visible up to 178.
        const std::uint64_t random = test_run::NextRandom(state);
        const int code = 100 + (x / 90 + static_cast<int>(random % 3) / 2) % colours;
        marked.Row(y)[x] = static_cast<u16>(random / 3 % 4 == 0 ? code | kCambiMark : code);
      }
    }
    std::vector<u16> expected_counts;
    std::vector<float> expected_memory;
    const CambiContrastPlane expected = PlaneIn(expected_memory, kWidth, kHeight);
    CambiFindContrasts(marked, visibility, kWindow, PlaneIn(expected_counts, kWidth, code_count), expected);
    const CambiTotal expected_total = CambiTotalOf(expected);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const CambiSimd simd = ChooseCambiSimd(target);
      if (simd.contrasts == nullptr) continue;
      std::vector<u16> counts(static_cast<std::size_t>(kCambiCountStride * (code_count + visibility.contrasts)));
      std::vector<u32> present(static_cast<std::size_t>(code_count + visibility.contrasts));
      std::vector<CambiRun> runs(static_cast<std::size_t>(kCambiRunRows * kCambiStripRuns));
      CambiLineBuffers lines = {};
      lines.counts = counts.data();
      lines.present = present.data();
      lines.runs = runs.data();
      std::vector<float> memory;
      const CambiContrastPlane contrasts = PlaneIn(memory, kWidth, kHeight);
      const CambiTotal total = simd.contrasts({marked, contrasts, codes, visibility.contrasts, visible.data(),
                                               weights.data(), CambiReciprocals().data(), kWindow, lines, 0, kHeight});
      for (i32 y = 0; y < kHeight; ++y) {
        for (i32 x = 0; x < kWidth; ++x) ASSERT_EQ(contrasts.Row(y)[x], expected.Row(y)[x]) << x << ", " << y;
      }
      EXPECT_EQ(total.sum, expected_total.sum) << CpuTargetName(target);
      EXPECT_EQ(total.positive, expected_total.positive) << CpuTargetName(target);
      EXPECT_EQ(total.least, expected_total.least) << CpuTargetName(target);
      // What the next strip, frame or scale starts from.
      EXPECT_EQ(counts, std::vector<u16>(counts.size()));
      EXPECT_EQ(present, std::vector<u32>(present.size()));
    }
  }
}

TEST(CambiSimdTest, BandsAddUpToTheWhole) {
  for (const int depth : {8, 10}) {
    const VideoFormat format{PixelFormat::kYuv400, 260, 389, depth};
    for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"window_size", "127"}, {"topk", "0.05"}}}) {
      for (const PicturePair& pair : MakeCambiPairs(format)) {
        const std::vector<Fact> expected = test_targets::FactsOf(kCambi, options, pair, CpuTarget::kScalar);
        for (const CpuTarget target : AvailableCpuTargets()) {
          for (const int bands : {2, 3, 5}) {
            ASSERT_EQ(test_targets::FactsOfBands(kCambi, options, pair, target, bands), expected)
                << test_targets::PlaceOf(target, format) << ", " << bands << " bands, " << pair.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
