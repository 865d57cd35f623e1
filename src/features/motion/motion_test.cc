// SPDX-License-Identifier: BSD-2-Clause-Patent
// Integer motion against a naive formulation of its specification, and every cut of a sequence against the whole.
#include "features/motion/motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "features/motion/motion_arithmetic.h"
#include "features/score_name.h"
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

int Reflect(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

std::int64_t FloorShift(std::int64_t value, int bits) {
  const std::int64_t unit = std::int64_t{1} << bits;
  std::int64_t quotient = value / unit;
  if (value % unit < 0) --quotient;
  return quotient;
}

std::uint64_t NaiveSad(const Frame& previous, const Frame& current, int plane) {
  static constexpr std::int64_t kTaps[5] = {3571, 16004, 26386, 16004, 3571};
  const PlaneSize size = current.format().plane_size(plane);
  const int depth = current.format().bit_depth;
  std::vector<std::int64_t> vertical(static_cast<std::size_t>(size.width));
  std::uint64_t sad = 0;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::int64_t sum = 0;
      for (int k = 0; k < 5; ++k) {
        const int row = Reflect(y - 2 + k, size.height);
        sum += kTaps[k] * (Sample(previous, plane, x, row) - Sample(current, plane, x, row));
      }
      vertical[static_cast<std::size_t>(x)] = FloorShift(sum + (std::int64_t{1} << (depth - 1)), depth);
    }
    for (int x = 0; x < size.width; ++x) {
      std::int64_t sum = 0;
      for (int k = 0; k < 5; ++k) {
        sum += kTaps[k] * vertical[static_cast<std::size_t>(Reflect(x - 2 + k, size.width))];
      }
      sad += static_cast<std::uint64_t>(std::llabs(FloorShift(sum + 32768, 16)));
    }
  }
  return sad;
}

struct NaiveOptions {
  bool force_zero = false;
  double bf = 1.0;
  double bo = 40.0;
  double weight = 1.0;
  double max = 10000.0;
  int stride = 1;
  bool average = false;
  bool uv = false;
};

struct NaiveScores {
  std::vector<double> sad, motion2, motion3;
};

NaiveScores NaiveSequence(const std::vector<Frame>& frames, const NaiveOptions& o) {
  const auto clip = [&](double v) { return v < o.max ? v : o.max; };
  const auto blend = [&](double m) { return (m * o.bf) + ((1 - o.bf) * (o.bo < m ? o.bo : m)); };
  const int n = static_cast<int>(frames.size());
  NaiveScores result;
  std::map<int, double> s;
  for (int i = 0; i < n; ++i) {
    s[i] = 0.0;
    if (i >= o.stride && !o.force_zero) {
      double terms[3] = {0.0, 0.0, 0.0};
      for (int p = 0; p < (o.uv ? 3 : 1); ++p) {
        const Frame& current = frames[static_cast<std::size_t>(i)];
        const PlaneSize size = current.format().plane_size(p);
        terms[p] = (static_cast<double>(NaiveSad(frames[static_cast<std::size_t>(i - o.stride)], current, p)) / 256.0) /
                   (static_cast<double>(size.width) * size.height);
      }
      s[i] = clip(((terms[0] + terms[1]) + terms[2]) * o.weight);
    }
    result.sad.push_back(s[i]);
  }
  const double stamp = n > o.stride ? clip(blend(s[o.stride])) : 0.0;
  double before = 0.0;
  for (int i = 0; i < n; ++i) {
    double m2 = 0.0;
    if (i >= o.stride) {
      if (s.count(i + 1) == 0) {
        m2 = s[i];
      } else if (i - (o.stride - 1) >= o.stride) {
        m2 = std::min(s[i - (o.stride - 1)], s[i + 1]);
      } else {
        m2 = s[i + 1];
      }
    }
    result.motion2.push_back(m2);
    if (i < o.stride) {
      result.motion3.push_back(stamp);
      before = stamp;
    } else {
      const double p = clip(blend(m2));
      result.motion3.push_back(o.average ? (p + before) / 2.0 : p);
      before = p;
    }
  }
  return result;
}

