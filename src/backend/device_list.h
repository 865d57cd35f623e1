// SPDX-License-Identifier: BSD-2-Clause-Patent
// Backends by name: their plugins, their devices, and those that are open.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// Names of all backends with devices, also those that this build or machine lacks.
[[nodiscard]] std::span<const std::string_view> BackendNames();

/// Loads liblockstep_<name>.so, see LoadPlugin(). Loaded once, kept to the end. Thread safe.
/// errors  kUnsupported: no such backend (the message lists those there are), or its plugin is missing, of another
///         version, or cannot be loaded (the message says why)
[[nodiscard]] Result<const DeviceBackend*> LoadDeviceBackend(std::string_view name);

/// Every device of the backend, also unusable ones with the reason; one entry without a name says why there is none.
/// Thread safe.
[[nodiscard]] std::vector<DeviceInfo> ListBackendDevices(std::string_view name);

/// The same device for the same selection: it stays open to the end of the process, because its kernels take seconds
/// to load. Thread safe.
/// errors  those of LoadDeviceBackend() and DeviceBackend::open
[[nodiscard]] Result<std::shared_ptr<Device>> OpenDevice(std::string_view backend, const DeviceSelection& selection);

}  // namespace lockstep
