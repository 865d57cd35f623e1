// SPDX-License-Identifier: BSD-2-Clause-Patent
// One device through HIP's runtime.
#include "backend/hip/hip_api.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace lockstep {
namespace {

hipStream_t StreamOf(DriverHandle handle) { return static_cast<hipStream_t>(handle); }
hipEvent_t EventOf(DriverHandle handle) { return static_cast<hipEvent_t>(handle); }

// HIP 6 renamed the field.
hipMemoryType TypeOf(const hipPointerAttribute_t& attributes) {
#if HIP_VERSION_MAJOR >= 6
  return attributes.type;
#else
  return attributes.memoryType;
#endif
}

class HipApi final : public DriverApi {
 public:
  explicit HipApi(int device) : device_(device) {}

  std::string Describe(DriverCode code) const override { return DescribeHip(static_cast<hipError_t>(code)); }
  bool IsOutOfMemory(DriverCode code) const override { return code == hipErrorOutOfMemory; }
  DriverCode MakeCurrent() override {
#if defined(__HIP_PLATFORM_NVIDIA__)
    // With CUDA 11 hipSetDevice() makes no context current before the thread's first command of the runtime, and
    // modules and launches are the driver's.
    hipCtx_t context = nullptr;
    const std::lock_guard lock(context_mutex_);
    if (context_ == nullptr) {
      if (const hipError_t code = hipDevicePrimaryCtxRetain(&context, device_); code != hipSuccess) return code;
      context_ = context;
    }
    return hipCtxSetCurrent(context_);
#else
    return hipSetDevice(device_);
#endif
  }

  DriverCode AllocateOnDevice(void** memory, std::size_t bytes) override { return hipMalloc(memory, bytes); }
  DriverCode AllocatePinned(void** memory, std::size_t bytes) override {
    // Of every device: with several ones a picture may go to any of them.
    return hipHostMalloc(memory, bytes, hipHostMallocPortable);
  }
  DriverCode FreeOnDevice(void* memory) override { return hipFree(memory); }
  DriverCode FreePinned(void* memory) override { return hipHostFree(memory); }
  bool IsOnDevice(const void* address) override {
    hipPointerAttribute_t attributes = {};
    return hipPointerGetAttributes(&attributes, address) == hipSuccess && TypeOf(attributes) == hipMemoryTypeDevice &&
           attributes.device == device_;
  }

  DriverCode CreateStream(DriverHandle* stream) override {
    hipStream_t made = nullptr;
    const hipError_t code = hipStreamCreateWithFlags(&made, hipStreamNonBlocking);
    *stream = made;
    return code;
  }
  DriverCode DestroyStream(DriverHandle stream) override { return hipStreamDestroy(StreamOf(stream)); }
  DriverCode SynchronizeStream(DriverHandle stream) override { return hipStreamSynchronize(StreamOf(stream)); }
  DriverCode Copy(void* to, const void* from, std::size_t bytes, DriverHandle stream) override {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, StreamOf(stream));
  }
  DriverCode CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                      std::size_t rows, DriverHandle stream) override {
    return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, row_bytes, rows, hipMemcpyDefault, StreamOf(stream));
  }
  DriverCode Fill(void* to, std::uint8_t value, std::size_t bytes, DriverHandle stream) override {
    return hipMemsetAsync(to, value, bytes, StreamOf(stream));
  }
  DriverCode Launch(DriverHandle kernel, const LaunchShape& shape, const void* arguments,
                    std::size_t /*argument_bytes*/, DriverHandle stream) override {
    void* parameters[] = {const_cast<void*>(arguments)};
    return hipModuleLaunchKernel(static_cast<hipFunction_t>(kernel), static_cast<unsigned>(shape.groups), 1, 1,
                                 static_cast<unsigned>(shape.group_size), 1, 1,
                                 static_cast<unsigned>(shape.local_bytes), StreamOf(stream), parameters, nullptr);
  }

  DriverCode CreateEvent(DriverHandle* event, bool is_timed) override {
    hipEvent_t made = nullptr;
    const hipError_t code = hipEventCreateWithFlags(&made, is_timed ? hipEventDefault : hipEventDisableTiming);
    *event = made;
    return code;
  }
  DriverCode DestroyEvent(DriverHandle event) override { return hipEventDestroy(EventOf(event)); }
  DriverCode RecordEvent(DriverHandle event, DriverHandle stream) override {
    return hipEventRecord(EventOf(event), StreamOf(stream));
  }
  DriverCode WaitForEvent(DriverHandle event, DriverHandle stream) override {
    return hipStreamWaitEvent(StreamOf(stream), EventOf(event), 0);
  }
  DriverCode SynchronizeEvent(DriverHandle event) override { return hipEventSynchronize(EventOf(event)); }
  DriverCode QueryEvent(DriverHandle event, bool* is_done) override {
    const hipError_t code = hipEventQuery(EventOf(event));
    *is_done = code == hipSuccess;
    return code == hipErrorNotReady ? hipSuccess : code;
  }
  DriverCode MillisecondsBetween(DriverHandle begin, DriverHandle end, float* milliseconds) override {
    return hipEventElapsedTime(milliseconds, EventOf(begin), EventOf(end));
  }

  DriverCode BeginCapture(DriverHandle stream) override {
    // Other threads may allocate meanwhile.
    return hipStreamBeginCapture(StreamOf(stream), hipStreamCaptureModeThreadLocal);
  }
  DriverCode EndCapture(DriverHandle stream, DriverHandle* graph) override {
    hipGraph_t recorded = nullptr;
    if (const hipError_t code = hipStreamEndCapture(StreamOf(stream), &recorded); code != hipSuccess) return code;
    hipGraphExec_t executable = nullptr;
    const hipError_t code = hipGraphInstantiate(&executable, recorded, nullptr, nullptr, 0);
    static_cast<void>(hipGraphDestroy(recorded));
    *graph = executable;
    return code;
  }
  DriverCode LaunchGraph(DriverHandle graph, DriverHandle stream) override {
    return hipGraphLaunch(static_cast<hipGraphExec_t>(graph), StreamOf(stream));
  }
  DriverCode DestroyGraph(DriverHandle graph) override {
    return hipGraphExecDestroy(static_cast<hipGraphExec_t>(graph));
  }

  DriverCode LoadModule(const void* image, DriverHandle* module, std::string* log) override {
    hipModule_t loaded = nullptr;
    const hipError_t code = hipModuleLoadData(&loaded, image);
    *module = loaded;
    log->clear();
    return code;
  }
  DriverCode FindKernel(DriverHandle module, const char* name, DriverHandle* kernel, bool* found) override {
    hipFunction_t function = nullptr;
    const hipError_t code = hipModuleGetFunction(&function, static_cast<hipModule_t>(module), name);
    *kernel = function;
    *found = code == hipSuccess;
    return code == hipErrorNotFound ? hipSuccess : code;
  }
  DriverCode AllowLocalMemory(DriverHandle /*kernel*/, int /*bytes*/) override {
    // A group may always have all of AMD's local memory; nothing here asks for more.
    return hipSuccess;
  }

 private:
  int device_;
#if defined(__HIP_PLATFORM_NVIDIA__)
  std::mutex context_mutex_;
  hipCtx_t context_ = nullptr;
#endif
};

}  // namespace

std::string DescribeHip(hipError_t code) {
  const std::string name = hipGetErrorName(code);
  const std::string text = hipGetErrorString(code);
  return text == name ? name : fmt::format("{}: {}", name, text);
}

std::unique_ptr<DriverApi> MakeHipApi(int device) { return std::make_unique<HipApi>(device); }

}  // namespace lockstep
