// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests of metrics' vector code: pictures and sizes at its edges, and every target compared with the scalar
// code.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/frame.h"
#include "base/kernel_prelude.h"
#include "features/feature.h"
#include "features/test_run.h"
#include "lanes/cpu_target.h"

namespace lockstep::test_targets {

/// Frames: reference and distorted picture, or the previous and the current one where a metric has no distorted
/// picture.
struct PicturePair {
  std::string name;
  std::vector<Frame> frames;
};

inline std::uint64_t SeedOf(const VideoFormat& format) {
  return static_cast<std::uint64_t>(format.width * 1000 + format.height);
}

/// Collects pairs, and has the contents that more than one metric wants, as `sample(plane, x, y)` of MakeFrame().
/// Contents refer to this object and share its random numbers, so each pair depends on those before it.
class PicturePairs {
 public:
  PicturePairs(const VideoFormat& format, std::uint64_t seed) : format_(format), seed_(seed), state_(seed) {}
  PicturePairs(const PicturePairs&) = delete;
  PicturePairs& operator=(const PicturePairs&) = delete;

  /// The largest sample.
  [[nodiscard]] int top() const { return (1 << format_.bit_depth) - 1; }
  /// One step of 8-bit samples.
  [[nodiscard]] int unit() const { return 1 << (format_.bit_depth - 8); }
  /// 0 … values - 1.
  int Random(int values) { return static_cast<int>(NextRandom() % static_cast<unsigned>(values)); }

  auto Noise() {
    return [this](int, int, int) { return static_cast<int>(NextRandom() >> (64 - format_.bit_depth)); };
  }
  auto Extremes() {
    return [this](int, int, int) { return Random(2) == 0 ? 0 : top(); };
  }
  auto Flat(int value) const {
    return [value](int, int, int) { return value; };
  }
  auto Columns() const {
    return [this](int, int x, int) { return x % 2 == 0 ? top() : 0; };
  }
  auto Rows() const {
    return [this](int, int, int y) { return y % 2 == 0 ? 0 : top(); };
  }
  auto Blocks(int width, int height) const {
    return [=, this](int, int x, int y) { return (x / width + y / height) % 2 == 0 ? top() : 0; };
  }
  auto Gradient() const {
    return [this](int, int x, int y) { return unit() * (40 + (x * 5 + y * 3) % 97); };
  }
  /// `content` with noise of so many 8-bit steps on top.
  template <class Content>
  auto Noisy(int steps, const Content& content) {
    return [=, this](int p, int x, int y) { return content(p, x, y) + Random(steps * unit()); };
  }
  /// The gradient with steps between squares, and faint noise.
  auto Natural() {
    return Noisy(
        4, [this](int, int x, int y) { return unit() * (40 + (x * 5 + y * 3) % 97 + ((x / 16 + y / 16) % 2) * 70); });
  }
  template <class Content>
  auto Inverse(const Content& content) const {
    return [=, this](int p, int x, int y) { return top() - content(p, x, y); };
  }
  template <class Content>
  auto ThreeQuarters(const Content& content) const {
    return [=](int p, int x, int y) { return content(p, x, y) * 3 / 4; };
  }

  template <class First, class Second>
  void Add(const std::string& name, const First& first, const Second& second) {
    // Whatever is beside the rows differs between the pictures.
    Frame first_frame = test_run::MakeFrame(format_, seed_ + 1, first);
    Frame second_frame = test_run::MakeFrame(format_, seed_ + 2, second);
    pairs_.push_back({name, test_run::ListOf(std::move(first_frame), std::move(second_frame))});
  }
  [[nodiscard]] std::vector<PicturePair> Take() { return std::move(pairs_); }

 private:
  std::uint64_t NextRandom() { return test_run::NextRandom(state_); }

