// SPDX-License-Identifier: BSD-2-Clause-Patent
// Samples are found through FFmpeg's pixel format descriptors, so one loop serves planar, semi-planar (nv12, p010) and
// packed (yuyv422) layouts.
#include "media/ffmpeg/ffmpeg_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

#include "media/picture_conversion.h"

namespace lockstep {
namespace {

constexpr std::array<int, 6> kFfmpegDepths{8, 9, 10, 12, 14, 16};

// The chroma subsampling that Frame can hold; nothing for 4:1:0, 4:1:1, 4:4:0 and anything that is not YUV.
std::optional<PixelFormat> SubsamplingOf(const AVPixFmtDescriptor& descriptor) {
  if (descriptor.nb_components < 3) return PixelFormat::kYuv400;
  if (descriptor.log2_chroma_w == 0 && descriptor.log2_chroma_h == 0) return PixelFormat::kYuv444;
  if (descriptor.log2_chroma_w == 1 && descriptor.log2_chroma_h == 0) return PixelFormat::kYuv422;
  if (descriptor.log2_chroma_w == 1 && descriptor.log2_chroma_h == 1) return PixelFormat::kYuv420;
  return std::nullopt;
}

int ColourComponents(const AVPixFmtDescriptor& descriptor) { return descriptor.nb_components < 3 ? 1 : 3; }

bool IsXyz(AVPixelFormat name) { return name == AV_PIX_FMT_XYZ12LE || name == AV_PIX_FMT_XYZ12BE; }

bool HasAlpha(const AVPixFmtDescriptor& descriptor) { return (descriptor.flags & AV_PIX_FMT_FLAG_ALPHA) != 0; }

// Whether every sample is YUV, an integer of 8 to 16 bits, and lies within one or two bytes where the descriptor says.
// XYZ has no flag of its own, and no descriptor can tell where uyyvyy411 keeps its luma.
bool SamplesAreReadable(AVPixelFormat name, const AVPixFmtDescriptor& descriptor) {
  if (IsXyz(name) || name == AV_PIX_FMT_UYYVYY411) return false;
  constexpr std::uint64_t kOther = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                   AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
  if ((descriptor.flags & kOther) != 0 || descriptor.nb_components == 0) return false;
  for (int c = 0; c < ColourComponents(descriptor); ++c) {
    const AVComponentDescriptor& component = descriptor.comp[c];
    if (component.depth != descriptor.comp[0].depth || component.depth < 8 || component.depth + component.shift > 16)
      return false;
  }
  return true;
}

// Component c of one row, as words or bytes.
template <class Sample>
void CopyRow(const std::uint8_t* row, const AVComponentDescriptor& component, bool big_endian, Sample* out, int width) {
  const std::uint8_t* in = row + component.offset;
  if (component.depth + component.shift <= 8) {
    for (int x = 0; x < width; ++x, in += component.step) out[x] = static_cast<Sample>(*in >> component.shift);
    return;
  }
  const unsigned mask = (1U << component.depth) - 1;
  const int low = big_endian ? 1 : 0;
  for (int x = 0; x < width; ++x, in += component.step) {
    const unsigned word = static_cast<unsigned>(in[low]) | static_cast<unsigned>(in[1 - low]) << 8;
    // Without a shift the bits above the depth belong to the sample: values out of range are the caller's to find.
    out[x] = static_cast<Sample>(component.shift == 0 ? word : word >> component.shift & mask);
  }
}

}  // namespace

void SwsContextDeleter::operator()(SwsContext* context) const { sws_freeContext(context); }

AVPixelFormat FfmpegPixelFormat(const VideoFormat& format) {
  struct Names {
    PixelFormat pixel_format;
    std::array<AVPixelFormat, kFfmpegDepths.size()> by_depth;
  };
  static constexpr std::array<Names, 4> kNames{
      {{PixelFormat::kYuv400,
        {AV_PIX_FMT_GRAY8, AV_PIX_FMT_GRAY9LE, AV_PIX_FMT_GRAY10LE, AV_PIX_FMT_GRAY12LE, AV_PIX_FMT_GRAY14LE,
         AV_PIX_FMT_GRAY16LE}},
       {PixelFormat::kYuv420,
        {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P9LE, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV420P12LE,
         AV_PIX_FMT_YUV420P14LE, AV_PIX_FMT_YUV420P16LE}},
       {PixelFormat::kYuv422,
        {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV422P9LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV422P12LE,
         AV_PIX_FMT_YUV422P14LE, AV_PIX_FMT_YUV422P16LE}},
       {PixelFormat::kYuv444,
        {AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P9LE, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV444P12LE,
         AV_PIX_FMT_YUV444P14LE, AV_PIX_FMT_YUV444P16LE}}}};
  const auto* depth = std::find(kFfmpegDepths.begin(), kFfmpegDepths.end(), format.bit_depth);
  if (depth == kFfmpegDepths.end()) return AV_PIX_FMT_NONE;
  for (const Names& names : kNames) {
    if (names.pixel_format == format.pixel_format)
      return names.by_depth[static_cast<std::size_t>(depth - kFfmpegDepths.begin())];
  }
  return AV_PIX_FMT_NONE;
}

Result<std::unique_ptr<FfmpegPictureConverter>> FfmpegPictureConverter::Create(const AVFrame& first) {
  const auto source = static_cast<AVPixelFormat>(first.format);
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(source);
  if (descriptor == nullptr)
    return Error{ErrorCode::kUnsupported, fmt::format("unknown number {}", first.format), {}, {}, "pixel format"};

  auto converter = std::unique_ptr<FfmpegPictureConverter>(new FfmpegPictureConverter);
  VideoFormat& format = converter->format_;
  format.width = first.width;
  format.height = first.height;
  if (first.width < 1 || first.height < 1 || first.width > VideoFormat::kMaxDimension ||
      first.height > VideoFormat::kMaxDimension) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}x{} is not in 1x1 … {}x{}", first.width, first.height, VideoFormat::kMaxDimension,
                             VideoFormat::kMaxDimension),
                 {},
                 {},
                 "picture size"};
  }
  const std::optional<PixelFormat> subsampling = SubsamplingOf(*descriptor);
  const bool readable = SamplesAreReadable(source, *descriptor);
  const bool is_411 = descriptor->nb_components >= 3 && descriptor->log2_chroma_w == 2 &&
                      descriptor->log2_chroma_h == 0 && descriptor->comp[0].depth == 8;
  if (readable && (subsampling || is_411)) {
    format.pixel_format = subsampling.value_or(PixelFormat::kYuv422);
    format.bit_depth = descriptor->comp[0].depth;
    if (is_411) {
      converter->chroma_is_411_ = true;
      converter->chroma_411_row_.resize(static_cast<std::size_t>((format.width + 3) / 4));
      converter->note_ = "4:1:1 chroma is interpolated to 4:2:2 (filter of libvmaf's y4m reader)";
    } else if (HasAlpha(*descriptor)) {
      converter->note_ = "the alpha plane is ignored";
    }
    return converter;
  }

  // The rest is brought to the nearest format that keeps all of its information but alpha.
  int depth = 8;
  for (int c = 0; c < descriptor->nb_components; ++c) depth = std::max(depth, descriptor->comp[c].depth);
  const auto* wide_enough =
      std::find_if(kFfmpegDepths.begin(), kFfmpegDepths.end(), [depth](int d) { return d >= depth; });
  format.bit_depth = wide_enough != kFfmpegDepths.end() ? *wide_enough : 16;
  const bool is_rgb =
      IsXyz(source) || (descriptor->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)) != 0;
  converter->is_from_rgb_ = is_rgb;
  if (is_rgb) {
    format.pixel_format = PixelFormat::kYuv444;
  } else if (descriptor->nb_components < 3) {
    format.pixel_format = PixelFormat::kYuv400;
  } else {
    format.pixel_format = subsampling.value_or(descriptor->log2_chroma_w == 0   ? PixelFormat::kYuv444
                                               : descriptor->log2_chroma_h == 0 ? PixelFormat::kYuv422
                                                                                : PixelFormat::kYuv420);
  }
  const AVPixelFormat target = FfmpegPixelFormat(format);
  if (sws_isSupportedInput(source) == 0 || (descriptor->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{} is not supported; YUV 4:0:0, 4:2:0, 4:2:2 and 4:4:4 of 8 to 16 bits are", descriptor->name),
        {},
        {},
        "pixel format"};
  }
  converter->scaler_.reset(
      sws_getContext(first.width, first.height, source, first.width, first.height, target,
                     SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP, nullptr,
                     nullptr, nullptr));
  if (!converter->scaler_) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("libswscale cannot convert {} to {}", descriptor->name, av_get_pix_fmt_name(target)),
                 {},
                 {},
                 "pixel format"};
  }
  if (!is_rgb) {
    // Samples keep their range: only the layout changes.
    const int* matrix = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(converter->scaler_.get(), matrix, 0, matrix, 0, 0, 1 << 16, 1 << 16);
  }
  converter->note_ = fmt::format("pictures are converted from {} to {} by libswscale{}", descriptor->name,
                                 av_get_pix_fmt_name(target), is_rgb ? " (BT.601, limited range)" : "");
  return converter;
}

