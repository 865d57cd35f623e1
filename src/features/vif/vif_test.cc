// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif against a naive formulation of its definition and against published values, and its arithmetic.
#include "features/vif/vif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/score_name.h"
#include "features/test_run.h"
#include "features/vif/vif_arithmetic.h"
#include "features/vif/vif_gain_binary64.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::NoiseFrame;
using test_run::OptionTexts;

// The definition, pixel by pixel; shares nothing with the code under test.

namespace naive {

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<std::int64_t> samples;

  std::int64_t At(int x, int y) const {
    if (x < 0) x = -x;
    if (x >= width) x = 2 * width - 2 - x;
    if (y < 0) y = -y;
    if (y >= height) y = 2 * height - 2 - y;
    return samples.at(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

const std::vector<std::int64_t> kTaps[4] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904}};

int Log(std::uint64_t value) {
  int exponent = 0;
  while (value >= 65536) {
    value >>= 1;
    ++exponent;
  }
  const auto log = static_cast<float>(std::log2(static_cast<double>(value)));
  return static_cast<int>(std::round(static_cast<double>(log * 2048.0f))) + 2048 * exponent;
}

// Sum of taps times values of a column or row, then floor((sum + 2^(shift - 1)) / 2^shift).
template <class Function>
std::int64_t Filter(int scale, int shift, const Function& value) {
  const int radius = static_cast<int>(kTaps[scale].size()) / 2;
  std::uint64_t sum = shift == 0 ? 0 : std::uint64_t{1} << (shift - 1);
  for (int k = -radius; k <= radius; ++k) {
    sum += static_cast<std::uint64_t>(kTaps[scale][static_cast<std::size_t>(k + radius)]) *
           static_cast<std::uint64_t>(value(k));
  }
  return static_cast<std::int64_t>(sum >> shift);
}

struct Sums {
  std::int64_t num_log = 0;
  std::int64_t den_log = 0;
  std::int64_t non_log_num = 0;
  std::int64_t non_log_count = 0;
};

Sums ScaleSums(const Plane& a, const Plane& b, int scale, int depth, double limit) {
  const int mean_shift = scale == 0 ? depth : 16;
  const int square_shift = scale == 0 ? 2 * (depth - 8) : 16;
  const auto vertical = [&](int shift, const auto& value) {
    Plane out{a.width, a.height, {}};
    for (int y = 0; y < a.height; ++y) {
      for (int x = 0; x < a.width; ++x) {
        out.samples.push_back(Filter(scale, shift, [&](int k) { return value(x, y + k); }));
      }
    }
    return out;
  };
  const Plane mean_a = vertical(mean_shift, [&](int x, int y) { return a.At(x, y); });
  const Plane mean_b = vertical(mean_shift, [&](int x, int y) { return b.At(x, y); });
  const Plane square_a = vertical(square_shift, [&](int x, int y) { return a.At(x, y) * a.At(x, y); });
  const Plane square_b = vertical(square_shift, [&](int x, int y) { return b.At(x, y) * b.At(x, y); });
  const Plane product = vertical(square_shift, [&](int x, int y) { return a.At(x, y) * b.At(x, y); });

  Sums sums;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      const auto horizontal = [&](const Plane& p, int shift) {
        return static_cast<std::uint64_t>(Filter(scale, shift, [&](int k) { return p.At(x + k, y); }));
      };
      const std::uint64_t m1 = horizontal(mean_a, 0);
      const std::uint64_t m2 = horizontal(mean_b, 0);
      const auto round_product = [](std::uint64_t p, std::uint64_t q) {
        return static_cast<std::int64_t>((p * q + (std::uint64_t{1} << 31)) >> 32);
      };
      const auto s1 = static_cast<std::int64_t>(horizontal(square_a, 16)) - round_product(m1, m1);
      const auto s2 =
          std::max<std::int64_t>(0, static_cast<std::int64_t>(horizontal(square_b, 16)) - round_product(m2, m2));
      const auto s12 = static_cast<std::int64_t>(horizontal(product, 16)) - round_product(m1, m2);
      // The definition keeps 32 bits; nothing here may depend on their wrapping.
      EXPECT_TRUE(s1 >= INT32_MIN && s1 <= INT32_MAX && s2 <= INT32_MAX && s12 >= INT32_MIN && s12 <= INT32_MAX);
      if (s1 < 131072) {
        sums.non_log_num += s2;
        sums.non_log_count += 1;
        continue;
      }
      sums.den_log += Log(static_cast<std::uint64_t>(131072 + s1)) - 2048 * 17;
      if (s12 > 0 && s2 > 0) {
        double g = static_cast<double>(s12) / (static_cast<double>(s1) + 65536 * 1.0e-10);
        const double explained = g * static_cast<double>(s12);
        const double rest = std::trunc(static_cast<double>(s2) - explained);
        const auto sv = std::max<std::int64_t>(0, static_cast<std::int64_t>(rest));
        g = std::min(g, limit);
        const double squared = g * g;
        const auto n1 = static_cast<std::uint64_t>(sv + 131072);
        const auto n2 = static_cast<std::uint64_t>(std::trunc(squared * static_cast<double>(s1))) + n1;
        sums.num_log += Log(n2) - Log(n1);
      }
    }
  }
  return sums;
}

