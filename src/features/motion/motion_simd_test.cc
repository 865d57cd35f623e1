// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion's vector code gives the sums of its scalar code on every target.
#include "features/motion/motion_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "features/motion/motion.h"
#include "features/motion/motion_arithmetic.h"
#include "features/test_run.h"
#include "features/test_targets.h"

namespace lockstep {
namespace {

using test_run::OptionTexts;
using test_targets::PicturePair;
using test_targets::PicturePairs;

std::vector<PicturePair> MakePairs(const VideoFormat& format) {
  PicturePairs pairs(format, test_targets::SeedOf(format));
  const int top = pairs.top();
  const auto noise = pairs.Noise();
  const auto gradient = pairs.Gradient();
  const auto faint = pairs.Noisy(4, gradient);
  // Differences on both sides of half the range, where the narrow filter ends, in few places of an otherwise calm row.
  const auto specks = [&](int p, int x, int y) {
    const int random = pairs.Random(2 * 97);
    if (random % 97 != 0) return gradient(p, x, y);
    return random % 2 == 0 ? top : 0;
  };
  const auto black = pairs.Flat(0);
  const auto one = pairs.Flat(1);
  const auto white = pairs.Flat(top);
  const auto below_half = [&](int, int x, int y) { return top / 2 + ((x + y) % 7 == 0 ? 0 : -1); };
  const auto half = pairs.Flat((top + 1) / 2);
  const auto columns = pairs.Columns();
  const auto rows = pairs.Rows();
  const auto blocks = pairs.Blocks(5, 3);
  pairs.Add("noise", noise, noise);
  pairs.Add("faint noise", faint, faint);
  pairs.Add("specks", specks, gradient);
  pairs.Add("equal", gradient, gradient);
  // At 16 bit, differences of which only the odd bit is left.
  pairs.Add("one up", one, black);
  pairs.Add("one down", black, one);
  pairs.Add("white to black", white, black);
  pairs.Add("black to white", black, white);
  pairs.Add("half up", black, half);
  pairs.Add("half down", half, black);
  pairs.Add("less than half", black, below_half);
  pairs.Add("less than half, down", below_half, black);
  pairs.Add("columns", columns, pairs.Inverse(columns));
  pairs.Add("rows", rows, pairs.Inverse(rows));
  pairs.Add("blocks", blocks, pairs.Inverse(blocks));
  return pairs.Take();
}

void Compare(const VideoFormat& format, const OptionTexts& options) {
  test_targets::ExpectSameFacts(kMotion, options, MakePairs(format));
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
  for (const int base : test_targets::kRegisterBases) {
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
        test_targets::ExpectSameScores(*metric, options, frames, frames);
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
      test_targets::ExpectBandSums(rows, test_targets::PlaceOf(target, format), [&](int begin, int end) {
        return simd(
            {previous.data, current.data, stride, stride, format.width, kHeight, depth, begin, end, lines.data()});
      });
    }
  }
}

}  // namespace
}  // namespace lockstep
