// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede against a plain formulation of CIEDE2000, published pairs of colours, and pictures whose chroma is laid out by
// hand.
#include "features/ciede/ciede.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/ciede/ciede_arithmetic.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::ListOf;
using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrame;
using test_run::NoiseFrames;
using test_run::Pictures;
using test_run::RunAll;
using test_run::Sample;
using test_run::TryMakeFeature;

constexpr double kPi = std::numbers::pi;

struct Colour {
  double l;
  double a;
  double b;
};

double Hue(double a, double b) {
  if (a == 0 && b == 0) return 0;
  const double hue = std::atan2(b, a);
  return hue < 0 ? hue + 2 * kPi : hue;
}

/// The formula of the paper in double, with weights of lightness and hue.
double NaiveDifference(const Colour& x, const Colour& y, double lightness_weight, double hue_weight) {
  const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7))); };
  const double plain1 = std::hypot(x.a, x.b);
  const double plain2 = std::hypot(y.a, y.b);
  const double g = 0.5 * (1 - seventh((plain1 + plain2) / 2));
  const double a1 = x.a * (1 + g);
  const double a2 = y.a * (1 + g);
  const double c1 = std::hypot(a1, x.b);
  const double c2 = std::hypot(a2, y.b);
  const double h1 = Hue(a1, x.b);
  const double h2 = Hue(a2, y.b);
  double turn = h2 - h1;
  if (turn > kPi) turn -= 2 * kPi;
  if (turn < -kPi) turn += 2 * kPi;
  if (plain1 * plain2 == 0) turn = 0;
  const double hue = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2);
  const double mean_l = (x.l + y.l) / 2;
  const double mean_c = (c1 + c2) / 2;
  const double mean_h = std::fabs(h1 - h2) > kPi ? (h1 + h2 + 2 * kPi) / 2 : (h1 + h2) / 2;
  const auto degrees = [](double d) { return d * kPi / 180; };
  const double t = 1 - 0.17 * std::cos(mean_h - degrees(30)) + 0.24 * std::cos(2 * mean_h) +
                   0.32 * std::cos(3 * mean_h + degrees(6)) - 0.20 * std::cos(4 * mean_h - degrees(63));
  const double from_middle = (mean_l - 50) * (mean_l - 50);
  const double l_term = (y.l - x.l) / (lightness_weight * (1 + 0.015 * from_middle / std::sqrt(20 + from_middle)));
  const double c_term = (c2 - c1) / (1 + 0.045 * mean_c);
  const double h_term = hue / (hue_weight * (1 + 0.015 * mean_c * t));
  const double zone = (mean_h / degrees(1) - 275) / 25;
  const double rotation = -2 * seventh(mean_c) * std::sin(degrees(60) * std::exp(-zone * zone));
  return std::sqrt(l_term * l_term + c_term * c_term + h_term * h_term + rotation * c_term * h_term);
}

struct PublishedPair {
  Colour colour1;
  Colour colour2;
  double difference;
};

