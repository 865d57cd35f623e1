// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SYCL devices of this machine: what can be said about them, which one a request means.
#include "backend/sycl/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/listed_devices.h"
#include "backend/sycl/cpu_runtime.h"
#include "backend/sycl/sub_group_size.h"

namespace lockstep {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

std::string_view DriverKind(sycl::backend backend) {
  switch (backend) {
    case sycl::backend::opencl:
      return "OpenCL";
    case sycl::backend::ext_oneapi_level_zero:
      return "Level Zero";
    case sycl::backend::ext_oneapi_cuda:
      return "CUDA";
    case sycl::backend::ext_oneapi_hip:
      return "HIP";
    default:
      return "another kind of driver";
  }
}

std::string Detail(const sycl::device& device) {
  constexpr double kGibibyte = 1 << 30;
  return fmt::format("{}, driver {}, {} compute units, {:.1f} GiB, sub-groups of {}", DriverKind(device.get_backend()),
                     device.get_info<sycl::info::device::driver_version>(),
                     device.get_info<sycl::info::device::max_compute_units>(),
                     static_cast<double>(device.get_info<sycl::info::device::global_mem_size>()) / kGibibyte,
                     fmt::join(device.get_info<sycl::info::device::sub_group_sizes>(), ", "));
}

/// Empty where the device can be used.
std::string WhyUnusable(sycl::device device) {
  if (!device.ext_oneapi_can_build(syclexp::source_language::spirv)) return "its driver takes no SPIR-V";
  if (!device.has(sycl::aspect::usm_device_allocations)) return "it has no USM device memory";
  if (!device.has(sycl::aspect::usm_host_allocations)) return "it has no USM host memory";
  if (device.get_info<sycl::info::device::max_work_group_size>() < LaunchShape::kGroupSize) {
    return fmt::format("it has no work-groups of {}", LaunchShape::kGroupSize);
  }
  if (BestSubGroupSize(device) == 0) {
    return fmt::format("the kernels are made for sub-groups of {}, and it has only those of {}",
                       fmt::join(kSubGroupSizes, " or "),
                       fmt::join(device.get_info<sycl::info::device::sub_group_sizes>(), ", "));
  }
  // Bits of the float metrics: every single operation is rounded as IEEE 754 says, tiny values included.
  const std::vector<sycl::info::fp_config> floats = device.get_info<sycl::info::device::single_fp_config>();
  for (const auto& [needed, name] : {std::pair(sycl::info::fp_config::denorm, "subnormal values"),
                                     std::pair(sycl::info::fp_config::round_to_nearest, "rounding to nearest")}) {
    if (std::find(floats.begin(), floats.end(), needed) == floats.end()) {
      return fmt::format("its binary32 has no {}", name);
    }
  }
  // The CPU runtime lists processors that it then refuses.
  try {
    static_cast<void>(sycl::context(device));
  } catch (const sycl::exception& exception) {
    return fmt::format("its driver does not open it: {}", exception.what());
  }
  return {};
}

/// Larger is better: graphics processors before others, and of two drivers for the same one Level Zero.
int Rank(const sycl::device& device) {
  const int kind = device.is_gpu() ? 2 : device.is_cpu() ? 0 : 1;
  return kind * 2 + (device.get_backend() == sycl::backend::ext_oneapi_level_zero ? 1 : 0);
}

struct SyclDevices {
  std::vector<sycl::device> devices;
  std::vector<ListedDevice> listed;
};

SyclDevices ListedDevices() {
  LoadDrivers();
  SyclDevices all;
  for (const sycl::device& device : sycl::device::get_devices()) {
    DeviceInfo info;
    info.backend = "sycl";
    info.index = static_cast<int>(all.listed.size());
    try {
      info.name = device.get_info<sycl::info::device::name>();
      info.detail = Detail(device);
      info.unusable = WhyUnusable(device);
    } catch (const std::exception& error) {
      info.unusable = error.what();
    }
    all.devices.push_back(device);
    all.listed.push_back({std::move(info), Rank(device)});
  }
  return all;
}

std::string WhyNone(const std::string& runtime_error) {
  std::string reason = "no driver offers a SYCL device";
  if (!runtime_error.empty()) reason += ": " + runtime_error;
  const std::string state = CpuRuntimeState();
  if (!state.empty()) reason += "; the CPU device's runtime: " + state;
  for (const char* const name : {"ONEAPI_DEVICE_SELECTOR", "OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"}) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): set before, by LoadDrivers()
    if (value != nullptr) reason += fmt::format("; {} is '{}'", name, value);
  }
  return reason;
}

Result<sycl::device> Choose(const std::string& text) {
  SyclDevices all = ListedDevices();
  if (all.listed.empty()) return Error{ErrorCode::kNotFound, WhyNone({}), {}, {}, {}};
  const Result<std::size_t> chosen = ChooseListedDevice(all.listed, text, "SYCL");
  if (!chosen) return chosen.error();
  return std::move(all.devices[*chosen]);
}

}  // namespace

std::size_t BestSubGroupSize(const sycl::device& device) {
  const std::vector<std::size_t> sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  for (const std::size_t size : kSubGroupSizes) {
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) return size;
  }
  return 0;
}

std::vector<DeviceInfo> ListSyclDevices() {
  try {
    std::vector<DeviceInfo> infos;
    SyclDevices all = ListedDevices();
    for (ListedDevice& one : all.listed) infos.push_back(std::move(one.info));
    if (infos.empty()) infos.push_back(NoDevice("sycl", WhyNone({})));
    return infos;
  } catch (const std::exception& error) {
    return {NoDevice("sycl", WhyNone(error.what()))};
  }
}

Result<sycl::device> ChooseSyclDevice(const std::string& text) {
  try {
    return Choose(text);
  } catch (const std::exception& error) {
    return Error{ErrorCode::kNotFound, WhyNone(error.what()), {}, {}, {}};
  }
}

}  // namespace lockstep