Plane Downsample(const Plane& p, int scale, int depth) {
  Plane vertical{p.width, p.height, {}};
  for (int y = 0; y < p.height; ++y) {
    for (int x = 0; x < p.width; ++x) {
      vertical.samples.push_back(Filter(scale, scale == 1 ? depth : 16, [&](int k) { return p.At(x, y + k); }));
    }
  }
  Plane out{p.width / 2, p.height / 2, {}};
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      out.samples.push_back(Filter(scale, 16, [&](int k) { return vertical.At(2 * x + k, 2 * y); }));
    }
  }
  return out;
}

Plane PlaneOf(const Frame& frame) {
  Plane plane{frame.format().width, frame.format().height, {}};
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) plane.samples.push_back(test_run::Sample(frame, 0, x, y));
  }
  return plane;
}

std::vector<Fact> Facts(const Frame& reference, const Frame& distorted, double limit, bool skip_scale0) {
  const int depth = reference.format().bit_depth;
  Plane a = PlaneOf(reference);
  Plane b = PlaneOf(distorted);
  std::vector<Fact> facts;
  for (int scale = 0; scale < 4; ++scale) {
    if (scale > 0) {
      a = Downsample(a, scale, depth);
      b = Downsample(b, scale, depth);
    }
    const Sums sums = scale == 0 && skip_scale0 ? Sums{} : ScaleSums(a, b, scale, depth, limit);
    for (const std::int64_t sum : {sums.num_log, sums.den_log, sums.non_log_num, sums.non_log_count}) {
      facts.push_back(static_cast<Fact>(sum));
    }
  }
  return facts;
}

}  // namespace naive

// Content.

VideoFormat Format(int width, int height, int bit_depth) { return {PixelFormat::kYuv400, width, height, bit_depth}; }

struct Pair {
  std::string name;
  Frame reference;
  Frame distorted;
};

// The check vector of the definition; other depths than 8 append low bits.
int PatternReference(int x, int y) {
  return (7 * x + 13 * y + ((x * y) >> 2) + 40 * (((x >> 3) + (y >> 3)) & 1)) & 255;
}
int PatternDistorted(int x, int y) {
  return std::min(255, (7 * PatternReference(x, y) + 4 * ((31 * x + 17 * y) & 31) + 8) >> 3);
}

Pair Pattern(const VideoFormat& format) {
  const int shift = format.bit_depth - 8;
  const int mask = std::min(3, (1 << shift) - 1);
  return {
      "pattern",
      MakeFrame(format, 1, [&](int, int x, int y) { return (PatternReference(x, y) << shift) + ((x + 2 * y) & mask); }),
      MakeFrame(format, 2,
                [&](int, int x, int y) { return (PatternDistorted(x, y) << shift) + ((3 * x + y) & mask); })};
}

