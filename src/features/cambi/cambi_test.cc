// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes on pictures small enough to follow by hand, and its scores.
#include "features/cambi/cambi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "features/cambi/cambi_passes.h"
#include "features/cambi/cambi_test_pictures.h"
#include "features/score_name.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFrame;
using test_run::OptionTexts;

/// A plane with padding that no pass may read.
template <class T>
class TestPlane {
 public:
  TestPlane(i32 width, i32 height) : width_(width), height_(height) {
    values_.assign(static_cast<std::size_t>((width + kPadding) * height), static_cast<T>(77));
  }
  explicit TestPlane(const std::vector<std::vector<T>>& rows)
      : TestPlane(static_cast<i32>(rows[0].size()), static_cast<i32>(rows.size())) {
    for (i32 y = 0; y < height_; ++y) {
      std::copy(rows[static_cast<std::size_t>(y)].begin(), rows[static_cast<std::size_t>(y)].end(), plane().Row(y));
    }
  }
  [[nodiscard]] CambiPlane<T> plane() { return {values_.data(), width_ + kPadding, width_, height_}; }
  [[nodiscard]] std::vector<std::vector<T>> rows() {
    std::vector<std::vector<T>> rows;
    for (i32 y = 0; y < height_; ++y) rows.emplace_back(plane().Row(y), plane().Row(y) + width_);
    return rows;
  }

 private:
  static constexpr i32 kPadding = 5;
  i32 width_;
  i32 height_;
  std::vector<T> values_;
};

using Codes = TestPlane<u16>;
using CodeRows = std::vector<std::vector<u16>>;
constexpr u16 kM = kCambiMark;

TEST(CambiTest, Codes) {
  EXPECT_EQ(CambiCode(255, 8), 1020);
  EXPECT_EQ(CambiCode(511, 9), 1022);
  EXPECT_EQ(CambiCode(1023, 10), 1023);
  EXPECT_EQ(CambiCode(1, 11), 1);
  EXPECT_EQ(CambiCode(2047, 11), 1024);
  EXPECT_EQ(CambiCode(1, 12), 0);
  EXPECT_EQ(CambiCode(2, 12), 1);
  EXPECT_EQ(CambiCode(31, 16), 0);
  EXPECT_EQ(CambiCode(32, 16), 1);
  EXPECT_EQ(CambiCode(65535, 16), 1024);
}

TEST(CambiTest, Mode) {
  EXPECT_EQ(CambiMode(5, 5, 9), 5);
  EXPECT_EQ(CambiMode(5, 9, 5), 5);
  EXPECT_EQ(CambiMode(9, 5, 5), 5);
  EXPECT_EQ(CambiMode(5, 9, 9), 9);
  EXPECT_EQ(CambiMode(7, 3, 5), 3);
  EXPECT_EQ(CambiMode(3, 7, 5), 3);
  EXPECT_EQ(CambiMode(7, 5, 3), 3);
  EXPECT_EQ(CambiMode(4, 4, 4), 4);
}

TEST(CambiTest, RemovesDither) {
  Codes codes(CodeRows{{0, 4, 9}, {3, 2, 8}, {7, 1, 20}});
  CambiRemoveDither(codes.plane());
  EXPECT_EQ(codes.rows(), (CodeRows{{2, 5, 8}, {3, 7, 14}, {4, 10, 20}}));
}

TEST(CambiTest, Resamples) {
  const VideoFormat format{PixelFormat::kYuv400, 5, 4, 12};
  const Frame frame = MakeFrame(format, 1, [](int, int x, int y) { return 4 * (10 * y + x); });
  CambiShape shape;
  shape.width = 3;
  shape.height = 2;
  shape.columns = {0, 2, 4};
  shape.rows = {1, 3};
  Codes codes(3, 2);
  CambiConvert(frame.plane(0), 12, shape, codes.plane());
  EXPECT_EQ(codes.rows(), (CodeRows{{10, 12, 14}, {30, 32, 34}}));
}

