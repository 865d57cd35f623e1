// SPDX-License-Identifier: BSD-2-Clause-Patent
// One CUDA device through NVIDIA's driver.
#include "backend/cuda/cuda_api.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_set>

namespace lockstep {
namespace {

CUdeviceptr AddressOf(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }
CUstream StreamOf(DriverHandle handle) { return static_cast<CUstream>(handle); }
CUevent EventOf(DriverHandle handle) { return static_cast<CUevent>(handle); }
CUfunction KernelOf(DriverHandle handle) { return static_cast<CUfunction>(handle); }

class CudaApi final : public DriverApi {
 public:
  CudaApi(const CudaDriver& driver, CUcontext context, CUdevice device)
      : driver_(driver), context_(context), device_(device) {}

  std::string Describe(DriverCode code) const override { return driver_.Describe(static_cast<CUresult>(code)); }
  bool IsOutOfMemory(DriverCode code) const override { return code == CUDA_ERROR_OUT_OF_MEMORY; }
  DriverCode MakeCurrent() override { return driver_.cuCtxSetCurrent_(context_); }

  DriverCode AllocateOnDevice(void** memory, std::size_t bytes) override {
    CUdeviceptr address = 0;
    const CUresult code = driver_.cuMemAlloc_(&address, bytes);
    *memory = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the driver's form of addresses
    return code;
  }
  DriverCode AllocatePinned(void** memory, std::size_t bytes) override {
    // Of every context: with several devices a picture may go to any of them.
    if (RegisterLargePages(memory, bytes)) return CUDA_SUCCESS;
    return driver_.cuMemHostAlloc_(memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
  }
  DriverCode FreeOnDevice(void* memory) override { return driver_.cuMemFree_(AddressOf(memory)); }
  DriverCode FreePinned(void* memory) override {
    {
      const std::lock_guard lock(registered_mutex_);
      if (registered_.erase(memory) == 0) return driver_.cuMemFreeHost_(memory);
    }
    const CUresult code = driver_.cuMemHostUnregister_(memory);
    std::free(memory);
    return code;
  }
  bool IsOnDevice(const void* address) override {
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    int device = -1;
    const auto get = driver_.cuPointerGetAttribute_;
    return get(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, AddressOf(address)) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE &&
           get(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, AddressOf(address)) == CUDA_SUCCESS && device == device_;
  }

  DriverCode CreateStream(DriverHandle* stream) override {
    CUstream made = nullptr;
    const CUresult code = driver_.cuStreamCreate_(&made, CU_STREAM_NON_BLOCKING);
    *stream = made;
    return code;
  }
  DriverCode DestroyStream(DriverHandle stream) override { return driver_.cuStreamDestroy_(StreamOf(stream)); }
  DriverCode SynchronizeStream(DriverHandle stream) override { return driver_.cuStreamSynchronize_(StreamOf(stream)); }
  DriverCode Copy(void* to, const void* from, std::size_t bytes, DriverHandle stream) override {
    return driver_.cuMemcpyAsync_(AddressOf(to), AddressOf(from), bytes, StreamOf(stream));
  }
  DriverCode CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                      std::size_t rows, DriverHandle stream) override {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = AddressOf(from);
    copy.srcPitch = from_pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice = AddressOf(to);
    copy.dstPitch = to_pitch;
    copy.WidthInBytes = row_bytes;
    copy.Height = rows;
    return driver_.cuMemcpy2DAsync_(&copy, StreamOf(stream));
  }
  DriverCode Fill(void* to, std::uint8_t value, std::size_t bytes, DriverHandle stream) override {
    return driver_.cuMemsetD8Async_(AddressOf(to), value, bytes, StreamOf(stream));
  }
  DriverCode Launch(DriverHandle kernel, const LaunchShape& shape, const void* arguments,
                    std::size_t /*argument_bytes*/, DriverHandle stream) override {
    void* parameters[] = {const_cast<void*>(arguments)};
    return driver_.cuLaunchKernel_(KernelOf(kernel), static_cast<unsigned>(shape.groups), 1, 1,
                                   static_cast<unsigned>(shape.group_size), 1, 1,
                                   static_cast<unsigned>(shape.local_bytes), StreamOf(stream), parameters, nullptr);
  }

