// SPDX-License-Identifier: BSD-2-Clause-Patent
// Float motion against a naive formulation of its specification, and every cut of a sequence against the whole.
#include "features/float_motion/float_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "features/float_motion/float_motion_arithmetic.h"
#include "features/score_name.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::MakeFeature;
using test_run::MakeFrame;
using test_run::NoiseFrames;
using test_run::OptionTexts;
using test_run::RunAll;
using test_run::Sample;
using test_run::Scores;

struct NaivePlane {
  int width = 0;
  int height = 0;
  std::vector<float> values;
  float& at(int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  float at(int x, int y) const {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
};

NaivePlane MakePlane(int width, int height) {
  return {width, height, std::vector<float>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
}

int Reflect(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

NaivePlane NaiveBlur(const Frame& frame, int plane, int filter_size) {
  std::vector<float> taps = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f};
  if (filter_size == 3) taps = {0.166378498f, 0.667243004f, 0.166378498f};
  if (filter_size == 1) taps = {0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
  const int n = static_cast<int>(taps.size());
  const VideoFormat& format = frame.format();
  const int width = plane > 0 && format.pixel_format != PixelFormat::kYuv444 ? format.width / 2 : format.width;
  const int height = plane > 0 && format.pixel_format == PixelFormat::kYuv420 ? format.height / 2 : format.height;
  NaivePlane source = MakePlane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float scaled =
          static_cast<float>(Sample(frame, plane, x, y)) / static_cast<float>(1 << (format.bit_depth - 8));
      source.at(x, y) = scaled + -128.0f;
    }
  }
  NaivePlane middle = MakePlane(width, height);
  NaivePlane result = MakePlane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) {
        const float product = taps[static_cast<std::size_t>(k)] * source.at(x, Reflect(y - n / 2 + k, height));
        sum = sum + product;
      }
      middle.at(x, y) = sum;
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) {
        const float product = taps[static_cast<std::size_t>(k)] * middle.at(Reflect(x - n / 2 + k, width), y);
        sum = sum + product;
      }
      result.at(x, y) = sum;
    }
  }
  return result;
}

NaivePlane NaiveHalve(const NaivePlane& plane) {
  const int width = static_cast<int>(plane.width * 0.5 + 0.5);
  const int height = static_cast<int>(plane.height * 0.5 + 0.5);
  NaivePlane result = MakePlane(width, height);
  const float ratio_x = static_cast<float>(plane.width) / static_cast<float>(width);
  const float ratio_y = static_cast<float>(plane.height) / static_cast<float>(height);
  const auto mirror = [](int i, int n) { return i < 0 ? -i : (i > n - 1 ? 2 * (n - 1) - i : i); };
  for (int y = 0; y < height; ++y) {
    const auto yy = static_cast<float>((y + 0.5) * static_cast<double>(ratio_y) - 0.5);
    const int y1 = mirror(static_cast<int>(std::floor(yy)), plane.height);
    const int y2 = mirror(static_cast<int>(std::ceil(yy)), plane.height);
    const float dy = yy - static_cast<float>(y1);
    for (int x = 0; x < width; ++x) {
      const auto xx = static_cast<float>((x + 0.5) * static_cast<double>(ratio_x) - 0.5);
      const int x1 = mirror(static_cast<int>(std::floor(xx)), plane.width);
      const int x2 = mirror(static_cast<int>(std::ceil(xx)), plane.width);
      const float dx = xx - static_cast<float>(x1);
      const float a = (1 - dy) * (1 - dx) * plane.at(x1, y1);
      const float b = (1 - dy) * dx * plane.at(x2, y1);
      const float c = dy * (1 - dx) * plane.at(x1, y2);
      const float d = dy * dx * plane.at(x2, y2);
      result.at(x, y) = ((a + b) + c) + d;
    }
  }
  return result;
}

float NaiveSad(const NaivePlane& a, const NaivePlane& b) {
  float total = 0.0f;
  for (int y = 0; y < a.height; ++y) {
    float line = 0.0f;
    for (int x = 0; x < a.width; ++x) line = line + std::fabs(a.at(x, y) - b.at(x, y));
    total = total + line;
  }
  return total / static_cast<float>(a.width * a.height);
}