// Of the test data of Sharma, Wu and Dalal, for weights of 1.
constexpr PublishedPair kPublishedPairs[] = {
    {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
    {{50, 3.1571, -77.2803}, {50, 0, -82.7485}, 2.8615},
    {{50, 2.8361, -74.0200}, {50, 0, -82.7485}, 3.4412},
    {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
    {{50, 0, 0}, {50, -1, 2}, 2.3669},
    {{50, -1, 2}, {50, 0, 0}, 2.3669},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0009}, 7.1792},
    {{50, -0.001, 2.49}, {50, 0.0009, -2.49}, 4.8045},
    {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
    {{50, 2.5, 0}, {61, -5, 29}, 22.8977},
    {{50, 2.5, 0}, {56, -27, -3}, 31.9030},
    {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
};

CiedeLab LabOf(const Colour& c) { return {static_cast<float>(c.l), static_cast<float>(c.a), static_cast<float>(c.b)}; }

TEST(Ciede, PlainFormulaHasThePublishedDifferences) {
  for (const PublishedPair& pair : kPublishedPairs) {
    EXPECT_NEAR(NaiveDifference(pair.colour1, pair.colour2, 1, 1), pair.difference, 0.00005);
  }
}

TEST(Ciede, DifferenceIsThatOfThePlainFormula) {
  for (const PublishedPair& pair : kPublishedPairs) {
    const double expected = NaiveDifference(pair.colour1, pair.colour2, 0.65, 4);
    EXPECT_NEAR(CiedeDifference(LabOf(pair.colour1), LabOf(pair.colour2)), expected, 1e-5 * expected);
  }
  std::uint64_t state = 1;
  const auto random = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(test_run::NextRandom(state) >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 20000; ++i) {
    const double spread = i % 2 == 0 ? 100 : 3;
    const Colour x = {random(0, 100), random(-spread, spread), random(-spread, spread)};
    const Colour y = {random(0, 100), random(-spread, spread), random(-spread, spread)};
    const double expected = NaiveDifference(x, y, 0.65, 4);
    ASSERT_NEAR(CiedeDifference(LabOf(x), LabOf(y)), expected, 2e-5 * expected) << i;
  }
}

double NaiveLinear(double c) { return c > 10.0 / 255 ? std::pow((c + 0.055) / 1.055, 2.4) : c / 12.92; }
double NaiveCurve(double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

TEST(Ciede, LabIsThatOfThePlainFormula) {
  std::uint64_t state = 1;
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    const CiedeScale scale = MakeCiedeScale(depth);
    const double unit = std::ldexp(1, depth - 8);
    for (int i = 0; i < 3000; ++i) {
      const i32 sample[3] = {static_cast<i32>(test_run::NextRandom(state) >> (64 - depth)),
                             static_cast<i32>(test_run::NextRandom(state) >> (64 - depth)),
                             static_cast<i32>(test_run::NextRandom(state) >> (64 - depth))};
      const double y = (sample[0] / unit - 16) / 219;
      const double u = (sample[1] / unit - 128) / 224;
      const double v = (sample[2] / unit - 128) / 224;
      const double r = NaiveLinear(y + 1.28033 * v);
      const double g = NaiveLinear(y - 0.21482 * u - 0.38059 * v);
      const double b = NaiveLinear(y + 2.12798 * u);
      const double fx =
          NaiveCurve((r * 0.4124564390896921 + g * 0.357576077643909 + b * 0.18043748326639894) / 0.95047);
      const double fy = NaiveCurve(r * 0.21267285140562248 + g * 0.715152155287818 + b * 0.07217499330655958);
      const double fz =
          NaiveCurve((r * 0.019333895582329317 + g * 0.119192025881303 + b * 0.9503040785363677) / 1.08883);
      const CiedeLab lab = CiedeLabOf(scale, sample[0], sample[1], sample[2]);
      // Half a unit in the last place of each curve's value, which is below 4.
      ASSERT_NEAR(lab.lightness, 116 * fy - 16, 120 * 0x1p-23);
      ASSERT_NEAR(lab.a, 500 * (fx - fy), 1100 * 0x1p-23);
      ASSERT_NEAR(lab.b, 200 * (fy - fz), 500 * 0x1p-23);
    }
  }
}

// Only lightness differs: by 100, in the middle, at a weight of 0.65.
TEST(Ciede, BlackAndWhite) {
  for (const int depth : {8, 10, 12, 16}) {
    const VideoFormat format = {PixelFormat::kYuv420, 6, 4, depth};
    const int unit = 1 << (depth - 8);
    const auto flat = [&](int luma) {
      return ListOf(MakeFrame(format, 1, [&](int p, int, int) { return (p == 0 ? luma : 128) * unit; }));
    };
    const double score = RunAll(*MakeFeature(kCiede, {}, format), flat(16), flat(235)).values.at({0, 0});
    EXPECT_NEAR(score, 45 - 20 * std::log10(100 / 0.65), 1e-5);
  }
}

TEST(Ciede, EqualPicturesScoreInfinity) {
  const VideoFormat format = {PixelFormat::kYuv444, 33, 9, 8};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 5);
  const test_run::Scores scores = RunAll(*MakeFeature(kCiede, {}, format), frames, frames);
  ASSERT_EQ(scores.values.size(), 2u);
  for (const auto& [place, value] : scores.values) EXPECT_EQ(value, std::numeric_limits<double>::infinity());
}

TEST(Ciede, AddsInRasterOrder) {
  const VideoFormat format = {PixelFormat::kYuv444, 29, 70, 10};
  const std::vector<Frame> reference = NoiseFrames(format, 1, 1);
  const std::vector<Frame> distorted = NoiseFrames(format, 1, 2);
  double sum = 0.0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const auto lab = [&](const Frame& f) {
        return CiedeLabOf(MakeCiedeScale(10), Sample(f, 0, x, y), Sample(f, 1, x, y), Sample(f, 2, x, y));
      };
      sum += CiedeDifference(lab(reference[0]), lab(distorted[0]));
    }
  }
  const std::unique_ptr<Feature> feature = MakeFeature(kCiede, {}, format);
  EXPECT_EQ(DoubleOf(Pictures(*feature, reference, distorted).Facts(0)[0]), sum);
  EXPECT_EQ(RunAll(*feature, reference, distorted).values.at({0, 0}), 45 - 20 * exact::Log10(sum / (29 * 70)));
}

