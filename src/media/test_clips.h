// SPDX-License-Identifier: BSD-2-Clause-Patent
// Small clips of noise for tests: as bytes, as files, and as pictures read back.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "media/video_reader.h"

namespace lockstep::test {

/// A folder that goes away with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep_media_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string File(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string Write(const std::string& name, std::string_view bytes) const {
    std::ofstream(File(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return File(name);
  }

 private:
  std::string path_;
};

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Noise that fills the bit depth: `samples` values as bytes or little-endian words.
inline std::string NoiseSamples(std::size_t samples, int bit_depth, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes;
  bytes.reserve(samples * 2);
  for (std::size_t i = 0; i < samples; ++i) {
    const unsigned value = (random() >> 8) & ((1U << bit_depth) - 1);
    bytes += static_cast<char>(value & 0xff);
    if (bit_depth > 8) bytes += static_cast<char>(value >> 8);
  }
  return bytes;
}

/// One planar frame of noise.
inline std::string NoiseFrame(const VideoFormat& format, unsigned seed) {
  return NoiseSamples(format.frame_bytes() / static_cast<std::size_t>(format.bytes_per_sample()), format.bit_depth,
                      seed);
}

/// A frame's planes without padding.
inline std::string PlaneBytes(const Frame& frame) {
  std::string bytes;
  for (int p = 0; p < frame.format().plane_count(); ++p) {
    const PlaneView plane = frame.plane(p);
    for (int y = 0; y < plane.height; ++y)
      bytes.append(plane.row<char>(y), static_cast<std::size_t>(plane.width * frame.format().bytes_per_sample()));
  }
  return bytes;
}

struct ReadClip {
  VideoInfo info;
  std::vector<std::string> frames;  // PlaneBytes of each
  std::vector<std::string> warnings;
  std::string error;  // Describe() of the error that ended reading, if one did
  ErrorCode code = ErrorCode::kInternal;
};

inline ReadClip ReadAll(const std::string& path, const OpenOptions& options = {}) {
  ReadClip clip;
  Result<std::unique_ptr<VideoReader>> reader = OpenVideo(path, options);
  if (!reader) {
    clip.error = reader.error().Describe();
    clip.code = reader.error().code;
    return clip;
  }
  clip.info = (*reader)->info();
  Frame frame;
  while (true) {
    Result<bool> read = (*reader)->Read(frame);
    if (!read) {
      clip.error = read.error().Describe();
      clip.code = read.error().code;
      // An error stays.
      const Result<bool> again = (*reader)->Read(frame);
      EXPECT_FALSE(again);
    } else if (*read) {
      EXPECT_EQ(frame.format(), clip.info.format);
      clip.frames.push_back(PlaneBytes(frame));
      continue;
    } else {
      const Result<bool> again = (*reader)->Read(frame);
      EXPECT_TRUE(again && !*again);
    }
    break;
  }
  clip.warnings = (*reader)->warnings();
  return clip;
}

inline bool Contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace lockstep::test