  DriverCode CreateEvent(DriverHandle* event, bool is_timed) override {
    CUevent made = nullptr;
    const CUresult code =
        driver_.cuEventCreate_(&made, static_cast<unsigned>(is_timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING));
    *event = made;
    return code;
  }
  DriverCode DestroyEvent(DriverHandle event) override { return driver_.cuEventDestroy_(EventOf(event)); }
  DriverCode RecordEvent(DriverHandle event, DriverHandle stream) override {
    return driver_.cuEventRecord_(EventOf(event), StreamOf(stream));
  }
  DriverCode WaitForEvent(DriverHandle event, DriverHandle stream) override {
    return driver_.cuStreamWaitEvent_(StreamOf(stream), EventOf(event), 0);
  }
  DriverCode SynchronizeEvent(DriverHandle event) override { return driver_.cuEventSynchronize_(EventOf(event)); }
  DriverCode QueryEvent(DriverHandle event, bool* is_done) override {
    const CUresult code = driver_.cuEventQuery_(EventOf(event));
    *is_done = code == CUDA_SUCCESS;
    return code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code;
  }
  DriverCode MillisecondsBetween(DriverHandle begin, DriverHandle end, float* milliseconds) override {
    return driver_.cuEventElapsedTime_(milliseconds, EventOf(begin), EventOf(end));
  }

  DriverCode BeginCapture(DriverHandle stream) override {
    // Other threads may allocate meanwhile.
    return driver_.cuStreamBeginCapture_(StreamOf(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  }
  DriverCode EndCapture(DriverHandle stream, DriverHandle* graph) override {
    CUgraph recorded = nullptr;
    if (const CUresult code = driver_.cuStreamEndCapture_(StreamOf(stream), &recorded); code != CUDA_SUCCESS) {
      return code;
    }
    CUgraphExec executable = nullptr;
    const CUresult code = driver_.cuGraphInstantiateWithFlags_(&executable, recorded, 0);
    driver_.cuGraphDestroy_(recorded);
    *graph = executable;
    return code;
  }
  DriverCode LaunchGraph(DriverHandle graph, DriverHandle stream) override {
    return driver_.cuGraphLaunch_(static_cast<CUgraphExec>(graph), StreamOf(stream));
  }
  DriverCode DestroyGraph(DriverHandle graph) override {
    return driver_.cuGraphExecDestroy_(static_cast<CUgraphExec>(graph));
  }

  DriverCode LoadModule(const void* image, DriverHandle* module, std::string* log) override {
    std::array<char, 2048> text{};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes numbers where it takes addresses
    std::array<void*, 2> values = {text.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(text.size() - 1))};
    CUmodule loaded = nullptr;
    const CUresult code = driver_.cuModuleLoadDataEx_(&loaded, image, options.size(), options.data(), values.data());
    *module = loaded;
    *log = text.data();
    return code;
  }
  DriverCode FindKernel(DriverHandle module, const char* name, DriverHandle* kernel, bool* found) override {
    CUfunction function = nullptr;
    const CUresult code = driver_.cuModuleGetFunction_(&function, static_cast<CUmodule>(module), name);
    *kernel = function;
    *found = code == CUDA_SUCCESS;
    return code == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : code;
  }
  DriverCode AllowLocalMemory(DriverHandle kernel, int bytes) override {
    // What the kernel has declared itself counts too.
    int declared = 0;
    const CUresult code = driver_.cuFuncGetAttribute_(&declared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, KernelOf(kernel));
    if (code != CUDA_SUCCESS) return code;
    return driver_.cuFuncSetAttribute_(KernelOf(kernel), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       bytes - declared);
  }

 private:
  // The driver's own allocation takes 6 ms for a picture of 12 MB, whatever the number of threads; large pages that the
  // calling thread has touched and then locks take 3 ms, and several threads do it beside each other.
  bool RegisterLargePages(void** memory, std::size_t bytes) {
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    if (bytes < kLargePage) return false;
    const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    void* const pages = std::aligned_alloc(kLargePage, whole);
    if (pages == nullptr) return false;
    static_cast<void>(::madvise(pages, whole, MADV_HUGEPAGE));
    std::memset(pages, 0, whole);
    if (driver_.cuMemHostRegister_(pages, whole, CU_MEMHOSTREGISTER_PORTABLE) != CUDA_SUCCESS) {
      std::free(pages);
      return false;
    }
    const std::lock_guard lock(registered_mutex_);
    registered_.insert(pages);
    *memory = pages;
    return true;
  }

  const CudaDriver& driver_;
  CUcontext context_;
  CUdevice device_;
  std::mutex registered_mutex_;
  std::unordered_set<void*> registered_;
};

}  // namespace

Result<std::unique_ptr<DriverApi>> MakeCudaApi(const CudaDriver& driver, CUdevice device) {
  CUcontext context = nullptr;
  if (const CUresult code = driver.cuDevicePrimaryCtxRetain_(&context, device); code != CUDA_SUCCESS) {
    const ErrorCode own = code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported;
    return Error{own, fmt::format("the driver does not open it: {}", driver.Describe(code)), {}, {}, {}};
  }
  return std::unique_ptr<DriverApi>(std::make_unique<CudaApi>(driver, context, device));
}

}  // namespace lockstep
