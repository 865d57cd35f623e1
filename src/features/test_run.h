// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the tests and benchmarks of metrics: pictures of noise, and one metric run over pictures in memory on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/frame.h"
#include "base/split_mix.h"
#include "features/feature.h"
#include "features/option_table.h"

namespace lockstep::test_run {

inline std::uint64_t NextRandom(std::uint64_t& state) { return NextSplitMix(state); }

/// Sets every sample of every plane to `sample(plane, x, y)`. Row padding gets noise, which no score may depend on.
template <class Function>
Frame MakeFrame(const VideoFormat& format, std::uint64_t seed, const Function& sample) {
  Frame frame(format);
  std::uint64_t state = seed;
  for (int p = 0; p < format.plane_count(); ++p) {
    const MutablePlaneView plane = frame.mutable_plane(p);
    for (int y = 0; y < plane.height; ++y) {
      auto* bytes = plane.row<std::uint8_t>(y);
      for (std::ptrdiff_t i = 0; i < plane.stride_bytes; ++i) bytes[i] = static_cast<std::uint8_t>(NextRandom(state));
      for (int x = 0; x < plane.width; ++x) {
        const unsigned value = static_cast<unsigned>(sample(p, x, y));
        if (format.bit_depth == 8) {
          plane.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
        } else {
          plane.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(value);
        }
      }
    }
  }
  return frame;
}

/// Independent full-range noise.
inline Frame NoiseFrame(const VideoFormat& format, std::uint64_t seed) {
  std::uint64_t state = seed * 0x2545f4914f6cdd1du + 1;
  return MakeFrame(format, ~seed, [&](int, int, int) { return NextRandom(state) >> (64 - format.bit_depth); });
}

inline std::vector<Frame> NoiseFrames(const VideoFormat& format, int count, std::uint64_t seed) {
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) frames.push_back(NoiseFrame(format, seed + static_cast<std::uint64_t>(i)));
  return frames;
}

/// A frame cannot be copied out of an initializer list.
template <class... Frames>
std::vector<Frame> ListOf(Frames... frames) {
  std::vector<Frame> list;
  (list.push_back(std::move(frames)), ...);
  return list;
}

inline int Sample(const Frame& frame, int plane, int x, int y) {
  const PlaneView view = frame.plane(plane);
  return frame.format().bit_depth == 8 ? view.row<std::uint8_t>(y)[x] : view.row<std::uint16_t>(y)[x];
}

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

inline Result<std::unique_ptr<Feature>> TryMakeFeature(const FeatureDescription& description, const OptionTexts& texts,
                                                       const VideoFormat& format,
                                                       CpuTarget target = CpuTarget::kScalar) {
  OptionDictionary dictionary;
  for (const auto& [key, value] : texts) dictionary.Set(key, value);
  Result<OptionValues> options = OptionValues::Parse(description.name, description.options, dictionary);
  if (!options) return std::move(options).error();
  if (format.width < description.minimum_size.width || format.height < description.minimum_size.height) {
    return Error{ErrorCode::kUnsupported, "below the minimum size", {}, {}, {}};
  }
  return description.create(*options, format, target);
}

/// Throws when the metric refuses.
inline std::unique_ptr<Feature> MakeFeature(const FeatureDescription& description, const OptionTexts& texts,
                                            const VideoFormat& format) {
  return TryMakeFeature(description, texts, format).value();
}

/// Scores by column and frame.
class Scores final : public ScoreSink {
 public:
  Scores(std::int64_t first, std::int64_t end) : first_(first), end_(end) {}
  void Put(int column, std::int64_t frame, double value) override {
    if (frame >= first_ && frame < end_) values[{column, frame}] = value;
  }
  void PutAggregate(std::string_view name, double value) override { aggregates[std::string(name)] = value; }
  void Warn(std::int64_t frame, std::string_view text) override { warnings.emplace_back(frame, text); }

  std::map<std::pair<int, std::int64_t>, double> values;
  std::map<std::string, double> aggregates;
  std::vector<std::pair<std::int64_t, std::string>> warnings;

 private:
  std::int64_t first_;
  std::int64_t end_;
};