  VideoFormat format_;
  std::uint64_t seed_;
  std::uint64_t state_;
  std::vector<PicturePair> pairs_;
};

/// Multiples of most registers' widths and usual sizes of small pictures; tests go some columns beyond each.
inline constexpr int kRegisterBases[] = {128, 256, 320, 420, 576, 1283};

/// For messages: where facts differ.
inline std::string PlaceOf(CpuTarget target, const VideoFormat& format) {
  return std::string(CpuTargetName(target)) + ", " + std::to_string(format.width) + "x" +
         std::to_string(format.height) + ", " + std::to_string(format.bit_depth) + " bit";
}

inline std::vector<Fact> FactsOf(const FeatureDescription& metric, const test_run::OptionTexts& options,
                                 const PicturePair& pair, CpuTarget target) {
  const std::span<const Frame> frames = pair.frames;
  const std::unique_ptr<Feature> feature =
      test_run::TryMakeFeature(metric, options, frames[0].format(), target).value();
  const bool two_sequences = feature->needs_distorted();
  test_run::Pictures pictures(*feature, two_sequences ? frames.first(1) : frames,
                              two_sequences ? frames.last(1) : std::span<const Frame>());
  const std::size_t last = two_sequences ? 0 : 1;
  // The second time meets what the first one left in the buffers.
  pictures.Facts(last);
  return pictures.Facts(last);
}

/// Runs bands last to first on one thread, with line buffers that the band before left dirty.
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

/// Facts of a reference and a distorted picture that are cut into bands.
inline std::vector<Fact> FactsOfBands(const FeatureDescription& metric, const test_run::OptionTexts& options,
                                      const PicturePair& pair, CpuTarget target, int bands) {
  const VideoFormat& format = pair.frames[0].format();
  const std::unique_ptr<Feature> feature = test_run::TryMakeFeature(metric, options, format, target).value();
  const std::unique_ptr<Workspace> workspace = feature->MakeWorkspace();
  std::vector<Fact> facts(static_cast<std::size_t>(feature->fact_count()));
  BandsBackwards runner(bands, feature->MakeLineBuffers());
  FrameWindow window;
  window.reference = &pair.frames[0];
  window.distorted = &pair.frames[1];
  window.band_runner = &runner;
  // The second time meets what the first one left in the buffers.
  feature->Extract(window, workspace.get(), facts);
  feature->Extract(window, workspace.get(), facts);
  return facts;
}

/// Every target has the facts of the scalar code.
inline void ExpectSameFacts(const FeatureDescription& metric, const test_run::OptionTexts& options,
                            std::span<const PicturePair> pairs) {
  for (const PicturePair& pair : pairs) {
    const std::vector<Fact> expected = FactsOf(metric, options, pair, CpuTarget::kScalar);
    for (const CpuTarget target : AvailableCpuTargets()) {
      ASSERT_EQ(FactsOf(metric, options, pair, target), expected)
          << PlaceOf(target, pair.frames[0].format()) << ", " << pair.name;
    }
  }
}

/// Every target has the scores and aggregates of the scalar code over a sequence.
inline void ExpectSameScores(const FeatureDescription& metric, const test_run::OptionTexts& options,
                             std::span<const Frame> reference, std::span<const Frame> distorted) {
  const VideoFormat& format = reference[0].format();
  const auto scores = [&](CpuTarget target) {
    return test_run::RunAll(*test_run::TryMakeFeature(metric, options, format, target).value(), reference, distorted);
  };
  const test_run::Scores expected = scores(CpuTarget::kScalar);
  for (const CpuTarget target : AvailableCpuTargets()) {
    const test_run::Scores actual = scores(target);
    EXPECT_EQ(actual.values, expected.values) << PlaceOf(target, format);
    EXPECT_EQ(actual.aggregates, expected.aggregates) << PlaceOf(target, format);
  }
}

/// Pictures of the metrics that look at one row of samples at a time, in the depths and the given formats by turns:
/// rows shorter than a few registers, …
inline constexpr int kRowDepths[] = {8, 9, 10, 12, 13, 15, 16};

inline std::vector<VideoFormat> ShortRows(std::span<const PixelFormat> pixels) {
  std::vector<VideoFormat> formats;
  for (int width = 1; width <= 75; ++width) {
    for (int i = 0; i < 7; ++i) {
      const auto turn = static_cast<std::size_t>(width + i);
      formats.push_back({pixels[turn % pixels.size()], width, 1 + (width * 29 + i * 5) % 7, kRowDepths[i]});
    }
  }
  return formats;
}

/// … rows that end anywhere in a register, …
inline std::vector<VideoFormat> RowsAroundRegisters(std::span<const PixelFormat> pixels) {
  std::vector<VideoFormat> formats;
  int i = 0;
  for (const int base : kRegisterBases) {
    for (const int more : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 67, 68}) {
      for (int k = 0; k < 3; ++k, ++i) {
        const auto turn = static_cast<std::size_t>(i / 3);
        formats.push_back({pixels[turn % pixels.size()], base + more, 1 + i % 3, kRowDepths[i % 7]});
      }
    }
  }
  return formats;
}

/// … and several blocks of sums a row: 2048 columns with four lanes, 8192 with sixteen.
inline std::vector<VideoFormat> LongRows() {
  std::vector<VideoFormat> formats;
  for (const int width : {2047, 2048, 2049, 4097, 8192, 8193, 8200, 16384, 20011, 32768}) {
    for (const int depth : {8, 12, 16}) formats.push_back({PixelFormat::kYuv400, width, 2, depth});
  }
  return formats;
}

/// `sum(begin, end)` is that of these rows wherever a picture is cut.
template <class Row, class Function>
void ExpectBandSums(const std::vector<Row>& rows, const std::string& place, const Function& sum) {
  const int height = static_cast<int>(rows.size());
  for (int begin = 0; begin <= height; ++begin) {
    u64 expected = 0;
    for (int end = begin; end <= height; ++end) {
      EXPECT_EQ(sum(begin, end), expected) << place << ", rows " << begin << " to " << end;
      if (end < height) expected += rows[static_cast<std::size_t>(end)];
    }
  }
}

/// ExpectBandSums() for the vector code that `choose` gives, with the scalar code's term(reference, distorted).
template <class Choose, class Term>
void ExpectSquaredErrorBands(const Choose& choose, const Term& term) {
  constexpr int kHeight = 9;
  for (const int depth : {8, 12, 16}) {
    const VideoFormat format = {PixelFormat::kYuv400, 45, kHeight, depth};
    const std::vector<Frame> frames = test_run::NoiseFrames(format, 2, 7);
    const PlaneView reference = frames[0].plane(0);
    const PlaneView distorted = frames[1].plane(0);
    const i32 stride = static_cast<i32>(reference.stride_bytes) / format.bytes_per_sample();
    std::vector<u64> rows(kHeight);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < format.width; ++x) {
        rows[static_cast<std::size_t>(y)] +=
            term(test_run::Sample(frames[0], 0, x, y), test_run::Sample(frames[1], 0, x, y));
      }
    }
    for (const CpuTarget target : AvailableCpuTargets()) {
      const auto simd = choose(target, depth);
      if (simd == nullptr) continue;
      ExpectBandSums(rows, PlaceOf(target, format), [&](int begin, int end) {
        return simd({reference.data, distorted.data, stride, stride, format.width, begin, end});
      });
    }
  }
}

}  // namespace lockstep::test_targets
