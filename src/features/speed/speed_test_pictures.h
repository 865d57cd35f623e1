// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures for the tests of speed_chroma's device programs: their covariances are regular, and their scores not 0.
#pragma once

#include <cstdint>
#include <vector>

#include "features/test_run.h"

namespace lockstep::test_run {

/// Blobs of many sizes and noise; the distorted version has less of both.
inline std::vector<Frame> SpeedFrames(const VideoFormat& format, int count, bool is_distorted) {
  std::vector<Frame> frames;
  const int peak = (1 << format.bit_depth) - 1;
  for (int n = 0; n < count; ++n) {
    const auto seed = static_cast<std::uint64_t>(n);
    std::uint64_t state = 77 + seed;
    const auto sample = [&](int p, int x, int y) {
      const int blobs = ((x + 5 * n) / 23 * 37 + y / 19 * 61 + p * 11) % 97 + (x / 61 * 13 + y / 47 * 29) % 53;
      const int noise = static_cast<int>(NextRandom(state) >> 40) % 96;
      const int value = is_distorted ? 12 + blobs * 7 / 8 + noise / 3 : blobs + noise;
      return value * peak / 255;
    };
    frames.push_back(MakeFrame(format, seed, sample));
  }
  return frames;
}

}  // namespace lockstep::test_run
