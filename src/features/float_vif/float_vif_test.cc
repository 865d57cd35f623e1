// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif gives the scores of the specification's check vectors and those of a plain implementation of its text.
#include "features/float_vif/float_vif.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/float_vif/float_vif_arithmetic.h"
#include "features/float_vif/float_vif_filter.h"
#include "features/resize/gaussian_filter.h"
#include "features/score_name.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrame;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::Scores;

// ---- A plain implementation: planes of floats, one position at a time, everything recomputed where it is read.

struct Plane {
  int w = 0;
  int h = 0;
  std::vector<float> v;
  [[nodiscard]] float at(int x, int y) const {
    if (x < 0) x = -x;
    if (x >= w) x = 2 * w - x - 2;
    if (y < 0) y = -y;
    if (y >= h) y = 2 * h - y - 2;
    return v[static_cast<std::size_t>(y * w + x)];
  }
};

Plane PlaneOf(const Frame& frame) {
  Plane plane{frame.format().width, frame.format().height, {}};
  const float scaler = static_cast<float>(1 << (frame.format().bit_depth - 8));
  for (int y = 0; y < plane.h; ++y) {
    for (int x = 0; x < plane.w; ++x) {
      plane.v.push_back(static_cast<float>(test_run::Sample(frame, 0, x, y)) / scaler - 128.0f);
    }
  }
  return plane;
}

std::vector<float> NaiveTaps(int scale, float kernel_scale) {
  int size = static_cast<int>(std::ceil(static_cast<float>((1 << (4 - scale)) + 1) * kernel_scale));
  if (size % 2 == 0) ++size;
  if (size < 3) size = 3;
  const double sigma = static_cast<double>(static_cast<float>(size) / 5.0f);
  const float den = static_cast<float>(1.0 / (sigma * std::sqrt(2.0 * M_PI)));
  std::vector<float> taps;
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    const double x = i - (size - 1) / 2;
    taps.push_back(static_cast<float>(exact::Exp(-0.5 * x / sigma * x / sigma)) / den);
    sum += taps.back();
  }
  for (float& tap : taps) tap /= sum;
  return taps;
}

// Filters `value(x, y)` at every position.
template <class Value>
Plane Filter(const Plane& shape, const std::vector<float>& taps, const Value& value) {
  const int radius = static_cast<int>(taps.size()) / 2;
  const auto filtered = [&](auto&& sample) {
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += taps[static_cast<std::size_t>(k + radius)] * sample(k);
    return sum;
  };
  Plane columns{shape.w, shape.h, {}};
  Plane result{shape.w, shape.h, {}};
  for (int y = 0; y < shape.h; ++y) {
    for (int x = 0; x < shape.w; ++x) columns.v.push_back(filtered([&](int k) { return value(x, y + k); }));
  }
  for (int y = 0; y < shape.h; ++y) {
    for (int x = 0; x < shape.w; ++x) result.v.push_back(filtered([&](int k) { return columns.at(x + k, y); }));
  }
  return result;
}

