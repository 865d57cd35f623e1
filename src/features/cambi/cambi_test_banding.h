// SPDX-License-Identifier: BSD-2-Clause-Patent
// For tests of cambi on devices: pictures with bands, flat areas and noise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "features/test_run.h"

namespace lockstep::test_run {

/// A ramp of steps of `band` columns and half as many rows in `depth` bits from `darkest` on, with a pixel of noise in
/// `noise_period`, if that is not 0.
inline Frame BandedFrame(const VideoFormat& format, std::uint64_t seed, int darkest, int band, int noise_period) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 7;
  const int peak = (1 << format.bit_depth) - 1;
  const int step = format.bit_depth > 10 ? 1 << (format.bit_depth - 10) : 1;
  return MakeFrame(format, seed, [&](int, int x, int y) {
    int code = darkest * (peak + 1) / 1024 + step * (x / band + 2 * (y / band));
    if (noise_period > 0) {
      const std::uint64_t random = NextRandom(state);
      if (random % static_cast<std::uint64_t>(noise_period) == 0)
        code += static_cast<int>(random >> 60) * step - 7 * step;
    }
    return std::clamp(code, 0, peak);
  });
}

/// Every kind of picture: wide and narrow bands, black, white, one step in grey, noise, bands in noise.
inline std::vector<Frame> CambiFrames(const VideoFormat& format) {
  std::vector<Frame> frames;
  const int peak = (1 << format.bit_depth) - 1;
  frames.push_back(BandedFrame(format, 1, 70, 37, 0));
  frames.push_back(BandedFrame(format, 2, 100, 11, 40));
  frames.push_back(BandedFrame(format, 3, 400, 23, 9));
  frames.push_back(MakeFrame(format, 4, [&](int, int, int) { return 0; }));
  frames.push_back(MakeFrame(format, 5, [&](int, int, int) { return peak; }));
  frames.push_back(MakeFrame(format, 6, [&](int, int x, int) {
    return peak / 4 + (x < format.width / 2 ? 0 : std::max(1, 1 << std::max(format.bit_depth - 10, 0)));
  }));
  frames.push_back(NoiseFrame(format, 7));
  frames.push_back(BandedFrame(format, 8, 60, 5, 300));
  return frames;
}

}  // namespace lockstep::test_run
