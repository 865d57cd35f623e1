// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr's vector code gives the sums of its scalar code on every target.
#include "features/float_psnr/float_psnr_simd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "features/float_psnr/float_psnr.h"
#include "features/float_psnr/float_psnr_arithmetic.h"
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
  const auto medium = [&](int p, int x, int y) {
    return gradient(p, x, y) + static_cast<int>(NextRandom(state) % static_cast<unsigned>(40 * unit));
  };
  const auto black = [&](int, int, int) { return 0; };
  const auto white = [&](int, int, int) { return top; };
  const auto columns = [&](int, int x, int) { return x % 2 == 0 ? top : 0; };
  const auto rows = [&](int, int, int y) { return y % 2 == 0 ? 0 : top; };
  std::vector<PicturePair> pairs;
  const auto add = [&](const char* name, const auto& reference, const auto& distorted) {
    pairs.push_back(
        {name, test_run::ListOf(MakeFrame(format, seed + 1, reference), MakeFrame(format, seed + 2, distorted))});
  };
  add("noise", noise, noise);
  // Squares on both sides of 2^24, from which on they are rounded at 16 bit.
  add("medium noise", medium, gradient);
  add("faint noise", faint, gradient);
  add("equal", gradient, gradient);
  add("black and white", black, white);
  add("white and black", white, black);
  add("stripes", columns, rows);
  return pairs;
}

std::vector<Fact> FactsOf(const std::vector<Frame>& frames, CpuTarget target) {
  const std::unique_ptr<Feature> feature = test_run::TryMakeFeature(kFloatPsnr, {}, frames[0].format(), target).value();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &frames[0];
  window.distorted = &frames[1];
  feature->Extract(window, feature->MakeWorkspace().get(), facts);
  return facts;
}

void Compare(const VideoFormat& format) {
  for (const PicturePair& pair : MakePairs(format, static_cast<std::uint64_t>(format.width * 1000 + format.height))) {
    const std::vector<Fact> expected = FactsOf(pair.frames, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      ASSERT_EQ(FactsOf(pair.frames, target), expected)
          << CpuTargetName(target) << ", " << format.width << "x" << format.height << ", " << format.bit_depth
          << " bit, " << pair.name;
    }
  }
}

constexpr int kDepths[] = {8, 9, 10, 12, 13, 15, 16};
TEST(FloatPsnrSimdTest, SmallSizes) {
  for (int width = 1; width <= 75; ++width) {
    for (int i = 0; i < 7; ++i) {
      Compare({PixelFormat::kYuv400, width, 1 + (width * 29 + i * 5) % 7, kDepths[i]});
    }
  }
}

TEST(FloatPsnrSimdTest, WidthsAroundRegisters) {
  int i = 0;
  for (const int base : {128, 256, 320, 420, 576, 1283}) {
    for (const int more : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 67, 68}) {
      for (int k = 0; k < 3; ++k, ++i) Compare({PixelFormat::kYuv400, base + more, 1 + i % 3, kDepths[i % 7]});
    }
  }
}

// Several blocks of sums a row: 2048 columns with four lanes, 8192 with sixteen.
TEST(FloatPsnrSimdTest, LongRows) {
  for (const int width : {2047, 2048, 2049, 4097, 8192, 8193, 8200, 16384, 20011, 32768}) {
    for (const int depth : {8, 12, 16}) Compare({PixelFormat::kYuv400, width, 2, depth});
  }
}

TEST(FloatPsnrSimdTest, OptionsGiveTheScoresOfScalarCode) {
  for (const OptionTexts& options : {OptionTexts{}, OptionTexts{{"uncapped", "true"}}}) {
    for (const int depth : kDepths) {
      const VideoFormat format = {PixelFormat::kYuv420, 77, 35, depth};
      const std::vector<Frame> reference = test_run::NoiseFrames(format, 3, 3);
      const std::vector<Frame> distorted = test_run::NoiseFrames(format, 3, 33);
      const auto scores = [&](CpuTarget target) {
        return test_run::RunAll(*test_run::TryMakeFeature(kFloatPsnr, options, format, target).value(), reference,
                                distorted);
      };
      const test_run::Scores expected = scores(CpuTarget::kScalar);
      for (const CpuTarget target : AvailableCpuTargets()) {
        EXPECT_EQ(scores(target).values, expected.values) << CpuTargetName(target) << ", " << depth << " bit";
      }
    }
  }
}

TEST(FloatPsnrSimdTest, Bands) {
  constexpr int kHeight = 9;
  for (const int depth : {8, 12, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 45, kHeight, depth};
    const std::vector<Frame> frames = test_run::NoiseFrames(format, 2, 7);
    const PlaneView reference = frames[0].plane(0);
    const PlaneView distorted = frames[1].plane(0);
    const i32 stride = static_cast<i32>(reference.stride_bytes) / format.bytes_per_sample();
    std::vector<u64> rows(kHeight);
    const FloatPsnrRowArgs row_args = {reference.data, distorted.data, rows.data(), format.width,
                                       kHeight,        stride,         stride};
    for (int y = 0; y < kHeight; ++y) depth == 8 ? FloatPsnrRow<u8>(row_args, y) : FloatPsnrRow<u16>(row_args, y);
    for (const CpuTarget target : AvailableCpuTargets()) {
      const SquaredErrorSimd simd = ChooseFloatPsnrSimd(target, depth);
      if (simd == nullptr) continue;
      for (int begin = 0; begin <= kHeight; ++begin) {
        u64 expected = 0;
        for (int end = begin; end <= kHeight; ++end) {
          EXPECT_EQ(simd({reference.data, distorted.data, stride, stride, format.width, begin, end}), expected)
              << CpuTargetName(target) << ", " << depth << " bit, rows " << begin << " to " << end;
          if (end < kHeight) expected += rows[static_cast<std::size_t>(end)];
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
