// SPDX-License-Identifier: BSD-2-Clause-Patent
// The devices that a request names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.h"
#include "lockstep/result.h"
#include "lockstep/score.h"

namespace lockstep {

/// errors  kInvalidArgument: an entry of the list is empty
[[nodiscard]] Status CheckDeviceList(const std::string& text);

/// Opens what DeviceRequest::device names, in its order; a device that is named several times is there several times.
/// errors  kInvalidArgument: an empty entry of a list; kNotFound: "all" where no device can be used; those of
///         OpenDevice()
[[nodiscard]] Result<std::vector<std::shared_ptr<Device>>> OpenDevices(std::string_view backend,
                                                                       const DeviceRequest& request);

/// Whether the list names more than one device; one that is named several times counts once.
[[nodiscard]] bool AreDifferent(std::span<const std::shared_ptr<Device>> devices);

/// The number by which ListBackendDevices() knows an open device that was chosen by the first entry of `text`.
[[nodiscard]] int NumberOfDevice(std::string_view backend, const std::string& text, const Device& device);

/// "NVIDIA H200", "3 x NVIDIA H200", "NVIDIA H200, 2 x NVIDIA L4"
[[nodiscard]] std::string DeviceNames(std::span<const std::shared_ptr<Device>> devices);

}  // namespace lockstep
