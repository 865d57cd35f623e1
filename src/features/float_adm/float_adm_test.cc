// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_adm gives the scores of the specification's check vectors and those of a plain implementation of its text.
#include "features/float_adm/float_adm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "exact/elementary.h"
#include "features/float_adm/float_adm_arithmetic.h"
#include "features/float_adm/float_adm_csf.h"
#include "features/float_adm/float_adm_options.h"
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

OptionValues Options(const OptionTexts& texts) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  return OptionValues::Parse("float_adm", kFloatAdm.options, dictionary).value();
}

// ---- A plain implementation: whole planes at every step, no regions but those of the sums.

struct Plane {
  int w = 0;
  int h = 0;
  std::vector<float> v;
  float& at(int x, int y) { return v[static_cast<std::size_t>(y * w + x)]; }
  [[nodiscard]] float at(int x, int y) const { return v[static_cast<std::size_t>(y * w + x)]; }
};

Plane Empty(int w, int h) { return {w, h, std::vector<float>(static_cast<std::size_t>(w * h))}; }

Plane PlaneOf(const Frame& frame) {
  Plane plane = Empty(frame.format().width, frame.format().height);
  const float scaler = static_cast<float>(1 << (frame.format().bit_depth - 8));
  for (int y = 0; y < plane.h; ++y) {
    for (int x = 0; x < plane.w; ++x) {
      plane.at(x, y) = static_cast<float>(test_run::Sample(frame, 0, x, y)) / scaler - 128.0f;
    }
  }
  return plane;
}

int WaveletIndex(int p, int n) { return p < 0 ? -p : (p >= n ? 2 * n - 1 - p : p); }

constexpr double kLo[4] = {0.482962913144690, 0.836516303737469, 0.224143868041857, -0.129409522550921};
constexpr double kHi[4] = {-0.129409522550921, -0.224143868041857, 0.836516303737469, -0.482962913144690};

Plane Down(const Plane& in, const double (&f)[4]) {
  Plane out = Empty(in.w, (in.h + 1) / 2);
  for (int y = 0; y < out.h; ++y) {
    for (int x = 0; x < out.w; ++x) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += static_cast<float>(f[k]) * in.at(x, WaveletIndex(2 * y - 1 + k, in.h));
      out.at(x, y) = sum;
    }
  }
  return out;
}

Plane Across(const Plane& in, const double (&f)[4]) {
  Plane out = Empty((in.w + 1) / 2, in.h);
  for (int y = 0; y < out.h; ++y) {
    for (int x = 0; x < out.w; ++x) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += static_cast<float>(f[k]) * in.at(WaveletIndex(2 * x - 1 + k, in.w), y);
      out.at(x, y) = sum;
    }
  }
  return out;
}

// The reciprocal with the estimate computed as the rounded quotient of real numbers.
float NaiveReciprocal(float x) {
  int exponent = 0;
  const double mantissa = 2.0 * std::frexp(static_cast<double>(std::fabs(x)), &exponent);
  const int leading = static_cast<int>((mantissa - 1.0) * 2048.0);
  const double rounded = std::floor(8192.0 / (1.0 + (leading + 0.5) / 2048.0) + 0.5);
  const float y = static_cast<float>(std::copysign(std::ldexp(rounded, -13 - (exponent - 1)), static_cast<double>(x)));
  const float inner = 1.0f - x * y;
  return y + y * inner;
}

float Power(float v, float p) { return p == 3.0f ? (v * v) * v : exact::Powf(v, p); }

struct NaiveScale {
  float num = 0;
  float den = 0;
  float aim = 0;
};