CodeRows Marked(const CodeRows& rows, i32 step) {
  Codes codes(rows);
  const CambiCodePlane plane = codes.plane();
  TestPlane<u8> flat(plane.width, plane.height);
  Codes marked((plane.width + step - 1) / step, (plane.height + step - 1) / step);
  CambiMarkMask(plane, step, flat.plane(), marked.plane());
  return marked.rows();
}

// The threshold of small pictures is 7.
TEST(CambiTest, Mask) {
  const std::size_t width = 12;
  const std::size_t height = 9;
  const CodeRows flat(height, std::vector<u16>(width, 100));
  EXPECT_EQ(Marked(flat, 1), flat);
  CodeRows stripes = flat;
  for (auto& row : stripes) {
    for (std::size_t x = 0; x < width; ++x) row[x] = x % 2 == 0 ? 100 : 200;
  }
  // Only the last column is flat: 7 of the pixels around any other one are not more than 7.
  for (const auto& row : Marked(stripes, 1)) {
    for (const u16 code : row) EXPECT_NE(code & kM, 0);
  }
  // Two rows of one code in a corner: 4 flat pixels in the first, and 2 in the second, below which only every other
  // pixel is equal. 6 are not enough; with a third row they are 10.
  CodeRows corner = stripes;
  for (std::size_t y = 0; y < 2; ++y) std::fill_n(corner[y].begin(), 5, u16{100});
  EXPECT_EQ(Marked(corner, 1)[0][0], 100 | kM);
  std::fill_n(corner[2].begin(), 5, u16{100});
  EXPECT_EQ(Marked(corner, 1)[0][0], 100);
}

TEST(CambiTest, MaskOfHalfTheSize) {
  std::uint64_t state = 3;
  CodeRows rows(21, std::vector<u16>(27));
  for (auto& row : rows) {
    for (u16& code : row) code = NextSplitMix(state) % 6 == 0 ? 101 : 100;
  }
  const CodeRows full = Marked(rows, 1);
  const CodeRows half = Marked(rows, 2);
  ASSERT_EQ(half.size(), 11u);
  ASSERT_EQ(half[0].size(), 14u);
  for (std::size_t y = 0; y < half.size(); ++y) {
    for (std::size_t x = 0; x < half[y].size(); ++x) EXPECT_EQ(half[y][x], full[2 * y][2 * x]);
  }
}

TEST(CambiTest, FiltersModes) {
  Codes marked(CodeRows{{1, 2, 3, 3},       //
                        {5, 4, 5, 4 | kM},  //
                        {6, 6 | kM, 7, 8},  //
                        {9, 9, 6, 5}});
  Codes filtered(4, 4);
  CambiFilterModes(marked.plane(), filtered.plane());
  // Along the rows: 1 1 3 3; 5 5 4 4; 6 6 6 8; 9 9 5 5.
  EXPECT_EQ(filtered.rows(), (CodeRows{{1, 2, 3, 3}, {1, 1, 3, 3 | kM}, {5, 5 | kM, 4, 4}, {9, 9, 6, 5}}));
}

TEST(CambiTest, ModesOfFewRows) {
  for (const CodeRows& rows : {CodeRows{{1, 2, 2}, {3, 4, 5}}, CodeRows{{7, 2, 2, 2}}, CodeRows{{3}, {4}}}) {
    Codes marked(rows);
    Codes filtered(static_cast<i32>(rows[0].size()), static_cast<i32>(rows.size()));
    CambiFilterModes(marked.plane(), filtered.plane());
    EXPECT_EQ(filtered.rows(), rows);
  }
}

std::vector<std::vector<float>> Contrasts(Codes& marked, const CambiVisibility& visibility, i32 window) {
  const CambiCodePlane plane = marked.plane();
  const CambiCodes codes = CambiCodesThatCount(visibility);
  TestPlane<u16> counts(plane.width, std::max(codes.end - codes.first, 1));
  TestPlane<float> contrasts(plane.width, plane.height);
  CambiFindContrasts(plane, visibility, window, counts.plane(), contrasts.plane());
  return contrasts.rows();
}

