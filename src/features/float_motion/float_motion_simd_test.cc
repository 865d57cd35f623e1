// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's vector code gives the bits of its scalar code on every target.
#include "features/float_motion/float_motion_simd.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_motion/float_motion.h"
#include "features/float_motion/float_motion_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const auto noise = pairs.Noise();
  const auto gradient = pairs.Gradient();
  const auto faint = pairs.Noisy(4, gradient);
  pairs.Add("noise", noise, noise);
  pairs.Add("faint noise", faint, faint);
  pairs.Add("equal", gradient, gradient);
  pairs.Add("gradient", gradient, faint);
  pairs.Add("stripes", pairs.Columns(), pairs.Rows());
  pairs.Add("blocks", pairs.Blocks(5, 3), pairs.Flat(0));
  return pairs.Take();
}

// The luma's score without stored planes, of which a metric may think they are faster.
Fact DirectFact(const std::vector<Frame>& frames, int tap_count, CpuTarget target) {
  const VideoFormat& format = frames[0].format();
  const FloatMotionSimd simd = ChooseFloatMotionSimd(target, format.bit_depth, tap_count, kFloatMotionStoredSamples);
  const PlaneView previous = frames[0].plane(0);
  const PlaneView current = frames[1].plane(0);
  const int sample_bytes = format.bytes_per_sample();
  AlignedBuffer lines(kFloatMotionSimdBytes);
  std::vector<float> rows(static_cast<std::size_t>(format.height));
  simd({previous.data, current.data, previous.stride_bytes / sample_bytes, current.stride_bytes / sample_bytes,
        format.width, format.height, 1.0f / static_cast<float>(1 << (format.bit_depth - 8)), 0, format.height,
        rows.data(), lines.data()});
  return FactOf(static_cast<double>(FloatMotionScoreFromRowSads(rows.data(), format.width, format.height)));
}

// `tap_count`: of the direct comparison; 0 for options that it does not know.
void Compare(const VideoFormat& format, const OptionTexts& options, int tap_count) {
  const std::vector<PicturePair> pairs = MakePairs(format);
  test_targets::ExpectSameFacts(kFloatMotion, options, pairs);
  if (tap_count == 0) return;
  for (const PicturePair& pair : pairs) {
    const Fact expected = test_targets::FactsOf(kFloatMotion, options, pair, CpuTarget::kScalar)[0];
    for (const CpuTarget target : AvailableCpuTargets()) {
      if (target == CpuTarget::kScalar) continue;
      ASSERT_EQ(DirectFact(pair.frames, tap_count, target), expected)
          << test_targets::PlaceOf(target, format) << ", " << pair.name << ", direct";
    }
  }
}

// `option`: the value of motion_filter_size.
void CompareFilter(const VideoFormat& format, int option) {
  const int tap_count = option == 1 || option == 3 ? option : 5;
  Compare(format, {{"motion_filter_size", std::to_string(option)}}, tap_count);
}

constexpr int kDepths[] = {8, 9, 10, 12, 15, 16};

TEST(FloatMotionSimdTest, SmallSizes) {
  for (int width = 3; width <= 75; ++width) {
    for (int i = 0; i < 3; ++i) {
      const int height = 3 + (width * 29 + i * 7) % 37;
      Compare({PixelFormat::kYuv400, width, height, kDepths[(width + i) % 6]}, {}, 5);
      CompareFilter({PixelFormat::kYuv400, width, height, kDepths[(width + i + 3) % 6]}, i == 0 ? 1 : 3);
    }
  }
}

TEST(FloatMotionSimdTest, EveryHeight) {
  for (int height = 3; height <= 70; ++height) Compare({PixelFormat::kYuv400, 21, height, 8}, {}, 5);
}

TEST(FloatMotionSimdTest, WidthsAroundRegistersAndStrips) {
  int i = 0;
  for (const int base : test_targets::kRegisterBases) {
    for (const int more : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 63, 64, 65, 66}) {
      Compare({PixelFormat::kYuv400, base + more, 15 + i % 4, kDepths[i % 6]}, {}, 5);
      ++i;
    }
  }
}

TEST(FloatMotionSimdTest, EveryDepthAndFilter) {
  for (int depth = 8; depth <= 16; ++depth) {
    for (const int taps : {0, 1, 2, 3, 4, 5, 9}) CompareFilter({PixelFormat::kYuv400, 93, 50, depth}, taps);
  }
}

TEST(FloatMotionSimdTest, HalfResolution) {
  for (int i = 0; i < 40; ++i) {
    Compare({PixelFormat::kYuv400, 5 + 3 * i, 5 + i * 7 % 45, kDepths[i % 6]}, {{"motion_add_scale1", "true"}}, 0);
  }
}

TEST(FloatMotionSimdTest, LongRows) {
  for (const int depth : {8, 12, 16}) Compare({PixelFormat::kYuv400, 8190 + depth, 4, depth}, {}, 5);
}

