// SPDX-License-Identifier: BSD-2-Clause-Patent
// HIP 5.2's headers for NVIDIA's devices, with CUDA 11 and a host compiler; the build includes this before anything.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

// PyPI's packages lack this header; what HIP wants of it.
#define __CUDA_PROFILER_API_H__
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

// HIP shows its graphs to nvcc only, although they are calls of the host.
#define __CUDACC__
#include <cuda_texture_types.h>
#include <hip/hip_runtime_api.h>
#undef __CUDACC__
