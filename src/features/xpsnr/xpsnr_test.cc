// SPDX-License-Identifier: BSD-2-Clause-Patent
// xpsnr against FFmpeg's filter, against sums made in another way, and at its edges.
#include "features/xpsnr/xpsnr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/test_run.h"
#include "features/test_targets.h"
#include "features/xpsnr/xpsnr_simd.h"
#include "features/xpsnr/xpsnr_weights.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::Scores;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A picture that anything can reproduce: a ramp, a pattern, and squares that change places.
int PatternSample(int plane, int frame, int x, int y, int bit_depth) {
  const int value = x * 5 + y * 3 + frame * 9 + plane * 29 + (x * y) % 61 * 2 + (x / 8 + y / 8 + frame) % 2 * 40;
  return value % 256 << (bit_depth - 8);
}

std::vector<Frame> Pattern(const VideoFormat& format, int frames, bool is_distorted) {
  std::vector<Frame> pictures;
  for (int n = 0; n < frames; ++n) {
    pictures.push_back(MakeFrame(format, static_cast<std::uint64_t>(n), [&](int p, int x, int y) {
      const int sample = PatternSample(p, n, x, y, format.bit_depth);
      return is_distorted ? sample ^ (x * 7 + y * 13 + n * 5 + p) % 8 : sample;
    }));
  }
  return pictures;
}

std::string FourDecimals(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%3.4f", value);
  return text;
}

// What `ffmpeg -framerate … -lavfi xpsnr=stats_file=…` prints for the pattern.
TEST(XpsnrTest, PrintsWhatFfmpegPrints) {
  struct Case {
    VideoFormat format;
    const char* fps;
    std::vector<std::vector<std::string>> frames;
    std::vector<std::string> averages;
    std::string minimum;
  };
  const std::vector<Case> cases = {
      {{PixelFormat::kYuv420, 96, 80, 8},
       "25",
       {{"42.6068", "42.1970", "42.6496"},
        {"41.1920", "41.5274", "41.1122"},
        {"41.3934", "41.2977", "41.4743"},
        {"41.2594", "41.8443", "41.1087"}},
       {"41.5941", "41.7100", "41.5638"},
       "41.5638"},
      {{PixelFormat::kYuv420, 97, 83, 8},
       "60",
       {{"42.6581", "42.2895", "42.7131"},
        {"42.3736", "42.6529", "42.2273"},
        {"42.3656", "42.2989", "42.3823"},
        {"42.2134", "42.7240", "42.0818"}},
       {"42.4012", "42.4891", "42.3480"},
       "42.3480"},
      {{PixelFormat::kYuv444, 720, 500, 10},
       "60",
       {{"59.7369", "59.7369", "59.7369"}, {"59.9910", "59.9910", "59.9909"}, {"59.6878", "59.6878", "59.6877"}},
       {"59.8042", "59.8042", "59.8042"},
       "59.8042"},
      {{PixelFormat::kYuv422, 722, 500, 12},
       "25",
       {{"69.1346", "69.1347", "69.1346"}, {"68.3957", "68.3957", "68.3957"}, {"68.3881", "68.3881", "68.3881"}},
       {"68.6325", "68.6325", "68.6325"},
       "68.6325"},
      {{PixelFormat::kYuv420, 2064, 1154, 8},
       "25",
       {{"47.6985", "47.6681", "47.6973"}, {"46.2816", "46.3090", "46.2820"}, {"46.3059", "46.2812", "46.3084"}},
       {"46.7372", "46.7291", "46.7379"},
       "46.7291"},
      {{PixelFormat::kYuv420, 2064, 1154, 10},
       "50",
       {{"60.1854", "60.1854", "60.1854"}, {"60.2680", "60.2680", "60.2680"}, {"59.5942", "59.5942", "59.5942"}},
       {"60.0107", "60.0107", "60.0107"},
       "60.0107"},
  };
  for (const Case& c : cases) {
    const int count = static_cast<int>(c.frames.size());
    const Scores scores = RunAll(*MakeFeature(kXpsnr, {{"fps", c.fps}}, c.format), Pattern(c.format, count, false),
                                 Pattern(c.format, count, true));
    const std::string suffix = "_fps_" + std::string(c.fps);
    const std::vector<std::string> names = {"axpsnr_y" + suffix, "axpsnr_cb" + suffix, "axpsnr_cr" + suffix};
    for (int p = 0; p < 3; ++p) {
      for (int n = 0; n < count; ++n) {
        EXPECT_EQ(FourDecimals(scores.values.at({p, n})),
                  c.frames[static_cast<std::size_t>(n)][static_cast<std::size_t>(p)])
            << c.format.width << ", plane " << p << ", frame " << n;
      }
      EXPECT_EQ(FourDecimals(scores.aggregates.at(names[static_cast<std::size_t>(p)])),
                c.averages[static_cast<std::size_t>(p)])
          << c.format.width;
    }
    EXPECT_EQ(FourDecimals(scores.aggregates.at("axpsnr_min" + suffix)), c.minimum);
  }
}

