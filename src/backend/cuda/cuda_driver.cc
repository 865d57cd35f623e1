// SPDX-License-Identifier: BSD-2-Clause-Patent
// NVIDIA's driver library, found at run time: nothing of CUDA is linked.
#include "backend/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

namespace lockstep {
namespace {

// The header gives newer versions of a function the old name by a macro; the library has both.
#define LOCKSTEP_TEXT_OF(name) #name
#define LOCKSTEP_SYMBOL(name) LOCKSTEP_TEXT_OF(name)

Error Unusable(std::string reason) { return {ErrorCode::kUnsupported, std::move(reason), {}, {}, {}}; }

Result<const CudaDriver*> Load() {
  constexpr const char* kLibrary = "libcuda.so.1";
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return Unusable(fmt::format("NVIDIA's driver is not installed ({})", reason != nullptr ? reason : kLibrary));
  }
  auto driver = std::make_unique<CudaDriver>();
  const char* missing = nullptr;
#define LOCKSTEP_FIND(name)                                                                               \
  driver->name##_ = reinterpret_cast<decltype(driver->name##_)>(::dlsym(library, LOCKSTEP_SYMBOL(name))); \
  if (driver->name##_ == nullptr) missing = LOCKSTEP_SYMBOL(name);
  LOCKSTEP_CUDA_FUNCTIONS(LOCKSTEP_FIND)
#undef LOCKSTEP_FIND
  if (missing != nullptr) {
    return Unusable(fmt::format("NVIDIA's driver is too old: {} has no {}; CUDA {}.{} needs a newer one", kLibrary,
                                missing, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10));
  }
  // It may have all functions and still not know the code of the plugin's kernels.
  int version = 0;
  if (driver->cuDriverGetVersion_(&version) == CUDA_SUCCESS && version / 1000 < CUDA_VERSION / 1000) {
    return Unusable(
        fmt::format("NVIDIA's driver is too old: it is one for CUDA {}.{}; the plugin is built with CUDA {}.{}",
                    version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10));
  }
  if (const CUresult code = driver->cuInit_(0); code != CUDA_SUCCESS) {
    return Unusable(fmt::format("NVIDIA's driver finds no device: {}", driver->Describe(code)));
  }
  // For the life of the process, like the library.
  return driver.release();
}

}  // namespace

std::string CudaDriver::Describe(CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName_(code, &name) != CUDA_SUCCESS || cuGetErrorString_(code, &text) != CUDA_SUCCESS) {
    return fmt::format("error {}", static_cast<int>(code));
  }
  return fmt::format("{}: {}", name, text);
}

Result<const CudaDriver*> FindCudaDriver() {
  static const Result<const CudaDriver*> driver = Load();
  return driver;
}

}  // namespace lockstep
