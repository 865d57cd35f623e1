// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the lanes of a CUDA warp do together from compute capability 8.0 on: products of byte matrices, matrix loads
// from shared memory, asynchronous copies into it.
#pragma once

#include "base/kernel_prelude.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace lockstep {

/// Tells the compiler that a pointer out of an argument block is one into device memory.
template <class T>
__device__ __forceinline__ T* Global(T* memory) {
  __builtin_assume(__isGlobal(memory));
  return memory;
}

/// Shared memory that the launch asked for.
__device__ __forceinline__ u8* DynamicShared() {
  extern __shared__ __align__(128) u8 lockstep_dynamic_shared[];
  return lockstep_dynamic_shared;
}

__device__ __forceinline__ u32 SharedAddress(const void* memory) {
  return static_cast<u32>(__cvta_generic_to_shared(memory));
}

__device__ __forceinline__ void StoreShared(u32 address, u32 value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// Where a lane stands in matrices. Made anew from the thread's number, which costs less than two registers.
__device__ __forceinline__ i32 MatrixGroup() { return static_cast<i32>(threadIdx.x) % 32 / 4; }
__device__ __forceinline__ i32 MatrixMember() { return static_cast<i32>(threadIdx.x) % 4; }

/// A sample of one or two bytes.
template <int kBytes>
__device__ __forceinline__ u32 LoadSharedSample(u32 address) {
  u32 sample;
  if constexpr (kBytes == 1) {
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(sample) : "r"(address) : "memory");
  } else {
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(sample) : "r"(address) : "memory");
  }
  return sample;
}
template <int kBytes>
__device__ __forceinline__ void StoreSharedSample(u32 address, u32 sample) {
  if constexpr (kBytes == 1) {
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(address), "r"(sample) : "memory");
  } else {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "r"(sample) : "memory");
  }
}

/// 16 rows and 8 columns of sums. With group = MatrixGroup() and member = MatrixMember() a lane has
/// at[0], at[1]   row group,     columns 2 member, 2 member + 1
/// at[2], at[3]   row group + 8, the same columns
struct MatrixSums {
  i32 at[4];
};

/// sums += a * b for a matrix of 16 rows and 32 columns, and one of 32 rows and 8 columns, of bytes 0 … 255.
/// in      a[0], a[1]: rows group and group + 8, columns 4 member … 4 member + 3 from the lowest byte on;
///         a[2], a[3]: the same rows, columns 16 + 4 member …; b0, b1: column group, rows as a's columns.
///         Which of the 32 a place stands for is free as long as a and b agree.
/// exact   while sums fit i32
__device__ __forceinline__ void MultiplyBytes(MatrixSums& sums, const u32 (&a)[4], u32 b0, u32 b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(sums.at[0]), "+r"(sums.at[1]), "+r"(sums.at[2]), "+r"(sums.at[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four words from a multiple of 16 on. Loaded anew wherever it is called, so that they are in registers while they are
/// used only.
__device__ __forceinline__ void LoadSharedWords(u32 (&words)[4], u32 address) {
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address));
}

__device__ __forceinline__ MatrixSums LoadSharedSums(u32 address) {
  u32 words[4];
  LoadSharedWords(words, address);
  return {
      {static_cast<i32>(words[0]), static_cast<i32>(words[1]), static_cast<i32>(words[2]), static_cast<i32>(words[3])}};
}

/// Four transposed matrices of 8x8 16-bit elements: matrix[i] has rows 2 member and 2 member + 1 of column `group`, the
/// former in the low half.
/// in      address: that of row lane % 8 of matrix lane / 8, 16 bytes in shared memory
__device__ __forceinline__ void LoadMatrices(u32 (&matrix)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
               : "r"(address)
               : "memory");
}

/// in      both addresses multiples of 16
__device__ __forceinline__ void Copy16ToShared(u32 to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// in      both addresses multiples of 8
__device__ __forceinline__ void Copy8ToShared(u32 to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}

/// The copies of this lane since the last call are a group.
__device__ __forceinline__ void CloseCopyGroup() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for all groups of this lane but the kPending newest ones.
template <int kPending>
__device__ __forceinline__ void WaitForCopyGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// About 1 / value, to 20 bits and more.
__device__ __forceinline__ double ApproximateReciprocal(double value) {
  double reciprocal;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(reciprocal) : "d"(value));
  return reciprocal;
}

}  // namespace lockstep

#endif