// Low-contrast content around the noise variance, so that both branches of the statistic occur at every scale.
Pair Faint(const VideoFormat& format, std::uint64_t seed) {
  std::uint64_t state = seed;
  const int scale = 1 << (format.bit_depth - 8);
  const auto sample = [&](int x, int y) {
    const int amplitude = ((x >> 3) ^ (y >> 3)) & 3;
    return (100 + (x + y) / 4 % 16) * scale +
           static_cast<int>(NextRandom(state) % static_cast<unsigned>(2 * amplitude * scale + 1));
  };
  Frame reference = MakeFrame(format, seed, [&](int, int x, int y) { return sample(x, y); });
  Frame distorted = MakeFrame(format, seed + 1, [&](int, int x, int y) {
    return test_run::Sample(reference, 0, x, y) +
           static_cast<int>(NextRandom(state) % static_cast<unsigned>(scale + 1));
  });
  return {"faint", std::move(reference), std::move(distorted)};
}

// More contrast in the distorted picture: gains above 1.
Pair Enhanced(const VideoFormat& format, std::uint64_t seed) {
  std::uint64_t state = seed;
  const int peak = (1 << format.bit_depth) - 1;
  Frame reference = MakeFrame(format, seed, [&](int, int x, int y) {
    const auto noise = static_cast<int>(NextRandom(state) % static_cast<unsigned>(peak / 8 + 1));
    return peak / 4 + (((x >> 2) ^ (y >> 2)) & 1) * (peak / 8) + noise;
  });
  Frame distorted = MakeFrame(format, seed + 1, [&](int, int x, int y) {
    const int v = peak / 2 + (test_run::Sample(reference, 0, x, y) - peak * 3 / 8) * (2 + x % 2);
    return std::clamp(v, 0, peak);
  });
  return {"enhanced", std::move(reference), std::move(distorted)};
}

std::vector<Pair> Pairs(const VideoFormat& format, std::uint64_t seed) {
  const int peak = (1 << format.bit_depth) - 1;
  const auto rows = [&](int, int, int y) { return y % 2 * peak; };
  const auto columns = [&](int, int x, int) { return x % 2 * peak; };
  const auto blocks = [&](int, int x, int y) { return ((x >> 3) + (y >> 3)) % 2 * peak; };
  const auto flat = [&](int level) { return MakeFrame(format, seed, [=](int, int, int) { return level; }); };
  std::vector<Pair> pairs;
  pairs.push_back(Pattern(format));
  pairs.push_back({"noise", NoiseFrame(format, seed), NoiseFrame(format, seed + 1)});
  pairs.push_back({"identical noise", NoiseFrame(format, seed), NoiseFrame(format, seed)});
  pairs.push_back(Faint(format, seed));
  pairs.push_back(Enhanced(format, seed));
  pairs.push_back({"rows against columns", MakeFrame(format, 1, rows), MakeFrame(format, 2, columns)});
  pairs.push_back({"blocks against inverse", MakeFrame(format, 1, blocks),
                   MakeFrame(format, 2, [&](int p, int x, int y) { return peak - blocks(p, x, y); })});
  pairs.push_back({"identical blocks", MakeFrame(format, 1, blocks), MakeFrame(format, 2, blocks)});
  pairs.push_back({"flat", flat(peak), flat(peak / 2)});
  pairs.push_back({"black reference", flat(0), NoiseFrame(format, seed)});
  pairs.push_back({"black distorted", NoiseFrame(format, seed), flat(0)});
  return pairs;
}

std::vector<Fact> FactsOf(const Feature& feature, const Frame& reference, const Frame& distorted) {
  const std::unique_ptr<Workspace> workspace = feature.MakeWorkspace();
  FrameWindow window;
  window.reference = &reference;
  window.distorted = &distorted;
  std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
  feature.Extract(window, workspace.get(), facts);
  return facts;
}