float NaiveLog2(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const float exponent = static_cast<float>(static_cast<int>((bits >> 23) & 255) - 127);
  const float t = std::bit_cast<float>((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
  float v = 0;
  for (const double c : {-0.012671635276421, 0.064841182402670, -0.157048836463065, 0.257167726303123,
                         -0.353800560300520, 0.480131410397451, -0.721314327952201, 1.442694803896991, 0.0}) {
    v = v * t + static_cast<float>(c);
  }
  return exponent + v;
}

struct NaiveOptions {
  double egl = 100;
  double ks = 1;
  double nsq = 2;
  bool skip = false;
};

struct NaiveScale {
  double num = 0;
  double den = -1;
};

std::vector<NaiveScale> NaiveVif(Plane a, Plane b, const NaiveOptions& o) {
  std::vector<NaiveScale> scales(4);
  const float eps = 1.0e-10f;
  const float nsq = static_cast<float>(o.nsq);
  const float smi = static_cast<float>(static_cast<double>(nsq * nsq) / 65025.0);
  const float limit = static_cast<float>(o.egl);
  for (int s = 0; s < 4; ++s) {
    const std::vector<float> taps = NaiveTaps(s, static_cast<float>(o.ks));
    if (s > 0) {
      const auto half = [&](const Plane& p) {
        const Plane full = Filter(p, taps, [&](int x, int y) { return p.at(x, y); });
        Plane small{p.w / 2, p.h / 2, {}};
        for (int y = 0; y < small.h; ++y) {
          for (int x = 0; x < small.w; ++x) small.v.push_back(full.at(2 * x, 2 * y));
        }
        return small;
      };
      a = half(a);
      b = half(b);
    }
    if (s == 0 && o.skip) continue;
    const Plane m1 = Filter(a, taps, [&](int x, int y) { return a.at(x, y); });
    const Plane m2 = Filter(b, taps, [&](int x, int y) { return b.at(x, y); });
    const Plane xx = Filter(a, taps, [&](int x, int y) { return a.at(x, y) * a.at(x, y); });
    const Plane yy = Filter(b, taps, [&](int x, int y) { return b.at(x, y) * b.at(x, y); });
    const Plane xy = Filter(a, taps, [&](int x, int y) { return a.at(x, y) * b.at(x, y); });
    float num = 0;
    float den = 0;
    for (int y = 0; y < a.h; ++y) {
      float row_num = 0;
      float row_den = 0;
      for (int x = 0; x < a.w; ++x) {
        float s1 = xx.at(x, y) - m1.at(x, y) * m1.at(x, y);
        float s2 = yy.at(x, y) - m2.at(x, y) * m2.at(x, y);
        const float s12 = xy.at(x, y) - m1.at(x, y) * m2.at(x, y);
        s1 = s1 > 0 ? s1 : 0;
        s2 = s2 > 0 ? s2 : 0;
        float g = s12 / (s1 + eps);
        float sv = s2 - g * s12;
        if (s1 < eps) {
          g = 0;
          sv = s2;
          s1 = 0;
        }
        if (s2 < eps) g = sv = 0;
        if (g < 0) {
          sv = s2;
          g = 0;
        }
        sv = sv > eps ? sv : eps;
        g = g < limit ? g : limit;
        const double gain = static_cast<double>((g * g) * s1);
        float n = NaiveLog2(static_cast<float>(1 + gain / (static_cast<double>(sv) + o.nsq)));
        float d = NaiveLog2(static_cast<float>(1 + static_cast<double>(s1) / o.nsq));
        if (s12 < 0) n = 0;
        if (static_cast<double>(s1) < o.nsq) {
          n = 1 - s2 * smi;
          d = 1;
        }
        row_num += n;
        row_den += d;
      }
      num += row_num;
      den += row_den;
    }
    scales[static_cast<std::size_t>(s)] = {static_cast<double>(num), static_cast<double>(den)};
  }
  return scales;
}

// ---- Pictures.

// The pattern of the check vectors.
Frame CheckPicture(int width, int height, int depth, bool distorted) {
  return MakeFrame({PixelFormat::kYuv400, width, height, depth}, 5, [=](int, int x, int y) {
    const int v = (7 * x + 13 * y + ((x * y) >> 2) + 40 * (((x >> 3) + (y >> 3)) & 1)) & 255;
    const int t = std::min(255, (7 * v + 4 * ((31 * x + 17 * y) & 31) + 8) >> 3);
    if (depth == 8) return distorted ? t : v;
    return distorted ? 4 * t + ((3 * x + y) & 3) : 4 * v + ((x + 2 * y) & 3);
  });
}

std::vector<double> ScoresOf(const Frame& reference, const Frame& distorted, const OptionTexts& options) {
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatVif, options, reference.format());
  const Scores scores = RunAll(*feature, {&reference, 1}, {&distorted, 1});
  std::vector<double> values;
  for (const auto& [key, value] : scores.values) values.push_back(value);
  return values;
}

// ---- Tests.

TEST(FloatVif, CheckVectors) {
  const std::vector<double> eight =
      ScoresOf(CheckPicture(64, 64, 8, false), CheckPicture(64, 64, 8, true), {{"debug", "true"}});
  ASSERT_EQ(eight.size(), 15u);
  EXPECT_EQ(eight[0], 0.65505182868449074);
  EXPECT_EQ(eight[1], 0.87467336647332405);
  EXPECT_EQ(eight[2], 0.90634279158919961);
  EXPECT_EQ(eight[3], 0.93005980405453936);
  EXPECT_EQ(eight[4], 0.69882225491323902);
  EXPECT_EQ(eight[7], 30480.46484375);
  EXPECT_EQ(eight[8], 46531.37890625);
  EXPECT_EQ(eight[13], 342.57305908203125);
  EXPECT_EQ(eight[14], 368.33444213867188);
  const std::vector<double> ten =
      ScoresOf(CheckPicture(70, 50, 10, false), CheckPicture(70, 50, 10, true), {{"debug", "true"}});
  EXPECT_EQ(ten[0], 0.65274776973170756);
  EXPECT_EQ(ten[1], 0.87510575528039003);
  EXPECT_EQ(ten[2], 0.90838998942041527);
  EXPECT_EQ(ten[3], 0.92998528817402482);
  EXPECT_EQ(ten[4], 0.69667847644194503);
}

TEST(FloatVif, FilterTaps) {
  const std::map<int, std::vector<float>> expected = {
      {0,
       {0x1.e8a77p-8f, 0x1.d373b2p-7f, 0x1.9a1cf6p-6f, 0x1.49fd9ep-5f, 0x1.e7092ap-5f, 0x1.49a042p-4f, 0x1.99350cp-4f,
        0x1.d1e766p-4f, 0x1.e67f64p-4f}},
      {1, {0x1.36efd8p-6f, 0x1.c9eaf6p-5f, 0x1.ef4ac4p-4f, 0x1.897426p-3f, 0x1.cb1b82p-3f}},
      {2, {0x1.be5f0cp-5f, 0x1.f41fd4p-3f, 0x1.9c4866p-2f}},
      {3, {0x1.54be42p-3f, 0x1.55a0dep-1f}}};
  for (const auto& [scale, half] : expected) {
    const std::vector<float> taps = MakeFloatVifFilter(scale, 1.0);
    ASSERT_EQ(taps.size(), 2 * half.size() - 1);
    for (std::size_t i = 0; i < taps.size(); ++i) EXPECT_EQ(taps[i], half[std::min(i, taps.size() - 1 - i)]);
  }
}

TEST(FloatVif, FilterSizes) {
  const std::map<double, std::vector<std::size_t>> expected = {
      {0.5, {9, 5, 3, 3}},       {1 / 2.25, {9, 5, 3, 3}},  {2.0 / 3, {13, 7, 5, 3}},   {0.711111, {13, 7, 5, 3}},
      {0.740740, {13, 7, 5, 3}}, {1.06667, {19, 11, 7, 5}}, {1.111111, {19, 11, 7, 5}}, {3.5 / 3, {21, 11, 7, 5}},
      {1.25, {23, 13, 7, 5}},    {4.0 / 3, {23, 13, 7, 5}}, {4.25 / 3, {25, 13, 9, 5}}, {1.4746, {27, 15, 9, 5}},
      {1.5, {27, 15, 9, 5}},     {1.54, {27, 15, 9, 5}},    {1.6, {29, 15, 9, 5}},      {5.0 / 3, {29, 15, 9, 5}},
      {2, {35, 19, 11, 7}},      {2.4, {41, 23, 13, 9}},    {3, {51, 27, 15, 9}},       {360.0 / 97, {65, 35, 19, 13}},
      {1, {17, 9, 5, 3}}};
  EXPECT_EQ(expected.size(), 21u);
  for (const auto& [kernel_scale, sizes] : expected) {
    EXPECT_TRUE(IsKernelScale(kernel_scale)) << kernel_scale;
    for (int scale = 0; scale < 4; ++scale) {
      EXPECT_EQ(MakeFloatVifFilter(scale, kernel_scale).size(), sizes[static_cast<std::size_t>(scale)])
          << kernel_scale << " scale " << scale;
    }
  }
  for (const double other : {0.3, 0.9, 1.002, 0.998, 2.2, 3.9, 0.1, 4.0}) EXPECT_FALSE(IsKernelScale(other));
  EXPECT_TRUE(IsKernelScale(0.9995));
}

TEST(FloatVif, Log2) {
  EXPECT_EQ(FloatVifLog2(1.0f), 0.0f);
  EXPECT_EQ(FloatVifLog2(2.0f), 1.0f);
  EXPECT_EQ(FloatVifLog2(1024.0f), 10.0f);
  EXPECT_EQ(FloatVifLog2(std::numeric_limits<float>::infinity()), 128.0f);
  EXPECT_EQ(FloatVifLog2(std::numeric_limits<float>::quiet_NaN()), 127.0f + FloatVifLog2(3.0f));
  for (float x = 1.0f; x < 300.0f; x += 0.37f) {
    EXPECT_EQ(FloatVifLog2(x), NaiveLog2(x));
    EXPECT_NEAR(static_cast<double>(FloatVifLog2(x)), std::log2(static_cast<double>(x)), 1e-4);
  }
}

TEST(FloatVif, PixelsByHand) {
  const FloatVifSettings settings = {2.0, FloatVifFlatSlope(2.0), 100.0f};
  EXPECT_EQ(settings.flat_slope, static_cast<float>(4.0 / 65025.0));
  // Flat reference: no information, less what the distorted picture adds.
  FloatVifTerms terms = FloatVifPixel({3.0f, 0.0f, 10.0f, 65025.0f, 0.0f}, settings);
  EXPECT_EQ(terms.numerator, 1.0f - 65025.0f * settings.flat_slope);
  EXPECT_EQ(terms.denominator, 1.0f);
  // Variances 14 and covariance 14: gain 1, held log2(1 + 14 / 2).
  terms = FloatVifPixel({0.0f, 0.0f, 14.0f, 14.0f, 14.0f}, settings);
  EXPECT_EQ(terms.numerator, 3.0f);
  EXPECT_EQ(terms.denominator, 3.0f);
  // Contrast inverted: nothing kept.
  terms = FloatVifPixel({0.0f, 0.0f, 14.0f, 14.0f, -14.0f}, settings);
  EXPECT_EQ(terms.numerator, 0.0f);
  EXPECT_EQ(terms.denominator, 3.0f);
  // Gain 2 counts as 1: 1 + 14 / 2.
  terms = FloatVifPixel({0.0f, 0.0f, 14.0f, 56.0f, 28.0f}, {2.0, settings.flat_slope, 1.0f});
  EXPECT_EQ(terms.numerator, 3.0f);
  // Distorted picture flat.
  terms = FloatVifPixel({0.0f, 5.0f, 14.0f, 25.0f, 0.0f}, settings);
  EXPECT_EQ(terms.numerator, 0.0f);
  // No noise and a flat reference: 0 / 0.
  terms = FloatVifPixel({1.0f, 0.0f, 1.0f, 9.0f, 0.0f}, {0.0, 0.0f, 100.0f});
  EXPECT_EQ(terms.numerator, 0.0f);
  EXPECT_EQ(terms.denominator, 127.0f + FloatVifLog2(3.0f));
}

void ExpectNaive(const Frame& reference, const Frame& distorted, OptionTexts texts, const NaiveOptions& options) {
  texts.emplace_back("debug", "true");
  const std::vector<double> actual = ScoresOf(reference, distorted, texts);
  const std::vector<NaiveScale> expected = NaiveVif(PlaneOf(reference), PlaneOf(distorted), options);
  double num = 0;
  double den = 0;
  for (std::size_t s = 0; s < 4; ++s) {
    const bool skipped = s == 0 && options.skip;
    const std::string place = std::to_string(reference.format().width) + "x" +
                              std::to_string(reference.format().height) + " depth " +
                              std::to_string(reference.format().bit_depth) + " scale " + std::to_string(s);
    ASSERT_EQ(actual[7 + 2 * s], expected[s].num) << place;
    ASSERT_EQ(actual[8 + 2 * s], expected[s].den) << place;
    ASSERT_EQ(actual[s], skipped ? 0.0 : expected[s].num / expected[s].den) << place;
    if (skipped) continue;
    num += expected[s].num;
    den += expected[s].den;
  }
  EXPECT_EQ(actual[4], num / den);
  EXPECT_EQ(actual[5], num);
  EXPECT_EQ(actual[6], den);
}

TEST(FloatVif, EqualsNaiveAtEverySizeAndDepth) {
  const PlaneSize sizes[] = {{16, 16}, {17, 16}, {16, 33}, {17, 17}, {23, 40}, {65, 31}, {96, 54}, {131, 19}};
  const int depths[] = {8, 10, 12, 16, 9, 14};
  int i = 0;
  for (const PlaneSize size : sizes) {
    for (int k = 0; k < 2; ++k, ++i) {
      const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depths[i % 6]};
      const auto seed = static_cast<std::uint64_t>(i);
      ExpectNaive(NoiseFrame(format, seed), NoiseFrame(format, seed + 100), {}, {});
      const Frame reference = CheckPicture(size.width, size.height, k == 0 ? 8 : 10, false);
      ExpectNaive(reference, CheckPicture(size.width, size.height, k == 0 ? 8 : 10, true), {}, {});
      ExpectNaive(reference, reference, {}, {});
    }
  }
}

