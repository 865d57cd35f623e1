// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one symbol of liblockstep_hip.so, and the HIP devices of this machine.
#include <fmt/format.h>
#include <hip/hip_runtime_api.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/driver/driver_device.h"
#include "backend/hip/hip_api.h"
#include "backend/listed_devices.h"

namespace lockstep {
namespace {

// AMD's architectures that the plugin has code for, each followed by a space.
constexpr std::string_view kTargets = LOCKSTEP_HIP_TARGET_LIST;

/// The architecture without its switches: "gfx90a" of "gfx90a:sramecc+:xnack-"; of NVIDIA's it is "sm_90".
std::string ArchitectureOf(const hipDeviceProp_t& properties) {
#if defined(__HIP_PLATFORM_NVIDIA__)
  return fmt::format("sm_{}{}", properties.major, properties.minor);
#else
  const std::string_view whole = properties.gcnArchName;
  return std::string(whole.substr(0, whole.find(':')));
#endif
}

bool HasKernels(const hipDeviceProp_t& properties) {
#if defined(__HIP_PLATFORM_NVIDIA__)
  // What the CUDA plugin's code starts with.
  constexpr int kOldestCapability = 75;
  return 10 * properties.major + properties.minor >= kOldestCapability;
#else
  return kTargets.find(ArchitectureOf(properties) + " ") != std::string_view::npos;
#endif
}

ListedDevice Describe(int index) {
  ListedDevice one;
  one.info.backend = "hip";
  one.info.index = index;
  hipDeviceProp_t properties = {};
  if (const hipError_t code = hipGetDeviceProperties(&properties, index); code != hipSuccess) {
    one.info.unusable = DescribeHip(code);
    return one;
  }
  int version = 0;
  static_cast<void>(hipRuntimeGetVersion(&version));
  const std::string architecture = ArchitectureOf(properties);
  one.info.name = properties.name;
  // Cards for consumers may have no name.
  if (one.info.name.empty()) one.info.name = architecture;
  one.info.detail = fmt::format("{}, {} compute units, {} MiB, runtime {}", architecture,
                                properties.multiProcessorCount, properties.totalGlobalMem >> 20, version);
  one.rank = properties.multiProcessorCount;
  if (!HasKernels(properties)) {
    one.info.unusable = fmt::format("there are kernels for {}and none for {}", kTargets, architecture);
  }
  return one;
}

/// errors  kUnsupported: the runtime finds no device, with its words
Result<std::vector<ListedDevice>> ListedDevices() {
  int count = 0;
  if (const hipError_t code = hipGetDeviceCount(&count); code != hipSuccess || count < 1) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("HIP's runtime finds no device ({})", DescribeHip(code == hipSuccess ? hipErrorNoDevice : code)),
        {},
        {},
        {}};
  }
  std::vector<ListedDevice> listed;
  for (int i = 0; i < count; ++i) listed.push_back(Describe(i));
  return listed;
}

std::vector<DeviceInfo> List() {
  Result<std::vector<ListedDevice>> listed = ListedDevices();
  if (!listed) return {NoDevice("hip", listed.error().message)};
  std::vector<DeviceInfo> infos;
  for (ListedDevice& one : *listed) infos.push_back(std::move(one.info));
  return infos;
}

Result<std::unique_ptr<Device>> Open(const DeviceSelection& selection) {
  const Result<std::vector<ListedDevice>> listed = ListedDevices();
  if (!listed) return listed.error();
  const Result<std::size_t> chosen = ChooseListedDevice(*listed, selection.device, "HIP");
  if (!chosen) return chosen.error();
  const DeviceInfo& info = (*listed)[*chosen].info;
  DeviceProperties properties;
  properties.backend = "hip";
  properties.name = info.name;
  properties.has_graphs = true;
  // Kernels that run beside each other would be in each other's times.
  properties.traits.concurrent_streams = !selection.profiling;
  auto device = std::make_unique<DriverDevice>(MakeHipApi(info.index), std::move(properties), selection.profiling);
  if (const DriverCode code = device->api().MakeCurrent(); code != 0) return device->ErrorOf(code, "cannot be used");
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace
}  // namespace lockstep

extern "C" [[gnu::visibility("default")]] const lockstep::DeviceBackend* LockstepDeviceBackend() {
  static constexpr lockstep::DeviceBackend kBackend = {LOCKSTEP_DEVICE_INTERFACE, &lockstep::List, &lockstep::Open};
  return &kBackend;
}