CambiVisibility DefaultVisibility() { return MakeCambiVisibility(CambiTransfer::kBt1886, 0.019, 0.0, 2); }

TEST(CambiTest, ContrastsByHand) {
  Codes marked(CodeRows{{100, 100, 101, 101}, {100, 100, 101, 101}, {100, 100, 101, 104 | kM}});
  const auto contrasts = Contrasts(marked, DefaultVisibility(), 3);
  EXPECT_EQ(contrasts[0][0], 0.0f);
  // 6 of the own code, 3 one above.
  EXPECT_EQ(contrasts[1][1], 18.0f * 0.111111111f);
  // 3 and 2; what is outside the mask does not count.
  EXPECT_EQ(contrasts[2][2], 6.0f * 0.2f);
  EXPECT_EQ(contrasts[2][3], 0.0f);
}

TEST(CambiTest, GreatestContrastCounts) {
  // One pixel each of codes 1, 2 and 4 away, two of 3 away below: 3 * 1 * 2 / 3, and 4 * 1 * 1 / 2.
  Codes marked(CodeRows{{100, 101, 102, 104, 97, 97}});
  EXPECT_EQ(Contrasts(marked, DefaultVisibility(), 13)[0][0], 6.0f * 0.333333333f);
  Codes fewer(CodeRows{{100, 101, 102, 104, 97, 90}});
  EXPECT_EQ(Contrasts(fewer, DefaultVisibility(), 13)[0][0], 4.0f * 0.5f);
}

TEST(CambiTest, StepsAreVisibleUpToALimit) {
  // 178 is the last code at which a step of 1 is visible.
  Codes marked(CodeRows{{178, 179, 178, 179}});
  const auto contrasts = Contrasts(marked, DefaultVisibility(), 7);
  EXPECT_EQ(contrasts[0], (std::vector<float>{4.0f * 0.25f, 0.0f, 4.0f * 0.25f, 0.0f}));
}

TEST(CambiTest, StepsAreVisibleFromALimit) {
  CambiVisibility visibility = DefaultVisibility();
  visibility.low_limit = 105;
  // 100 + 4 + 1 does not exceed it, 101 + 4 + 1 does.
  Codes marked(CodeRows{{100, 101}});
  EXPECT_EQ(Contrasts(marked, visibility, 3)[0], (std::vector<float>{0.0f, 0.5f}));
  // Above all limits: nothing is visible, whatever the number of codes that are left.
  visibility.low_limit = 940;
  Codes bright(CodeRows{{100, 101, 558, 559, 560, 561, 562, 563, 564}});
  EXPECT_EQ(Contrasts(bright, visibility, 9)[0], std::vector<float>(9, 0.0f));
}

// Every contrast again, with the pixels of each window counted one by one.
TEST(CambiTest, ContrastsByCounting) {
  std::uint64_t state = 11;
  for (const i32 window : {1, 3, 9, 33}) {
    for (const int max_log_contrast : {0, 2, 5}) {
      CambiVisibility visibility = MakeCambiVisibility(CambiTransfer::kBt1886, 0.019, 0.0, max_log_contrast);
      visibility.low_limit = max_log_contrast == 2 ? 172 : 0;
      Codes marked(19, 14);
      for (i32 y = 0; y < 14; ++y) {
        for (i32 x = 0; x < 19; ++x) {
          const u16 code = static_cast<u16>((y < 7 ? 170 : 0) + static_cast<int>(NextSplitMix(state) % 9));
          marked.plane().Row(y)[x] = NextSplitMix(state) % 5 == 0 ? code | kM : code;
        }
      }
      const auto contrasts = Contrasts(marked, visibility, window);
      const CodeRows rows = marked.rows();
      for (i32 y = 0; y < 14; ++y) {
        for (i32 x = 0; x < 19; ++x) {
          std::map<int, int> counts;
          for (i32 i = std::max(y - window / 2, 0); i <= std::min(y + window / 2, 13); ++i) {
            for (i32 j = std::max(x - window / 2, 0); j <= std::min(x + window / 2, 18); ++j) {
              ++counts[rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]];
            }
          }
          const int code = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
          float expected = 0.0f;
          for (int d = 1; d <= visibility.contrasts && code < kM; ++d) {
            if (code > visibility.limits[d] || code + visibility.contrasts + d <= visibility.low_limit) continue;
            const int others = std::max(counts[code + d], counts[code - d]);
            const int product = CambiContrastWeight(d) * counts[code] * others;
            const float reciprocal = CambiReciprocals()[static_cast<std::size_t>(counts[code] + others)];
            expected = std::max(expected, static_cast<float>(product) * reciprocal);
          }
          ASSERT_EQ(contrasts[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)], expected)
              << x << ", " << y << ", window " << window;
        }
      }
    }
  }
}