std::vector<double> ScoresOf(const OptionTexts& options, const Pair& pair) {
  const std::unique_ptr<Feature> feature = MakeFeature(kVif, options, pair.reference.format());
  const test_run::Scores scores = test_run::RunAll(*feature, {&pair.reference, 1}, {&pair.distorted, 1});
  std::vector<double> values;
  for (std::size_t column = 0; column < feature->columns().size(); ++column) {
    values.push_back(scores.values.at({static_cast<int>(column), 0}));
  }
  EXPECT_EQ(values.size(), scores.values.size());
  return values;
}

void ExpectNaive(const Feature& feature, const Pair& pair, double limit, bool skip_scale0) {
  const VideoFormat& format = pair.reference.format();
  EXPECT_EQ(FactsOf(feature, pair.reference, pair.distorted),
            naive::Facts(pair.reference, pair.distorted, limit, skip_scale0))
      << pair.name << " " << format.width << "x" << format.height << " " << format.bit_depth << " bit, limit " << limit;
}

// Tests.

TEST(Vif, EveryWidthAndHeightEqualsDefinition) {
  for (int i = 0; i < 60; ++i) {
    for (const PlaneSize size : {PlaneSize{16 + i, 16 + i * 29 % 60}, PlaneSize{16 + i * 37 % 60, 16 + i}}) {
      const int depth = std::array{8, 10, 12, 16}[static_cast<std::size_t>(i) % 4];
      const VideoFormat format = Format(size.width, size.height, depth);
      const std::unique_ptr<Feature> feature = MakeFeature(kVif, {}, format);
      const auto seed = static_cast<std::uint64_t>(i);
      ExpectNaive(*feature, {"noise", NoiseFrame(format, seed), NoiseFrame(format, ~seed)}, 100.0, false);
      ExpectNaive(*feature, Faint(format, seed), 100.0, false);
    }
  }
}

TEST(Vif, EveryContentAtEveryDepthEqualsDefinition) {
  for (int depth = 8; depth <= 16; ++depth) {
    const VideoFormat format = Format(43, 38, depth);
    const std::unique_ptr<Feature> feature = MakeFeature(kVif, {}, format);
    for (const Pair& pair : Pairs(format, 7)) ExpectNaive(*feature, pair, 100.0, false);
  }
}

TEST(Vif, SmallestSizeEqualsDefinitionAtEveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) {
    const VideoFormat format = Format(16, 16, depth);
    const std::unique_ptr<Feature> feature = MakeFeature(kVif, {}, format);
    for (const Pair& pair : Pairs(format, 3)) ExpectNaive(*feature, pair, 100.0, false);
  }
}

TEST(Vif, OptionsEqualDefinition) {
  for (const int depth : {8, 10, 16}) {
    const VideoFormat format = Format(37, 50, depth);
    for (const char* limit : {"1.0", "1.25", "2.7182818", "100"}) {
      for (const bool skip : {false, true}) {
        const std::unique_ptr<Feature> feature =
            MakeFeature(kVif, {{"vif_enhn_gain_limit", limit}, {"vif_skip_scale0", skip ? "true" : "false"}}, format);
        for (const Pair& pair : Pairs(format, 11)) ExpectNaive(*feature, pair, std::stod(limit), skip);
      }
    }
  }
}

TEST(Vif, GainLimitMatters) {
  const Pair pair = Enhanced(Format(64, 64, 8), 5);
  const std::vector<double> unlimited = ScoresOf({}, pair);
  const std::vector<double> limited = ScoresOf({{"vif_enhn_gain_limit", "1.0"}}, pair);
  for (std::size_t scale = 0; scale < 4; ++scale) EXPECT_LT(limited[scale], unlimited[scale]);
}

TEST(Vif, CheckVector8Bit) {
  const std::vector<double> expected = {0.65504628419876099, 0.87465840578079224, 0.906330406665802,
                                        0.92943400144577026, 0.6988109288963128};
  std::vector<double> scores = ScoresOf({{"debug", "true"}}, Pattern(Format(64, 64, 8)));
  ASSERT_EQ(scores.size(), 15u);
  EXPECT_EQ(std::vector(scores.begin(), scores.begin() + 5), expected);
  EXPECT_EQ(std::vector(scores.begin() + 7, scores.end()),
            (std::vector{30480.16015625, 46531.30859375, 7850.6279296875, 8975.650390625, 1629.65771484375,
                         1798.08349609375, 342.33349609375, 368.32470703125}));
  EXPECT_EQ(scores[5], 30480.16015625 + 7850.6279296875 + 1629.65771484375 + 342.33349609375);
  EXPECT_EQ(scores[6], 46531.30859375 + 8975.650390625 + 1798.08349609375 + 368.32470703125);
}

