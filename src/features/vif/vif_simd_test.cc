// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's vector code gives the integers of its scalar code on every target.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "features/test_run.h"
#include "features/vif/vif.h"

namespace lockstep {
namespace {

using test_run::MakeFrame;
using test_run::NextRandom;
using test_run::OptionTexts;

struct PicturePair {
  std::string name;
  Frame reference;
  Frame distorted;
};

std::vector<PicturePair> MakePairs(const VideoFormat& format, std::uint64_t seed) {
  std::vector<PicturePair> pairs;
  const int top = (1 << format.bit_depth) - 1;
  const int unit = 1 << (format.bit_depth - 8);
  std::uint64_t state = seed;
  const auto noise = [&](int, int, int) { return NextRandom(state) >> (64 - format.bit_depth); };
  const auto natural = [&](int, int x, int y) {
    const int clean = 40 + (x * 5 + y * 3) % 97 + ((x / 16 + y / 16) % 2) * 70;
    return unit * clean + static_cast<int>(NextRandom(state) % static_cast<unsigned>(4 * unit));
  };
  const auto weaker = [&](int p, int x, int y) { return natural(p, x, y) * 3 / 4; };
  const auto flat = [&](int, int, int) { return top; };
  const auto columns = [&](int, int x, int) { return x % 2 == 0 ? top : 0; };
  const auto rows = [&](int, int, int y) { return y % 2 == 0 ? 0 : top; };
  const auto blocks = [&](int, int x, int y) { return (x / 8 + y / 8) % 2 == 0 ? top : 0; };
  const auto faint = [&](int, int x, int y) { return top / 2 + (x + y) % 2; };
  pairs.push_back({"noise", MakeFrame(format, 1, noise), MakeFrame(format, 2, noise)});
  pairs.push_back({"natural", MakeFrame(format, 3, natural), MakeFrame(format, 4, natural)});
  pairs.push_back({"weaker", MakeFrame(format, 3, natural), MakeFrame(format, 4, weaker)});
  pairs.push_back({"stronger", MakeFrame(format, 3, weaker), MakeFrame(format, 4, natural)});
  pairs.push_back({"identical", MakeFrame(format, 5, blocks), MakeFrame(format, 6, blocks)});
  pairs.push_back({"stripes", MakeFrame(format, 7, columns), MakeFrame(format, 8, rows)});
  pairs.push_back({"flat", MakeFrame(format, 9, flat), MakeFrame(format, 10, faint)});
  pairs.push_back({"enhanced", MakeFrame(format, 11, faint), MakeFrame(format, 12, blocks)});
  return pairs;
}

std::vector<Fact> FactsOf(const PicturePair& pair, const VideoFormat& format, const OptionTexts& options,
                          CpuTarget target) {
  const std::unique_ptr<Feature> feature = test_run::TryMakeFeature(kVif, options, format, target).value();
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &pair.reference;
  window.distorted = &pair.distorted;
  // A second frame meets what the first one left in the buffers.
  feature->Extract(window, workspace.get(), facts);
  feature->Extract(window, workspace.get(), facts);
  return facts;
}

void Compare(int width, int height, int bit_depth, const OptionTexts& options) {
  const VideoFormat format{PixelFormat::kYuv400, width, height, bit_depth};
  for (const PicturePair& pair : MakePairs(format, static_cast<std::uint64_t>(width * 1000 + height))) {
    const std::vector<Fact> expected = FactsOf(pair, format, options, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      ASSERT_EQ(FactsOf(pair, format, options, target), expected)
          << CpuTargetName(target) << ", " << width << "x" << height << ", " << bit_depth << " bit, " << pair.name;
    }
  }
}

TEST(VifSimdTest, SmallSizes) {
  const int depths[] = {8, 10, 9, 16, 12};
  for (int i = 0; i < 60; ++i) Compare(16 + i, 16 + i * 29 % 60, depths[i % 5], {});
  for (int i = 0; i < 60; ++i) Compare(16 + i, 16 + i * 37 % 60, depths[(i + 2) % 5], {});
}

TEST(VifSimdTest, EveryDepth) {
  for (int depth = 8; depth <= 16; ++depth) {
    Compare(93, 50, depth, {});
  }
}

TEST(VifSimdTest, WidthsAroundRegisters) {
  for (const int base : {128, 256, 320, 420, 576, 1283}) {
    for (const int more : {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33}) {
      Compare(base + more, 16 + more % 5, more % 2 == 0 ? 8 : 10, {});
    }
  }
}

TEST(VifSimdTest, Options) {
  const std::vector<OptionTexts> families = {{{"vif_enhn_gain_limit", "1"}},
                                             {{"vif_enhn_gain_limit", "1.2"}},
                                             {{"vif_enhn_gain_limit", "1.0001"}},
                                             {{"vif_enhn_gain_limit", "99.99"}},
                                             {{"vif_skip_scale0", "true"}},
                                             {{"debug", "true"}},
                                             {{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 10, 12, 16}) Compare(101, 67, depth, options);
  }
}

}  // namespace
}  // namespace lockstep
