// SPDX-License-Identifier: BSD-2-Clause-Patent
// For tests: what kernels that use CUDA's own names need on the host besides test_cuda_warp.h. Included after it.
#pragma once

#include <algorithm>
#include <bit>

#include "features/device/test_cuda_warp.h"

// Blocks run one after the other.
#define __shared__ static  // NOLINT

struct int4 {
  int x;
  int y;
  int z;
  int w;
};
struct alignas(16) float4 {
  float x;
  float y;
  float z;
  float w;
};

namespace lockstep {

inline uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
inline int4 make_int4(i32 x, i32 y, i32 z, i32 w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

template <class T>
T __ldg(const T* from) {
  return *from;
}
inline i32 __clz(i32 value) { return std::countl_zero(static_cast<u32>(value)); }
inline bool __any_sync(u32 /*lanes*/, bool value) {
  return test_cuda::Block::Current().Together<bool, bool>(value, [](const auto& inputs, auto& outputs) {
    outputs.fill(std::any_of(inputs.begin(), inputs.end(), [](bool input) { return input; }));
  });
}
template <class T>
T __shfl_sync(u32 /*lanes*/, T value, int lane) {
  return Shuffle(value, [lane](int) { return lane; });
}

}  // namespace lockstep