TEST(Vif, CheckVector10Bit) {
  const std::vector<double> scores = ScoresOf({{"debug", "true"}}, Pattern(Format(70, 50, 10)));
  EXPECT_EQ(std::vector(scores.begin(), scores.begin() + 5),
            (std::vector{0.65274477005004883, 0.87509846687316895, 0.90824997425079346, 0.92971813678741455,
                         0.69666891769846895}));
}

TEST(Vif, SkippedScaleScoresZero) {
  const Pair pair = Pattern(Format(64, 64, 8));
  const std::vector<double> all = ScoresOf({{"debug", "true"}}, pair);
  const std::vector<double> skipped = ScoresOf({{"debug", "true"}, {"vif_skip_scale0", "true"}}, pair);
  EXPECT_EQ(skipped[0], 0.0);
  for (std::size_t i : {1u, 2u, 3u, 9u, 10u, 11u, 12u, 13u, 14u}) EXPECT_EQ(skipped[i], all[i]) << i;
  EXPECT_EQ(skipped[5], 7850.6279296875 + 1629.65771484375 + 342.33349609375);
  EXPECT_EQ(skipped[6], 8975.650390625 + 1798.08349609375 + 368.32470703125);
  EXPECT_EQ(skipped[4], skipped[5] / skipped[6]);
  EXPECT_EQ(skipped[7], 0.0);
  EXPECT_EQ(skipped[8], -1.0);
}

TEST(Vif, ScoresFromFacts) {
  const std::unique_ptr<Feature> feature = MakeFeature(kVif, {{"debug", "true"}}, Format(16, 16, 8));
  FactTable facts(16, 5);
  const std::vector<Fact> row = {1234567, 2345678, 98765432101, 4321, 0, 0, 5000000000000, 77, 70000001, 60000001,
                                 12345,   1,       3,           5,    7, 11};
  facts.Set(8, row);
  facts.Set(6, row);
  test_run::Scores scores(0, 100);
  feature->Finish(facts, scores);
  // Worked out apart from this code; a numerator below 0 is not clipped.
  const std::vector<double> expected = {0.8837907910346985,
                                        -59.950740814208984,
                                        1.166661024093628,
                                        0.9999112486839294,
                                        0.9872135651747179,
                                        34406.59228515625,
                                        34852.22802734375,
                                        4831.1103515625,
                                        5466.3505859375,
                                        -4616.20703125,
                                        77.0,
                                        34180.6875,
                                        29297.875,
                                        11.00146484375,
                                        11.00244140625};
  EXPECT_EQ(scores.values.size(), 2 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const std::int64_t frame : {6, 8}) {
      EXPECT_EQ(scores.values.at({static_cast<int>(i), frame}), expected[i]) << i;
    }
  }
}

