// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_motion's vector code gives the bits of its scalar code on every target.
#include "features/float_motion/float_motion_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/float_motion/float_motion.h"
#include "features/float_motion/float_motion_arithmetic.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::OptionTexts;

struct PicturePair {
  std::string name;
  std::vector<Frame> frames;
};

std::vector<PicturePair> MakePairs(const VideoFormat& format, std::uint64_t seed) {
  const int top = (1 << format.bit_depth) - 1;
  const int unit = 1 << (format.bit_depth - 8);
  std::uint64_t state = seed;
  const auto noise = [&](int, int, int) { return NextRandom(state) >> (64 - format.bit_depth); };
  const auto gradient = [&](int, int x, int y) { return unit * (40 + (x * 5 + y * 3) % 97); };
  const auto faint = [&](int p, int x, int y) {
    return gradient(p, x, y) + static_cast<int>(NextRandom(state) % static_cast<unsigned>(4 * unit));
  };
  const auto black = [&](int, int, int) { return 0; };
  const auto columns = [&](int, int x, int) { return x % 2 == 0 ? top : 0; };
  const auto rows = [&](int, int, int y) { return y % 2 == 0 ? 0 : top; };
  const auto blocks = [&](int, int x, int y) { return (x / 5 + y / 3) % 2 == 0 ? top : 0; };
  std::vector<PicturePair> pairs;
  const auto add = [&](const char* name, const auto& previous, const auto& current) {
    pairs.push_back(
        {name, test_run::ListOf(MakeFrame(format, seed + 1, previous), MakeFrame(format, seed + 2, current))});
  };
  add("noise", noise, noise);
  add("faint noise", faint, faint);
  add("equal", gradient, gradient);
  add("gradient", gradient, faint);
  add("stripes", columns, rows);
  add("blocks", blocks, black);
  return pairs;
}

std::vector<Fact> FactsOf(const std::vector<Frame>& frames, const OptionTexts& options, CpuTarget target) {
  const std::unique_ptr<Feature> feature =
      test_run::TryMakeFeature(kFloatMotion, options, frames[0].format(), target).value();
  test_run::Pictures pictures(*feature, frames, {});
  // The second time meets what the first one left in the buffers.
  pictures.Facts(1);
  return pictures.Facts(1);
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
  for (const PicturePair& pair : MakePairs(format, static_cast<std::uint64_t>(format.width * 1000 + format.height))) {
    const std::vector<Fact> expected = FactsOf(pair.frames, options, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      SCOPED_TRACE(std::string(CpuTargetName(target)) + ", " + std::to_string(format.width) + "x" +
                   std::to_string(format.height) + ", " + std::to_string(format.bit_depth) + " bit, " + pair.name);
      ASSERT_EQ(FactsOf(pair.frames, options, target), expected);
      if (target == CpuTarget::kScalar || tap_count == 0) continue;
      ASSERT_EQ(DirectFact(pair.frames, tap_count, target), expected[0]);
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
  for (const int base : {128, 256, 320, 420, 576, 1283}) {
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
      const auto scores = [&](CpuTarget target) {
        return test_run::RunAll(*test_run::TryMakeFeature(kFloatMotion, options, format, target).value(), frames,
                                frames);
      };
      const test_run::Scores expected = scores(CpuTarget::kScalar);
      for (const CpuTarget target : AvailableCpuTargets()) {
        EXPECT_EQ(scores(target).values, expected.values) << CpuTargetName(target) << ", " << depth << " bit";
      }
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
