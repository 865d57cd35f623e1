// SPDX-License-Identifier: BSD-2-Clause-Patent
// Nothing of a picture is trusted before Check() has seen it.
#include "engine/picture_pairs.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "media/picture_conversion.h"

namespace lockstep {
namespace {

constexpr std::size_t kAlignment = AlignedBuffer::kAlignment;

Error Invalid(std::string field, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {}, {}, std::move(field)};
}

Error Cancelled() { return {ErrorCode::kCancelled, "cancelled", {}, {}, {}}; }

std::int64_t RowBytes(const VideoFormat& format, int plane) {
  return std::int64_t{format.plane_size(plane).width} * format.bytes_per_sample();
}

FrameMemory MemoryOf(const Picture& picture) {
  switch (picture.memory) {
    case PictureMemory::kHost:
      return FrameMemory::kHost;
    case PictureMemory::kPinned:
      return FrameMemory::kPinned;
    case PictureMemory::kDevice:
      return FrameMemory::kDevice;
  }
  return FrameMemory::kHost;
}

}  // namespace

Status PicturePairs::CheckFormat(const VideoFormat& format) {
  constexpr int kMaximum = VideoFormat::kMaxDimension;
  constexpr int kLeastDepth = 8;
  constexpr int kLargestDepth = 16;
  for (const int size : {format.width, format.height}) {
    if (size < 1 || size > kMaximum) {
      return Invalid("format",
                     fmt::format("{}x{} is not from 1x1 to {}x{}", format.width, format.height, kMaximum, kMaximum));
    }
  }
  if (format.bit_depth < kLeastDepth || format.bit_depth > kLargestDepth) {
    return Invalid("format", fmt::format("{} is not a bit depth from 8 to 16", format.bit_depth));
  }
  if (PixelFormatName(format.pixel_format).empty()) return Invalid("format", "has an unknown pixel format");
  return {};
}

PicturePairs::PicturePairs(PictureSource& source, const VideoFormat& format, const PictureUse& use)
    : wrapped_([](Frame& frame) { frame = Frame(); }),  // the owner of a picture must not wait for the pool's end
      source_(source),
      format_(format),
      use_(use),
      planes_(format.plane_count()) {}

void PicturePairs::Start(std::int64_t first_pair, std::optional<std::int64_t> end_pair) {
  first_pair_ = first_pair;
  end_pair_ = end_pair;
}

void PicturePairs::Cancel() {
  cancelled_.store(true);
  source_.Cancel();
}

Result<bool> PicturePairs::Next(FramePair& pair) {
  if (cancelled_.load()) return Cancelled();
  while (!ended_) {
    if (end_pair_ && next_pair_ >= *end_pair_) break;
    Picture reference;
    Picture distorted;
    Result<bool> more = source_.Next(reference, distorted);
    if (!more) return more;
    if (cancelled_.load()) return Cancelled();
    if (!*more) break;
    const std::int64_t number = next_pair_++;
    if (number < first_pair_) continue;
    for (const bool is_reference : {true, false}) {
      Result<Pool<Frame>::Ref> frame = Accept(is_reference ? reference : distorted);
      if (!frame) {
        return std::move(frame)
            .error()
            .WithFile(is_reference ? kReferencePictures : kDistortedPictures)
            .WithFrame(number);
      }
      (is_reference ? pair.reference : pair.distorted) = *std::move(frame);
    }
    return true;
  }
  ended_ = true;
  return false;
}

Status PicturePairs::Check(const Picture& picture) const {
  if (picture.memory == PictureMemory::kDevice && !use_.reads_device_memory) {
    return Invalid("memory",
                   "is of a device; this run reads host memory too: use cuda or hip with one device, and metrics with "
                   "kernels there");
  }
  if (picture.native_stream != 0 && picture.memory != PictureMemory::kDevice) {
    return Invalid("stream", "is given for a picture on the host; wait for the picture and give none");
  }
  for (int p = 0; p < planes_; ++p) {
    const PicturePlane& plane = picture.planes[static_cast<std::size_t>(p)];
    const std::string field = fmt::format("plane {}", p);
    if (plane.data == nullptr) {
      return Invalid(field, p == 0 ? "is a null pointer" : "is a null pointer, but a metric of this run needs chroma");
    }
    const std::int64_t row_bytes = RowBytes(format_, p);
    if (plane.pitch_bytes < row_bytes) {
      return Invalid(field,
                     fmt::format("has rows {} bytes apart, which are {} bytes long", plane.pitch_bytes, row_bytes));
    }
    const auto sample_bytes = static_cast<std::size_t>(format_.bytes_per_sample());
    if (reinterpret_cast<std::uintptr_t>(plane.data) % sample_bytes != 0 ||
        static_cast<std::size_t>(plane.pitch_bytes) % sample_bytes != 0) {
      return Invalid(field, "has 16-bit samples at odd addresses");
    }
  }
  return {};
}

// Vector loads reach up to 64 bytes beyond a row.
bool PicturePairs::IsReadableInPlace(const Picture& picture) const {
  if (!use_.reads_on_host) return true;
  if (!picture.has_readable_padding) return false;
  for (int p = 0; p < planes_; ++p) {
    const PicturePlane& plane = picture.planes[static_cast<std::size_t>(p)];
    const auto pitch = static_cast<std::size_t>(plane.pitch_bytes);
    if (reinterpret_cast<std::uintptr_t>(plane.data) % kAlignment != 0 || pitch % kAlignment != 0) return false;
    if (pitch < static_cast<std::size_t>(RowBytes(format_, p)) + kAlignment) return false;
  }
  return true;
}

Result<Pool<Frame>::Ref> PicturePairs::Accept(Picture& picture) const {
  if (Status status = Check(picture); !status) return std::move(status).error();
  std::array<PlaneView, 3> views{};
  for (int p = 0; p < planes_; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const PlaneSize size = format_.plane_size(p);
    views[i] = {static_cast<const std::byte*>(picture.planes[i].data), picture.planes[i].pitch_bytes, size.width,
                size.height};
  }
  Pool<Frame>::Ref frame;
  if (IsReadableInPlace(picture)) {
    frame = wrapped_.Acquire();
    *frame = Frame::Wrap(format_, views, MemoryOf(picture), std::move(picture.owner), picture.native_stream);
  } else {
    frame = copies_.Acquire();
    frame->Reset(format_);
    for (int p = 0; p < planes_; ++p) {
      const PlaneView& from = views[static_cast<std::size_t>(p)];
      const MutablePlaneView to = frame->mutable_plane(p);
      const auto row_bytes = static_cast<std::size_t>(RowBytes(format_, p));
      for (int y = 0; y < from.height; ++y) std::memcpy(to.row<std::byte>(y), from.row<std::byte>(y), row_bytes);
    }
    picture.owner.reset();
  }
  if (use_.reads_on_host) {
    if (Status status = CheckSamples(*frame); !status) return std::move(status).error();
  }
  return frame;
}

Status PicturePairs::CheckSamples(const Frame& frame) const {
  for (int p = 0; p < planes_; ++p) {
    if (const auto bad = FindSampleOutOfRange(frame.plane(p), format_.bit_depth)) {
      return SampleRangeError({p, bad->x, bad->y, bad->value}, format_.bit_depth);
    }
  }
  return {};
}

ReportInput PicturePairs::Describe(const char* name) const {
  ReportInput input;
  input.path = name;
  input.container = "memory";
  input.format = format_;
  input.frame_rate = source_.frame_rate();
  input.frames = std::max<std::int64_t>(next_pair_ - first_pair_, 0);
  return input;
}

}  // namespace lockstep