/// Scores of frames [first, end) of a sequence, with the facts and pictures that TemporalReach says and no others.
inline Scores RunSegment(const Feature& feature, std::span<const Frame> reference, std::span<const Frame> distorted,
                         std::int64_t first, std::int64_t end) {
  const TemporalReach reach = feature.reach();
  const auto count = static_cast<std::int64_t>(reference.size());
  const std::int64_t fact_first = std::max<std::int64_t>(0, first - reach.fact_lead_in);
  const std::int64_t fact_end = std::min(count, end + reach.fact_lead_out);
  const std::int64_t picture_first = std::max<std::int64_t>(0, fact_first - reach.picture_lead_in);

  const std::unique_ptr<Workspace> workspace = feature.MakeWorkspace();
  std::map<std::int64_t, AlignedBuffer> prepared;
  FactTable table(feature.fact_count(), fact_first);
  table.Extend(fact_end);
  std::vector<Fact> facts(static_cast<std::size_t>(feature.fact_count()));
  for (std::int64_t n = picture_first; n < fact_end; ++n) {
    if (feature.prepared_bytes() != 0) {
      AlignedBuffer& buffer = prepared[n];
      buffer.Resize(feature.prepared_bytes());
      feature.Prepare(reference[static_cast<std::size_t>(n)], workspace.get(), buffer.data());
    }
    if (n < fact_first) continue;
    FrameWindow window;
    window.index = n;
    window.reference = &reference[static_cast<std::size_t>(n)];
    window.distorted = feature.needs_distorted() ? &distorted[static_cast<std::size_t>(n)] : nullptr;
    for (int k = 0; k <= reach.picture_lead_in && n - k >= 0; ++k) {
      window.earlier_reference[static_cast<std::size_t>(k)] = &reference[static_cast<std::size_t>(n - k)];
      if (feature.needs_distorted()) {
        window.earlier_distorted[static_cast<std::size_t>(k)] = &distorted[static_cast<std::size_t>(n - k)];
      }
      const auto found = prepared.find(n - k);
      if (found != prepared.end()) window.prepared[static_cast<std::size_t>(k)] = found->second.data();
    }
    feature.Extract(window, workspace.get(), facts);
    table.Set(n, facts);
  }
  Scores scores(first, end);
  feature.Finish(table, scores);
  return scores;
}

inline Scores RunAll(const Feature& feature, std::span<const Frame> reference, std::span<const Frame> distorted) {
  return RunSegment(feature, reference, distorted, 0, static_cast<std::int64_t>(reference.size()));
}

/// Pictures of a sequence with what the metric prepared of them, ready for its facts to be taken.
class Pictures {
 public:
  Pictures(const Feature& feature, std::span<const Frame> reference, std::span<const Frame> distorted)
      : feature_(feature),
        reference_(reference),
        distorted_(distorted),
        workspace_(feature.MakeWorkspace()),
        prepared_(reference.size()),
        facts_(static_cast<std::size_t>(feature.fact_count())) {
    for (std::size_t n = 0; n < reference.size() && feature.prepared_bytes() != 0; ++n) {
      prepared_[n].Resize(feature.prepared_bytes());
      feature.Prepare(reference[n], workspace_.get(), prepared_[n].data());
    }
  }

  const std::vector<Fact>& Facts(std::size_t frame) {
    FrameWindow window;
    window.index = static_cast<std::int64_t>(frame);
    window.reference = &reference_[frame];
    window.distorted = distorted_.empty() ? nullptr : &distorted_[frame];
    for (std::size_t k = 0; k < 3 && k <= frame; ++k) {
      window.earlier_reference[k] = &reference_[frame - k];
      window.earlier_distorted[k] = distorted_.empty() ? nullptr : &distorted_[frame - k];
      window.prepared[k] = prepared_[frame - k].data();
    }
    feature_.Extract(window, workspace_.get(), facts_);
    return facts_;
  }

 private:
  const Feature& feature_;
  std::span<const Frame> reference_;
  std::span<const Frame> distorted_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<AlignedBuffer> prepared_;
  std::vector<Fact> facts_;
};

/// "" when every segment of the sequence gives the bits of the whole run, else the first one that does not.
inline std::string SegmentThatDiffers(const Feature& feature, std::span<const Frame> reference,
                                      std::span<const Frame> distorted) {
  const auto count = static_cast<std::int64_t>(reference.size());
  const Scores whole = RunAll(feature, reference, distorted);
  for (std::int64_t first = 0; first < count; ++first) {
    for (std::int64_t end = first + 1; end <= count; ++end) {
      std::map<std::pair<int, std::int64_t>, double> expected;
      for (const auto& [key, value] : whole.values) {
        if (key.second >= first && key.second < end) expected[key] = value;
      }
      if (expected.empty() || RunSegment(feature, reference, distorted, first, end).values != expected) {
        return std::to_string(first) + " … " + std::to_string(end - 1);
      }
    }
  }
  return "";
}

/// Sizes at which the documents' parity tests run, odd and tiny ones among them.
inline constexpr PlaneSize kParitySizes[] = {{3, 3},   {4, 5},   {17, 17},   {19, 23},  {31, 9},
                                             {33, 33}, {64, 64}, {257, 145}, {576, 324}};

/// All widths and all heights 3 … 75 in sparse pairs.
inline std::vector<PlaneSize> SparseSizes() {
  std::vector<PlaneSize> sizes;
  for (int i = 0; i < 73; ++i) {
    sizes.push_back({3 + i, 3 + i * 29 % 73});
    sizes.push_back({3 + i * 45 % 73, 3 + i});
  }
  return sizes;
}

}  // namespace lockstep::test_run
