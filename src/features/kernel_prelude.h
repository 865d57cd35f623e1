// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every *_arithmetic.h may use, on the host and on any device: fixed-width integers and an always-inline mark.
// No includes, so that a kernel compiler without a C++ library accepts it.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#define LOCKSTEP_KERNEL __host__ __device__ __forceinline__
#else
#define LOCKSTEP_KERNEL inline __attribute__((always_inline))
#endif

namespace lockstep {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;           // NOLINT(google-runtime-int)
using u16 = unsigned short;  // NOLINT(google-runtime-int)
using i32 = int;
using u32 = unsigned int;
using i64 = long long;           // NOLINT(google-runtime-int)
using u64 = unsigned long long;  // NOLINT(google-runtime-int)

static_assert(sizeof(i16) == 2 && sizeof(i32) == 4 && sizeof(i64) == 8);

/// Index of a border sample: reflected without repeating the edge sample on either side.
/// in    -length < index < 2 * length - 1
LOCKSTEP_KERNEL i32 Mirror(i32 index, i32 length) {
  return index < 0 ? -index : (index >= length ? 2 * length - index - 2 : index);
}

/// The row that work-item `row` computes. Idle ones redo the last row instead of returning early: with an early return
/// Intel's OpenCL compiler re-associates float sums in partly filled groups.
LOCKSTEP_KERNEL i32 LiveRow(i32 row, i32 height) { return row < height ? row : height - 1; }

}  // namespace lockstep