TEST(Vif, NamesFollowOptions) {
  const auto names = [](const OptionTexts& texts) {
    OptionDictionary dictionary;
    for (const auto& [key, value] : texts) dictionary.Set(key, value);
    const OptionValues options = OptionValues::Parse("vif", kVif.options, dictionary).value();
    std::vector<std::string> result;
    for (const FeatureColumn& column : (*kVif.create(options, Format(16, 16, 8), CpuTarget::kScalar))->columns()) {
      EXPECT_EQ(column.phase, ColumnPhase::kFrame);
      result.push_back(DecoratedScoreName(column, options));
    }
    return result;
  };
  EXPECT_EQ(names({}), std::vector<std::string>(kVif.provided.begin(), kVif.provided.end()));
  EXPECT_EQ(names({{"vif_enhn_gain_limit", "1.25"}}),
            (std::vector<std::string>{"integer_vif_scale0_egl_1.25", "integer_vif_scale1_egl_1.25",
                                      "integer_vif_scale2_egl_1.25", "integer_vif_scale3_egl_1.25"}));
  const std::string suffix = "_egl_1_ssclz";
  std::vector<std::string> expected;
  for (const char* name :
       {"integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3", "integer_vif",
        "integer_vif_num", "integer_vif_den", "integer_vif_num_scale0", "integer_vif_den_scale0",
        "integer_vif_num_scale1", "integer_vif_den_scale1", "integer_vif_num_scale2", "integer_vif_den_scale2",
        "integer_vif_num_scale3", "integer_vif_den_scale3"}) {
    expected.push_back(name + suffix);
  }
  EXPECT_EQ(names({{"debug", "true"}, {"vif_enhn_gain_limit", "1.0"}, {"vif_skip_scale0", "true"}}), expected);
}

TEST(Vif, RefusesGainLimitsOutsideRange) {
  for (const char* text : {"0.99", "100.5", "nan", "inf", "two"}) {
    EXPECT_FALSE(test_run::TryMakeFeature(kVif, {{"vif_enhn_gain_limit", text}}, Format(16, 16, 8)).ok()) << text;
  }
  EXPECT_EQ(kVif.minimum_size, (PlaneSize{16, 16}));
}

TEST(Vif, LogTable) {
  const std::span<const std::uint16_t> table = VifLogTable();
  ASSERT_EQ(table.size(), 32768u);
  EXPECT_EQ(std::accumulate(table.begin(), table.end(), std::uint64_t{0}), 1044032097u);
  for (const auto& [m, log] : {std::pair{32768, 30720}, {40000, 31309}, {50000, 31969}, {65535, 32768}}) {
    EXPECT_EQ(table[static_cast<std::size_t>(m - 32768)], log) << m;
  }
  // Where rounding to binary32 first decides: the exact value lies just below one half.
  for (const int m : {33108, 33209, 34457, 34492, 34844}) {
    EXPECT_EQ(table[static_cast<std::size_t>(m - 32768)], static_cast<int>(2048 * std::log2(m)) + 1) << m;
  }
  EXPECT_EQ(VifLog(table.data(), kVifNoise), kVifLogNoise);
  EXPECT_EQ(VifLog(table.data(), 32768), 30720u);
  EXPECT_EQ(VifLog(table.data(), (40000ull << 20) + (1 << 20) - 1), 31309u + 2048 * 20);
}

TEST(Vif, FactsDoNotDependOnWorkspaceHistory) {
  const VideoFormat format = Format(51, 45, 10);
  const std::unique_ptr<Feature> feature = MakeFeature(kVif, {}, format);
  const std::vector<Pair> pairs = Pairs(format, 23);
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  for (int round = 0; round < 2; ++round) {
    for (const Pair& pair : pairs) {
      FrameWindow window;
      window.reference = &pair.reference;
      window.distorted = &pair.distorted;
      std::fill(facts.begin(), facts.end(), Fact{0x5555});
      feature->Extract(window, workspace.get(), facts);
      EXPECT_EQ(facts, FactsOf(*feature, pair.reference, pair.distorted)) << pair.name;
    }
  }
}

TEST(Vif, PaddingIsNotRead) {
  for (const int depth : {8, 16}) {
    const VideoFormat format = Format(45, 33, depth);
    const std::unique_ptr<Feature> feature = MakeFeature(kVif, {}, format);
    const auto frame = [&](std::uint64_t seed, int k) {
      return MakeFrame(format, seed, [&](int, int x, int y) { return PatternReference(x + k, y * k); });
    };
    EXPECT_EQ(FactsOf(*feature, frame(1, 1), frame(2, 3)), FactsOf(*feature, frame(3, 1), frame(4, 3)));
  }
}

