// SPDX-License-Identifier: BSD-2-Clause-Patent
// Noise, stripes and something like a picture, sample by sample.
#include "parity/synthetic_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/split_mix.h"

namespace lockstep {
namespace {

struct ContentName {
  ClipContent content;
  std::string_view name;
};
constexpr std::array<ContentName, 6> kContents = {{{ClipContent::kNoise, "noise"},
                                                   {ClipContent::kStripes, "stripes"},
                                                   {ClipContent::kNatural, "natural"},
                                                   {ClipContent::kIdentical, "identical"},
                                                   {ClipContent::kFlat, "flat"},
                                                   {ClipContent::kBands, "bands"}}};

// A wave of straight slopes from 0 to `high` and back.
int Triangle(int position, int period, int high) {
  const int phase = position % period;
  const int half = period / 2;
  return phase < half ? phase * high / half : (period - phase) * high / (period - half);
}

// What a camera might see at 16 bits: slopes, a moving bright edge, fine texture and noise.
int NaturalSample(int x, int y, int plane, int frame, std::uint64_t random) {
  const int slope = Triangle(x + 3 * y + 7 * frame + 50 * plane, 211, 30000);
  const int texture = Triangle(5 * x + frame, 17, 2000) + Triangle(3 * y + 2 * frame, 13, 3000);
  const int edge = (x + frame * 4) % 97 < 40 ? 16000 : 0;
  return slope + texture + edge + static_cast<int>(random % 1500);
}

// A slow slope at 16 bits, with single samples that stand out.
int BandSample(int x, int y, int frame, std::uint64_t random) {
  return 9000 + Triangle(x + y / 2 + 5 * frame, 1200, 6000) + (random % 61 == 0 ? 300 : 0);
}

void FillPlane(const SyntheticClip& clip, int plane, int frame, bool distorted, MutablePlaneView out) {
  const int maximum = (1 << clip.format.bit_depth) - 1;
  const int shift = 16 - clip.format.bit_depth;
  const bool is_distorted = distorted && clip.content != ClipContent::kIdentical;
  std::uint64_t state = static_cast<std::uint64_t>(frame * 8 + plane * 2 + (is_distorted ? 1 : 0));
  const auto sample = [&](int x, int y) -> int {
    switch (clip.content) {
      case ClipContent::kNoise:
        return static_cast<int>(NextSplitMix(state) >> (64 - clip.format.bit_depth));
      case ClipContent::kStripes:
        return ((is_distorted ? y : x) + frame) % 2 == 0 ? 0 : maximum;
      case ClipContent::kFlat:
        return is_distorted ? maximum : frame % 2 * maximum / 2;
      case ClipContent::kBands:
        if (plane == 0) {
          const int slope = BandSample(x, y, frame, NextSplitMix(state));
          return (is_distorted ? slope & ~255 : slope & ~63) >> shift;  // steps of an 8-bit or of a 10-bit code
        }
        break;
      case ClipContent::kNatural:
      case ClipContent::kIdentical:
        break;
    }
    const int value = NaturalSample(x, y, plane, frame, NextSplitMix(state));
    if (!is_distorted) return value >> shift;
    // The mean of two neighbours in steps of 1/64 of the range: blur and quantisation.
    const int other = NaturalSample(x + 1, y, plane, frame, NextSplitMix(state));
    return ((value + other) / 2 & ~1023) >> shift;
  };
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      if (clip.format.bit_depth == 8) {
        out.row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(sample(x, y));
      } else {
        out.row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(sample(x, y));
      }
    }
  }
}

Frame MakePicture(const SyntheticClip& clip, int frame, bool distorted) {
  Frame picture(clip.format);
  for (int p = 0; p < clip.format.plane_count(); ++p) {
    FillPlane(clip, p, frame, distorted, picture.mutable_plane(p));
  }
  return picture;
}

