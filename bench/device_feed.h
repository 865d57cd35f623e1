// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the programs that measure and prove devices: a few pictures in one kind of memory, again and again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "lockstep/pictures.h"
#include "parity/synthetic_clip.h"

namespace lockstep {

/// These programs end with the first failure.
template <class T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().Describe().c_str());
  std::exit(2);
}
inline void Must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().Describe().c_str());
  std::exit(2);
}

/// A clip's pictures in one kind of memory: "app" is where they are, "pinned", "device".
class DeviceFeed {
 public:
  DeviceFeed(const std::string& kind, const SyntheticPictures& pictures, Device& device) : device_(device) {
    const VideoFormat& format = pictures.clip().format;
    std::unique_ptr<DeviceStream> stream = Must(device.MakeStream());
    for (int i = 0; i < pictures.clip().frames; ++i) {
      for (const bool is_distorted : {false, true}) {
        const Frame& frame = is_distorted ? pictures.distorted(i) : pictures.reference(i);
        Picture picture;
        for (int p = 0; p < format.plane_count(); ++p) {
          const PlaneView plane = frame.plane(p);
          picture.planes[static_cast<std::size_t>(p)] =
              kind == "app" ? PicturePlane{plane.data, plane.stride_bytes} : Move(kind, format, plane, *stream);
        }
        if (kind == "pinned") picture.memory = PictureMemory::kPinned;
        if (kind == "device") picture.memory = PictureMemory::kDevice;
        (is_distorted ? distorted_ : reference_).push_back(picture);
      }
    }
  }

  /// Picture number `index` of an endless sequence.
  [[nodiscard]] const Picture& reference(std::int64_t index) const { return reference_[Wrap(index)]; }
  [[nodiscard]] const Picture& distorted(std::int64_t index) const { return distorted_[Wrap(index)]; }

 private:
  [[nodiscard]] std::size_t Wrap(std::int64_t index) const {
    return static_cast<std::size_t>(index) % reference_.size();
  }

  PicturePlane Move(const std::string& kind, const VideoFormat& format, const PlaneView& plane, DeviceStream& stream) {
    const auto row_bytes = static_cast<std::size_t>(plane.width * format.bytes_per_sample());
    const std::size_t pitch = (row_bytes + 63) / 64 * 64;
    const std::size_t bytes = pitch * static_cast<std::size_t>(plane.height);
    std::byte* const pinned = Must(device_.AllocatePinned(bytes));
    memory_.emplace_back(device_, pinned);
    for (int y = 0; y < plane.height; ++y) {
      std::memcpy(pinned + static_cast<std::size_t>(y) * pitch, plane.row<std::byte>(y), row_bytes);
    }
    if (kind == "pinned") return {pinned, static_cast<std::ptrdiff_t>(pitch)};
    std::byte* const on_device = Must(device_.AllocateOnDevice(bytes));
    memory_.emplace_back(device_, on_device);
    stream.Copy(on_device, pinned, bytes);
    Must(stream.Wait(*stream.Mark()));
    return {on_device, static_cast<std::ptrdiff_t>(pitch)};
  }

  Device& device_;
  std::vector<DeviceMemory> memory_;
  std::vector<Picture> reference_;
  std::vector<Picture> distorted_;
};

/// That sequence up to `frames`.
class CyclingPictures : public PictureSource {
 public:
  CyclingPictures(const DeviceFeed& feed, std::int64_t frames) : feed_(feed), frames_(frames) {}
  Result<bool> Next(Picture& reference, Picture& distorted) override {
    if (next_ == frames_) return false;
    reference = feed_.reference(next_);
    distorted = feed_.distorted(next_);
    ++next_;
    return true;
  }
  [[nodiscard]] std::optional<std::int64_t> pair_count() const override { return frames_; }

 private:
  const DeviceFeed& feed_;
  std::int64_t frames_;
  std::int64_t next_ = 0;
};

/// How many values of two reports differ in their bits; all of them where columns or frames are missing.
[[nodiscard]] inline std::int64_t CountDifferences(const Report& actual, const Report& expected, std::int64_t& values) {
  const auto bits = [](const std::optional<double>& value) { return value ? std::bit_cast<std::uint64_t>(*value) : 1; };
  std::int64_t differences = 0;
  for (std::size_t c = 0; c < expected.columns.size(); ++c) {
    const std::vector<std::optional<double>>& from = expected.columns[c].values;
    const bool is_there = c < actual.columns.size() && actual.columns[c].key == expected.columns[c].key &&
                          actual.columns[c].values.size() == from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
      ++values;
      if (!is_there || bits(actual.columns[c].values[i]) != bits(from[i])) ++differences;
    }
  }
  for (std::size_t i = 0; i < expected.aggregates.size(); ++i) {
    ++values;
    if (i >= actual.aggregates.size() || bits(actual.aggregates[i].second) != bits(expected.aggregates[i].second)) {
      ++differences;
    }
  }
  return differences;
}

}  // namespace lockstep