/// The score of a weighted error.
double Decibels(double samples, double peak, u64 weighted_error) {
  const double root = exact::Sqrt(static_cast<double>(weighted_error));
  return 10.0 * exact::Log10(samples * peak * peak / (root * root));
}

// 64x64 has 16x16 blocks of 4x4 samples. Its first picture changes from black, the second one not at all.
TEST(XpsnrTest, FlatPicturesHaveTheActivityOfTheirChange) {
  const VideoFormat format = {PixelFormat::kYuv400, 64, 64, 8};
  std::vector<Frame> reference;
  std::vector<Frame> distorted;
  for (int n = 0; n < 3; ++n) {
    reference.push_back(MakeFrame(format, 1, [](int, int, int) { return 100; }));
    distorted.push_back(MakeFrame(format, 2, [](int, int, int) { return 103; }));
  }
  const double expected = std::sqrt(16.0 * 128.0 / std::sqrt(64.0 * 64.0 / (3840.0 * 2160.0)));
  const auto score = [&](double activity) {
    double sum = 0.0;
    for (int block = 0; block < 256; ++block) sum += 16.0 * 9.0 * (1.0 / activity);
    return Decibels(64.0 * 64.0, 255.0, static_cast<u64>(sum * expected + 0.5));
  };
  const Scores first = RunAll(*MakeFeature(kXpsnr, {}, format), reference, distorted);
  EXPECT_EQ(first.values.at({0, 0}), score(200.0));
  EXPECT_EQ(first.values.at({0, 1}), score(4.0));
  EXPECT_EQ(first.values.at({0, 2}), score(4.0));
  // |100 - 2 * 100 + 0| in the second picture.
  const Scores second = RunAll(*MakeFeature(kXpsnr, {{"fps", "32"}}, format), reference, distorted);
  EXPECT_EQ(second.values.at({0, 0}), score(200.0));
  EXPECT_EQ(second.values.at({0, 1}), score(200.0));
  EXPECT_EQ(second.values.at({0, 2}), score(4.0));
  EXPECT_EQ(RunAll(*MakeFeature(kXpsnr, {{"fps", "31.999"}}, format), reference, distorted).values, first.values);
}

/// Value of a picture that repeats its edge samples.
int Repeated(const Frame& frame, int x, int y) {
  const VideoFormat& format = frame.format();
  return test_run::Sample(frame, 0, std::min(x, format.width - 1), std::min(y, format.height - 1));
}

/// One step of a 3x3 or 6x6 filter from its table of factors.
template <std::size_t kSize>
u64 Filtered(const Frame& frame, int left, int top, const int (&factors)[kSize][kSize]) {
  int sum = 0;
  for (std::size_t j = 0; j < kSize; ++j) {
    for (std::size_t i = 0; i < kSize; ++i) {
      sum += factors[j][i] * Repeated(frame, left + static_cast<int>(i), top + static_cast<int>(j));
    }
  }
  return static_cast<u64>(std::abs(sum));
}

