// SPDX-License-Identifier: BSD-2-Clause-Patent
// Commands of one stream on a SYCL queue, kept in their order by the queue or by events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <vector>

#include "backend/device.h"
#include "backend/first_failure.h"
#include "backend/sycl/sycl_device.h"
#include "backend/sycl/sycl_failure.h"

namespace lockstep {

class SyclStream final : public DeviceStream {
 public:
  SyclStream(SyclDevice& device, SyclQueue queue);
  SyclStream(const SyclStream&) = delete;
  SyclStream& operator=(const SyclStream&) = delete;
  ~SyclStream() override;

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
  [[nodiscard]] Status status() const override;
  void BeginRecording() override;
  [[nodiscard]] Result<std::unique_ptr<DeviceGraph>> EndRecording() override;
  void Replay(DeviceGraph& graph) override;
  [[nodiscard]] std::vector<DeviceTiming> TakeTimings() override;

 private:
  using ModifiableGraph =
      sycl::ext::oneapi::experimental::command_graph<sycl::ext::oneapi::experimental::graph_state::modifiable>;

  struct Recording {
    SyclQueue queue;
    ModifiableGraph graph;
    std::optional<sycl::event> last;
  };
  struct Measured {
    std::string_view name;  // of a kernel of the device, or a literal
    sycl::event event;
  };

  template <class Function>
  void Guard(const Function& function);
  template <class Function>
  bool Submit(std::string_view name, const Function& add);
  [[nodiscard]] bool has_failed() const { return failure_.has_failed() || queue_.failure->has_failed(); }
  [[nodiscard]] std::string_view CopyName(const void* to, const void* from) const;
  void WaitOnHost(sycl::event event);
  void Measure(std::string_view name, const sycl::event& event);
  void SumFinished();

  SyclDevice& device_;
  SyclQueue queue_;
  FirstFailure failure_;
  std::optional<sycl::event> last_;
  std::vector<sycl::event> awaited_;  // events of other streams that the next command waits for
  std::optional<Recording> recording_;
  std::deque<Measured> measured_;
  std::map<std::string, DeviceTiming, std::less<>> timings_;
};

}  // namespace lockstep
