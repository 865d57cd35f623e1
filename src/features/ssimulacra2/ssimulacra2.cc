// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 on the host: scale by scale, strip by strip, then the score.
#include "features/ssimulacra2/ssimulacra2.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/aligned_buffer.h"
#include "features/ssimulacra2/ssimulacra2_options.h"
#include "features/ssimulacra2/ssimulacra2_score.h"
#include "features/ssimulacra2/ssimulacra2_simd.h"

namespace lockstep {
namespace {

constexpr int kFactsOfScale = 3 * kSsimulacra2Sums;

/// Shares of red and blue in luma.
struct LumaShares {
  double red;
  double blue;
};
constexpr LumaShares kBt601 = {0.299, 0.114};
constexpr LumaShares kBt709 = {0.2126, 0.0722};
constexpr LumaShares kBt2020 = {0.2627, 0.0593};

/// Pictures of at most this size are taken for standard definition.
constexpr PlaneSize kStandardDefinition = {1279, 576};

/// exact   factors in binary64, rounded once to binary32
Ssimulacra2Colour MakeColour(const LumaShares& shares, bool is_full_range, int bit_depth) {
  const double unit = static_cast<double>(1 << (bit_depth - 8));
  const double top = static_cast<double>((1 << bit_depth) - 1);
  const double luma_step = is_full_range ? 1.0 / top : 1.0 / (219.0 * unit);
  const double chroma_step = (is_full_range ? 1.0 / top : 1.0 / (224.0 * unit)) / 8.0;
  const double green = 1.0 - shares.red - shares.blue;
  const double red_span = 2.0 * (1.0 - shares.red);
  const double blue_span = 2.0 * (1.0 - shares.blue);
  return {static_cast<float>(luma_step), static_cast<float>(red_span * chroma_step),
          static_cast<float>(blue_span * shares.blue / green * chroma_step),
          static_cast<float>(red_span * shares.red / green * chroma_step), static_cast<float>(blue_span * chroma_step)};
}

class Ssimulacra2LineBuffers final : public Workspace {
 public:
  float* lines() { return buffer_.as<float>(); }

 private:
  AlignedBuffer buffer_{kSsimulacra2LineBytes};
};

/// Light of the scales after the first, and the sums of the strips of one scale.
class Ssimulacra2Workspace final : public Workspace {
 public:
  explicit Ssimulacra2Workspace(const Ssimulacra2Scales& scales) {
    std::size_t floats = 0;
    for (i32 s = 1; s < scales.count; ++s) {
      const PlaneSize size = scales.sizes[s];
      Ssimulacra2Light6& light = lights_[static_cast<std::size_t>(s)];
      light.pitch = (size.width + 15) / 16 * 16 + kSsimulacra2RowEnd;
      light.plane_size = light.pitch * size.height;
      offsets_[static_cast<std::size_t>(s)] = floats;
      floats += static_cast<std::size_t>(6 * light.plane_size);
    }
    buffer_.Resize(floats * sizeof(float));
    for (i32 s = 1; s < scales.count; ++s) {
      const auto i = static_cast<std::size_t>(s);
      lights_[i].data = buffer_.as<float>() + offsets_[i];
    }
    strips.resize(static_cast<std::size_t>((scales.sizes[0].width + kSsimulacra2Strip - 1) / kSsimulacra2Strip));
  }

  /// Without data for the first scale and after the last one.
  [[nodiscard]] Ssimulacra2Light6 light(i32 scale) const {
    return scale < kSsimulacra2Scales ? lights_[static_cast<std::size_t>(scale)] : Ssimulacra2Light6();
  }

  std::vector<Ssimulacra2StripSums> strips;
  Ssimulacra2LineBuffers own_lines;

 private:
  AlignedBuffer buffer_;
  std::array<Ssimulacra2Light6, kSsimulacra2Scales> lights_{};
  std::array<std::size_t, kSsimulacra2Scales> offsets_{};
};

class Ssimulacra2Feature final : public Feature {
 public:
  Ssimulacra2Feature(const VideoFormat& format, const Ssimulacra2Colour& colour, bool is_full_range,
                     const Ssimulacra2Transfer& transfer, CpuTarget target)
      : format_(format),
        scales_(MakeSsimulacra2Scales({format.width, format.height})),
        colour_(colour),
        transfer_(transfer),
        black_(is_full_range ? 0 : 16 << (format.bit_depth - 8)),
        functions_(ChooseSsimulacra2Simd(target, format.bit_depth)) {
    if (functions_.first_scale == nullptr) functions_ = ScalarSsimulacra2(format.bit_depth);
  }

  bool needs_chroma() const override { return format_.plane_count() > 1; }
  int fact_count() const override { return scales_.count * kFactsOfScale; }
  std::vector<FeatureColumn> columns() const override { return {{"ssimulacra2"}}; }

  std::unique_ptr<Workspace> MakeWorkspace() const override { return std::make_unique<Ssimulacra2Workspace>(scales_); }
  std::unique_ptr<Workspace> MakeLineBuffers() const override { return std::make_unique<Ssimulacra2LineBuffers>(); }