void FfmpegPictureConverter::CopyComponents(const AVFrame& picture, Frame& out) {
  const AVPixFmtDescriptor& descriptor = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
  const bool big_endian = (descriptor.flags & AV_PIX_FMT_FLAG_BE) != 0;
  const int bytes = format_.bytes_per_sample();
  for (int p = 0; p < format_.plane_count(); ++p) {
    const AVComponentDescriptor& component = descriptor.comp[p];
    const MutablePlaneView plane = out.mutable_plane(p);
    const bool same_layout =
        component.step == bytes && component.offset == 0 && component.shift == 0 && (bytes == 1 || !big_endian);
    for (int y = 0; y < plane.height; ++y) {
      const std::uint8_t* row =
          picture.data[component.plane] + static_cast<std::ptrdiff_t>(picture.linesize[component.plane]) * y;
      if (p > 0 && chroma_is_411_) {
        CopyRow(row, component, big_endian, chroma_411_row_.data(), static_cast<int>(chroma_411_row_.size()));
        Convert411RowTo422(chroma_411_row_, {plane.row<std::uint8_t>(y), static_cast<std::size_t>(plane.width)});
      } else if (same_layout) {
        std::memcpy(plane.row<std::byte>(y), row,
                    static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(bytes));
      } else if (bytes == 1) {
        CopyRow(row, component, big_endian, plane.row<std::uint8_t>(y), plane.width);
      } else {
        CopyRow(row, component, big_endian, plane.row<std::uint16_t>(y), plane.width);
      }
    }
  }
}

Status FfmpegPictureConverter::Convert(const AVFrame& picture, Frame& out) {
  out.Reset(format_);
  if (!scaler_) {
    CopyComponents(picture, out);
    return {};
  }
  std::array<std::uint8_t*, 4> planes{};
  std::array<int, 4> strides{};
  for (int p = 0; p < format_.plane_count(); ++p) {
    const MutablePlaneView plane = out.mutable_plane(p);
    planes[static_cast<std::size_t>(p)] = plane.row<std::uint8_t>(0);
    strides[static_cast<std::size_t>(p)] = static_cast<int>(plane.stride_bytes);
  }
  const int rows =
      sws_scale(scaler_.get(), picture.data, picture.linesize, 0, picture.height, planes.data(), strides.data());
  if (rows != format_.height) return Error{ErrorCode::kInternal, "libswscale did not convert the picture", {}, {}, {}};
  return {};
}

}  // namespace lockstep
