// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr against a naive formulation of its specification, and every cut of a sequence against the whole.
#include "features/psnr/psnr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/elementary.h"
#include "features/psnr/psnr_arithmetic.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::Pictures;
using test_run::RunAll;
using test_run::Sample;
using test_run::Scores;

struct NaiveOptions {
  bool chroma = true;
  bool mse = false;
  bool reduced_peak = false;
  double min_sse = 0.0;
};

std::uint64_t NaiveError(const Frame& a, const Frame& b, int plane) {
  const VideoFormat& format = a.format();
  const bool chroma = plane > 0;
  const int width = chroma && format.pixel_format != PixelFormat::kYuv444 ? format.width >> 1 : format.width;
  const int height = chroma && format.pixel_format == PixelFormat::kYuv420 ? format.height >> 1 : format.height;
  std::uint64_t sum = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::int64_t d = Sample(a, plane, x, y) - Sample(b, plane, x, y);
      sum += static_cast<std::uint64_t>(d * d);
    }
  }
  return sum;
}

double NaivePixels(const VideoFormat& format, int plane) {
  const bool chroma = plane > 0;
  const int width = chroma && format.pixel_format != PixelFormat::kYuv444 ? format.width >> 1 : format.width;
  const int height = chroma && format.pixel_format == PixelFormat::kYuv420 ? format.height >> 1 : format.height;
  return static_cast<double>(width) * height;
}

double NaivePeak(const VideoFormat& format, bool reduced) {
  return reduced ? 255.0 * std::pow(2.0, format.bit_depth - 8) : std::pow(2.0, format.bit_depth) - 1.0;
}

double NaivePsnr(const VideoFormat& format, int plane, double mse, const NaiveOptions& options) {
  const double peak = NaivePeak(format, options.reduced_peak);
  double cap = 6.0 * format.bit_depth + 12.0;
  if (options.min_sse != 0.0) {
    cap = std::ceil(10.0 * exact::Log10(peak * peak / (options.min_sse / NaivePixels(format, plane))));
  }
  return std::min(10.0 * exact::Log10(peak * peak / std::max(mse, 1e-16)), cap);
}

void ExpectNaive(const VideoFormat& format, const std::vector<Frame>& reference, const std::vector<Frame>& distorted,
                 const OptionTexts& texts, const NaiveOptions& options) {
  const std::unique_ptr<Feature> feature = MakeFeature(kPsnr, texts, format);
  const Scores scores = RunAll(*feature, reference, distorted);
  const int planes = options.chroma ? format.plane_count() : 1;
  std::size_t expected = 0;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    int column = 0;
    for (int p = 0; p < planes; ++p) {
      const double pixels = NaivePixels(format, p);
      const double mse = pixels == 0.0 ? 0.0 : static_cast<double>(NaiveError(reference[n], distorted[n], p)) / pixels;
      ASSERT_EQ(scores.values.at({column++, static_cast<std::int64_t>(n)}), NaivePsnr(format, p, mse, options))
          << format.width << "x" << format.height << " depth " << format.bit_depth << " plane " << p;
      ++expected;
      if (!options.mse) continue;
      ASSERT_EQ(scores.values.at({column++, static_cast<std::int64_t>(n)}), mse);
      ++expected;
    }
  }
  EXPECT_EQ(scores.values.size(), expected);
  EXPECT_EQ(feature->columns().size() * reference.size(), expected);
}

TEST(Psnr, EqualsNaiveAtEverySizeAndDepth) {
  std::vector<PlaneSize> sizes = test_run::SparseSizes();
  sizes.insert(sizes.end(), std::begin(test_run::kParitySizes), std::end(test_run::kParitySizes));
  for (const PlaneSize tiny : {PlaneSize{1, 1}, PlaneSize{1, 8}, PlaneSize{8, 1}, PlaneSize{2, 2}, PlaneSize{700, 3}}) {
    sizes.push_back(tiny);
  }
  std::uint64_t seed = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 12, 13, 16}) {
      const auto pixel_format = static_cast<PixelFormat>(seed % 4);
      const VideoFormat format = {pixel_format, size.width, size.height, depth};
      ++seed;
      ExpectNaive(format, NoiseFrames(format, 1, seed), NoiseFrames(format, 1, seed + 1000000), {}, {});
    }
  }
}

