// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one symbol of liblockstep_sycl.so.
#include <memory>
#include <sycl/sycl.hpp>
#include <utility>

#include "backend/device.h"
#include "backend/sycl/device_choice.h"
#include "backend/sycl/sycl_device.h"
#include "backend/sycl/sycl_failure.h"

namespace lockstep {
namespace {

Result<std::unique_ptr<Device>> Open(const DeviceSelection& selection) {
  Result<sycl::device> device = ChooseSyclDevice(selection.device);
  if (!device) return std::move(device).error();
  try {
    return std::unique_ptr<Device>(new SyclDevice(*device, selection));
  } catch (...) {
    return CurrentSyclError("the SYCL device cannot be opened");
  }
}

}  // namespace
}  // namespace lockstep

extern "C" [[gnu::visibility("default")]] const lockstep::DeviceBackend* LockstepDeviceBackend() {
  static constexpr lockstep::DeviceBackend kBackend = {LOCKSTEP_DEVICE_INTERFACE, &lockstep::ListSyclDevices,
                                                       &lockstep::Open};
  return &kBackend;
}