TEST(FloatVif, EqualsNaiveWithEveryOption) {
  const Frame reference = CheckPicture(79, 58, 8, false);
  const Frame distorted = CheckPicture(79, 58, 8, true);
  ExpectNaive(reference, distorted, {{"vif_enhn_gain_limit", "1"}}, {.egl = 1});
  ExpectNaive(distorted, reference, {{"vif_enhn_gain_limit", "1.3"}}, {.egl = 1.3});
  ExpectNaive(reference, distorted, {{"vif_kernelscale", "0.5"}}, {.ks = 0.5});
  ExpectNaive(reference, distorted, {{"vif_kernelscale", "1.5"}}, {.ks = 1.5});
  ExpectNaive(reference, distorted, {{"vif_sigma_nsq", "0"}}, {.nsq = 0});
  ExpectNaive(reference, distorted, {{"vif_sigma_nsq", "1.3"}}, {.nsq = 1.3});
  ExpectNaive(reference, distorted, {{"vif_sigma_nsq", "5"}}, {.nsq = 5});
  ExpectNaive(reference, distorted, {{"vif_skip_scale0", "true"}}, {.skip = true});
  ExpectNaive(reference, distorted, {{"vif_skip_scale0", "true"}, {"vif_kernelscale", "2.4"}, {"vif_sigma_nsq", "0.7"}},
              {.ks = 2.4, .nsq = 0.7, .skip = true});
}