NaiveScale NaiveSums(const Plane (&o)[3], const Plane (&t)[3], const FloatAdmFactors& factors,
                     const OptionValues& options) {
  const int w = o[0].w;
  const int h = o[0].h;
  const double egl = options.GetDouble("adm_enhn_gain_limit");
  Plane r[3];
  Plane a[3];
  for (int b = 0; b < 3; ++b) r[b] = a[b] = Empty(w, h);
  const float cosine = static_cast<float>(std::cos(M_PI / 180) * std::cos(M_PI / 180));
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const float oh = o[0].at(x, y);
      const float ov = o[1].at(x, y);
      const float th = t[0].at(x, y);
      const float tv = t[1].at(x, y);
      const float dp = oh * th + ov * tv;
      const float om = oh * oh + ov * ov;
      const float tm = th * th + tv * tv;
      const bool flag = dp >= 0 && dp * dp >= (cosine * om) * tm;
      for (int b = 0; b < 3; ++b) {
        float k = t[b].at(x, y) * NaiveReciprocal(o[b].at(x, y) + 1e-30f);
        k = k < 0 ? 0 : (k > 1 ? 1 : k);
        float restored = k * o[b].at(x, y);
        const double target = static_cast<double>(t[b].at(x, y));
        if (flag && restored > 0) restored = static_cast<float>(std::min(static_cast<double>(restored) * egl, target));
        if (flag && restored < 0) restored = static_cast<float>(std::max(static_cast<double>(restored) * egl, target));
        r[b].at(x, y) = restored;
        a[b].at(x, y) = t[b].at(x, y) - restored;
      }
    }
  }
  const float f[3] = {factors.hv, factors.hv, factors.d};
  const float p = static_cast<float>(options.GetDouble("adm_p_norm"));
  const float ex = static_cast<float>(1.0 / options.GetDouble("adm_p_norm"));
  const int left = std::max(0, static_cast<int>(w * 0.1 - 0.5));
  const int top = std::max(0, static_cast<int>(h * 0.1 - 0.5));
  const double area = (w - 2 * left) * (h - 2 * top);
  const float noise = exact::Powf(static_cast<float>(area * options.GetDouble("adm_noise_weight")), ex);
  const auto pool = [&](auto&& value, float addend) {
    float bands[3];
    for (int b = 0; b < 3; ++b) {
      float sum = 0;
      for (int y = top; y < h - top; ++y) {
        float row = 0;
        for (int x = left; x < w - left; ++x) row += Power(value(b, x, y), p);
        sum += row;
      }
      bands[b] = exact::Powf(sum, ex) + addend;
    }
    return (bands[0] + bands[1]) + bands[2];
  };
  const auto masked = [&](const Plane(&masker)[3], const Plane(&signal)[3]) {
    return [&](int b, int x, int y) {
      float threshold = 0;
      for (int m = 0; m < 3 && options.GetInt("adm_bypass_cm") == 0; ++m) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const int yy = y + dy < 0 ? 1 : std::min(y + dy, h - 1);
            const int xx = x + dx < 0 ? 1 : std::min(x + dx, w - 1);
            const double c = static_cast<double>(std::fabs(f[m] * masker[m].at(xx, yy)));
            if (dx == 0 && dy == 0) {
              sum = static_cast<float>(static_cast<double>(sum) + 0.0666666701 * c);
            } else {
              sum += static_cast<float>(0.0333333351 * c);
            }
          }
        }
        threshold += sum;
      }
      const float v = std::fabs(signal[b].at(x, y) * f[b]) - threshold;
      return v < 0 ? 0.0f : v;
    };
  };
  NaiveScale scale;
  scale.den = pool([&](int b, int x, int y) { return std::fabs(f[b] * o[b].at(x, y)); }, noise);
  scale.num = pool(masked(a, r), noise);
  scale.aim = pool(masked(r, a), 0.0f);
  return scale;
}

