// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream of CUDA or HIP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "backend/driver/driver_device.h"
#include "backend/first_failure.h"

namespace lockstep {

class DriverStream final : public DeviceStream {
 public:
  /// Owns the stream; `device` outlives it.
  DriverStream(DriverDevice& device, DriverHandle stream) : device_(device), stream_(stream) {}
  DriverStream(const DriverStream&) = delete;
  DriverStream& operator=(const DriverStream&) = delete;
  ~DriverStream() override;

  void Copy(void* to, const void* from, std::size_t bytes) override;
  void CopyRows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t row_bytes,
                std::size_t rows) override;
  void Fill(void* to, std::uint8_t value, std::size_t bytes) override;
  void Launch(const DeviceKernel& kernel, const void* arguments, std::size_t argument_bytes,
              const LaunchShape& shape) override;
  [[nodiscard]] std::shared_ptr<DeviceEvent> Mark() override;
  void WaitFor(const DeviceEvent& event) override;
  void WaitForNative(std::uintptr_t native_stream) override;
  [[nodiscard]] Status Wait(const DeviceEvent& event) override;
  [[nodiscard]] Status status() const override { return failure_.status(); }
  void BeginRecording() override;
  [[nodiscard]] Result<std::unique_ptr<DeviceGraph>> EndRecording() override;
  void Replay(DeviceGraph& graph) override;
  [[nodiscard]] std::vector<DeviceTiming> TakeTimings() override;

 private:
  struct Measured {
    std::string_view name;  // of a kernel of the device, or a literal
    DriverHandle begin = nullptr;
    DriverHandle end = nullptr;
  };

  /// Runs `command`, a function of the driver that returns its code, unless the stream has failed.
  template <class Command>
  bool Run(std::string_view action, const Command& command);
  /// Run(), with the time that the device takes where it is asked for.
  template <class Command>
  bool Submit(std::string_view name, const Command& command);
  [[nodiscard]] std::string_view CopyName(const void* to, const void* from) const;
  void SumFinished();

  DriverDevice& device_;
  DriverHandle stream_;
  FirstFailure failure_;
  bool is_recording_ = false;
  std::deque<Measured> measured_;
  std::map<std::string, DeviceTiming, std::less<>> timings_;
};

}  // namespace lockstep