// The filters of the paper, written as tables.
constexpr int kHighPass[3][3] = {{-1, -2, -1}, {-2, 12, -2}, {-1, -2, -1}};
constexpr int kHighPassOfFour[6][6] = {{0, -1, -1, -1, -1, 0},   {-1, -2, -3, -3, -2, -1}, {-1, -3, 12, 12, -3, -1},
                                       {-1, -3, 12, 12, -3, -1}, {-1, -2, -3, -3, -2, -1}, {0, -1, -1, -1, -1, 0}};

TEST(XpsnrTest, SumsAreThoseOfTheFilterTables) {
  for (const int depth : {8, 12, 16}) {
    for (const PlaneSize size : {PlaneSize{19, 13}, {20, 14}, {33, 9}}) {
      const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
      const std::vector<Frame> frames = test_run::NoiseFrames(format, 4, 5);
      for (const bool of_four : {false, true}) {
        const auto plane = [&](std::size_t i) {
          const PlaneView view = frames[i].plane(0);
          return XpsnrPlane{view.data, view.stride_bytes / format.bytes_per_sample()};
        };
        const XpsnrPictures pictures = {plane(0), plane(1), plane(2), plane(3), size.width, size.height, of_four};
        const int border = of_four ? 2 : 1;
        const XpsnrBlock block = {4, size.width, 0, size.height, 4, size.width - border, border, size.height - border};
        const int step = of_four ? 2 : 1;
        XpsnrBlockSums expected;
        for (int y = border; y < size.height - border; y += step) {
          for (int x = 4; x < size.width - border; x += step) {
            expected.spatial += of_four ? Filtered(frames[0], x - 2, y - 2, kHighPassOfFour)
                                        : Filtered(frames[0], x - 1, y - 1, kHighPass);
          }
        }
        for (int y = 0; y < size.height; y += step) {
          for (int x = 4; x < size.width; x += step) {
            int change = 0;
            for (int j = 0; j < step; ++j) {
              for (int i = 0; i < step; ++i) {
                change += Repeated(frames[0], x + i, y + j) - 2 * Repeated(frames[2], x + i, y + j) +
                          Repeated(frames[3], x + i, y + j);
              }
            }
            expected.temporal += static_cast<u64>(std::abs(change));
          }
        }
        for (int y = 0; y < size.height; ++y) {
          for (int x = 4; x < size.width; ++x) {
            const i64 difference = Repeated(frames[0], x, y) - Repeated(frames[1], x, y);
            expected.squared_error += static_cast<u64>(difference * difference);
          }
        }
        const XpsnrBlockSums sums = ScalarXpsnr(depth).block(pictures, block);
        EXPECT_EQ(sums.spatial, expected.spatial) << depth << " " << size.width << " " << of_four;
        EXPECT_EQ(sums.temporal, expected.temporal) << depth << " " << size.width << " " << of_four;
        EXPECT_EQ(sums.squared_error, expected.squared_error) << depth << " " << size.width << " " << of_four;
      }
    }
  }
}

TEST(XpsnrTest, SmallPicturesHaveNoWeights) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    // 44 * 46 = 2024 samples are too few, 45 * 45 = 2025 are enough.
    for (const PlaneSize size : {PlaneSize{1, 1}, {3, 3}, {7, 2}, {44, 46}}) {
      const VideoFormat format = {pixels, size.width, size.height, 10};
      const std::vector<Frame> reference = test_run::NoiseFrames(format, 1, 1);
      const std::vector<Frame> distorted = test_run::NoiseFrames(format, 1, 2);
      const std::unique_ptr<Feature> feature = MakeFeature(kXpsnr, {}, format);
      EXPECT_EQ(feature->reach().picture_lead_in, 0);
      const Scores scores = RunAll(*feature, reference, distorted);
      for (int p = 0; p < 3; ++p) {
        const PlaneSize plane = format.plane_size(p);
        u64 error = 0;
        for (int y = 0; y < plane.height; ++y) {
          for (int x = 0; x < plane.width; ++x) {
            const i64 d = test_run::Sample(reference[0], p, x, y) - test_run::Sample(distorted[0], p, x, y);
            error += static_cast<u64>(d * d);
          }
        }
        EXPECT_EQ(scores.values.at({p, 0}), Decibels(plane.width * plane.height, 1023.0, error));
      }
    }
    EXPECT_EQ(MakeFeature(kXpsnr, {}, {pixels, 45, 45, 8})->reach().picture_lead_in, 1);
    EXPECT_EQ(MakeFeature(kXpsnr, {{"fps", "50"}}, {pixels, 45, 45, 8})->reach().picture_lead_in, 2);
  }
}