struct NaiveOptions {
  bool force_zero = false;
  double weight = 1.0;
  double bf = 1.0;
  double bo = 40.0;
  double max = 10000.0;
  int filter_size = 5;
  bool half = false;
  bool uv = false;
};

struct NaiveScores {
  std::vector<double> motion, motion2, motion3;
};

NaiveScores NaiveSequence(const std::vector<Frame>& frames, const NaiveOptions& o) {
  const int n = static_cast<int>(frames.size());
  NaiveScores result;
  result.motion.resize(frames.size());
  result.motion2.resize(frames.size());
  result.motion3.resize(frames.size());
  if (o.force_zero) return result;
  std::vector<double> s(frames.size());
  for (int p = 0; p < (o.uv ? 3 : 1); ++p) {
    NaivePlane before;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      NaivePlane now = NaiveBlur(frames[i], p, o.filter_size);
      if (i > 0) {
        float score = NaiveSad(before, now);
        if (o.half) score = score + NaiveSad(NaiveHalve(before), NaiveHalve(now));
        s[i] = p == 0 ? static_cast<double>(score) : s[i] + static_cast<double>(score);
      }
      before = std::move(now);
    }
  }
  const auto w = [&](double v) { return v * o.weight; };
  const auto clip = [&](double v) { return v < o.max ? v : o.max; };
  const auto blend = [&](double m) { return (m * o.bf) + ((1 - o.bf) * (o.bo < m ? o.bo : m)); };
  // The order of events in the specification.
  for (int i = 1; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    result.motion[at] = clip(w(s[at]));
    if (i == 1) {
      result.motion3[0] = clip(blend(w(s[1])));
    } else {
      const double t = s[at - 1] < s[at] ? s[at - 1] : s[at];
      result.motion2[at - 1] = clip(w(t));
      result.motion3[at - 1] = clip(blend(w(t)));
    }
  }
  if (n > 1) {
    result.motion2.back() = clip(w(s.back()));
    result.motion3.back() = clip(blend(w(s.back())));
  }
  return result;
}

struct OptionCase {
  OptionTexts texts;
  NaiveOptions options;
};

std::vector<OptionCase> OptionCases() {
  return {
      {{}, {}},
      {{{"motion_force_zero", "true"}}, {.force_zero = true}},
      {{{"motion_fps_weight", "1.5"}}, {.weight = 1.5}},
      {{{"motion_fps_weight", "0.7"}, {"motion_max_val", "12"}}, {.weight = 0.7, .max = 12}},
      {{{"motion_blend_factor", "0.5"}, {"motion_blend_offset", "5"}}, {.bf = 0.5, .bo = 5}},
      {{{"motion_max_val", "3"}}, {.max = 3}},
      {{{"motion_filter_size", "1"}}, {.filter_size = 1}},
      {{{"motion_filter_size", "3"}}, {.filter_size = 3}},
      {{{"motion_filter_size", "0"}}, {}},
      {{{"motion_filter_size", "9"}}, {}},
      {{{"motion_add_scale1", "true"}}, {.half = true}},
      {{{"motion_add_uv", "true"}}, {.uv = true}},
      {{{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}, {"motion_filter_size", "3"}},
       {.filter_size = 3, .half = true, .uv = true}},
      {{{"motion_add_scale1", "true"},
        {"motion_filter_size", "1"},
        {"motion_fps_weight", "0.7"},
        {"motion_blend_factor", "0.2"},
        {"motion_blend_offset", "1"}},
       {.weight = 0.7, .bf = 0.2, .bo = 1, .filter_size = 1, .half = true}},
  };
}

void ExpectScores(const std::vector<Frame>& frames, const OptionTexts& texts, const NaiveOptions& options) {
  const VideoFormat& format = frames[0].format();
  const std::unique_ptr<Feature> feature = MakeFeature(kFloatMotion, texts, format);
  const NaiveScores expected = NaiveSequence(frames, options);
  const Scores scores = RunAll(*feature, frames, {});
  const std::vector<FeatureColumn> columns = feature->columns();
  ASSERT_EQ(columns.size(), 3u);
  ASSERT_EQ(scores.values.size(), 3 * frames.size());
  for (int c = 0; c < 3; ++c) {
    const std::string& name = columns[static_cast<std::size_t>(c)].raw_name;
    const std::vector<double>& values =
        name == "VMAF_feature_motion_score"
            ? expected.motion
            : (name == "VMAF_feature_motion2_score" ? expected.motion2 : expected.motion3);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      ASSERT_EQ(scores.values.at({c, static_cast<std::int64_t>(i)}), values[i])
          << name << " frame " << i << " " << format.width << "x" << format.height << " depth " << format.bit_depth;
    }
  }
}