void ExpectScores(const FeatureDescription& description, const std::vector<Frame>& frames, OptionTexts texts,
                  const NaiveOptions& options) {
  const VideoFormat& format = frames[0].format();
  const NaiveScores expected = NaiveSequence(frames, options);
  for (const bool debug : {false, true}) {
    if (debug) texts.emplace_back("debug", "true");
    const Scores scores = RunAll(*MakeFeature(description, texts, format), frames, {});
    const int motion2 = debug ? 2 : 1;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto frame = static_cast<std::int64_t>(i);
      EXPECT_EQ(scores.values.at({0, frame}), expected.sad[i]) << i;
      if (debug) {
        EXPECT_EQ(scores.values.at({1, frame}), expected.sad[i]) << i;
      }
      EXPECT_EQ(scores.values.at({motion2, frame}), expected.motion2[i]) << i;
      EXPECT_EQ(scores.values.at({motion2 + 1, frame}), expected.motion3[i]) << i;
    }
    EXPECT_EQ(scores.values.size(), frames.size() * (debug ? 4 : 3));
  }
}

struct OptionCase {
  OptionTexts texts;
  NaiveOptions options;
};

std::vector<OptionCase> OptionCases() {
  return {
      {{}, {}},
      {{{"motion_force_zero", "true"}}, {.force_zero = true}},
      {{{"motion_blend_factor", "0.5"}, {"motion_blend_offset", "5"}}, {.bf = 0.5, .bo = 5}},
      {{{"motion_blend_factor", "0"}, {"motion_blend_offset", "2"}}, {.bf = 0, .bo = 2}},
      {{{"motion_fps_weight", "1.5"}}, {.weight = 1.5}},
      {{{"motion_fps_weight", "0"}}, {.weight = 0}},
      {{{"motion_max_val", "18"}}, {.max = 18}},
      {{{"motion_max_val", "0"}}, {.max = 0}},
      {{{"motion_five_frame_window", "true"}}, {.stride = 2}},
      {{{"motion_moving_average", "true"}}, {.average = true}},
      {{{"motion_moving_average", "true"}, {"motion_five_frame_window", "true"}, {"motion_max_val", "18"}},
       {.max = 18, .stride = 2, .average = true}},
      {{{"motion_moving_average", "true"},
        {"motion_five_frame_window", "true"},
        {"motion_blend_factor", "0.7"},
        {"motion_blend_offset", "3"},
        {"motion_fps_weight", "0.8"},
        {"motion_add_uv", "true"}},
       {.bf = 0.7, .bo = 3, .weight = 0.8, .stride = 2, .average = true, .uv = true}},
      {{{"motion_add_uv", "true"}}, {.uv = true}},
      {{{"motion_add_uv", "true"}, {"motion_max_val", "40"}, {"motion_fps_weight", "1.5"}},
       {.weight = 1.5, .max = 40, .uv = true}},
  };
}

TEST(Motion, SadEqualsNaiveAtEverySizeAndDepth) {
  std::vector<PlaneSize> sizes = test_run::SparseSizes();
  sizes.insert(sizes.end(), std::begin(test_run::kParitySizes), std::end(test_run::kParitySizes));
  std::uint64_t seed = 1;
  for (const PlaneSize size : sizes) {
    for (const int depth : {8, 9, 10, 12, 15, 16}) {
      const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
      const std::vector<Frame> frames = NoiseFrames(format, 2, seed += 2);
      const std::unique_ptr<Feature> feature = MakeFeature(kMotion, {}, format);
      ASSERT_EQ(Pictures(*feature, frames, {}).Facts(1)[0], NaiveSad(frames[0], frames[1], 0))
          << size.width << "x" << size.height << " depth " << depth;
    }
  }
}