TEST(XpsnrTest, WeightsAreLimitedByNeighbours) {
  // Two rows of three blocks; the activity of the fifth is the least.
  const XpsnrGeometry geometry = [] {
    XpsnrGeometry g = MakeXpsnrGeometry({PixelFormat::kYuv400, 100, 60, 8});
    g.columns = 3;
    g.rows = 2;
    g.block = 40;
    g.width = 120;
    g.height = 80;
    return g;
  }();
  std::vector<XpsnrBlockSums> sums(6);
  const double activities[6] = {100, 50, 80, 20, 10, 40};
  for (std::size_t i = 0; i < 6; ++i) sums[i].temporal = static_cast<u64>(activities[i] / 2 * 1600);
  std::vector<double> weights(6);
  XpsnrWeights(geometry, sums, weights);
  // The second one is limited by the third, the fourth by the fifth and not at all, the fifth by the fourth, and the
  // last one by what is left of the fifth.
  const std::vector<double> expected = {1.0 / 100, 1.0 / 80, 1.0 / 80, 1.0 / 20, 1.0 / 20, 1.0 / 40};
  EXPECT_EQ(weights, expected);
}

// FFmpeg gives such pictures no error at all.
TEST(XpsnrTest, OneColumnOfBlocksKeepsItsWeights) {
  const VideoFormat format = {PixelFormat::kYuv400, 4, 3000, 8};
  const Scores scores = RunAll(*MakeFeature(kXpsnr, {}, format), test_run::NoiseFrames(format, 1, 1),
                               test_run::NoiseFrames(format, 1, 2));
  EXPECT_GT(scores.values.at({0, 0}), 0.0);
  EXPECT_LT(scores.values.at({0, 0}), 20.0);
}

TEST(XpsnrTest, EqualPicturesScoreInfinity) {
  const VideoFormat format = {PixelFormat::kYuv420, 64, 48, 8};
  const std::vector<Frame> frames = test_run::NoiseFrames(format, 2, 1);
  const Scores scores = RunAll(*MakeFeature(kXpsnr, {}, format), frames, frames);
  for (const auto& [key, value] : scores.values) EXPECT_EQ(value, kInfinity);
  EXPECT_EQ(scores.aggregates.at("axpsnr_min"), kInfinity);
  // One different frame of three: the mean error is above the threshold of 1, so that the average is finite.
  std::vector<Frame> distorted = test_run::NoiseFrames(format, 2, 1);
  distorted.push_back(test_run::NoiseFrame(format, 9));
  std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 1);
  const Scores mixed = RunAll(*MakeFeature(kXpsnr, {}, format), reference, distorted);
  EXPECT_EQ(mixed.values.at({0, 1}), kInfinity);
  EXPECT_LT(mixed.values.at({0, 2}), 30.0);
  EXPECT_NEAR(mixed.aggregates.at("axpsnr_y"), mixed.values.at({0, 2}) + 20.0 * std::log10(3.0), 1e-9);
}