// adm2, aim, adm3, four scales, num, den, num and den by scale.
std::vector<double> NaiveAdm(const Frame& reference, const Frame& distorted, const OptionValues& options) {
  Plane o = PlaneOf(reference);
  Plane t = PlaneOf(distorted);
  const double pixels = o.w * o.h;
  const std::array<FloatAdmFactors, 4> factors = MakeFloatAdmCsf(options);
  std::vector<NaiveScale> scales;
  for (int s = 0; s < 4; ++s) {
    const auto split = [](Plane& plane, Plane(&bands)[3]) {
      const Plane low = Down(plane, kLo);
      const Plane high = Down(plane, kHi);
      bands[0] = Across(high, kLo);
      bands[1] = Across(low, kHi);
      bands[2] = Across(high, kHi);
      plane = Across(low, kLo);
    };
    Plane ob[3];
    Plane tb[3];
    split(o, ob);
    split(t, tb);
    const bool skip = s == 0 && options.GetBool("adm_skip_scale0");
    scales.push_back(skip ? NaiveScale{0, 1e-10f, 0}
                          : NaiveSums(ob, tb, factors[static_cast<std::size_t>(s)], options));
  }
  double num = 0;
  double den = 0;
  double aim_num = 0;
  double aim_den = 0;
  for (int s = 0; s < 4; ++s) {
    const NaiveScale& scale = scales[static_cast<std::size_t>(s)];
    num += static_cast<double>(scale.num);
    den += static_cast<double>(scale.den);
    if (s == options.GetInt("adm_skip_aim_scale")) continue;
    aim_num += static_cast<double>(scale.aim);
    aim_den += static_cast<double>(scale.den);
  }
  const double limit = 1e-10 * pixels / (1920.0 * 1080.0);
  if (num < limit) num = 0;
  if (den < limit) den = 0;
  const double adm2 = den == 0 ? 1.0 : num / den;
  const double aim = den == 0 ? 0.0 : std::min(aim_num / aim_den, 1.0);
  const double weight = options.GetDouble("adm_dlm_weight");
  const double adm3 =
      options.GetBool("adm_adm3_apply_hm") ? 2 * adm2 * aim / (adm2 + aim) : adm2 * weight + (1 - aim) * (1 - weight);
  std::vector<double> values = {adm2, aim, std::max(adm3, options.GetDouble("adm_min_val"))};
  for (const NaiveScale& scale : scales) {
    values.push_back(static_cast<double>(scale.num) / static_cast<double>(scale.den));
  }
  values.insert(values.end(), {adm2, num, den});
  for (const NaiveScale& scale : scales) {
    values.push_back(static_cast<double>(scale.num));
    values.push_back(static_cast<double>(scale.den));
  }
  return values;
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

std::vector<double> ScoresOf(const Frame& reference, const Frame& distorted, OptionTexts options) {
  options.emplace_back("debug", "true");
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatAdm, options, reference.format());
  const Scores scores = RunAll(*feature, {&reference, 1}, {&distorted, 1});
  std::vector<double> values;
  for (const auto& [key, value] : scores.values) values.push_back(value);
  return values;
}

// ---- Tests.

TEST(FloatAdm, CheckVectors) {
  const std::vector<double> eight = ScoresOf(CheckPicture(64, 64, 8, false), CheckPicture(64, 64, 8, true), {});
  ASSERT_EQ(eight.size(), 18u);
  EXPECT_EQ(eight[0], 0.88811907248917021);
  EXPECT_EQ(eight[1], 0.0014279538299199765);
  EXPECT_EQ(eight[2], 0.94334555932962516);
  EXPECT_EQ(eight[10], static_cast<double>(29.837646484375f));
  EXPECT_EQ(eight[11], static_cast<double>(33.009334564208984f));
  EXPECT_EQ(eight[16], static_cast<double>(67.811912536621094f));
  EXPECT_EQ(eight[17], static_cast<double>(76.167526245117188f));
  const std::vector<double> ten = ScoresOf(CheckPicture(70, 50, 10, false), CheckPicture(70, 50, 10, true), {});
  EXPECT_EQ(ten[0], 0.88840194251177362);
  EXPECT_EQ(ten[1], 0.0013758855176320116);
  EXPECT_EQ(ten[2], 0.94351302849707075);
}

TEST(FloatAdm, Reciprocal) {
  // The estimate is 1 - 2^-12, and the Newton step squares its error.
  EXPECT_EQ(FloatAdmReciprocal(1.0f), 0x1.fffffep-1f);
  EXPECT_NEAR(FloatAdmReciprocal(3.0f), 1.0f / 3.0f, 1e-7f);
  for (int i = 0; i < 2048; ++i) {
    for (const int exponent : {-100, -1, 0, 7, 100}) {
      for (const int low : {0, 1, 4095}) {
        const float x = std::ldexp(1.0f + static_cast<float>(i * 4096 + low) * 0x1p-23f, exponent);
        ASSERT_EQ(FloatAdmReciprocal(x), NaiveReciprocal(x)) << x;
        ASSERT_EQ(FloatAdmReciprocal(-x), NaiveReciprocal(-x)) << x;
      }
    }
  }
}

TEST(FloatAdm, RestoredByHand) {
  // No reference: nothing can be restored.
  EXPECT_EQ(FloatAdmRestored(0.0f, 5.0f, true, 100.0), 0.0f);
  EXPECT_EQ(FloatAdmRestored(0.0f, -5.0f, true, 100.0), 0.0f);
  // More than the reference, of the other sign, and enhanced along the same direction.
  EXPECT_EQ(FloatAdmRestored(4.0f, 9.0f, false, 100.0), 4.0f);
  EXPECT_EQ(FloatAdmRestored(4.0f, -9.0f, false, 100.0), 0.0f);
  EXPECT_EQ(FloatAdmRestored(4.0f, 9.0f, true, 100.0), 9.0f);
  EXPECT_EQ(FloatAdmRestored(4.0f, 9.0f, true, 1.0), 4.0f);
  EXPECT_EQ(FloatAdmRestored(4.0f, 9.0f, true, 1.5), 6.0f);
  EXPECT_EQ(FloatAdmRestored(-4.0f, -9.0f, true, 1.5), -6.0f);
  EXPECT_EQ(FloatAdmRestored(-4.0f, -5.0f, true, 1.5), -5.0f);
}