// The product with the weight rounds once, as if it were an integer that is converted.
TEST(CambiTest, ContrastOfGreatCounts) {
  for (const auto& [weight, own, others] :
       {std::array{9, 2112, 2113}, {7, 2111, 2101}, {5, 2047, 2049}, {3, 4224, 1}}) {
    const i32 product = weight * own * others;
    EXPECT_EQ(CambiContrast(weight, own, others, 1.0f), static_cast<float>(product));
  }
}

test_run::Scores ScoresOf(const std::vector<Frame>& reference, const std::vector<Frame>& distorted,
                          const OptionTexts& options) {
  return test_run::RunAll(*test_run::MakeFeature(kCambi, options, reference[0].format()), reference, distorted);
}

auto Steps(int base) {
  return [base](int, int x, int y) { return base + (x + y / 2) / 40 % 4; };
}

TEST(CambiTest, Columns) {
  const VideoFormat format{PixelFormat::kYuv400, 216, 8, 8};
  EXPECT_EQ(test_run::MakeFeature(kCambi, {}, format)->columns().size(), 1u);
  const auto columns = test_run::MakeFeature(kCambi, {{"full_ref", "true"}}, format)->columns();
  ASSERT_EQ(columns.size(), 3u);
  OptionDictionary dictionary;
  for (const auto& [key, value] : OptionTexts{{"full_ref", "true"},
                                              {"cambi_high_res_speedup", "1080"},
                                              {"cambi_vis_lum_threshold", "0.06"},
                                              {"cambi_max_val", "17"}}) {
    dictionary.Set(key, value);
  }
  const OptionValues options = OptionValues::Parse("cambi", kCambi.options, dictionary).value();
  EXPECT_EQ(DecoratedScoreName(columns[0], options), "cambi_hrs_1080_cmxv_17_vlt_0.06");
  EXPECT_EQ(DecoratedScoreName(columns[1], options), "cambi_source");
  EXPECT_EQ(DecoratedScoreName(columns[2], options), "cambi_full_reference");
}

TEST(CambiTest, FlatPicturesHaveNoBanding) {
  for (const int depth : {8, 10, 12, 16}) {
    const VideoFormat format{PixelFormat::kYuv400, 320, 200, depth};
    const auto frames = ListOf(MakeFrame(format, 1, [&](int, int, int) { return 100 << (depth - 8); }));
    EXPECT_EQ(ScoresOf(frames, frames, {}).values[std::pair(0, 0)], 0.0);
  }
}