TEST(Psnr, ExtremesAreExact) {
  for (const int depth : {8, 10, 12, 14, 16}) {
    const int top = (1 << depth) - 1;
    const VideoFormat format = {PixelFormat::kYuv444, 331, 3, depth};
    const std::vector<Frame> black = ListOf(MakeFrame(format, 1, [](int, int, int) { return 0; }));
    const std::vector<Frame> white = ListOf(MakeFrame(format, 2, [&](int, int, int) { return top; }));
    const std::unique_ptr<Feature> feature = MakeFeature(kPsnr, {}, format);
    Pictures pictures(*feature, black, white);
    for (const Fact fact : pictures.Facts(0)) {
      EXPECT_EQ(fact, std::uint64_t{331 * 3} * static_cast<std::uint64_t>(top) * static_cast<std::uint64_t>(top));
    }
    ExpectNaive(format, white, black, {}, {});
  }
}

TEST(Psnr, LargeSixteenBitDifference) {
  const VideoFormat format = {PixelFormat::kYuv420, 18, 7, 16};
  const std::vector<Frame> high = ListOf(MakeFrame(format, 1, [](int, int, int) { return 56832; }));
  const std::vector<Frame> low = ListOf(MakeFrame(format, 2, [](int, int, int) { return 9472; }));
  const std::unique_ptr<Feature> feature = MakeFeature(kPsnr, {{"enable_mse", "true"}}, format);
  const Scores scores = RunAll(*feature, high, low);
  for (const int column : {1, 3, 5}) EXPECT_EQ(scores.values.at({column, 0}), 2242969600.0);
}

TEST(Psnr, EqualPicturesScoreTheCap) {
  const std::pair<int, double> caps[] = {{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}};
  for (const auto& [depth, cap] : caps) {
    const VideoFormat format = {PixelFormat::kYuv420, 19, 23, depth};
    const std::vector<Frame> frames = NoiseFrames(format, 1, 5);
    const Scores scores = RunAll(*MakeFeature(kPsnr, {}, format), frames, frames);
    ASSERT_EQ(scores.values.size(), 3u);
    for (const auto& [key, value] : scores.values) EXPECT_EQ(value, cap);
  }
}

TEST(Psnr, ChromaPlaneWithoutSamplesScoresTheCap) {
  const VideoFormat format = {PixelFormat::kYuv420, 1, 8, 8};
  const std::unique_ptr<Feature> feature =
      MakeFeature(kPsnr, {{"enable_mse", "true"}, {"enable_apsnr", "true"}, {"min_sse", "5"}}, format);
  const Scores scores = RunAll(*feature, NoiseFrames(format, 1, 5), NoiseFrames(format, 1, 6));
  EXPECT_EQ(scores.values.at({2, 0}), 60.0);
  EXPECT_EQ(scores.values.at({3, 0}), 0.0);
  ASSERT_EQ(scores.aggregates.size(), 1u);
  EXPECT_EQ(scores.aggregates.begin()->first, "apsnr_y");
}

TEST(Psnr, Options) {
  const VideoFormat formats[] = {{PixelFormat::kYuv420, 17, 9, 8},
                                 {PixelFormat::kYuv422, 18, 9, 10},
                                 {PixelFormat::kYuv444, 19, 9, 16},
                                 {PixelFormat::kYuv400, 20, 9, 12}};
  for (const VideoFormat& format : formats) {
    const std::vector<Frame> reference = NoiseFrames(format, 3, 1);
    std::vector<Frame> distorted = NoiseFrames(format, 3, 100);
    distorted[1] = test_run::NoiseFrame(format, 2);  // equal to the reference
    ExpectNaive(format, reference, distorted, {{"enable_chroma", "false"}}, {.chroma = false});
    ExpectNaive(format, reference, distorted, {{"enable_mse", "true"}}, {.mse = true});
    ExpectNaive(format, reference, distorted, {{"reduced_hbd_peak", "true"}, {"enable_mse", "true"}},
                {.mse = true, .reduced_peak = true});
    for (const double sse : {0.5, 1.0, 100000.0, 1e300, 1e-300}) {
      ExpectNaive(format, reference, distorted, {{"min_sse", std::to_string(sse)}},
                  {.min_sse = std::stod(std::to_string(sse))});
    }
    ExpectNaive(format, reference, distorted, {{"min_sse", "1e-300"}, {"reduced_hbd_peak", "true"}},
                {.reduced_peak = true, .min_sse = 1e-300});
  }
}