void CopyPicture(const Frame& from, std::uint64_t seed, Frame& to) {
  to.Reset(from.format());
  for (int p = 0; p < from.format().plane_count(); ++p) {
    const PlaneView source = from.plane(p);
    const MutablePlaneView target = to.mutable_plane(p);
    const std::size_t row =
        static_cast<std::size_t>(source.width) * static_cast<std::size_t>(from.format().bytes_per_sample());
    for (int y = 0; y < source.height; ++y) {
      auto* bytes = target.row<std::uint8_t>(y);
      std::memcpy(bytes, source.row<std::uint8_t>(y), row);
      const auto stride = static_cast<std::size_t>(target.stride_bytes);
      for (std::size_t i = row; i < stride; ++i) bytes[i] = static_cast<std::uint8_t>(NextSplitMix(seed));
    }
  }
}

}  // namespace

std::string SyntheticClip::Name() const {
  std::string_view name;
  for (const ContentName& entry : kContents) {
    if (entry.content == content) name = entry.name;
  }
  return fmt::format("{} {}x{} {} {} bit", name, format.width, format.height, PixelFormatName(format.pixel_format),
                     format.bit_depth);
}

std::vector<SyntheticClip> BuiltInClips(bool all) {
  using enum ClipContent;
  using enum PixelFormat;
  if (!all) {
    return {
        {{kYuv420, 3, 3, 8}, kNoise},         {{kYuv444, 16, 16, 10}, kNoise},     {{kYuv420, 17, 17, 8}, kStripes},
        {{kYuv444, 19, 23, 10}, kNoise},      {{kYuv422, 31, 9, 8}, kNoise},       {{kYuv420, 33, 33, 16}, kNoise},
        {{kYuv422, 64, 64, 12}, kStripes},    {{kYuv420, 66, 120, 10}, kNatural},  {{kYuv422, 131, 75, 8}, kNatural},
        {{kYuv444, 161, 91, 12}, kNoise},     {{kYuv400, 257, 145, 16}, kNoise},   {{kYuv420, 322, 182, 8}, kFlat},
        {{kYuv420, 320, 180, 8}, kIdentical}, {{kYuv420, 576, 324, 8}, kNatural},  {{kYuv420, 580, 326, 10}, kNatural},
        {{kYuv420, 393, 221, 8}, kBands},     {{kYuv444, 962, 542, 10}, kBands, 2}};
  }
  constexpr std::array<PlaneSize, 16> kSizes = {{{3, 3},
                                                 {4, 5},
                                                 {16, 16},
                                                 {17, 17},
                                                 {19, 23},
                                                 {31, 9},
                                                 {33, 33},
                                                 {64, 64},
                                                 {66, 120},
                                                 {161, 91},
                                                 {257, 145},
                                                 {420, 110},
                                                 {576, 324},
                                                 {854, 480},
                                                 {960, 540},
                                                 {1283, 723}}};
  constexpr std::array<PixelFormat, 4> kFormats = {kYuv420, kYuv422, kYuv444, kYuv400};
  std::vector<SyntheticClip> clips;
  std::size_t turn = 0;
  for (const PlaneSize& size : kSizes) {
    for (const int depth : {8, 10, 12, 16}) {
      for (const ContentName& content : kContents) {
        clips.push_back({{kFormats[turn++ % kFormats.size()], size.width, size.height, depth}, content.content});
      }
    }
  }
  return clips;
}

SyntheticPictures::SyntheticPictures(const SyntheticClip& clip) : clip_(clip) {
  for (int i = 0; i < clip.frames; ++i) {
    reference_.push_back(MakePicture(clip, i, false));
    distorted_.push_back(MakePicture(clip, i, true));
  }
}

Result<bool> SyntheticSource::Next(FramePair& pair) {
  if (next_ == pictures_.clip().frames) return false;
  pair.reference = frames_.Acquire();
  pair.distorted = frames_.Acquire();
  CopyPicture(pictures_.reference(next_), static_cast<std::uint64_t>(next_), *pair.reference);
  CopyPicture(pictures_.distorted(next_), ~static_cast<std::uint64_t>(next_), *pair.distorted);
  ++next_;
  return true;
}

}  // namespace lockstep
