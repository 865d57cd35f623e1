// SPDX-License-Identifier: BSD-2-Clause-Patent
// Copies past the caches, for memory that the processor will not read again.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lockstep {

/// memcpy() whose stores fetch no line that they replace and push nothing else out of the caches. Others see them after
/// FinishStreamingCopies().
inline void CopyStreaming(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t kVector = 16;
  constexpr std::size_t kLine = 64;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(to) % kVector;
  const std::size_t head = beyond == 0 ? 0 : std::min(kVector - beyond, bytes);
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; done + kLine <= bytes; done += kLine) {
    // Loaded before they are stored: a line of four stores in a row leaves the processor as one.
    const auto* source = reinterpret_cast<const __m128i*>(from + done);
    auto* target = reinterpret_cast<__m128i*>(to + done);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(to + done, from + done, bytes - done);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Comes between CopyStreaming() and whatever tells others of the bytes.
inline void FinishStreamingCopies() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace lockstep
