// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of every metric have the same bits in every build, on every processor and with every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "features/feature_list.h"
#include "features/test_run.h"

namespace lockstep {
namespace {

using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::OptionTexts;

/// A picture with edges and texture that moves and gets weaker, noise, and its distorted version.
std::vector<Frame> MakeFrames(const VideoFormat& format, int count, bool distorted) {
  std::vector<Frame> frames;
  const int unit = 1 << (format.bit_depth - 8);
  std::uint64_t state = distorted ? 2 : 1;
  for (int n = 0; n < count; ++n) {
    const auto sample = [&](int p, int x, int y) {
      const int moved = x + 3 * n;
      const int texture = (moved * 7 + y * 11 + p * 5) % 61;
      const int edge = (moved / 16 + y / 12) % 2 * 90;
      const int clean = 45 + edge + (distorted ? texture * 2 / 3 : texture);
      return unit * clean + static_cast<int>(NextRandom(state) % static_cast<unsigned>(3 * unit));
    };
    const auto noise = [&](int, int, int) { return NextRandom(state) >> (64 - format.bit_depth); };
    const auto seed = static_cast<std::uint64_t>(n);
    frames.push_back(n == 2 ? MakeFrame(format, seed, noise) : MakeFrame(format, seed, sample));
  }
  return frames;
}

std::uint64_t HashOf(const test_run::Scores& scores) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t value) {
    hash ^= value;
    hash = NextRandom(hash);
  };
  for (const auto& [key, value] : scores.values) {
    add(static_cast<std::uint64_t>(key.first));
    add(static_cast<std::uint64_t>(key.second));
    add(std::bit_cast<std::uint64_t>(value));
  }
  for (const auto& [name, value] : scores.aggregates) add(std::bit_cast<std::uint64_t>(value));
  return hash;
}

struct Case {
  std::string_view metric;
  OptionTexts options;
  std::uint64_t hash;
};

// Made on x86-64 with the scalar code, whose scores tests/golden compares with libvmaf's.
const std::vector<Case> kCases = {
    {"psnr", {{"enable_mse", "true"}, {"enable_apsnr", "true"}}, 0x9cf5a329ff1d1f4cu},
    {"float_psnr", {}, 0xa61ada5a4dfb03a6u},
    {"motion", {{"debug", "true"}}, 0x1ba0739e216765c5u},
    {"motion", {{"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}}, 0x58d6d3a9747683edu},
    {"motion",
     {{"motion_blend_factor", "0.3"}, {"motion_blend_offset", "2"}, {"motion_fps_weight", "1.7"}},
     0xe65a7d3aee0dddc1u},
    {"float_motion", {{"debug", "true"}}, 0x87494c5cba1b1259u},
    {"float_motion", {{"motion_add_scale1", "true"}, {"motion_filter_size", "3"}}, 0x8918e1a086995c85u},
    {"vif", {{"debug", "true"}}, 0x851ce408e49b5cf8u},
    {"vif", {{"vif_enhn_gain_limit", "1"}}, 0x73948f3e8504a92au},
    {"vif", {{"vif_enhn_gain_limit", "1.2"}, {"vif_skip_scale0", "true"}}, 0x6fbe6a9d1c3dc764u},
    {"adm", {{"debug", "true"}}, 0x365766532a7a3c64u},
    {"adm", {{"adm_enhn_gain_limit", "1"}, {"adm_csf_mode", "1"}}, 0xcdabb0f152295e9u},
    {"adm", {{"adm_enhn_gain_limit", "1.2"}, {"adm_csf_mode", "2"}, {"adm_skip_aim", "true"}}, 0xf5682d48c4cc08bau},
    {"adm", {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "5"}, {"adm_skip_scale0", "true"}}, 0x1c7bbddfd583d20du},
};

std::uint64_t HashOfCase(const Case& c, CpuTarget target) {
  constexpr VideoFormat kFormats[] = {{PixelFormat::kYuv420, 75, 43, 8},
                                      {PixelFormat::kYuv444, 97, 64, 10},
                                      {PixelFormat::kYuv422, 160, 51, 12},
                                      {PixelFormat::kYuv420, 66, 90, 16}};
  std::uint64_t hash = 0;
  for (const VideoFormat& format : kFormats) {
    const auto feature = test_run::TryMakeFeature(*FindFeature(c.metric), c.options, format, target).value();
    const std::vector<Frame> reference = MakeFrames(format, 6, false);
    const std::vector<Frame> distorted = MakeFrames(format, 6, true);
    hash = hash * 31 + HashOf(test_run::RunAll(*feature, reference, distorted));
  }
  return hash;
}

TEST(ScoreBitsTest, AreTheSameEverywhere) {
  for (const Case& c : kCases) {
    for (const CpuTarget target : AvailableCpuTargets()) {
      const std::uint64_t hash = HashOfCase(c, target);
      EXPECT_EQ(hash, c.hash) << c.metric << ", " << CpuTargetName(target) << std::hex << ", 0x" << hash << ", options "
                              << testing::PrintToString(c.options);
    }
  }
}

}  // namespace
}  // namespace lockstep
