// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures of the contrasts of each scale, as files.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "features/cambi/cambi_arithmetic.h"
#include "features/cambi/cambi_planes.h"
#include "lockstep/result.h"
#include "lockstep/video_format.h"

namespace lockstep {

/// What files hold, and how they are called.
///   kGray  cambi_heatmap_scale_<scale>_<width>x<height>_16b.gray: all frames, row after row, samples of 16 bits in the
///          machine's byte order; frame f starts at f * width * height * 2. What no frame was written to is 0.
///   kPng   cambi_heatmap_scale_<scale>_<width>x<height>_<frame>.png: greyscale of 16 bits, the same samples
enum class CambiHeatmapFormat { kGray, kPng };

struct CambiHeatmapSizes {
  std::array<PlaneSize, kCambiScales> named;  // that stand in file names
  std::array<PlaneSize, kCambiScales> drawn;
};

/// Sample of a contrast: as many 65535ths as it is of the greatest possible one, rounded down.
/// in      unit = CambiHeatmapUnit()
/// exact   contrasts above it, which the rounding of the greatest one to an integer lets through, give 65535
/// source  libvmaf 3.2.0, where they wrap
[[nodiscard]] u16 CambiHeatmapSample(float contrast, double unit);
[[nodiscard]] double CambiHeatmapUnit(i32 window, i32 contrasts);

/// Files of one run. Until they are complete their names end in .unfinished; kGray's are complete with Finish(), and
/// removed without it.
/// thread  Write() for different frames at once
class CambiHeatmaps {
 public:
  /// Makes the folder and those above it where they are missing.
  /// errors  kInputOutput: folder or files cannot be created; another run writes the same files
  [[nodiscard]] static Result<std::unique_ptr<CambiHeatmaps>> Create(const std::string& folder,
                                                                     CambiHeatmapFormat format,
                                                                     const CambiHeatmapSizes& sizes, double unit);
  CambiHeatmaps(const CambiHeatmaps&) = delete;
  CambiHeatmaps& operator=(const CambiHeatmaps&) = delete;
  ~CambiHeatmaps();

  /// Bytes that Write() needs for any of the scales.
  [[nodiscard]] std::size_t scratch_bytes() const;

  /// Draws one scale of a frame. What goes wrong is kept for Finish().
  void Write(int scale, std::int64_t frame, const CambiContrastPlane& contrasts, std::span<std::byte> scratch);

  /// Gives the files their names.
  /// errors  kInputOutput: the first thing that went wrong since the creation; the files are gone then
  [[nodiscard]] Status Finish();

 private:
  using Name = std::array<char, 128>;
  struct Failure {
    int error = 0;  // an errno value
    int scale = 0;
    std::int64_t frame = 0;
  };

  CambiHeatmaps(std::string path, int folder, CambiHeatmapFormat format, const CambiHeatmapSizes& sizes, double unit);

  // The frame counts for kPng only.
  [[nodiscard]] Name NameOf(int scale, std::int64_t frame, const char* ending) const;
  [[nodiscard]] std::string PathOf(int scale, std::int64_t frame) const;
  [[nodiscard]] Status OpenFiles();
  /// out     0 or an errno value
  [[nodiscard]] int WriteGray(int scale, std::int64_t frame, const CambiContrastPlane& contrasts,
                              std::span<std::byte> scratch) const;
  [[nodiscard]] int WritePng(int scale, std::int64_t frame, const CambiContrastPlane& contrasts,
                             std::span<std::byte> scratch) const;

  std::string path_;
  int folder_;  // descriptor
  CambiHeatmapFormat format_;
  CambiHeatmapSizes sizes_;
  double unit_;
  std::array<int, kCambiScales> files_;  // descriptors; -1: none
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  Failure failure_;  // the first one
};

}  // namespace lockstep
