// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif's vector code gives the integers of its scalar code on every target.
#include "features/vif/vif_simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
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
  const auto extremes = [&](int, int, int) { return NextRandom(state) % 2 == 0 ? 0 : top; };
  const auto gradient = [&](int, int x, int y) { return (x * 3 + y * 5) * unit / 4 % (top + 1); };
  const auto steeper = [&](int p, int x, int y) { return std::min(gradient(p, x, y) * 5 / 4, top); };
  const auto faint = [&](int, int x, int y) { return top / 2 + (x + y) % 2; };
  pairs.push_back({"noise", MakeFrame(format, 1, noise), MakeFrame(format, 2, noise)});
  pairs.push_back({"natural", MakeFrame(format, 3, natural), MakeFrame(format, 4, natural)});
  pairs.push_back({"weaker", MakeFrame(format, 3, natural), MakeFrame(format, 4, weaker)});
  pairs.push_back({"stronger", MakeFrame(format, 3, weaker), MakeFrame(format, 4, natural)});
  pairs.push_back({"identical", MakeFrame(format, 5, blocks), MakeFrame(format, 6, blocks)});
  pairs.push_back({"stripes", MakeFrame(format, 7, columns), MakeFrame(format, 8, rows)});
  pairs.push_back({"flat", MakeFrame(format, 9, flat), MakeFrame(format, 10, faint)});
  pairs.push_back({"enhanced", MakeFrame(format, 11, faint), MakeFrame(format, 12, blocks)});
  pairs.push_back({"extremes", MakeFrame(format, 13, extremes), MakeFrame(format, 14, extremes)});
  pairs.push_back({"gradients", MakeFrame(format, 15, gradient), MakeFrame(format, 16, steeper)});
  return pairs;
}

// Runs bands last to first on one thread, with line buffers that the band before left dirty.
class BandsBackwards final : public BandRunner {
 public:
  BandsBackwards(int bands, std::unique_ptr<Workspace> lines) : bands_(bands), lines_(std::move(lines)) {}
  [[nodiscard]] int band_count() const override { return bands_; }
  void Run(int bands, void (*work)(void* context, int band, Workspace* lines), void* context) override {
    for (int band = bands - 1; band >= 0; --band) work(context, band, lines_.get());
  }

 private:
  int bands_;
  std::unique_ptr<Workspace> lines_;
};

std::vector<Fact> FactsOf(const PicturePair& pair, const VideoFormat& format, const OptionTexts& options,
                          CpuTarget target, int bands = 1) {
  const std::unique_ptr<Feature> feature = test_run::TryMakeFeature(kVif, options, format, target).value();
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  FrameWindow window;
  window.reference = &pair.reference;
  window.distorted = &pair.distorted;
  BandsBackwards runner(bands, feature->MakeLineBuffers());
  if (bands > 1) window.band_runner = &runner;
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
  std::set<int> widths;
  for (const int base : {128, 256, 320, 420, 576, 1283}) {
    for (const int size : {8, 16, 32, 64}) {
      for (int more = 0; more <= 4; ++more) widths.insert(base / size * size + more);
    }
  }
  const int depths[] = {8, 10, 9, 8, 16, 12};
  int i = 0;
  for (const int width : widths) {
    Compare(width, 16 + i % 5, depths[i % 6], {});
    ++i;
  }
}

// Where the mirrored columns begin a chunk of their own.
TEST(VifSimdTest, WidthsAroundChunks) {
  for (int more = -2; more <= 2; ++more) {
    for (const int width : {kVifSimdChunk, 2 * kVifSimdChunk, 3 * kVifSimdChunk}) {
      for (const int mirrored : {0, kVifSimdLead, kVifSimdLead + 9}) {
        Compare(width - mirrored + more, 18 - more, more % 2 == 0 ? 8 : 10, {});
      }
    }
  }
}

TEST(VifSimdTest, Options) {
  const std::vector<OptionTexts> families = {{{"vif_enhn_gain_limit", "1"}},
                                             {{"vif_enhn_gain_limit", "1.2"}},
                                             {{"vif_enhn_gain_limit", "1.0001"}},
                                             {{"vif_enhn_gain_limit", "2.5"}},
                                             {{"vif_enhn_gain_limit", "100"}},
                                             {{"vif_enhn_gain_limit", "99.99"}},
                                             {{"vif_skip_scale0", "true"}},
                                             {{"debug", "true"}},
                                             {{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1"}}};
  for (const OptionTexts& options : families) {
    for (const int depth : {8, 9, 10, 12, 16}) Compare(101, 67, depth, options);
  }
}

TEST(VifSimdTest, BandsAddUpToTheWhole) {
  for (const int depth : {8, 10}) {
    for (const int height : {64, 67, 161, 302}) {
      const VideoFormat format{PixelFormat::kYuv400, 77, height, depth};
      for (const PicturePair& pair : MakePairs(format, static_cast<std::uint64_t>(height))) {
        const std::vector<Fact> expected = FactsOf(pair, format, {}, CpuTarget::kScalar);
        for (const CpuTarget target : AvailableCpuTargets()) {
          for (const int bands : {2, 3, 5}) {
            ASSERT_EQ(FactsOf(pair, format, {}, target, bands), expected)
                << CpuTargetName(target) << ", " << bands << " bands of " << height << " rows, " << pair.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
