// SPDX-License-Identifier: BSD-2-Clause-Patent
// NVIDIA's driver library, found at run time: nothing of CUDA is linked.
#pragma once

#include <cuda.h>

#include <string>

#include "lockstep/result.h"

namespace lockstep {

// A function of the driver, with the type that the toolkit's header gives it.
#define LOCKSTEP_CUDA_FUNCTIONS(X) \
  X(cuInit)                        \
  X(cuDriverGetVersion)            \
  X(cuGetErrorName)                \
  X(cuGetErrorString)              \
  X(cuDeviceGetCount)              \
  X(cuDeviceGet)                   \
  X(cuDeviceGetName)               \
  X(cuDeviceGetAttribute)          \
  X(cuDeviceTotalMem)              \
  X(cuDevicePrimaryCtxRetain)      \
  X(cuCtxSetCurrent)               \
  X(cuMemAlloc)                    \
  X(cuMemFree)                     \
  X(cuMemHostAlloc)                \
  X(cuMemFreeHost)                 \
  X(cuMemHostRegister)             \
  X(cuMemHostUnregister)           \
  X(cuPointerGetAttribute)         \
  X(cuMemcpyAsync)                 \
  X(cuMemcpy2DAsync)               \
  X(cuMemsetD8Async)               \
  X(cuStreamCreate)                \
  X(cuStreamDestroy)               \
  X(cuStreamSynchronize)           \
  X(cuStreamWaitEvent)             \
  X(cuStreamBeginCapture)          \
  X(cuStreamEndCapture)            \
  X(cuGraphInstantiateWithFlags)   \
  X(cuGraphLaunch)                 \
  X(cuGraphExecDestroy)            \
  X(cuGraphDestroy)                \
  X(cuEventCreate)                 \
  X(cuEventDestroy)                \
  X(cuEventRecord)                 \
  X(cuEventSynchronize)            \
  X(cuEventQuery)                  \
  X(cuEventElapsedTime)            \
  X(cuModuleLoadDataEx)            \
  X(cuModuleGetFunction)           \
  X(cuFuncGetAttribute)            \
  X(cuFuncSetAttribute)            \
  X(cuLaunchKernel)

struct CudaDriver {
#define LOCKSTEP_DECLARE(name) decltype(&::name) name##_ = nullptr;
  LOCKSTEP_CUDA_FUNCTIONS(LOCKSTEP_DECLARE)
#undef LOCKSTEP_DECLARE

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
  [[nodiscard]] std::string Describe(CUresult code) const;
};

/// The driver, initialised once for the process. Thread safe.
/// errors  kUnsupported: libcuda.so.1 is missing, lacks a function, or finds no device, with the reason
[[nodiscard]] Result<const CudaDriver*> FindCudaDriver();

}  // namespace lockstep
