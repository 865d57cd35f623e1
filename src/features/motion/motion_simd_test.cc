// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion's vector code gives the sums of its scalar code on every target.
#include "features/motion/motion_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/motion/motion.h"
#include "features/motion/motion_arithmetic.h"
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
  // Differences on both sides of half the range, where the narrow filter ends, in few places of an otherwise calm row.
  const auto specks = [&](int p, int x, int y) {
    const std::uint64_t random = NextRandom(state);
    if (random % 97 != 0) return gradient(p, x, y);
    return random % 2 == 0 ? top : 0;
  };
  const auto black = [&](int, int, int) { return 0; };
  const auto one = [&](int, int, int) { return 1; };
  const auto white = [&](int, int, int) { return top; };
  const auto below_half = [&](int, int x, int y) { return top / 2 + ((x + y) % 7 == 0 ? 0 : -1); };
  const auto half = [&](int, int, int) { return (top + 1) / 2; };
  const auto columns = [&](int, int x, int) { return x % 2 == 0 ? top : 0; };
  const auto other_columns = [&](int, int x, int) { return x % 2 == 0 ? 0 : top; };
  const auto rows = [&](int, int, int y) { return y % 2 == 0 ? 0 : top; };
  const auto other_rows = [&](int, int, int y) { return y % 2 == 0 ? top : 0; };
  const auto blocks = [&](int, int x, int y) { return (x / 5 + y / 3) % 2 == 0 ? top : 0; };
  const auto other_blocks = [&](int, int x, int y) { return (x / 5 + y / 3) % 2 == 0 ? 0 : top; };
  std::vector<PicturePair> pairs;
  const auto add = [&](const char* name, const auto& previous, const auto& current) {
    pairs.push_back(
        {name, test_run::ListOf(MakeFrame(format, seed + 1, previous), MakeFrame(format, seed + 2, current))});
  };
  add("noise", noise, noise);
  add("faint noise", faint, faint);
  add("specks", specks, gradient);
  add("equal", gradient, gradient);
  // At 16 bit, differences of which only the odd bit is left.
  add("one up", one, black);
  add("one down", black, one);
  add("white to black", white, black);
  add("black to white", black, white);
  add("half up", black, half);
  add("half down", half, black);
  add("less than half", black, below_half);
  add("less than half, down", below_half, black);
  add("columns", columns, other_columns);
  add("rows", rows, other_rows);
  add("blocks", blocks, other_blocks);
  return pairs;
}

std::vector<Fact> FactsOf(const std::vector<Frame>& frames, const OptionTexts& options, CpuTarget target) {
  const std::unique_ptr<Feature> feature =
      test_run::TryMakeFeature(kMotion, options, frames[0].format(), target).value();
  test_run::Pictures pictures(*feature, frames, {});
  // The second time meets what the first one left in the buffers.
  pictures.Facts(frames.size() - 1);
  return pictures.Facts(frames.size() - 1);
}

void Compare(const VideoFormat& format, const OptionTexts& options) {
  for (const PicturePair& pair : MakePairs(format, static_cast<std::uint64_t>(format.width * 1000 + format.height))) {
    const std::vector<Fact> expected = FactsOf(pair.frames, options, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      ASSERT_EQ(FactsOf(pair.frames, options, target), expected)
          << CpuTargetName(target) << ", " << format.width << "x" << format.height << ", " << format.bit_depth
          << " bit, " << pair.name;
    }
  }
}

constexpr int kDepths[] = {8, 9, 10, 12, 15, 16};

TEST(MotionSimdTest, SmallSizes) {
  for (int width = 3; width <= 75; ++width) {
    for (int i = 0; i < 3; ++i) {
      const int height = 3 + (width * 29 + i * 5) % 13;
      Compare({PixelFormat::kYuv400, width, height, kDepths[(width + i) % 6]}, {});
      Compare({PixelFormat::kYuv400, width, height, kDepths[(width + i + 3) % 6]}, {});
    }
  }
}

TEST(MotionSimdTest, WidthsAroundRegisters) {
  int i = 0;
  for (const int base : {128, 256, 320, 420, 576, 1283}) {
    for (const int more : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 35, 36}) {
      for (int k = 0; k < 2; ++k, ++i) {
        Compare({PixelFormat::kYuv400, base + more, 5 + i % 3, kDepths[i % 6]}, {});
      }
    }
  }
}

