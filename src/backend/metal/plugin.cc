// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one symbol of the Metal plugin, and the Metal devices of this machine. Written, never run.
#define NS_PRIVATE_IMPLEMENTATION
#define MTL_PRIVATE_IMPLEMENTATION
#include <Metal/Metal.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/listed_devices.h"
#include "backend/metal/metal_device.h"

namespace lockstep {
namespace {

struct FoundDevice {
  ListedDevice listed;
  NS::SharedPtr<MTL::Device> device;
};

std::vector<FoundDevice> FindDevices() {
  const auto pool = NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
  std::vector<FoundDevice> found;
  const auto all = NS::TransferPtr(MTL::CopyAllDevices());
  for (NS::UInteger i = 0; all && i < all->count(); ++i) {
    auto* const device = static_cast<MTL::Device*>(all->object(i));
    FoundDevice one;
    one.device = NS::RetainPtr(device);
    one.listed.info.backend = "metal";
    one.listed.info.name = device->name()->utf8String();
    one.listed.info.index = static_cast<int>(i);
    one.listed.rank = device->isLowPower() ? 0 : 1;
    // Addresses of memory in argument blocks, and 64-bit integers.
    if (!device->supportsFamily(MTL::GPUFamilyMetal3)) one.listed.info.unusable = "it is not of Metal's third family";
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<DeviceInfo> List() {
  std::vector<DeviceInfo> infos;
  for (FoundDevice& one : FindDevices()) infos.push_back(std::move(one.listed.info));
  if (infos.empty()) infos.push_back(NoDevice("metal", "Metal finds no device"));
  return infos;
}

Result<std::unique_ptr<Device>> Open(const DeviceSelection& selection) {
  const std::vector<FoundDevice> found = FindDevices();
  if (found.empty()) return Error{ErrorCode::kNotFound, "Metal finds no device", {}, {}, {}};
  std::vector<ListedDevice> listed;
  for (const FoundDevice& one : found) listed.push_back(one.listed);
  const Result<std::size_t> chosen = ChooseListedDevice(listed, selection.device, "Metal");
  if (!chosen) return chosen.error();
  return std::unique_ptr<Device>(std::make_unique<MetalDevice>(found[*chosen].device, selection.profiling));
}

}  // namespace
}  // namespace lockstep

extern "C" [[gnu::visibility("default")]] const lockstep::DeviceBackend* LockstepDeviceBackend() {
  static constexpr lockstep::DeviceBackend kBackend = {LOCKSTEP_DEVICE_INTERFACE, &lockstep::List, &lockstep::Open};
  return &kBackend;
}