TEST(FloatVif, FlatReferenceWithoutNoise) {
  const VideoFormat format = {PixelFormat::kYuv400, 32, 32, 8};
  // Zero as a float: other values leave rounding errors of the filters.
  const Frame flat = MakeFrame(format, 1, [](int, int, int) { return 128; });
  const std::vector<double> scores = ScoresOf(flat, NoiseFrame(format, 4), {{"vif_sigma_nsq", "0"}, {"debug", "true"}});
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(scores[s], 0.0);
  // 16 positions of 128 + log2(1.5) each.
  float row = 0.0f;
  for (int x = 0; x < 4; ++x) row += 127.0f + FloatVifLog2(3.0f);
  EXPECT_EQ(scores[14], static_cast<double>(((row + row) + row) + row));
}

TEST(FloatVif, PrescaleIsScoringResizedPictures) {
  // Every second sample of every second row, once by prescale and once beforehand.
  const VideoFormat small = {PixelFormat::kYuv400, 40, 32, 8};
  std::vector<Frame> frames;
  for (const bool distorted : {false, true}) {
    frames.push_back(CheckPicture(80, 64, 8, distorted));
    frames.push_back(MakeFrame(
        small, 9, [&](int, int x, int y) { return test_run::Sample(frames[distorted ? 2 : 0], 0, 2 * x, 2 * y); }));
  }
  EXPECT_EQ(ScoresOf(frames[0], frames[2], {{"vif_prescale", "0.5"}}), ScoresOf(frames[1], frames[3], {}));
  // Sizes that do not change: no method matters.
  EXPECT_EQ(ScoresOf(frames[0], frames[2], {{"vif_prescale", "1.001"}, {"vif_prescale_method", "lanczos4"}}),
            ScoresOf(frames[0], frames[2], {}));
  const std::vector<double> bilinear =
      ScoresOf(frames[0], frames[2], {{"vif_prescale", "0.5"}, {"vif_prescale_method", "bilinear"}});
  EXPECT_NE(bilinear, ScoresOf(frames[1], frames[3], {}));
}