// One sample that differs in one of many frames: the mean root error is below 1, and the mean of the frames' decibels
// is written instead.
TEST(XpsnrTest, TinyErrorsAverageDecibels) {
  const VideoFormat format = {PixelFormat::kYuv400, 64, 48, 8};
  const auto average = [&](int frames) {
    std::vector<Frame> reference;
    std::vector<Frame> distorted;
    for (int n = 0; n < frames; ++n) {
      reference.push_back(MakeFrame(format, 1, [](int, int, int) { return 100; }));
      distorted.push_back(
          MakeFrame(format, 2, [&](int, int x, int y) { return n == 1 && x == 9 && y == 9 ? 101 : 100; }));
    }
    return RunAll(*MakeFeature(kXpsnr, {}, format), reference, distorted).aggregates.at("axpsnr_y");
  };
  // The root is about 9: a weight of 1 / 4 times an expected activity of 326.
  EXPECT_LT(average(8), 100.0);
  EXPECT_EQ(average(10), kInfinity);
}

TEST(XpsnrTest, SegmentsGiveTheScoresOfTheWhole) {
  for (const char* fps : {"25", "50"}) {
    const VideoFormat format = {PixelFormat::kYuv420, 75, 51, 10};
    const std::vector<Frame> reference = test_run::NoiseFrames(format, 6, 3);
    const std::vector<Frame> distorted = test_run::NoiseFrames(format, 6, 30);
    EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kXpsnr, {{"fps", fps}}, format), reference, distorted), "");
  }
}

TEST(XpsnrTest, Options) {
  const VideoFormat format = {PixelFormat::kYuv420, 64, 48, 8};
  EXPECT_EQ(MakeFeature(kXpsnr, {}, format)->fact_count(), 3);
  EXPECT_EQ(MakeFeature(kXpsnr, {{"enable_chroma", "false"}}, format)->fact_count(), 1);
  EXPECT_FALSE(MakeFeature(kXpsnr, {{"enable_chroma", "false"}}, format)->needs_chroma());
  EXPECT_EQ(MakeFeature(kXpsnr, {}, {PixelFormat::kYuv400, 64, 48, 8})->fact_count(), 1);
  EXPECT_FALSE(test_run::TryMakeFeature(kXpsnr, {{"fps", "0"}}, format));
  EXPECT_FALSE(test_run::TryMakeFeature(kXpsnr, {{"fps", "nan"}}, format));
  const std::vector<Frame> reference = test_run::NoiseFrames(format, 1, 1);
  const std::vector<Frame> distorted = test_run::NoiseFrames(format, 1, 2);
  const Scores all = RunAll(*MakeFeature(kXpsnr, {}, format), reference, distorted);
  const Scores luma = RunAll(*MakeFeature(kXpsnr, {{"enable_chroma", "false"}}, format), reference, distorted);
  EXPECT_EQ(luma.values.at({0, 0}), all.values.at({0, 0}));
  EXPECT_EQ(luma.aggregates.size(), 1u);
}

TEST(XpsnrTest, BandsChangeNothing) {
  for (const PlaneSize size : {PlaneSize{40, 40}, {97, 83}, {640, 360}}) {
    const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, 8};
    const std::vector<Frame> reference = test_run::NoiseFrames(format, 2, 1);
    const std::vector<Frame> distorted = test_run::NoiseFrames(format, 2, 11);
    const std::unique_ptr<Feature> feature = MakeFeature(kXpsnr, {}, format);
    const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
    FrameWindow window;
    window.reference = &reference[1];
    window.distorted = &distorted[1];
    window.earlier_reference = {&reference[1], &reference[0], nullptr};
    std::vector<Fact> expected(3);
    feature->Extract(window, workspace.get(), expected);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const std::unique_ptr<Feature> vector = test_run::TryMakeFeature(kXpsnr, {}, format, target).value();
      for (const int count : {2, 3, 7, 32}) {
        test_targets::BandsBackwards bands(count, nullptr);
        window.band_runner = &bands;
        std::vector<Fact> facts(3);
        vector->Extract(window, vector->MakeWorkspace().get(), facts);
        EXPECT_EQ(facts, expected) << test_targets::PlaceOf(target, format) << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
