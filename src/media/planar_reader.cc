// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading of uncompressed planes.
#include "media/planar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "base/aligned_buffer.h"
#include "media/picture_conversion.h"
#include "media/streaming_copy.h"

namespace lockstep {

namespace {

// Half of a small second-level cache; large against the buffer, so that most bytes are read to where they belong.
constexpr std::size_t kBandBytes = std::size_t{1} << 18;

// On the way past the caches; small enough to stay in a first or second-level cache all the time.
constexpr std::size_t kStagingBytes = std::size_t{1} << 16;

// Smaller planes are still in the caches when a device fetches them.
constexpr std::size_t kSmallestStreamed = std::size_t{1} << 20;

// Planes are read in bands, so that the range check finds the samples in the cache.
int BandRows(std::size_t row_bytes) { return std::max(static_cast<int>(kBandBytes / row_bytes), 1); }

MutablePlaneView BandOf(MutablePlaneView plane, int first_row, int rows) {
  plane.data += plane.stride_bytes * first_row;
  plane.height = std::min(rows, plane.height - first_row);
  return plane;
}

PlaneView ViewOf(const MutablePlaneView& plane) { return {plane.data, plane.stride_bytes, plane.width, plane.height}; }

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
  for (int p = 0; p < planes_read(); ++p) {
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
  const std::size_t row_bytes = RowBytes(plane);
  const int band_rows = BandRows(row_bytes);
  for (int y = 0; y < plane.height; y += band_rows) {
    const MutablePlaneView band = BandOf(plane, y, band_rows);
    Result<std::size_t> count = source_->ReadRows(band, row_bytes);
    if (!count) return std::move(count).error();
    if (*count < row_bytes * static_cast<std::size_t>(band.height)) return false;
    if (const auto bad = FindSampleOutOfRange(ViewOf(band), info_.format.bit_depth)) {
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

std::int64_t PlanarReader::PlaceOf(std::int64_t number) const {
  const std::int64_t stride = static_cast<std::int64_t>(UsualMarker().size()) + payload_bytes();
  return source_->position() + (number - frames_read_) * stride;
}

PictureRange PlanarReader::PlacedPictures() const {
  const bool converts = chroma_is_411_ && !leave_out_chroma_;
  if (failure_ || ended_ || frames_read_ == 0 || converts || !source_->seekable() || !source_->size()) return {};
  const std::int64_t stride = PlaceOf(frames_read_ + 1) - source_->position();
  const std::int64_t left = std::max<std::int64_t>(*source_->size() - source_->position(), 0);
  return {frames_read_, frames_read_ + left / stride};
}

bool PlanarReader::ReadPlaced(std::int64_t number, Frame& frame) const {
  std::int64_t position = PlaceOf(number);
  const std::string_view marker = UsualMarker();
  if (!marker.empty()) {
    std::array<char, kLongestMarker> found{};
    const auto bytes = static_cast<int>(marker.size());
    const MutablePlaneView row{reinterpret_cast<std::byte*>(found.data()), bytes, bytes, 1};
    if (!source_->ReadRowsAt(position, row, marker.size())) return false;
    if (std::string_view(found.data(), marker.size()) != marker) return false;
    position += bytes;
  }
  try {
    frame.Reset(info_.format);
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (int p = 0; p < planes_read(); ++p) {
    const MutablePlaneView plane = frame.mutable_plane(p);
    const std::size_t bytes = RowBytes(plane) * static_cast<std::size_t>(plane.height);
    // What the host will not look at again need not go through its caches.
    const bool streams = frame.memory() == FrameMemory::kPinned && bytes >= kSmallestStreamed;
    if (!(streams ? StreamPlacedPlane(position, plane) : ReadPlacedPlane(position, plane))) return false;
    position += static_cast<std::int64_t>(bytes);
  }
  return true;
}

bool PlanarReader::ReadPlacedPlane(std::int64_t position, const MutablePlaneView& plane) const {
  const std::size_t row_bytes = RowBytes(plane);
  const int depth = info_.format.bit_depth;
  const int band_rows = depth == 8 || depth == 16 ? plane.height : BandRows(row_bytes);
  for (int y = 0; y < plane.height; y += band_rows) {
    const MutablePlaneView band = BandOf(plane, y, band_rows);
    if (!source_->ReadRowsAt(position, band, row_bytes)) return false;
    if (FindSampleOutOfRange(ViewOf(band), depth)) return false;
    position += static_cast<std::int64_t>(row_bytes) * band.height;
  }
  return true;
}

bool PlanarReader::StreamPlacedPlane(std::int64_t position, const MutablePlaneView& plane) const {
  static_assert(kStagingBytes >= 2 * std::size_t{VideoFormat::kMaxDimension}, "a row fits");
  alignas(AlignedBuffer::kAlignment) std::array<std::byte, kStagingBytes> staging;
  const std::size_t row_bytes = RowBytes(plane);
  const auto band_rows = static_cast<int>(kStagingBytes / row_bytes);
  for (int y = 0; y < plane.height; y += band_rows) {
    const MutablePlaneView band = BandOf(plane, y, band_rows);
    const MutablePlaneView staged{staging.data(), static_cast<std::ptrdiff_t>(row_bytes), band.width, band.height};
    if (!source_->ReadRowsAt(position, staged, row_bytes)) return false;
    if (FindSampleOutOfRange(ViewOf(staged), info_.format.bit_depth)) return false;
    const std::size_t band_bytes = row_bytes * static_cast<std::size_t>(band.height);
    if (band.stride_bytes == staged.stride_bytes) {
      CopyStreaming(band.data, staged.data, band_bytes);
    } else {
      for (int i = 0; i < band.height; ++i) CopyStreaming(band.row<std::byte>(i), staged.row<std::byte>(i), row_bytes);
    }
    position += static_cast<std::int64_t>(band_bytes);
  }
  FinishStreamingCopies();
  return true;
}

void PlanarReader::ContinueWith(std::int64_t number) {
  if (Status status = source_->Seek(PlaceOf(number)); !status) {
    failure_ = std::move(status).error();
    return;
  }
  frames_read_ = number;
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