  void Extract(const FrameWindow& window, Workspace* workspace, std::span<Fact> facts) const override {
    auto& scratch = static_cast<Ssimulacra2Workspace&>(*workspace);
    for (i32 scale = 0; scale < scales_.count; ++scale) {
      const PlaneSize size = scales_.sizes[scale];
      Ssimulacra2StripArgs args;
      args.pictures = {PictureOf(*window.reference), PictureOf(*window.distorted)};
      args.colour = colour_;
      args.transfer = transfer_;
      args.light = scratch.light(scale);
      args.next = scratch.light(scale + 1);
      args.width = size.width;
      args.height = size.height;
      const Ssimulacra2StripFunction sum = scale == 0 ? functions_.first_scale : functions_.other_scale;
      const int strips = (size.width + kSsimulacra2Strip - 1) / kSsimulacra2Strip;
      const int bands = window.BandCount(strips, 1);
      window.RunBands(bands, &scratch.own_lines, [&](int band, Workspace* lines) {
        const RowBand cut = CutBand(strips, 1, bands, band);
        Ssimulacra2StripArgs own = args;
        own.lines = static_cast<Ssimulacra2LineBuffers&>(*lines).lines();
        for (int strip = cut.begin; strip < cut.end; ++strip) {
          own.left = strip * kSsimulacra2Strip;
          sum(own, scratch.strips[static_cast<std::size_t>(strip)]);
        }
      });
      AddStrips(std::span(scratch.strips).first(static_cast<std::size_t>(strips)),
                facts.subspan(static_cast<std::size_t>(scale * kFactsOfScale), kFactsOfScale));
    }
  }

  void Finish(const FactTable& facts, ScoreSink& sink) const override {
    std::vector<double> sums(static_cast<std::size_t>(fact_count()));
    for (std::int64_t frame = facts.first(); frame < facts.end(); ++frame) {
      if (!facts.Has(frame)) continue;
      const std::span<const Fact> row = facts.Row(frame);
      std::transform(row.begin(), row.end(), sums.begin(), DoubleOf);
      sink.Put(0, frame, Ssimulacra2Score(scales_, sums));
    }
  }

 private:
  Ssimulacra2Picture PictureOf(const Frame& frame) const {
    Ssimulacra2Picture picture;
    for (int p = 0; p < format_.plane_count(); ++p) {
      const PlaneView view = frame.plane(p);
      picture.planes[static_cast<std::size_t>(p)] = view.data;
      picture.strides[static_cast<std::size_t>(p)] = view.stride_bytes / format_.bytes_per_sample();
    }
    if (format_.plane_count() > 1) {
      const PlaneSize chroma = format_.plane_size(1);
      picture.chroma_width = chroma.width;
      picture.chroma_height = chroma.height;
    }
    picture.halves_width = format_.halves_width();
    picture.halves_height = format_.halves_height();
    picture.black = black_;
    picture.neutral = 128 << (format_.bit_depth - 8);
    return picture;
  }

  /// Chains over the strips from left to right.
  static void AddStrips(std::span<const Ssimulacra2StripSums> strips, std::span<Fact> facts) {
    for (std::size_t plane = 0; plane < 3; ++plane) {
      for (std::size_t i = 0; i < kSsimulacra2Sums; ++i) {
        double sum = 0.0;
        for (const Ssimulacra2StripSums& strip : strips) sum += strip[plane][i];
        facts[plane * kSsimulacra2Sums + i] = FactOf(sum);
      }
    }
  }

  VideoFormat format_;
  Ssimulacra2Scales scales_;
  Ssimulacra2Colour colour_;
  Ssimulacra2Transfer transfer_;
  i32 black_;
  Ssimulacra2Functions functions_;
};

constexpr std::array<const char*, 1> kProvided = {"ssimulacra2"};

Result<std::unique_ptr<Feature>> MakeSsimulacra2(const OptionValues& options, const VideoFormat& format,
                                                 CpuTarget target) {
  const std::string& matrix = options.GetString("matrix");
  const bool is_standard_definition =
      format.width <= kStandardDefinition.width && format.height <= kStandardDefinition.height;
  LumaShares shares = is_standard_definition ? kBt601 : kBt709;
  if (matrix == "bt601") {
    shares = kBt601;
  } else if (matrix == "bt709") {
    shares = kBt709;
  } else if (matrix == "bt2020") {
    shares = kBt2020;
  }
  const bool is_full_range = options.GetString("range") == "full";
  const Ssimulacra2Transfer& transfer = options.GetString("transfer") == "bt709" ? kSsimulacra2Bt709 : kSsimulacra2Srgb;
  return std::unique_ptr<Feature>(std::make_unique<Ssimulacra2Feature>(
      format, MakeColour(shares, is_full_range, format.bit_depth), is_full_range, transfer, target));
}

}  // namespace

constinit const FeatureDescription kSsimulacra2 = {
    "ssimulacra2",
    "structural similarity, ringing and blur in a perceptual colour space",
    kSsimulacra2Options,
    kProvided,
    {8, 8},
    MakeSsimulacra2,
};

}  // namespace lockstep