TEST(FloatMotion, ScoresEqualNaiveAtEverySizeAndDepth) {
  std::vector<PlaneSize> sizes = test_run::SparseSizes();
  sizes.insert(sizes.end(), std::begin(test_run::kParitySizes), std::end(test_run::kParitySizes));
  sizes.push_back({1283, 23});  // long rows of inexact floats
  std::uint64_t seed = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 12, 14, 16}) {
      const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
      const std::vector<Frame> frames = NoiseFrames(format, 2, seed += 2);
      ExpectScores(frames, {}, {});
      ExpectScores(frames, {{"motion_add_scale1", "true"}}, {.half = true});
    }
  }
}

TEST(FloatMotion, ScoresEqualNaiveWithEveryOption) {
  for (const OptionCase& test : OptionCases()) {
    for (const PixelFormat pixel_format : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
      for (const int depth : {8, 10, 16}) {
        const VideoFormat format = {pixel_format, 17, 19, depth};
        for (const int count : {1, 2, 3, 7}) ExpectScores(NoiseFrames(format, count, 77), test.texts, test.options);
      }
    }
  }
}

TEST(FloatMotion, ScoresEqualNaiveAtExtremes) {
  for (const int depth : {8, 16}) {
    const int top = (1 << depth) - 1;
    const VideoFormat format = {PixelFormat::kYuv400, 37, 11, depth};
    const auto flat = [&](int value) { return MakeFrame(format, 1, [=](int, int, int) { return value; }); };
    const auto checks = [&](int period) {
      return MakeFrame(format, 1, [=](int, int x, int y) { return (x / period + y / period) % 2 != 0 ? top : 0; });
    };
    std::vector<Frame> frames;
    for (const int value : {0, top, 0, 1 << (depth - 1), 1 << (depth - 1)}) frames.push_back(flat(value));
    for (const int period : {1, 2, 3, 5}) frames.push_back(checks(period));
    for (const OptionCase& test : OptionCases()) {
      if (!test.options.uv) ExpectScores(frames, test.texts, test.options);
    }
  }
}

TEST(FloatMotion, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 9, 7, 10};
  const std::vector<Frame> frames = NoiseFrames(format, 12, 5);
  for (const OptionCase& test : OptionCases()) {
    EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kFloatMotion, test.texts, format), frames, {}), "");
  }
}

TEST(FloatMotion, PreparesOnlyWhatItReads) {
  const VideoFormat format = {PixelFormat::kYuv444, 64, 32, 8};
  const auto bytes = [&](const OptionTexts& texts) {
    return MakeFeature(kFloatMotion, texts, format)->prepared_bytes();
  };
  constexpr std::size_t kPlane = 64 * 32 * sizeof(float);
  EXPECT_EQ(bytes({}), kPlane);
  EXPECT_EQ(bytes({{"motion_add_uv", "true"}}), 3 * kPlane);
  EXPECT_EQ(bytes({{"motion_add_scale1", "true"}}), kPlane + kPlane / 4);
  EXPECT_EQ(bytes({{"motion_force_zero", "true"}}), 0u);
}