TEST(CambiTest, ReferenceAndDifference) {
  const VideoFormat format{PixelFormat::kYuv400, 320, 200, 10};
  const auto banded = ListOf(MakeFrame(format, 1, Steps(100)));
  const auto flat = ListOf(MakeFrame(format, 2, [](int, int, int) { return 100; }));
  auto worse = ScoresOf(flat, banded, {{"full_ref", "true"}}).values;
  const double score = worse[std::pair(0, 0)];
  EXPECT_GT(score, 1.0);
  EXPECT_EQ(worse[std::pair(1, 0)], 0.0);
  EXPECT_EQ(worse[std::pair(2, 0)], score);
  auto better = ScoresOf(banded, flat, {{"full_ref", "true"}}).values;
  EXPECT_EQ(better[std::pair(0, 0)], 0.0);
  EXPECT_EQ(better[std::pair(1, 0)], score);
  EXPECT_EQ(better[std::pair(2, 0)], 0.0);
  auto limited = ScoresOf(flat, banded, {{"full_ref", "true"}, {"cambi_max_val", "0.5"}}).values;
  EXPECT_EQ(limited[std::pair(0, 0)], 0.5);
  EXPECT_EQ(limited[std::pair(2, 0)], 0.5);
}

TEST(CambiTest, ChromaDoesNotMatter) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    const auto with = ListOf(MakeFrame({pixels, 223, 131, 10}, 1, Steps(90)));
    const auto without = ListOf(MakeFrame({PixelFormat::kYuv400, 223, 131, 10}, 7, Steps(90)));
    EXPECT_EQ(ScoresOf(with, with, {}).values, ScoresOf(without, without, {}).values);
    EXPECT_FALSE(test_run::MakeFeature(kCambi, {}, with[0].format())->needs_chroma());
  }
}

// The same codes on 10 bits, from samples of other depths.
TEST(CambiTest, DepthsAgree) {
  const VideoFormat ten{PixelFormat::kYuv400, 231, 140, 10};
  const auto expected = ListOf(MakeFrame(ten, 1, Steps(100)));
  const double score = ScoresOf(expected, expected, {}).values[std::pair(0, 0)];
  EXPECT_GT(score, 1.0);
  for (const int depth : {11, 12, 13, 14, 15, 16}) {
    const VideoFormat format{PixelFormat::kYuv400, 231, 140, depth};
    const auto steps = Steps(100);
    // Anything within half a code.
    const auto frames = ListOf(MakeFrame(format, 1, [&](int p, int x, int y) {
      return (steps(p, x, y) << (depth - 10)) + (x % 2 == 0 ? (1 << (depth - 11)) - 1 : -(1 << (depth - 11)));
    }));
    EXPECT_EQ(ScoresOf(frames, frames, {}).values[std::pair(0, 0)], score) << depth;
  }
}

TEST(CambiTest, EncodeOfAnotherSize) {
  // Every second pixel of the doubled picture is the picture.
  const VideoFormat small{PixelFormat::kYuv400, 240, 160, 10};
  const VideoFormat large{PixelFormat::kYuv400, 480, 320, 10};
  const auto steps = Steps(100);
  const auto expected = ListOf(MakeFrame(small, 1, steps));
  const auto frames = ListOf(MakeFrame(large, 1, [&](int p, int x, int y) { return steps(p, x / 2, y / 2); }));
  const double score = ScoresOf(expected, expected, {}).values[std::pair(0, 0)];
  EXPECT_GT(score, 1.0);
  EXPECT_EQ(ScoresOf(frames, frames, {{"enc_width", "240"}, {"enc_height", "160"}}).values[std::pair(0, 0)], score);
  EXPECT_NE(ScoresOf(frames, frames, {}).values[std::pair(0, 0)], score);
}

TEST(CambiTest, FramesAreIndependent) {
  const VideoFormat format{PixelFormat::kYuv400, 231, 97, 8};
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  for (test_targets::PicturePair& pair : MakeCambiPairs(format)) {
    reference.push_back(std::move(pair.frames[0]));
    distorted.push_back(std::move(pair.frames[1]));
  }
  const auto feature = test_run::MakeFeature(kCambi, {{"full_ref", "true"}}, format);
  EXPECT_EQ(test_run::SegmentThatDiffers(*feature, reference, distorted), "");
}

}  // namespace
}  // namespace lockstep