TEST(Psnr, AggregateIsThePsnrOfTheSummedError) {
  for (const PixelFormat pixel_format : {PixelFormat::kYuv420, PixelFormat::kYuv400}) {
    const VideoFormat format = {pixel_format, 33, 19, 10};
    const std::vector<Frame> reference = NoiseFrames(format, 4, 1);
    const std::vector<Frame> distorted = NoiseFrames(format, 4, 100);
    const std::unique_ptr<Feature> feature = MakeFeature(kPsnr, {{"enable_apsnr", "true"}}, format);
    const Scores scores = RunAll(*feature, reference, distorted);
    const char* names[] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};
    ASSERT_EQ(scores.aggregates.size(), static_cast<std::size_t>(format.plane_count()));
    for (int p = 0; p < format.plane_count(); ++p) {
      std::uint64_t error = 0;
      for (std::size_t n = 0; n < 4; ++n) error += NaiveError(reference[n], distorted[n], p);
      const double peak_part = exact::Log10(1023.0 * 1023.0);
      const double pixels = 4 * NaivePixels(format, p);
      EXPECT_EQ(scores.aggregates.at(names[p]),
                10 * ((peak_part + exact::Log10(pixels)) - exact::Log10(static_cast<double>(error))));
    }
    const Scores equal = RunAll(*feature, reference, reference);
    EXPECT_EQ(equal.aggregates.at("apsnr_y"), std::ceil(10 * exact::Log10(1023.0 * 1023.0 * 33 * 19 * 4 * 2)));
  }
}

TEST(Psnr, NoAggregateOfPlanesThatAreNotScored) {
  const VideoFormat format = {PixelFormat::kYuv420, 33, 19, 8};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 1);
  const std::unique_ptr<Feature> luma =
      MakeFeature(kPsnr, {{"enable_apsnr", "true"}, {"enable_chroma", "false"}}, format);
  EXPECT_EQ(RunAll(*luma, frames, frames).aggregates.size(), 1u);
  EXPECT_FALSE(luma->needs_chroma());
  EXPECT_TRUE(MakeFeature(kPsnr, {}, format)->needs_chroma());
}

TEST(Psnr, ColumnNames) {
  const VideoFormat format = {PixelFormat::kYuv420, 8, 8, 8};
  std::vector<std::string> names;
  for (const FeatureColumn& column : MakeFeature(kPsnr, {{"enable_mse", "true"}}, format)->columns()) {
    EXPECT_FALSE(column.decorated);
    EXPECT_EQ(column.phase, ColumnPhase::kFrame);
    names.push_back(column.raw_name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"}));
}

// Requests that differ only in outputs become one that has all of them.
TEST(Psnr, MergedRequestsKeepEveryOutput) {
  const auto parse = [](const OptionTexts& texts) {
    OptionDictionary dictionary;
    for (const auto& [key, value] : texts) dictionary.Set(key, value);
    Result<OptionValues> options = OptionValues::Parse("psnr", kPsnr.options, dictionary);
    EXPECT_TRUE(options.ok());
    return std::move(*options);
  };
  OptionValues merged = parse({{"enable_chroma", "false"}});
  merged.MergeOutputs(parse({{"enable_mse", "true"}}));
  EXPECT_TRUE(merged.GetBool("enable_chroma"));
  EXPECT_TRUE(merged.GetBool("enable_mse"));
  OptionValues other = parse({});
  other.MergeOutputs(parse({{"enable_chroma", "false"}}));
  EXPECT_TRUE(other.GetBool("enable_chroma"));
  OptionValues both = parse({{"enable_chroma", "false"}});
  both.MergeOutputs(parse({{"enable_chroma", "false"}, {"enable_apsnr", "true"}}));
  EXPECT_FALSE(both.GetBool("enable_chroma"));
  EXPECT_TRUE(both.GetBool("enable_apsnr"));
}

TEST(Psnr, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv422, 19, 7, 12};
  const std::vector<Frame> reference = NoiseFrames(format, 6, 1);
  const std::vector<Frame> distorted = NoiseFrames(format, 6, 100);
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kPsnr, {{"enable_mse", "true"}}, format), reference, distorted),
            "");
}

}  // namespace
}  // namespace lockstep
