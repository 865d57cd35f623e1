// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one symbol of liblockstep_cuda.so, and the CUDA devices of this machine.
#include <cuda.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/cuda_api.h"
#include "backend/cuda/cuda_driver.h"
#include "backend/device.h"
#include "backend/driver/driver_device.h"
#include "backend/listed_devices.h"

namespace lockstep {
namespace {

constexpr int kOldestCapability = 75;  // ten times the version; code of the plugin starts there

struct CudaDeviceFacts {
  int capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  int local_bytes = 0;
  std::size_t memory_bytes = 0;
  std::string name;
};

int Attribute(const CudaDriver& driver, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  return driver.cuDeviceGetAttribute_(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

CudaDeviceFacts FactsOf(const CudaDriver& driver, CUdevice device) {
  CudaDeviceFacts facts;
  std::array<char, 256> name{};
  if (driver.cuDeviceGetName_(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS) {
    facts.name = name.data();
  }
  driver.cuDeviceTotalMem_(&facts.memory_bytes, device);
  facts.capability = 10 * Attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                     Attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts.multiprocessors = Attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.local_bytes = Attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return facts;
}

std::vector<ListedDevice> ListedDevices(const CudaDriver& driver) {
  int count = 0;
  driver.cuDeviceGetCount_(&count);
  int version = 0;
  driver.cuDriverGetVersion_(&version);
  std::vector<ListedDevice> listed;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    ListedDevice one;
    one.info.backend = "cuda";
    one.info.index = i;
    if (const CUresult code = driver.cuDeviceGet_(&device, i); code != CUDA_SUCCESS) {
      one.info.unusable = driver.Describe(code);
    } else {
      const CudaDeviceFacts facts = FactsOf(driver, device);
      one.info.name = facts.name;
      one.info.detail = fmt::format("compute capability {}.{}, {} multiprocessors, {} MiB, driver for CUDA {}.{}",
                                    facts.capability / 10, facts.capability % 10, facts.multiprocessors,
                                    facts.memory_bytes >> 20, version / 1000, version % 1000 / 10);
      one.rank = facts.capability * 1000 + facts.multiprocessors;
      if (facts.capability < kOldestCapability) {
        one.info.unusable = fmt::format("compute capability {}.{} is older than {}.{}", facts.capability / 10,
                                        facts.capability % 10, kOldestCapability / 10, kOldestCapability % 10);
      }
    }
    listed.push_back(std::move(one));
  }
  return listed;
}

std::vector<DeviceInfo> List() {
  const Result<const CudaDriver*> driver = FindCudaDriver();
  if (!driver) return {NoDevice("cuda", driver.error().message)};
  std::vector<DeviceInfo> infos;
  for (ListedDevice& one : ListedDevices(**driver)) infos.push_back(std::move(one.info));
  if (infos.empty()) infos.push_back(NoDevice("cuda", "NVIDIA's driver finds no device"));
  return infos;
}

Result<std::unique_ptr<Device>> Open(const DeviceSelection& selection) {
  const Result<const CudaDriver*> found = FindCudaDriver();
  if (!found) return found.error();
  const CudaDriver& driver = **found;
  const std::vector<ListedDevice> listed = ListedDevices(driver);
  if (listed.empty()) return Error{ErrorCode::kNotFound, "NVIDIA's driver finds no device", {}, {}, {}};
  const Result<std::size_t> chosen = ChooseListedDevice(listed, selection.device, "CUDA");
  if (!chosen) return chosen.error();
  const DeviceInfo& info = listed[*chosen].info;
  CUdevice device = 0;
  if (const CUresult code = driver.cuDeviceGet_(&device, info.index); code != CUDA_SUCCESS) {
    return Error{ErrorCode::kUnsupported, fmt::format("{}: {}", info.name, driver.Describe(code)), {}, {}, {}};
  }
  Result<std::unique_ptr<DriverApi>> api = MakeCudaApi(driver, device);
  if (!api) {
    Error error = std::move(api).error();
    error.message = fmt::format("{}: {}", info.name, error.message);
    return error;
  }
  const CudaDeviceFacts facts = FactsOf(driver, device);
  DeviceProperties properties;
  properties.backend = "cuda";
  properties.name = facts.name;
  properties.has_graphs = true;
  // m16n8k32 products of bytes and cp.async.
  constexpr int kTunedCapability = 80;
  if (facts.capability >= kTunedCapability) properties.traits.tuned = "cuda80";
  properties.traits.multiprocessors = facts.multiprocessors;
  properties.traits.local_bytes = facts.local_bytes;
  // Kernels that run beside each other would be in each other's times.
  properties.traits.concurrent_streams = !selection.profiling;
  return std::unique_ptr<Device>(
      std::make_unique<DriverDevice>(*std::move(api), std::move(properties), selection.profiling));
}

}  // namespace
}  // namespace lockstep

extern "C" [[gnu::visibility("default")]] const lockstep::DeviceBackend* LockstepDeviceBackend() {
  static constexpr lockstep::DeviceBackend kBackend = {LOCKSTEP_DEVICE_INTERFACE, &lockstep::List, &lockstep::Open};
  return &kBackend;
}