TEST(FloatAdm, Factors) {
  const auto expect = [](const OptionTexts& texts, const float(&hv)[4], const float(&d)[4]) {
    const std::array<FloatAdmFactors, 4> factors = MakeFloatAdmCsf(Options(texts));
    for (std::size_t s = 0; s < 4; ++s) {
      EXPECT_EQ(factors[s].hv, hv[s]) << "scale " << s;
      EXPECT_EQ(factors[s].d, d[s]) << "scale " << s;
    }
  };
  const float watson[4] = {0x1.1cc774p-6f, 0x1.06050cp-5f, 0x1.634f1p-5f, 0x1.762816p-5f};
  const float watson_d[4] = {0x1.820d54p-8f, 0x1.d48d46p-7f, 0x1.8fb80cp-6f, 0x1.008392p-5f};
  for (const char* mode : {"0", "3", "7", "9"}) expect({{"adm_csf_mode", mode}}, watson, watson_d);
  expect({{"adm_csf_mode", "2"}}, {0x1.64e63ap-8f, 0x1.55ad9ep-3f, 0x1.55f234p-1f, 0x1.f8f7acp-1f},
         {0x1.e381b4p-13f, 0x1.4dc9d8p-5f, 0x1.8e8f96p-2f, 0x1.c13552p-1f});
  const float barten[4] = {0x1.35e31ap+0f, 0x1.42b3c6p+2f, 0x1.d410eap+3f, 0x1.af9d36p+4f};
  expect({{"adm_csf_mode", "1"}}, barten, barten);
  expect({{"adm_norm_view_dist", "5"}}, {0x1.c0364ep-8f, 0x1.dbf058p-7f, 0x1.746c1p-6f, 0x1.c49c48p-6f},
         {0x1.0ad7fep-9f, 0x1.75c678p-8f, 0x1.700066p-7f, 0x1.108d0ep-6f});
  expect({{"adm_f1s0", "0"}, {"adm_f1s2", "0.25"}, {"adm_f2s3", "10"}}, {0.0f, watson[1], 0.25f, watson[3]},
         {watson_d[0], watson_d[1], watson_d[2], 10.0f});
}

void ExpectNaive(const Frame& reference, const Frame& distorted, const OptionTexts& texts) {
  const std::vector<double> actual = ScoresOf(reference, distorted, texts);
  const std::vector<double> expected = NaiveAdm(reference, distorted, Options(texts));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(actual[i])) << i;
      continue;
    }
    ASSERT_EQ(actual[i], expected[i]) << "column " << i << ", " << reference.format().width << "x"
                                      << reference.format().height << " depth " << reference.format().bit_depth;
  }
}

TEST(FloatAdm, EqualsNaiveAtEverySizeAndDepth) {
  const int depths[] = {8, 10, 12, 16, 9, 14};
  for (int i = 0; i < 60; ++i) {
    const VideoFormat format = {PixelFormat::kYuv420, 17 + i, 17 + i * 29 % 60, depths[i % 6]};
    const auto seed = static_cast<std::uint64_t>(i);
    ExpectNaive(NoiseFrame(format, seed), NoiseFrame(format, seed + 100), {});
    const int depth = i % 2 == 0 ? 8 : 10;
    const Frame reference = CheckPicture(format.width, format.height, depth, false);
    ExpectNaive(reference, CheckPicture(format.width, format.height, depth, true), {});
  }
  for (const PlaneSize size : {PlaneSize{257, 40}, PlaneSize{33, 200}, PlaneSize{176, 144}}) {
    ExpectNaive(CheckPicture(size.width, size.height, 8, false), CheckPicture(size.width, size.height, 8, true), {});
  }
}

