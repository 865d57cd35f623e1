// SPDX-License-Identifier: BSD-2-Clause-Patent
// What y4m and raw video have in common: uncompressed planes, one frame after the other, and a tail that may be cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/byte_source.h"
#include "media/video_reader.h"

namespace lockstep {

/// Samples are little endian, LSB aligned, chroma planes rounded up. Reads go straight into the rows of the frame.
class PlanarReader : public VideoReader {
 public:
  [[nodiscard]] const VideoInfo& info() const final { return info_; }
  [[nodiscard]] Result<bool> Read(Frame& frame) final;
  [[nodiscard]] Result<std::int64_t> Skip(std::int64_t count) final;
  void LeaveOutChroma() final { leave_out_chroma_ = true; }
  [[nodiscard]] PictureRange PlacedPictures() const final;
  [[nodiscard]] bool ReadPlaced(std::int64_t number, Frame& frame) const final;
  void ContinueWith(std::int64_t number) final;
  void Cancel() final { source_->Cancel(); }

 protected:
  PlanarReader(std::unique_ptr<ByteSource> source, bool strict) : source_(std::move(source)), strict_(strict) {}

  /// Consumes what precedes the planes of a frame.
  /// out     false: the stream ended before or inside it
  [[nodiscard]] virtual Result<bool> ReadMarker() = 0;

  /// What precedes the planes of a frame where nothing else is said; at most kLongestMarker bytes.
  [[nodiscard]] virtual std::string_view UsualMarker() const { return {}; }
  static constexpr std::size_t kLongestMarker = 8;

  /// Runs once, on the first picture delivered.
  [[nodiscard]] virtual Status InspectFirst(const Frame& /*frame*/) { return {}; }

  /// Appended to messages about a size that does not fit; empty where there is nothing to say.
  [[nodiscard]] virtual std::string SizeHint() const { return {}; }

  /// Bytes of one frame after its marker.
  [[nodiscard]] std::int64_t payload_bytes() const;

  /// An error when a regular file says already that it holds no whole frame.
  [[nodiscard]] Status CheckHoldsFrame(std::int64_t marker_bytes) const;
  [[nodiscard]] Error TailError(std::int64_t left_over) const;
  [[nodiscard]] Error FrameError(ErrorCode code, std::string message) const;

  std::unique_ptr<ByteSource> source_;
  VideoInfo info_;
  bool strict_ = false;
  bool chroma_is_411_ = false;  // the file's chroma, while info_ says 4:2:2
  bool has_alpha_ = false;      // one more plane of the luma's size, which is passed over
  std::int64_t frames_read_ = 0;

 private:
  /// Planes that are read; the others are passed over.
  [[nodiscard]] int planes_read() const { return leave_out_chroma_ ? 1 : info_.format.plane_count(); }
  [[nodiscard]] std::size_t RowBytes(const MutablePlaneView& plane) const {
    return static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(info_.format.bytes_per_sample());
  }
  /// Where picture `number` begins, if all from the next one to it have the usual marker.
  [[nodiscard]] std::int64_t PlaceOf(std::int64_t number) const;
  [[nodiscard]] bool ReadPlacedPlane(std::int64_t position, const MutablePlaneView& plane) const;
  [[nodiscard]] bool StreamPlacedPlane(std::int64_t position, const MutablePlaneView& plane) const;
  [[nodiscard]] Result<bool> ReadFrame(Frame& frame);
  [[nodiscard]] Result<bool> ReadPlanes(Frame& frame);
  [[nodiscard]] Result<bool> ReadPlane(const MutablePlaneView& plane, int index);
  [[nodiscard]] Result<bool> Read411Plane(const MutablePlaneView& plane);
  [[nodiscard]] Result<bool> SkipFrame();
  [[nodiscard]] Result<bool> EndOfStream(std::int64_t frame_start);
  [[nodiscard]] int chroma_411_width() const { return (info_.format.width + 3) / 4; }

  std::optional<Error> failure_;  // repeated by every later call
  bool ended_ = false;
  bool leave_out_chroma_ = false;
  std::vector<std::uint8_t> chroma_411_row_;
};

/// "176x144 420 10 bit"
[[nodiscard]] std::string DescribeFormat(const VideoFormat& format);

}  // namespace lockstep