TEST(MotionSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) Compare({PixelFormat::kYuv400, 93, 50, depth}, {});
}

TEST(MotionSimdTest, LongRows) {
  // Strips of columns are cut at multiples of 32, from 2049 columns on.
  for (const int width : {2047, 2048, 2049, 2050, 2080, 2081, 2112, 2113, 4096, 4097, 4099, 4130, 6177, 8191}) {
    for (const int depth : {8, 12, 16}) Compare({PixelFormat::kYuv400, width, 4, depth}, {});
  }
}

TEST(MotionSimdTest, Chroma) {
  for (const PixelFormat pixels : {PixelFormat::kYuv420, PixelFormat::kYuv422, PixelFormat::kYuv444}) {
    for (const int depth : {8, 10, 16}) {
      for (int more = 0; more < 6; ++more) {
        Compare({pixels, 67 + 9 * more, 9 + more, depth}, {{"motion_add_uv", "true"}});
      }
    }
  }
}

TEST(MotionSimdTest, OptionsGiveTheScoresOfScalarCode) {
  const std::vector<OptionTexts> families = {{},
                                             {{"debug", "true"}},
                                             {{"motion_force_zero", "true"}},
                                             {{"motion_five_frame_window", "true"}},
                                             {{"motion_moving_average", "true"}, {"motion_five_frame_window", "true"}},
                                             {{"motion_add_uv", "true"}, {"motion_fps_weight", "1.7"}},
                                             {{"motion_blend_factor", "0.4"}, {"motion_blend_offset", "3.3"}},
                                             {{"motion_max_val", "11.5"}}};
  for (const FeatureDescription* const metric : {&kMotion, &kMotionV2}) {
    for (const OptionTexts& options : families) {
      for (const int depth : {8, 10, 16}) {
        const VideoFormat format = {PixelFormat::kYuv420, 77, 35, depth};
        const std::vector<Frame> frames = test_run::NoiseFrames(format, 5, 3);
        const auto scores = [&](CpuTarget target) {
          return test_run::RunAll(*test_run::TryMakeFeature(*metric, options, format, target).value(), frames, frames);
        };
        const test_run::Scores expected = scores(CpuTarget::kScalar);
        for (const CpuTarget target : AvailableCpuTargets()) {
          EXPECT_EQ(scores(target).values, expected.values) << CpuTargetName(target) << ", " << depth << " bit";
        }
      }
    }
  }
}

// Sums of bands of rows, cut anywhere, are the sums of their rows.
TEST(MotionSimdTest, Bands) {
  constexpr int kHeight = 13;
  for (const int depth : {8, 10, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 45, kHeight, depth};
    const std::vector<Frame> frames = test_run::NoiseFrames(format, 2, 7);
    const PlaneView previous = frames[0].plane(0);
    const PlaneView current = frames[1].plane(0);
    const i32 stride = static_cast<i32>(current.stride_bytes) / format.bytes_per_sample();
    std::vector<u32> rows(kHeight);
    const MotionRowArgs row_args = {previous.data, current.data, rows.data(), format.width,
                                    kHeight,       stride,       stride,      depth};
    for (int y = 0; y < kHeight; ++y) {
      if (depth == 8) {
        MotionRow<u8, false>(row_args, y);
      } else if (depth < 16) {
        MotionRow<u16, false>(row_args, y);
      } else {
        MotionRow<u16, true>(row_args, y);
      }
    }
    AlignedBuffer lines(MotionSimdSizes(format.width).bytes());
    for (const CpuTarget target : AvailableCpuTargets()) {
      const MotionSimd simd = ChooseMotionSimd(target, depth);
      if (simd == nullptr) continue;
      for (int begin = 0; begin <= kHeight; ++begin) {
        u64 expected = 0;
        for (int end = begin; end <= kHeight; ++end) {
          EXPECT_EQ(simd({previous.data, current.data, stride, stride, format.width, kHeight, depth, begin, end,
                          lines.data()}),
                    expected)
              << CpuTargetName(target) << ", " << depth << " bit, rows " << begin << " to " << end;
          if (end < kHeight) expected += rows[static_cast<std::size_t>(end)];
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