TEST(FloatAdm, EqualsNaiveWithEveryOption) {
  const std::vector<OptionTexts> families = {
      {{"adm_enhn_gain_limit", "1"}},
      {{"adm_enhn_gain_limit", "1.2"}, {"adm_dlm_weight", "0.7"}, {"adm_min_val", "0.9"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.3"}, {"adm_csf_diag_scale", "2"}, {"adm_norm_view_dist", "5"}},
      {{"adm_csf_mode", "2"}, {"adm_ref_display_height", "720"}},
      {{"adm_bypass_cm", "1"}},
      {{"adm_adm3_apply_hm", "true"}},
      {{"adm_p_norm", "1"}},
      {{"adm_p_norm", "2"}},
      {{"adm_p_norm", "2.5"}},
      {{"adm_p_norm", "20"}},
      {{"adm_noise_weight", "300"}},
      {{"adm_noise_weight", "0"}},
      {{"adm_skip_aim_scale", "0"}},
      {{"adm_skip_aim_scale", "3"}},
      {{"adm_skip_scale0", "true"}},
      {{"adm_skip_scale0", "true"}, {"adm_skip_aim_scale", "1"}},
      {{"adm_f1s0", "0"}, {"adm_f2s0", "0"}, {"adm_f1s3", "0.5"}, {"adm_f2s2", "3"}}};
  for (const OptionTexts& texts : families) {
    const Frame reference = CheckPicture(79, 58, 8, false);
    const Frame distorted = CheckPicture(79, 58, 8, true);
    ExpectNaive(reference, distorted, texts);
    ExpectNaive(distorted, reference, texts);
    const VideoFormat format = {PixelFormat::kYuv422, 45, 52, 10};
    ExpectNaive(NoiseFrame(format, 3), NoiseFrame(format, 4), texts);
    ExpectNaive(NoiseFrame(format, 3), NoiseFrame(format, 3), texts);
  }
}

TEST(FloatAdm, NothingToSeeWithoutNoiseWeight) {
  const VideoFormat format = {PixelFormat::kYuv400, 40, 40, 8};
  // Zero as a float: other values leave rounding errors of the wavelet.
  const Frame flat = MakeFrame(format, 1, [](int, int, int) { return 128; });
  std::vector<double> scores = ScoresOf(flat, flat, {{"adm_noise_weight", "0"}});
  EXPECT_EQ(scores[0], 1.0);
  EXPECT_EQ(scores[1], 0.0);
  EXPECT_EQ(scores[2], 1.0);
  for (std::size_t i = 3; i < 7; ++i) EXPECT_TRUE(std::isnan(scores[i]));
  EXPECT_EQ(scores[9], 0.0);
  scores = ScoresOf(flat, flat, {});
  for (std::size_t i = 3; i < 7; ++i) EXPECT_EQ(scores[i], 1.0);
}

std::vector<std::string> Keys(const OptionTexts& texts) {
  std::vector<std::string> keys;
  for (const FeatureColumn& column : MakeFeature(kFloatAdm, texts, {PixelFormat::kYuv420, 64, 64, 8})->columns()) {
    keys.push_back(DecoratedScoreName(column, Options(texts)));
  }
  return keys;
}

TEST(FloatAdm, Keys) {
  EXPECT_EQ(Keys({}),
            (std::vector<std::string>{"VMAF_feature_adm2_score", "VMAF_feature_aim_score", "VMAF_feature_adm3_score",
                                      "VMAF_feature_adm_scale0_score", "VMAF_feature_adm_scale1_score",
                                      "VMAF_feature_adm_scale2_score", "VMAF_feature_adm_scale3_score"}));
  const std::vector<std::string> keys = Keys({{"debug", "true"},
                                              {"adm_csf_mode", "1"},
                                              {"adm_norm_view_dist", "5"},
                                              {"adm_ref_display_height", "2160"},
                                              {"adm_p_norm", "2.5"},
                                              {"adm_noise_weight", "0.1"}});
  ASSERT_EQ(keys.size(), 18u);
  EXPECT_EQ(keys[0], "adm2_csf_1_nw_0.1_nvd_5_apn_2.5_rdf_2160");
  EXPECT_EQ(keys[6], "adm_scale3_csf_1_nw_0.1_nvd_5_apn_2.5_rdf_2160");
  EXPECT_EQ(keys[7], "adm");
  EXPECT_EQ(keys[17], "adm_den_scale3_csf_1_nw_0.1_nvd_5_apn_2.5_rdf_2160");
  EXPECT_EQ(Keys({{"adm_adm3_apply_hm", "true"},
                  {"adm_bypass_cm", "1"},
                  {"adm_csf_diag_scale", "3"},
                  {"adm_csf_mode", "2"},
                  {"adm_csf_scale", "2"},
                  {"adm_skip_aim_scale", "0"}})[2],
            "adm3_aah_bcm_1_scfd_3_csf_2_scf_2_sasc_0");
}

}  // namespace
}  // namespace lockstep