TEST(FloatVif, LowerBounds) {
  const Frame reference = CheckPicture(64, 64, 8, false);
  const Frame distorted = CheckPicture(64, 64, 8, true);
  const std::vector<double> plain = ScoresOf(reference, distorted, {});
  for (int scale = 1; scale < 4; ++scale) {
    const std::vector<double> bound =
        ScoresOf(reference, distorted, {{"vif_scale" + std::to_string(scale) + "_min_val", "0.97"}});
    for (std::size_t s = 0; s < 4; ++s) {
      EXPECT_EQ(bound[s], static_cast<int>(s) == scale ? 0.97 : plain[s]);
    }
  }
  EXPECT_EQ(ScoresOf(reference, distorted, {{"vif_scale1_min_val", "0.5"}}), plain);
}

std::vector<std::string> Keys(const OptionTexts& texts) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  const Result<OptionValues> options = OptionValues::Parse("float_vif", kFloatVif.options, dictionary);
  std::vector<std::string> keys;
  for (const FeatureColumn& column : MakeFeature(kFloatVif, texts, {PixelFormat::kYuv420, 640, 640, 8})->columns()) {
    keys.push_back(DecoratedScoreName(column, *options));
  }
  return keys;
}

TEST(FloatVif, Keys) {
  EXPECT_EQ(Keys({}), (std::vector<std::string>{"VMAF_feature_vif_scale0_score", "VMAF_feature_vif_scale1_score",
                                                "VMAF_feature_vif_scale2_score", "VMAF_feature_vif_scale3_score"}));
  const std::vector<std::string> debug = Keys({{"debug", "true"}, {"vif_kernelscale", "2.4"}});
  ASSERT_EQ(debug.size(), 15u);
  EXPECT_EQ(debug[0], "vif_scale0_ks_2.4");
  EXPECT_EQ(debug[4], "vif_ks_2.4");
  EXPECT_EQ(debug[14], "vif_den_scale3_ks_2.4");
  EXPECT_EQ(Keys({{"vif_skip_scale0", "true"},
                  {"vif_prescale_method", "lanczos4"},
                  {"vif_prescale", "2"},
                  {"vif_enhn_gain_limit", "1"},
                  {"vif_scale2_min_val", "0.5"},
                  {"vif_sigma_nsq", "1.5"}})[1],
            "vif_scale1_egl_1_ps_2_pm_lanczos4_s2miv_0.5_snsq_1.5_ssclz");
}

