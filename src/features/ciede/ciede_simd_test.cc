// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede's vector code gives the differences of its definition on every target.
#include "features/ciede/ciede_simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "features/ciede/ciede.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto noise = pairs.Noise();
  const auto gradient = pairs.Gradient();
  const auto extremes = pairs.Extremes();
  // Neutral colours but for a step or none.
  const auto grey = [&](int p, int x, int y) { return p == 0 ? gradient(p, x, y) : 128 * pairs.unit(); };
  const auto almost_grey = [&](int p, int x, int y) { return grey(p, x, y) + (p == 0 ? 0 : pairs.Random(2)); };
  pairs.Add("noise", noise, noise);
  pairs.Add("faint noise", pairs.Noisy(4, gradient), gradient);
  pairs.Add("extremes", extremes, extremes);
  pairs.Add("equal", gradient, gradient);
  pairs.Add("grey", grey, almost_grey);
  pairs.Add("black and white", pairs.Flat(0), pairs.Flat(pairs.top()));
  return pairs.Take();
}

constexpr PixelFormat kPixelFormats[] = {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444};

TEST(CiedeSimdTest, Sizes) {
  for (int width = 1; width <= 140; ++width) {
    const VideoFormat format = {kPixelFormats[width % 3], width, 1 + width % 5, test_targets::kRowDepths[width % 7]};
    test_targets::ExpectSameFacts(kCiede, {}, MakePairs(format));
  }
}

TEST(CiedeSimdTest, FormatsAndDepths) {
  for (const PixelFormat pixels : kPixelFormats) {
    for (const int depth : {8, 10, 12, 16})
      test_targets::ExpectSameFacts(kCiede, {}, MakePairs({pixels, 97, 67, depth}));
  }
}

/// A row of pixels, and what the definition and a target make of it.
class Row {
 public:
  explicit Row(int depth) : depth_(depth) {}

  void Add(const std::array<int, 3>& reference, const std::array<int, 3>& distorted) {
    for (std::size_t p = 0; p < 3; ++p) {
      samples_[p].push_back(static_cast<u16>(reference[p]));
      samples_[p + 3].push_back(static_cast<u16>(distorted[p]));
    }
  }

  void ExpectSame() {
    const auto width = static_cast<i32>(samples_[0].size());
    const std::size_t padded = (samples_[0].size() + kCiedeChunk - 1) / kCiedeChunk * kCiedeChunk;
    for (std::vector<u16>& samples : samples_) samples.resize(padded, 0);
    std::vector<float> differences(padded);
    const CiedeRowArgs args = {{samples_[0].data(), samples_[1].data(), samples_[2].data()},
                               {samples_[3].data(), samples_[4].data(), samples_[5].data()},
                               MakeCiedeScale(depth_),
                               width,
                               differences.data()};
    std::vector<float> expected;
    for (i32 x = 0; x < width; ++x) expected.push_back(CiedePixelDifference(args, x));
    for (const CpuTarget target : AvailableCpuTargets()) {
      const CiedeSimd simd = ChooseCiedeSimd(target);
      if (simd == nullptr) continue;
      std::fill(differences.begin(), differences.end(), -1.0f);
      simd(args);
      for (std::size_t x = 0; x < expected.size(); ++x) {
        ASSERT_EQ(differences[x], expected[x])
            << CpuTargetName(target) << ", depth " << depth_ << ": " << samples_[0][x] << " " << samples_[1][x] << " "
            << samples_[2][x] << " and " << samples_[3][x] << " " << samples_[4][x] << " " << samples_[5][x];
      }
    }
  }

 private:
  int depth_;
  std::vector<u16> samples_[6];
};

// Colours near each other and far apart, anywhere in the cube of samples.
TEST(CiedeSimdTest, Colours) {
  std::uint64_t state = 5;
  const auto random = [&](int values) {
    return static_cast<int>(test_run::NextRandom(state) % static_cast<unsigned>(values));
  };
  for (const int depth : {8, 10, 12, 16}) {
    const int top = (1 << depth) - 1;
    Row row(depth);
    for (int i = 0; i < 8000; ++i) {
      const std::array<int, 3> reference = {random(top + 1), random(top + 1), random(top + 1)};
      const int spread = 1 + (random(2) == 0 ? 2 : random(top));
      std::array<int, 3> distorted;
      for (std::size_t p = 0; p < 3; ++p) {
        distorted[p] = std::clamp(reference[p] + random(2 * spread + 1) - spread, 0, top);
      }
      row.Add(reference, distorted);
    }
    row.ExpectSame();
  }
}

// Around neutral chroma hues take every value, and chroma the smallest ones.
TEST(CiedeSimdTest, NeutralColours) {
  for (const int depth : {8, 16}) {
    const int neutral = 128 << (depth - 8);
    Row row(depth);
    for (int luma = 0; luma < 256; luma += 5) {
      for (int cb = -2; cb <= 2; ++cb) {
        for (int cr = -2; cr <= 2; ++cr) {
          const int value = luma << (depth - 8);
          row.Add({value, neutral, neutral}, {value, neutral + cb, neutral + cr});
          row.Add({value, neutral + cb, neutral + cr}, {value + 1, neutral - cr, neutral + cb});
        }
      }
    }
    row.ExpectSame();
  }
}

TEST(CiedeSimdTest, BandsGiveTheSumOfTheWhole) {
  for (const PixelFormat pixels : kPixelFormats) {
    for (const int height : {1, 7, 64, 131}) {
      const VideoFormat format = {pixels, 23, height, 10};
      for (const PicturePair& pair : MakePairs(format)) {
        const std::vector<Fact> expected = test_targets::FactsOf(kCiede, {}, pair, CpuTarget::kScalar);
        for (const int bands : {2, 3, 32}) {
          ASSERT_EQ(test_targets::FactsOfBands(kCiede, {}, pair, AvailableCpuTargets().back(), bands), expected)
              << height << " rows, " << bands << " bands, " << pair.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