// Largest values of either sign everywhere, and patterns that drive each filter to its bounds.
TEST(Motion, SadEqualsNaiveAtExtremes) {
  for (const int depth : {8, 10, 12, 15, 16}) {
    const int top = (1 << depth) - 1;
    const VideoFormat format = {PixelFormat::kYuv400, 37, 11, depth};
    const auto flat = [&](int value) { return MakeFrame(format, 1, [=](int, int, int) { return value; }); };
    const auto stripes = [&](int column_period, int row_period) {
      return MakeFrame(format, 1,
                       [=](int, int x, int y) { return (x / column_period + y / row_period) % 2 != 0 ? top : 0; });
    };
    const std::vector<Frame> frames =
        ListOf(flat(0), flat(top), flat(top - 1), flat(0), flat(1), stripes(1, 100), stripes(100, 1), stripes(1, 1),
               stripes(3, 100), stripes(2, 3), stripes(5, 5), flat(top));
    const std::unique_ptr<Feature> feature = MakeFeature(kMotion, {}, format);
    for (const Frame& previous : frames) {
      for (const Frame& current : frames) {
        FrameWindow window;
        window.index = 1;
        window.reference = &current;
        window.earlier_reference = {&current, &previous, nullptr};
        Fact fact = 0;
        feature->Extract(window, feature->MakeWorkspace().get(), {&fact, 1});
        ASSERT_EQ(fact, NaiveSad(previous, current, 0)) << depth;
      }
    }
  }
}

TEST(Motion, RoundingIsNotSymmetric) {
  const VideoFormat format = {PixelFormat::kYuv400, 33, 33, 8};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 1);
  const std::vector<Frame> swapped = ListOf(test_run::NoiseFrame(format, 2), test_run::NoiseFrame(format, 1));
  const std::unique_ptr<Feature> feature = MakeFeature(kMotion, {}, format);
  EXPECT_NE(Pictures(*feature, frames, {}).Facts(1)[0], Pictures(*feature, swapped, {}).Facts(1)[0]);
}

TEST(Motion, ScoresEqualNaive) {
  for (const OptionCase& test : OptionCases()) {
    for (const int depth : {8, 10, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, 17, 19, depth};
      for (const int count : {1, 2, 3, 4, 12}) {
        const std::vector<Frame> frames = NoiseFrames(format, count, 77);
        ExpectScores(kMotion, frames, test.texts, test.options);
        ExpectScores(kMotionV2, frames, test.texts, test.options);
      }
    }
  }
}

TEST(Motion, ChromaIsSizedByThePixelFormat) {
  for (const PixelFormat pixel_format : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const PlaneSize size :
         {PlaneSize{5, 5}, PlaneSize{6, 7}, PlaneSize{19, 23}, PlaneSize{31, 9}, PlaneSize{64, 33}}) {
      for (const int depth : {8, 10, 16}) {
        const VideoFormat format = {pixel_format, size.width, size.height, depth};
        ExpectScores(kMotion, NoiseFrames(format, 3, 9), {{"motion_add_uv", "true"}}, {.uv = true});
      }
    }
  }
}

TEST(Motion, SegmentsEqualWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 9, 7, 10};
  const std::vector<Frame> frames = NoiseFrames(format, 12, 5);
  for (const OptionCase& test : OptionCases()) {
    EXPECT_EQ(test_run::SegmentThatDiffers(*MakeFeature(kMotion, test.texts, format), frames, {}), "");
  }
}

// One process scores pictures of different sizes one after another.
TEST(Motion, SizesOneAfterAnother) {
  for (const PlaneSize size :
       {PlaneSize{3, 3}, PlaneSize{4, 5}, PlaneSize{64, 64}, PlaneSize{3, 3}, PlaneSize{17, 17}}) {
    const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, 10};
    ExpectScores(kMotion, NoiseFrames(format, 3, 9), {}, {});
  }
}

