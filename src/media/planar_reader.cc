// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading of uncompressed planes.
#include "media/planar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>
#include <span>
#include <utility>

#include "media/picture_conversion.h"

namespace lockstep {

namespace {

// Half of a small second-level cache; large against the buffer, so that most bytes are read to where they belong.
constexpr std::size_t kBandBytes = std::size_t{1} << 18;

}  // namespace

static_assert(std::endian::native == std::endian::little, "samples are read without byte swapping");

std::string DescribeFormat(const VideoFormat& format) {
  return fmt::format("{}x{} {} {} bit", format.width, format.height, PixelFormatName(format.pixel_format),
                     format.bit_depth);
}

std::int64_t PlanarReader::payload_bytes() const {
  const auto luma = static_cast<std::int64_t>(info_.format.width) * info_.format.height;
  if (chroma_is_411_) return luma + 2 * static_cast<std::int64_t>(chroma_411_width()) * info_.format.height;
  return static_cast<std::int64_t>(info_.format.frame_bytes()) + (has_alpha_ ? luma : 0);
}

Error PlanarReader::FrameError(ErrorCode code, std::string message) const {
  return Error{code, std::move(message), info_.path, frames_read_, {}};
}

Status PlanarReader::CheckHoldsFrame(std::int64_t marker_bytes) const {
  if (!source_->size()) return {};
  const std::int64_t available = *source_->size() - source_->position();
  if (available >= marker_bytes + payload_bytes()) return {};
  return TailError(available);
}

Error PlanarReader::TailError(std::int64_t left_over) const {
  if (frames_read_ == 0) {
    return Error{ErrorCode::kTruncated,
                 fmt::format("holds no whole frame: {} bytes where one frame of {} takes {}{}", left_over,
                             DescribeFormat(info_.format), payload_bytes(), SizeHint()),
                 info_.path,
                 {},
                 {}};
  }
  return FrameError(
      ErrorCode::kTruncated,
      fmt::format("ends inside the frame: its last {} bytes are not a whole frame, which has {} bytes of samples{}",
                  left_over, payload_bytes(), SizeHint()));
}

Result<bool> PlanarReader::EndOfStream(std::int64_t frame_start) {
  const std::int64_t left_over = source_->position() - frame_start;
  if (frames_read_ == 0) return TailError(left_over);
  ended_ = true;
  if (left_over == 0) return false;
  if (strict_) return TailError(left_over);
  warnings_.push_back(fmt::format("{}: truncated: {} bytes after frame {} are not a whole frame and are ignored{}",
                                  info_.path, left_over, frames_read_ - 1, SizeHint()));
  return false;
}

Result<bool> PlanarReader::Read(Frame& frame) {
  if (failure_) return *failure_;
  if (ended_) return false;
  Result<bool> read = false;
  try {
    read = ReadFrame(frame);
  } catch (const std::bad_alloc&) {
    read = FrameError(ErrorCode::kOutOfMemory, "no memory for a picture of " + DescribeFormat(info_.format));
  }
  if (!read) failure_ = read.error();
  return read;
}

Result<bool> PlanarReader::ReadFrame(Frame& frame) {
  const std::int64_t frame_start = source_->position();
  Result<bool> marker = ReadMarker();
  if (!marker) return marker;
  if (!*marker) return EndOfStream(frame_start);
  frame.Reset(info_.format);
  Result<bool> whole = ReadPlanes(frame);
  if (!whole) return whole;
  if (!*whole) return EndOfStream(frame_start);
  if (frames_read_ == 0) {
    if (Status status = InspectFirst(frame); !status) return std::move(status).error();
  }
  ++frames_read_;
  return true;
}

Result<bool> PlanarReader::ReadPlanes(Frame& frame) {
  const std::int64_t start = source_->position();
  const int planes = leave_out_chroma_ ? 1 : info_.format.plane_count();
  for (int p = 0; p < planes; ++p) {
    const MutablePlaneView plane = frame.mutable_plane(p);
    Result<bool> whole = p > 0 && chroma_is_411_ ? Read411Plane(plane) : ReadPlane(plane, p);
    if (!whole || !*whole) return whole;
  }
  const std::int64_t rest = start + payload_bytes() - source_->position();
  if (rest == 0) return true;
  Result<std::int64_t> skipped = source_->Skip(rest);
  if (!skipped) return std::move(skipped).error();
  return *skipped == rest;
}

Result<bool> PlanarReader::ReadPlane(const MutablePlaneView& plane, int index) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(info_.format.bytes_per_sample());
  // In bands, so that the range check finds the samples in the cache.
  const int band_rows = std::max(static_cast<int>(kBandBytes / row_bytes), 1);
  for (int y = 0; y < plane.height; y += band_rows) {
    MutablePlaneView band = plane;
    band.data += band.stride_bytes * y;
    band.height = std::min(band_rows, plane.height - y);
    Result<std::size_t> count = source_->ReadRows(band, row_bytes);
    if (!count) return std::move(count).error();
    if (*count < row_bytes * static_cast<std::size_t>(band.height)) return false;
    if (const auto bad = FindSampleOutOfRange(PlaneView{band.data, band.stride_bytes, band.width, band.height},
                                              info_.format.bit_depth)) {
      return SampleRangeError({index, bad->x, y + bad->y, bad->value}, info_.format.bit_depth)
          .WithFile(info_.path)
          .WithFrame(frames_read_);
    }
  }
  return true;
}

Result<bool> PlanarReader::Read411Plane(const MutablePlaneView& plane) {
  chroma_411_row_.resize(static_cast<std::size_t>(chroma_411_width()));
  for (int y = 0; y < plane.height; ++y) {
    Result<std::size_t> count = source_->Read(std::as_writable_bytes(std::span(chroma_411_row_)));
    if (!count) return std::move(count).error();
    if (*count < chroma_411_row_.size()) return false;
    Convert411RowTo422(chroma_411_row_, {plane.row<std::uint8_t>(y), static_cast<std::size_t>(plane.width)});
  }
  return true;
}

Result<bool> PlanarReader::SkipFrame() {
  const std::int64_t frame_start = source_->position();
  Result<bool> marker = ReadMarker();
  if (!marker) return marker;
  if (!*marker) return EndOfStream(frame_start);
  Result<std::int64_t> skipped = source_->Skip(payload_bytes());
  if (!skipped) return std::move(skipped).error();
  if (*skipped < payload_bytes()) return EndOfStream(frame_start);
  ++frames_read_;
  return true;
}

Result<std::int64_t> PlanarReader::Skip(std::int64_t count) {
  if (failure_) return *failure_;
  std::int64_t done = 0;
  while (done < count && !ended_) {
    Result<bool> skipped = SkipFrame();
    if (!skipped) {
      failure_ = skipped.error();
      return *failure_;
    }
    if (*skipped) ++done;
  }
  return done;
}

}  // namespace lockstep
