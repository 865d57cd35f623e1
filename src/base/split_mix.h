// SPDX-License-Identifier: BSD-2-Clause-Patent
// Random numbers that are the same everywhere.
#pragma once

#include <cstdint>

namespace lockstep {

/// The next number of the SplitMix64 sequence. source  Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators
inline std::uint64_t NextSplitMix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace lockstep