TEST(FloatMotion, Refusals) {
  const OptionTexts uv = {{"motion_add_uv", "true"}};
  const Result<std::unique_ptr<Feature>> mono =
      test_run::TryMakeFeature(kFloatMotion, uv, {PixelFormat::kYuv400, 64, 64, 8});
  ASSERT_FALSE(mono.ok());
  EXPECT_EQ(mono.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(mono.error().message.find("4:0:0"), std::string::npos);
  const Result<std::unique_ptr<Feature>> small =
      test_run::TryMakeFeature(kFloatMotion, uv, {PixelFormat::kYuv420, 5, 64, 8});
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(small.error().message.find("2x32"), std::string::npos);
  EXPECT_TRUE(test_run::TryMakeFeature(kFloatMotion, uv, {PixelFormat::kYuv420, 6, 6, 8}).ok());
  EXPECT_EQ(kFloatMotion.minimum_size, (PlaneSize{3, 3}));
}

std::vector<std::string> Keys(const OptionTexts& texts) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  const Result<OptionValues> options = OptionValues::Parse("float_motion", kFloatMotion.options, dictionary);
  std::vector<std::string> keys;
  for (const FeatureColumn& column : MakeFeature(kFloatMotion, texts, {PixelFormat::kYuv420, 64, 64, 8})->columns()) {
    EXPECT_EQ(column.phase, ColumnPhase::kFrame);
    keys.push_back(DecoratedScoreName(column, *options));
  }
  return keys;
}

TEST(FloatMotion, Keys) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Keys({}), (Names{"VMAF_feature_motion2_score", "VMAF_feature_motion_score", "VMAF_feature_motion3_score"}));
  EXPECT_EQ(Keys({{"debug", "false"}}), (Names{"VMAF_feature_motion2_score", "VMAF_feature_motion3_score"}));
  EXPECT_EQ(Keys({{"motion_force_zero", "true"}}), (Names{"motion2_force_0", "motion3_force_0", "motion_force_0"}));
  EXPECT_EQ(Keys({{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}, {"motion_filter_size", "3"}}),
            (Names{"motion2_mdc_mau_mfs_3", "motion_mdc_mau_mfs_3", "motion3_mdc_mau_mfs_3"}));
}

// The kernels of device backends, one after another, give the facts of the host.
template <class PixelSample, i32 kTapCount>
void ExpectKernelsEqualHost(PlaneSize size, int depth) {
  const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 3);
  const i32 pitch = size.width + 3;
  constexpr float kUntouched = 7.0f;
  std::vector<std::vector<float>> blurred;
  for (const Frame& frame : frames) {
    const PlaneView plane = frame.plane(0);
    std::vector<float>& out =
        blurred.emplace_back(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(size.height + 1), kUntouched);
    const FloatMotionBlurRowArgs args = {plane.data,
                                         out.data(),
                                         size.width,
                                         size.height,
                                         static_cast<i32>(plane.stride_bytes) / format.bytes_per_sample(),
                                         pitch,
                                         1.0f / static_cast<float>(1 << (depth - 8)),
                                         kTapCount == 3 ? kFloatMotionTaps3 : kFloatMotionTaps5};
    for (int y = 0; y < size.height + 5; ++y) FloatMotionBlurRow<PixelSample, kTapCount>(args, y);
    for (int x = 0; x < pitch; ++x) EXPECT_EQ(out[out.size() - 1 - static_cast<std::size_t>(x)], kUntouched);
  }
  std::vector<float> rows(static_cast<std::size_t>(size.height) + 1, kUntouched);
  const FloatMotionSadRowArgs args = {blurred[0].data(), blurred[1].data(), rows.data(),
                                      size.width,        size.height,       pitch};
  for (int y = 0; y < size.height + 5; ++y) FloatMotionSadRow(args, y);
  EXPECT_EQ(rows.back(), kUntouched);
  const float score = FloatMotionScoreFromRowSads(rows.data(), size.width, size.height);
  const std::unique_ptr<Feature> feature =
      MakeFeature(kFloatMotion, {{"motion_filter_size", std::to_string(kTapCount)}}, format);
  EXPECT_EQ(DoubleOf(test_run::Pictures(*feature, frames, {}).Facts(1)[0]), static_cast<double>(score))
      << size.width << "x" << size.height << " depth " << depth << " taps " << kTapCount;
}

TEST(FloatMotion, KernelsEqualHost) {
  for (const PlaneSize size : test_run::kParitySizes) {
    ExpectKernelsEqualHost<u8, 5>(size, 8);
    ExpectKernelsEqualHost<u8, 3>(size, 8);
    ExpectKernelsEqualHost<u8, 1>(size, 8);
    ExpectKernelsEqualHost<u16, 5>(size, 10);
    ExpectKernelsEqualHost<u16, 3>(size, 12);
    ExpectKernelsEqualHost<u16, 5>(size, 16);
  }
}

}  // namespace
}  // namespace lockstep