TEST(Vif, ChromaDoesNotMatter) {
  const VideoFormat gray = Format(33, 35, 8);
  for (const PixelFormat chroma : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    VideoFormat format = gray;
    format.pixel_format = chroma;
    const Pair colour = Pattern(format);
    const Pair mono = Pattern(gray);
    EXPECT_EQ(FactsOf(*MakeFeature(kVif, {}, format), colour.reference, colour.distorted),
              FactsOf(*MakeFeature(kVif, {}, gray), mono.reference, mono.distorted));
  }
}

TEST(VifArithmetic, GainTermsRoundEachOperation) {
  struct Case {
    i32 s1, s2, s12;
    u32 residual;
    u64 signal;
  };
  // The first four differ where product and difference are fused, the others where g * (g * s1) is taken.
  for (const Case& c : {Case{1882535669, 1882535452, 1882535559, 3, 1882535448},
                        {2010997725, 1847976697, 1927764749, 3, 1847976693},
                        {2035012112, 1735418760, 1879254690, 3, 1735418756},
                        {2056688736, 2019661349, 2038090955, 3, 2019661345},
                        {2089321734, 1717840735, 1894497816, 3, 1717840730},
                        {1889914240, 1883328111, 1886618299, 4, 1883328106},
                        {2147253362, 1, 1891670378, 0, 1666508891},
                        {2090177800, 2147483647, 1915396531, 392253124, 1755230522}}) {
    const VifGainTerms terms = VifGainBinary64::Terms(c.s1, c.s2, c.s12, 100.0);
    EXPECT_EQ(terms.residual, c.residual) << c.s1;
    EXPECT_EQ(terms.signal, c.signal) << c.s1;
  }
  EXPECT_EQ(VifGainBinary64::Terms(131072, 2000000, 500000, 1.5).signal, 294912u);
}

TEST(VifArithmetic, BranchesOfThePixel) {
  const auto pixel = [](i32 s1, i32 s2, i32 s12) {
    VifSums sums = {0, 0, 0, 0};
    VifAddPixel<VifGainBinary64>(sums, s1, s2, s12, VifLogTable().data(), 100.0);
    return std::array<u64, 4>{sums.num_log, sums.den_log, sums.non_log_num, sums.non_log_count};
  };
  using Four = std::array<u64, 4>;
  EXPECT_EQ(pixel(131072, 131072, 131072), (Four{2048, 2048, 0, 0}));
  EXPECT_EQ(pixel(131071, 131072, 131072), (Four{0, 0, 131072, 1}));
  EXPECT_EQ(pixel(-5, 9, 7), (Four{0, 0, 9, 1}));
  EXPECT_EQ(pixel(131072, 0, 131072), (Four{0, 2048, 0, 0}));
  EXPECT_EQ(pixel(131072, 131072, 0), (Four{0, 2048, 0, 0}));
  EXPECT_EQ(pixel(131072, 131072, -131072), (Four{0, 2048, 0, 0}));
}

TEST(VifArithmetic, SplitSumEqualsWideSum) {
  std::uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    VifWideSum wide;
    VifSplitSum split;
    for (i32 k = -8; k <= 8; ++k) {
      const u32 moment = round == 0 ? ~0u : static_cast<u32>(NextRandom(state) >> (32 + round % 17));
      wide.Add(VifFilter<0>::Tap(k), moment);
      split.Add(VifFilter<0>::Tap(k), moment);
    }
    for (i32 shift = 0; shift <= 16; ++shift) EXPECT_EQ(split.Round(shift), wide.Round(shift)) << shift;
  }
}

TEST(VifArithmetic, TapsAddUpTo65536) {
  const auto sum = [](auto filter) {
    i32 total = 0;
    for (i32 k = -filter.kRadius; k <= filter.kRadius; ++k) total += filter.Tap(k);
    return total;
  };
  EXPECT_EQ(sum(VifFilter<0>{}), 65536);
  EXPECT_EQ(sum(VifFilter<1>{}), 65536);
  EXPECT_EQ(sum(VifFilter<2>{}), 65536);
  EXPECT_EQ(sum(VifFilter<3>{}), 65536);
}

}  // namespace
}  // namespace lockstep