TEST(Motion, Refusals) {
  const OptionTexts uv = {{"motion_add_uv", "true"}};
  const Result<std::unique_ptr<Feature>> mono =
      test_run::TryMakeFeature(kMotion, uv, {PixelFormat::kYuv400, 64, 64, 8});
  ASSERT_FALSE(mono.ok());
  EXPECT_EQ(mono.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(mono.error().message.find("4:0:0"), std::string::npos);
  const Result<std::unique_ptr<Feature>> small =
      test_run::TryMakeFeature(kMotionV2, uv, {PixelFormat::kYuv420, 4, 64, 8});
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(small.error().message.find("2x32"), std::string::npos);
  EXPECT_TRUE(test_run::TryMakeFeature(kMotion, uv, {PixelFormat::kYuv420, 5, 5, 8}).ok());
  EXPECT_TRUE(test_run::TryMakeFeature(kMotion, uv, {PixelFormat::kYuv422, 5, 3, 8}).ok());
  EXPECT_EQ(kMotion.minimum_size, (PlaneSize{3, 3}));
}

std::vector<std::string> Keys(const FeatureDescription& description, const OptionTexts& texts) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  const Result<OptionValues> options = OptionValues::Parse(description.name, description.options, dictionary);
  std::vector<std::string> keys;
  for (const FeatureColumn& column : MakeFeature(description, texts, {PixelFormat::kYuv420, 64, 64, 8})->columns()) {
    keys.push_back(DecoratedScoreName(column, *options));
  }
  return keys;
}

TEST(Motion, Keys) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Keys(kMotion, {}), (Names{"VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion2_score",
                                      "VMAF_integer_feature_motion3_score"}));
  EXPECT_EQ(Keys(kMotion, {{"debug", "true"},
                           {"motion_five_frame_window", "true"},
                           {"motion_blend_factor", "0.3"},
                           {"motion_blend_offset", "4"}}),
            (Names{"VMAF_integer_feature_motion_sad_score_mbf_0.3_mbo_4_mffw", "integer_motion_mbf_0.3_mbo_4_mffw",
                   "integer_motion2_mbf_0.3_mbo_4_mffw", "integer_motion3_mbf_0.3_mbo_4_mffw"}));
  EXPECT_EQ(Keys(kMotionV2, {{"debug", "true"}}), (Names{"motion_v2_sad", "motion_v2", "motion2_v2", "motion3_v2"}));
  EXPECT_EQ(Keys(kMotionV2, {{"motion_add_uv", "true"}}),
            (Names{"motion_v2_sad_mau", "motion2_v2_mau", "motion3_v2_mau"}));
}

// The row kernel of device backends gives the facts of the host.
template <class PixelSample, bool kWide>
void ExpectKernelEqualsHost(PlaneSize size, int depth) {
  const VideoFormat format = {PixelFormat::kYuv400, size.width, size.height, depth};
  const std::vector<Frame> frames = NoiseFrames(format, 2, 3);
  std::vector<u32> rows(static_cast<std::size_t>(format.height) + 1, 7);
  const PlaneView previous = frames[0].plane(0);
  const PlaneView current = frames[1].plane(0);
  const int bytes = format.bytes_per_sample();
  const MotionRowArgs args = {previous.data,
                              current.data,
                              rows.data(),
                              size.width,
                              size.height,
                              static_cast<i32>(previous.stride_bytes) / bytes,
                              static_cast<i32>(current.stride_bytes) / bytes,
                              depth};
  for (int y = 0; y < format.height + 5; ++y) MotionRow<PixelSample, kWide>(args, y);
  EXPECT_EQ(rows.back(), 7u);
  u64 sum = 0;
  for (int y = 0; y < format.height; ++y) sum += rows[static_cast<std::size_t>(y)];
  const std::unique_ptr<Feature> feature = MakeFeature(kMotion, {}, format);
  EXPECT_EQ(sum, Pictures(*feature, frames, {}).Facts(1)[0]) << size.width << "x" << size.height << " depth " << depth;
}

TEST(Motion, KernelEqualsHost) {
  for (const PlaneSize size : test_run::kParitySizes) {
    ExpectKernelEqualsHost<u8, false>(size, 8);
    ExpectKernelEqualsHost<u16, false>(size, 10);
    ExpectKernelEqualsHost<u16, false>(size, 12);
    ExpectKernelEqualsHost<u16, true>(size, 16);
  }
}

}  // namespace
}  // namespace lockstep