/// The picture as 4:4:4 with chroma from `chroma(plane, x, y)`.
template <class Function>
std::vector<Frame> FullChroma(const Frame& frame, const Function& chroma) {
  VideoFormat format = frame.format();
  format.pixel_format = PixelFormat::kYuv444;
  return ListOf(
      MakeFrame(format, 9, [&](int p, int x, int y) { return p == 0 ? Sample(frame, 0, x, y) : chroma(p, x, y); }));
}

std::vector<Fact> FactsOfFrames(const std::vector<Frame>& reference, const std::vector<Frame>& distorted) {
  const std::unique_ptr<Feature> feature = MakeFeature(kCiede, {}, reference[0].format());
  return Pictures(*feature, reference, distorted).Facts(0);
}

TEST(Ciede, HalvedChromaIsRepeated) {
  for (const int depth : {8, 9, 16}) {
    for (const PlaneSize size :
         {PlaneSize{1, 1}, PlaneSize{2, 2}, PlaneSize{1, 8}, PlaneSize{16, 7}, PlaneSize{33, 67}}) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
      const std::vector<Frame> reference = NoiseFrames(format, 1, 3);
      const std::vector<Frame> distorted = NoiseFrames(format, 1, 4);
      const auto repeat = [](const Frame& frame) {
        return FullChroma(frame, [&](int p, int x, int y) { return Sample(frame, p, x / 2, y / 2); });
      };
      EXPECT_EQ(FactsOfFrames(reference, distorted), FactsOfFrames(repeat(reference[0]), repeat(distorted[0])));
    }
  }
}

/// 4:2:2 chroma as the reference reads it: from a plane laid out in memory, where it goes half a row down and one
/// sample to the right for each pixel.
std::vector<Frame> AsReferenceReads422(const Frame& frame) {
  const VideoFormat& format = frame.format();
  const int width = format.width / 2;
  const int stride = (width + 31) & ~31;
  std::vector<int> memory[3];
  for (int p = 1; p < 3; ++p) {
    memory[p].assign(static_cast<std::size_t>(stride * format.height), 0);
    for (int y = 0; y < format.height; ++y) {
      for (int x = 0; x < width; ++x) memory[p][static_cast<std::size_t>(y * stride + x)] = Sample(frame, p, x, y);
    }
  }
  return FullChroma(frame,
                    [&](int p, int x, int y) { return memory[p][static_cast<std::size_t>((y / 2) * stride + x)]; });
}

TEST(Ciede, HalfWideChromaIsReadAsTheReferenceReadsIt) {
  for (const int depth : {8, 12}) {
    for (const PlaneSize size : {PlaneSize{2, 2}, PlaneSize{31, 9}, PlaneSize{64, 4}, PlaneSize{65, 8},
                                 PlaneSize{66, 62}, PlaneSize{100, 3}}) {
      const VideoFormat format = {PixelFormat::kYuv422, size.width, size.height, depth};
      const std::vector<Frame> reference = NoiseFrames(format, 1, 3);
      const std::vector<Frame> distorted = NoiseFrames(format, 1, 4);
      EXPECT_EQ(FactsOfFrames(reference, distorted),
                FactsOfFrames(AsReferenceReads422(reference[0]), AsReferenceReads422(distorted[0])))
          << size.width << "x" << size.height;
    }
  }
}

TEST(Ciede, HalfWideChromaOfTinyPicturesStaysInsideThePlane) {
  for (const PlaneSize size :
       {PlaneSize{1, 1}, PlaneSize{1, 5}, PlaneSize{64, 1}, PlaneSize{65, 1}, PlaneSize{65, 2}}) {
    const VideoFormat format = {PixelFormat::kYuv422, size.width, size.height, 8};
    EXPECT_TRUE(std::isfinite(DoubleOf(FactsOfFrames(NoiseFrames(format, 1, 3), NoiseFrames(format, 1, 4))[0])));
  }
}

TEST(Ciede, RefusesPicturesWithoutChroma) {
  const Result<std::unique_ptr<Feature>> feature = TryMakeFeature(kCiede, {}, {PixelFormat::kYuv400, 64, 64, 8});
  ASSERT_FALSE(feature);
  EXPECT_NE(feature.error().message.find("4:0:0"), std::string::npos);
}

TEST(Ciede, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 10, 7, 10};
  EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kCiede, {}, format), NoiseFrames(format, 4, 1),
                                         NoiseFrames(format, 4, 100)),
            "");
}

}  // namespace
}  // namespace lockstep
