// SPDX-License-Identifier: BSD-2-Clause-Patent
// libswscale with the flags that make it exact and independent of the processor.
#include "media/ffmpeg/sws_scaler.h"

extern "C" {
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "media/ffmpeg/ffmpeg_picture.h"
#include "media/planar_reader.h"

namespace lockstep {
namespace {

void FillNeutral(const MutablePlaneView& plane, int bit_depth) {
  const int grey = 1 << (bit_depth - 1);
  for (int y = 0; y < plane.height; ++y) {
    if (bit_depth == 8) {
      std::fill_n(plane.row<std::uint8_t>(y), plane.width, static_cast<std::uint8_t>(grey));
    } else {
      std::fill_n(plane.row<std::uint16_t>(y), plane.width, static_cast<std::uint16_t>(grey));
    }
  }
}

class SwsScaler : public FrameScaler {
 public:
  SwsScaler(const VideoFormat& from, const VideoFormat& to, SwsContextPointer context)
      : from_(from), to_(to), context_(std::move(context)) {}

  [[nodiscard]] Status Scale(const Frame& in, Frame& out) override;

 private:
  VideoFormat from_;
  VideoFormat to_;
  SwsContextPointer context_;
};

}  // namespace

Result<std::unique_ptr<FrameScaler>> MakeSwsScaler(const VideoFormat& from, const VideoFormat& to) {
  const auto error = [&from, &to](std::string reason) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("cannot scale {} to {}: {}", DescribeFormat(from), DescribeFormat(to), reason),
                 {},
                 {},
                 {}};
  };
  for (const VideoFormat& format : {from, to}) {
    if (FfmpegPixelFormat(format) == AV_PIX_FMT_NONE)
      return error(fmt::format("libswscale has no pictures of {} bit", format.bit_depth));
  }
  // Pictures without chroma are scaled luma to luma: libswscale takes grey for full range and would stretch it.
  VideoFormat source = from;
  VideoFormat target = to;
  if (from.plane_count() == 1 || to.plane_count() == 1)
    source.pixel_format = target.pixel_format = PixelFormat::kYuv400;
  SwsContextPointer context(sws_alloc_context());
  if (!context) return Error{ErrorCode::kOutOfMemory, "no memory for a scaler", {}, {}, {}};
  const std::array<std::pair<const char*, std::int64_t>, 8> options{
      {{"srcw", from.width},
       {"srch", from.height},
       {"src_format", FfmpegPixelFormat(source)},
       {"dstw", to.width},
       {"dsth", to.height},
       {"dst_format", FfmpegPixelFormat(target)},
       {"sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT},
       // Rounding, not an ordered pattern, where the depth shrinks.
       {"sws_dither", 0}}};
  for (const auto& [name, value] : options) {
    if (av_opt_set_int(context.get(), name, value, 0) < 0) return error(fmt::format("{} refused", name));
  }
  if (sws_init_context(context.get(), nullptr, nullptr) < 0) return error("libswscale refuses");
  // Equal ranges on both sides: samples are not stretched.
  const int* matrix = sws_getCoefficients(SWS_CS_DEFAULT);
  sws_setColorspaceDetails(context.get(), matrix, 0, matrix, 0, 0, 1 << 16, 1 << 16);
  return std::unique_ptr<FrameScaler>(new SwsScaler(from, to, std::move(context)));
}

Status SwsScaler::Scale(const Frame& in, Frame& out) {
  if (in.format() != from_) {
    return Error{ErrorCode::kInternal,
                 fmt::format("scaler for {} was given {}", DescribeFormat(from_), DescribeFormat(in.format())),
                 {},
                 {},
                 {}};
  }
  try {
    out.Reset(to_);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a picture of " + DescribeFormat(to_), {}, {}, {}};
  }
  std::array<const std::uint8_t*, 4> source{};
  std::array<int, 4> source_strides{};
  for (int p = 0; p < from_.plane_count(); ++p) {
    const PlaneView plane = in.plane(p);
    source[static_cast<std::size_t>(p)] = plane.row<std::uint8_t>(0);
    source_strides[static_cast<std::size_t>(p)] = static_cast<int>(plane.stride_bytes);
  }
  std::array<std::uint8_t*, 4> target{};
  std::array<int, 4> target_strides{};
  for (int p = 0; p < to_.plane_count(); ++p) {
    const MutablePlaneView plane = out.mutable_plane(p);
    target[static_cast<std::size_t>(p)] = plane.row<std::uint8_t>(0);
    target_strides[static_cast<std::size_t>(p)] = static_cast<int>(plane.stride_bytes);
  }
  const int rows = sws_scale(context_.get(), source.data(), source_strides.data(), 0, from_.height, target.data(),
                             target_strides.data());
  if (rows != to_.height) return Error{ErrorCode::kInternal, "libswscale did not scale the picture", {}, {}, {}};
  if (from_.plane_count() == 1) {
    for (int p = 1; p < to_.plane_count(); ++p) FillNeutral(out.mutable_plane(p), to_.bit_depth);
  }
  return {};
}

}  // namespace lockstep
