// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every *_arithmetic.h may use, on the host and on any device: fixed-width integers, marks for compilers, the edge
// rule.
// No includes, so that a kernel compiler without a C++ library accepts it.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#define LOCKSTEP_KERNEL __host__ __device__ __forceinline__
#else
#define LOCKSTEP_KERNEL inline __attribute__((always_inline))
#endif

/// Before a loop over taps: its trip count is a small constant, and only the unrolled loop is fast.
#if defined(__clang__) || defined(__CUDACC__)
#define LOCKSTEP_UNROLL _Pragma("unroll")
#else
#define LOCKSTEP_UNROLL _Pragma("GCC unroll 32")
#endif

/// Before a loop that must stay a loop: unrolled, it needs more registers than some devices have.
#if defined(__CUDACC__)
#define LOCKSTEP_ROLLED _Pragma("unroll 1")
#elif defined(__clang__)
#define LOCKSTEP_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define LOCKSTEP_ROLLED _Pragma("GCC unroll 1")
#endif

/// Before a loop over samples whose iterations touch different elements: it may be vectorised although the compiler
/// cannot see that its many pointers do not overlap. Never on a loop that carries a floating-point sum.
#if defined(__CUDACC__) || defined(__HIP__) || defined(__SYCL_DEVICE_ONLY__)
#define LOCKSTEP_INDEPENDENT
#elif defined(__clang__)
#define LOCKSTEP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
// A build without optimisation or with sanitizers leaves the loop as it is, and that is no fault.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define LOCKSTEP_INDEPENDENT _Pragma("GCC ivdep")
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
  // Two absolute values instead of branches, so that compilers move it out of loops.
  const i32 last = length - 1;
  const i32 from_last = last - (index < 0 ? -index : index);
  return last - (from_last < 0 ? -from_last : from_last);
}

/// in    value != 0
LOCKSTEP_KERNEL i32 CountLeadingZeros(u64 value) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<i64>(value));
#else
  return __builtin_clzll(value);
#endif
}

/// The row that work-item `row` computes. Idle ones redo the last row instead of returning early: with an early return
/// Intel's OpenCL compiler re-associates float sums in partly filled groups.
LOCKSTEP_KERNEL i32 LiveRow(i32 row, i32 height) { return row < height ? row : height - 1; }

}  // namespace lockstep
