// SPDX-License-Identifier: BSD-2-Clause-Patent
// The calls that CUDA's driver and HIP's runtime share, for one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/device.h"

namespace lockstep {

/// Streams, events, modules, kernels and graphs of the driver.
using DriverHandle = void*;

/// 0: success; anything else is the driver's own code.
using DriverCode = int;

/// Every function is thread safe, and works on the thread that calls it once MakeCurrent() has succeeded there.
class DriverApi {
 public:
  virtual ~DriverApi() = default;

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
  [[nodiscard]] virtual std::string Describe(DriverCode code) const = 0;
  [[nodiscard]] virtual bool IsOutOfMemory(DriverCode code) const = 0;

  /// Makes this device the calling thread's.
  virtual DriverCode MakeCurrent() = 0;

  virtual DriverCode AllocateOnDevice(void** memory, std::size_t bytes) = 0;
  virtual DriverCode AllocatePinned(void** memory, std::size_t bytes) = 0;
  virtual DriverCode FreeOnDevice(void* memory) = 0;
  virtual DriverCode FreePinned(void* memory) = 0;

  /// Memory of this device, and of no other one.
  [[nodiscard]] virtual bool IsOnDevice(const void* address) = 0;

  /// A stream that does not wait for the default one.
  virtual DriverCode CreateStream(DriverHandle* stream) = 0;
  virtual DriverCode DestroyStream(DriverHandle stream) = 0;
  virtual DriverCode SynchronizeStream(DriverHandle stream) = 0;
  virtual DriverCode Copy(void* to, const void* from, std::size_t bytes, DriverHandle stream) = 0;
  virtual DriverCode CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t row_bytes, std::size_t rows, DriverHandle stream) = 0;
  virtual DriverCode Fill(void* to, std::uint8_t value, std::size_t bytes, DriverHandle stream) = 0;
  /// `arguments` are copied before it returns.
  virtual DriverCode Launch(DriverHandle kernel, const LaunchShape& shape, const void* arguments,
                            std::size_t argument_bytes, DriverHandle stream) = 0;

  virtual DriverCode CreateEvent(DriverHandle* event, bool is_timed) = 0;
  virtual DriverCode DestroyEvent(DriverHandle event) = 0;
  virtual DriverCode RecordEvent(DriverHandle event, DriverHandle stream) = 0;
  virtual DriverCode WaitForEvent(DriverHandle event, DriverHandle stream) = 0;
  virtual DriverCode SynchronizeEvent(DriverHandle event) = 0;
  /// `is_done` is false while the device has not reached the event.
  virtual DriverCode QueryEvent(DriverHandle event, bool* is_done) = 0;
  virtual DriverCode MillisecondsBetween(DriverHandle begin, DriverHandle end, float* milliseconds) = 0;

  virtual DriverCode BeginCapture(DriverHandle stream) = 0;
  /// Ends the capture in any case; `graph` is ready to be launched.
  virtual DriverCode EndCapture(DriverHandle stream, DriverHandle* graph) = 0;
  virtual DriverCode LaunchGraph(DriverHandle graph, DriverHandle stream) = 0;
  virtual DriverCode DestroyGraph(DriverHandle graph) = 0;

  /// `log` gets what the driver's compiler says.
  virtual DriverCode LoadModule(const void* image, DriverHandle* module, std::string* log) = 0;
  /// in      name zero-terminated
  /// `found` is false where the module has no such kernel.
  virtual DriverCode FindKernel(DriverHandle module, const char* name, DriverHandle* kernel, bool* found) = 0;
  /// Allows launches of the kernel with as much local memory as makes `bytes` with what it has declared itself.
  virtual DriverCode AllowLocalMemory(DriverHandle kernel, int bytes) = 0;
};

}  // namespace lockstep
