// SPDX-License-Identifier: BSD-2-Clause-Patent
// Backends by name: their plugins, their devices, and those that are open.
#include "backend/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/plugin.h"

namespace lockstep {
namespace {

constexpr std::string_view kBackendNames[] = {"cuda", "hip", "sycl"};
constexpr const char* kEntry = "LockstepDeviceBackend";

Result<const DeviceBackend*> Load(std::string_view name) {
  const auto refuse = [&](const std::string& reason) {
    return Error{ErrorCode::kUnsupported, reason, {}, {}, fmt::format("backend {}", name)};
  };
  // libsycl looks for itself there when it is loaded, and for ever where it finds nothing.
  if (::access("/proc/self/maps", R_OK) != 0) return refuse("/proc/self/maps, which its runtime needs, cannot be read");
  const PluginEntry plugin = LoadPlugin(fmt::format("liblockstep_{}.so", name), kEntry);
  if (plugin.address == nullptr) return refuse(plugin.reason);
  const DeviceBackend* const backend = reinterpret_cast<const DeviceBackend* (*)()>(plugin.address)();
  if (backend == nullptr || backend->interface == nullptr ||
      std::string_view(backend->interface) != LOCKSTEP_DEVICE_INTERFACE) {
    return refuse(plugin.path + " belongs to another build");
  }
  return backend;
}

using OpenKey = std::tuple<std::string, std::string, bool, bool, int>;

struct OpenDevices {
  std::mutex mutex;
  std::map<OpenKey, std::shared_ptr<Device>> devices;
};

// Never destroyed: at the end of the process the runtimes of the backends may be gone before our objects are.
OpenDevices& Open() {
  static auto* const open = new OpenDevices;
  return *open;
}

}  // namespace

std::span<const std::string_view> BackendNames() { return kBackendNames; }

Result<const DeviceBackend*> LoadDeviceBackend(std::string_view name) {
  if (std::find(std::begin(kBackendNames), std::end(kBackendNames), name) == std::end(kBackendNames)) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("'{}' is not part of this build; there are: cpu, {}", name, fmt::join(kBackendNames, ", ")),
        {},
        {},
        "backend"};
  }
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, Result<const DeviceBackend*>, std::less<>>;
  const std::lock_guard lock(mutex);
  const auto found = loaded->find(name);
  if (found != loaded->end()) return found->second;
  return loaded->emplace(name, Load(name)).first->second;
}

std::vector<DeviceInfo> ListBackendDevices(std::string_view name) {
  Result<const DeviceBackend*> backend = LoadDeviceBackend(name);
  if (backend) return (*backend)->list();
  DeviceInfo none;
  none.backend = name;
  none.unusable = std::move(backend).error().message;
  return {none};
}

Result<std::shared_ptr<Device>> OpenDevice(std::string_view backend, const DeviceSelection& selection) {
  Result<const DeviceBackend*> loaded = LoadDeviceBackend(backend);
  if (!loaded) return std::move(loaded).error();
  const OpenKey key = {std::string(backend), selection.device, selection.out_of_order, selection.profiling,
                       selection.sub_group_size};
  OpenDevices& open = Open();
  const std::lock_guard lock(open.mutex);
  const auto found = open.devices.find(key);
  if (found != open.devices.end()) return found->second;
  Result<std::unique_ptr<Device>> device = (*loaded)->open(selection);
  if (!device) return std::move(device).error();
  return open.devices.emplace(key, std::move(*device)).first->second;
}

}  // namespace lockstep