std::string Refusal(const OptionTexts& texts, int width, int height, ErrorCode code) {
  const Result<std::unique_ptr<Feature>> feature =
      test_run::TryMakeFeature(kFloatVif, texts, {PixelFormat::kYuv420, width, height, 8});
  EXPECT_FALSE(feature.ok());
  if (feature.ok()) return "";
  EXPECT_EQ(feature.error().code, code);
  return feature.error().message;
}

TEST(FloatVif, Refusals) {
  EXPECT_EQ(kFloatVif.minimum_size, (PlaneSize{16, 16}));
  EXPECT_NE(Refusal({{"vif_kernelscale", "0.3"}}, 64, 64, ErrorCode::kInvalidArgument).find("0.3"), std::string::npos);
  EXPECT_NE(Refusal({{"vif_prescale_method", "area"}}, 64, 64, ErrorCode::kInvalidArgument).find("bicubic"),
            std::string::npos);
  EXPECT_NE(Refusal({{"vif_prescale", "0.5"}}, 31, 30, ErrorCode::kUnsupported).find("scale 3 is 2x1"),
            std::string::npos);
  EXPECT_NE(Refusal({{"vif_kernelscale", "2"}}, 64, 31, ErrorCode::kUnsupported).find("4x4"), std::string::npos);
  EXPECT_TRUE(test_run::TryMakeFeature(kFloatVif, {{"vif_kernelscale", "2"}}, {PixelFormat::kYuv400, 32, 32, 8}).ok());
  EXPECT_NE(Refusal({{"vif_prescale", "4"}, {"vif_prescale_method", "bilinear"}}, 1921, 32, ErrorCode::kUnsupported)
                .find("7680"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
