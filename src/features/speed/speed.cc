// SPDX-License-Identifier: BSD-2-Clause-Patent
// speed_chroma and speed_temporal: which planes are compared, and the scores of a sequence.
#include "features/speed/speed.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "features/speed/speed_device.h"
#include "features/speed/speed_options.h"
#include "features/speed/speed_pair.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 3> kChromaScores = {"Speed_chroma_feature_speed_chroma_u_score",
                                                      "Speed_chroma_feature_speed_chroma_v_score",
                                                      "Speed_chroma_feature_speed_chroma_uv_score"};
constexpr std::array<const char*, 1> kTemporalScores = {"Speed_temporal_feature_speed_temporal_score"};

// What the bits of SpeedPairScore::bits() stand for, one pair of planes after the other.
constexpr std::array<const char*, 4> kChromaPictures = {"the reference's Cb", "the distorted picture's Cb",
                                                        "the reference's Cr", "the distorted picture's Cr"};
constexpr std::array<const char*, 2> kTemporalPictures = {"the reference's change", "the distorted picture's change"};

/// One warning for frames that follow each other and have the same singular matrices.
class SingularFrames {
 public:
  SingularFrames(std::span<const char* const> pictures, ScoreSink& sink) : pictures_(pictures), sink_(sink) {}

  void Add(std::int64_t frame, Fact bits) {
    if (bits != bits_) {
      End();
      first_ = frame;
      bits_ = bits;
    }
    last_ = frame;
  }
  void End() const {
    if (bits_ == 0) return;
    std::string which;
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      if ((bits_ >> i & 1) != 0) which += fmt::format("{}{}", which.empty() ? "" : ", ", pictures_[i]);
    }
    const std::string frames = last_ == first_ ? "" : fmt::format(" in frames {} to {}", first_, last_);
    sink_.Warn(first_, fmt::format("singular covariances{}: {}", frames, which));
  }

 private:
  std::span<const char* const> pictures_;
  ScoreSink& sink_;
  Fact bits_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

class SpeedChromaFeature final : public Feature {
 public:
  SpeedChromaFeature(const OptionValues& options, const VideoFormat& format, SpeedPlanes planes)
      : format_(format), planes_(std::move(planes)), maximum_(options.GetDouble("speed_max_val")) {}

  bool needs_chroma() const override { return true; }
  int fact_count() const override { return 3; }

  std::vector<FeatureColumn> columns() const override {
    std::vector<FeatureColumn> columns;
    for (const char* name : kChromaScores) columns.push_back({name});
    return columns;
  }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return planes_.MakeWorkspace(); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    Fact singular = 0;
    for (int p = 1; p <= 2; ++p) {
      const SpeedSource reference = {window.reference->plane(p), nullptr, format_.bit_depth};
      const SpeedSource distorted = {window.distorted->plane(p), nullptr, format_.bit_depth};
      const SpeedPairScore pair = planes_.Score(reference, distorted, workspace);
      facts[static_cast<std::size_t>(p - 1)] = FactOf(static_cast<double>(pair.score));
      singular |= Fact{pair.bits()} << (2 * (p - 1));
    }
    facts[2] = singular;
  }

  std::unique_ptr<DeviceProgram> MakeDeviceProgram(const DeviceTraits& traits) const override {
    return MakeSpeedChromaDeviceProgram(format_, planes_, traits);
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    SingularFrames singular(kChromaPictures, sink);
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      const std::span<const Fact> row = facts.Row(frame);
      const auto u = static_cast<float>(DoubleOf(row[0]));
      const auto v = static_cast<float>(DoubleOf(row[1]));
      const bool u_failed = (row[2] & 3) != 0;
      const bool v_failed = (row[2] & 12) != 0;
      float uv = (u + v) / 2.0f;
      if (u_failed && !v_failed) uv = v;
      if (v_failed && !u_failed) uv = u;
      sink.Put(0, frame, Clip(u));
      sink.Put(1, frame, Clip(v));
      sink.Put(2, frame, Clip(uv));
      singular.Add(frame, row[2]);
    }
    singular.End();
  }

 private:
  /// What is not a number becomes the maximum, as in libvmaf.
  double Clip(float score) const {
    const auto value = static_cast<double>(score);
    return value < maximum_ ? value : maximum_;
  }

  VideoFormat format_;
  SpeedPlanes planes_;
  double maximum_;
};

class SpeedTemporalFeature final : public Feature {
 public:
  SpeedTemporalFeature(const OptionValues& options, const VideoFormat& format, SpeedPlanes planes)
      : format_(format), planes_(std::move(planes)), from_reference_(options.GetBool("speed_use_ref_diff")) {}

  TemporalReach reach() const override { return {1, 0, 0}; }
  int fact_count() const override { return 2; }

  std::vector<FeatureColumn> columns() const override { return {{kTemporalScores[0]}}; }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return planes_.MakeWorkspace(); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    SpeedPairScore pair;
    if (window.earlier_reference[1] != nullptr) {
      const PlaneView earlier_reference = window.earlier_reference[1]->plane(0);
      const PlaneView earlier_distorted = window.earlier_distorted[1]->plane(0);
      const Frame& later_distorted = from_reference_ ? *window.reference : *window.distorted;
      const SpeedSource reference = {window.reference->plane(0), &earlier_reference, format_.bit_depth};
      const SpeedSource distorted = {later_distorted.plane(0), &earlier_distorted, format_.bit_depth};
      pair = planes_.Score(reference, distorted, workspace);
    }
    facts[0] = FactOf(static_cast<double>(pair.score));
    facts[1] = pair.bits();
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    SingularFrames singular(kTemporalPictures, sink);
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      sink.Put(0, frame, DoubleOf(facts.Row(frame)[0]));
      singular.Add(frame, facts.Row(frame)[1]);
    }
    singular.End();
  }

 private:
  VideoFormat format_;
  SpeedPlanes planes_;
  bool from_reference_;
};

template <class Metric>
Result<std::unique_ptr<Feature>> Make(const OptionValues& options, const VideoFormat& format,
                                      Result<SpeedPlanes> planes) {
  if (!planes) return std::move(planes).error();
  return std::unique_ptr<Feature>(std::make_unique<Metric>(options, format, *std::move(planes)));
}

}  // namespace

// Sizes depend on the format and on the resize, so that create() checks them.
constinit const FeatureDescription kSpeedChroma = {
    .name = "speed_chroma",
    .summary = "entropic difference of the chroma planes (SpEED)",
    .options = kSpeedChromaOptions,
    .provided = kChromaScores,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      if (format.pixel_format == PixelFormat::kYuv400) {
        return Error{ErrorCode::kUnsupported, "the pictures are 4:0:0 and have no chroma", {}, {}, {}};
      }
      return Make<SpeedChromaFeature>(
          options, format,
          SpeedPlanes::Create(options, format.scored_plane_size(1), "chroma planes", format.bit_depth,
                              options.GetInt("speed_weight_var_mode"), target));
    },
    .on_devices = true,
};

constinit const FeatureDescription kSpeedTemporal = {
    .name = "speed_temporal",
    .summary = "entropic difference of the changes from picture to picture (SpEED)",
    .options = kSpeedTemporalOptions,
    .provided = kTemporalScores,
    .minimum_size = {1, 1},
    .create = [](const OptionValues& options, const VideoFormat& format,
                 CpuTarget target) -> Result<std::unique_ptr<Feature>> {
      return Make<SpeedTemporalFeature>(
          options, format,
          SpeedPlanes::Create(options, {format.width, format.height}, "pictures", format.bit_depth, 0, target));
    },
};

}  // namespace lockstep