// With four lanes the metric's choice changes at this size.
TEST(FloatMotionSimdTest, AroundTheSizeUpToWhichPlanesAreStored) {
  static_assert(kFloatMotionStoredSamples == 1024 * 512);
  for (const int height : {511, 512}) Compare({PixelFormat::kYuv400, 1024, height, 8}, {}, 5);
}

TEST(FloatMotionSimdTest, Chroma) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const int depth : {8, 10, 16}) {
      for (int more = 0; more < 6; ++more) {
        Compare({pixels, 67 + 9 * more, 9 + 5 * more, depth}, {{"motion_add_uv", "true"}}, 5);
      }
    }
  }
}

TEST(FloatMotionSimdTest, OptionsGiveTheScoresOfScalarCode) {
  const std::vector<OptionTexts> families = {
      {},
      {{"debug", "false"}},
      {{"motion_force_zero", "true"}},
      {{"motion_add_scale1", "true"}},
      {{"motion_add_scale1", "true"}, {"motion_add_uv", "true"}, {"motion_filter_size", "3"}},
      {{"motion_add_uv", "true"}, {"motion_fps_weight", "1.7"}},
      {{"motion_blend_factor", "0.4"}, {"motion_blend_offset", "3.3"}},
      {{"motion_max_val", "11.5"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 10, 16}) {
      const VideoFormat format = {PixelFormat::kYuv420, 77, 35, depth};
      const std::vector<Frame> frames = test_run::NoiseFrames(format, 4, 3);
      test_targets::ExpectSameScores(kFloatMotion, options, frames, frames);
    }
  }
}

TEST(FloatMotionSimdTest, SegmentsEqualTheWhole) {
  const VideoFormat format = {PixelFormat::kYuv420, 40, 19, 8};
  const std::vector<Frame> frames = test_run::NoiseFrames(format, 4, 3);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const std::unique_ptr<Feature> feature = test_run::TryMakeFeature(kFloatMotion, {}, format, target).value();
    EXPECT_EQ(test_run::SegmentThatDiffers(*feature, frames, frames), "") << CpuTargetName(target);
  }
}

constexpr int kBandHeight = 37;
constexpr float kUntouched = 7.0f;

// `sums(begin, end, rows)` writes the sums of its own rows and no others, wherever a picture is cut.
template <class Function>
void ExpectBands(const std::vector<float>& expected, CpuTarget target, const Function& sums) {
  for (int begin = 0; begin <= kBandHeight; ++begin) {
    for (int end = begin; end <= kBandHeight; ++end) {
      std::vector<float> rows(kBandHeight, kUntouched);
      sums(begin, end, rows.data());
      for (int y = 0; y < kBandHeight; ++y) {
        const auto i = static_cast<std::size_t>(y);
        ASSERT_EQ(rows[i], y >= begin && y < end ? expected[i] : kUntouched)
            << CpuTargetName(target) << ", row " << y << " of " << begin << " to " << end;
      }
    }
  }
}

TEST(FloatMotionSimdTest, Bands) {
  constexpr i32 kPitch = 96;
  const VideoFormat format = {PixelFormat::kYuv400, 83, kBandHeight, 8};
  const std::vector<Frame> frames = test_run::NoiseFrames(format, 2, 7);
  std::vector<float> blurred[2];
  for (std::size_t n = 0; n < 2; ++n) {
    const PlaneView plane = frames[n].plane(0);
    // Whatever is beside the rows differs between the planes.
    blurred[n].resize(kPitch * kBandHeight, static_cast<float>(n) + 0.5f);
    const FloatMotionBlurRowArgs args = {
        plane.data, blurred[n].data(), format.width, kBandHeight, static_cast<i32>(plane.stride_bytes), kPitch,
        1.0f,       kFloatMotionTaps5};
    for (int y = 0; y < kBandHeight; ++y) FloatMotionBlurRow<u8, 5>(args, y);
  }
  std::vector<float> expected(kBandHeight);
  const FloatMotionSadRowArgs args = {blurred[0].data(), blurred[1].data(), expected.data(),
                                      format.width,      kBandHeight,       kPitch};
  for (int y = 0; y < kBandHeight; ++y) FloatMotionSadRow(args, y);

  AlignedBuffer lines(kFloatMotionSimdBytes);
  const PlaneView previous = frames[0].plane(0);
  const PlaneView current = frames[1].plane(0);
  for (const CpuTarget target : AvailableCpuTargets()) {
    if (const FloatMotionSimd simd = ChooseFloatMotionSimd(target, 8, 5, kFloatMotionStoredSamples); simd != nullptr) {
      ExpectBands(expected, target, [&](int begin, int end, float* rows) {
        simd({previous.data, current.data, previous.stride_bytes, current.stride_bytes, format.width, kBandHeight, 1.0f,
              begin, end, rows, lines.data()});
      });
    }
    if (const FloatMotionStoredSimd simd = ChooseFloatMotionStoredSimd(target); simd != nullptr) {
      ExpectBands(expected, target, [&](int begin, int end, float* rows) {
        simd({blurred[0].data(), blurred[1].data(), kPitch, format.width, begin, end, rows});
      });
    }
  }
}

}  // namespace
}  // namespace lockstep
