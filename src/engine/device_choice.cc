// SPDX-License-Identifier: BSD-2-Clause-Patent
// The devices that a request names.
#include "engine/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "backend/device_list.h"

namespace lockstep {
namespace {

Result<std::vector<std::string>> EntriesOf(std::string_view backend, const std::string& text) {
  std::vector<std::string> entries;
  if (text == "all") {
    std::string reason;
    for (const DeviceInfo& device : ListBackendDevices(backend)) {
      if (!device.name.empty() && device.unusable.empty()) entries.push_back(std::to_string(device.index));
      if (reason.empty() && !device.unusable.empty()) reason = ": " + device.unusable;
    }
    if (entries.empty()) {
      return Error{ErrorCode::kNotFound, "no device can be used" + reason, {}, {}, fmt::format("backend {}", backend)};
    }
    return entries;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    entries.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

}  // namespace

Status CheckDeviceList(const std::string& text) {
  // An empty text is the backend's best device; an empty entry of a list is a slip.
  const bool has_gap = text.find(",,") != std::string::npos || text.starts_with(',') || text.ends_with(',');
  if (!has_gap) return {};
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("'{}' has an empty entry; expected numbers or parts of names with commas between them, or all", text),
      {},
      {},
      "device"};
}

Result<std::vector<std::shared_ptr<Device>>> OpenDevices(std::string_view backend, const DeviceRequest& request) {
  if (Status status = CheckDeviceList(request.device); !status) return std::move(status).error();
  Result<std::vector<std::string>> entries = EntriesOf(backend, request.device);
  if (!entries) return std::move(entries).error();
  std::vector<std::shared_ptr<Device>> devices;
  for (std::string& entry : *entries) {
    DeviceSelection selection;
    selection.device = std::move(entry);
    selection.out_of_order = request.out_of_order;
    selection.profiling = request.timing;
    Result<std::shared_ptr<Device>> device = OpenDevice(backend, selection);
    if (!device) return std::move(device).error();
    devices.push_back(*std::move(device));
  }
  return devices;
}

bool AreDifferent(std::span<const std::shared_ptr<Device>> devices) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const std::shared_ptr<Device>& device) { return device != devices[0]; });
}

int NumberOfDevice(std::string_view backend, const std::string& text, const Device& device) {
  int number = 0;
  const std::string entry = text.substr(0, text.find(','));
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error == std::errc() && end == entry.data() + entry.size()) return number;
  for (const DeviceInfo& info : ListBackendDevices(backend)) {
    if (info.name == device.properties().name && info.unusable.empty()) return info.index;
  }
  return 0;
}

std::string DeviceNames(std::span<const std::shared_ptr<Device>> devices) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::shared_ptr<Device>& device : devices) {
    const std::string& name = device->properties().name;
    const auto same =
        std::find_if(counts.begin(), counts.end(), [&](const auto& entry) { return entry.first == name; });
    if (same == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++same->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    if (!text.empty()) text += ", ";
    text += count == 1 ? name : fmt::format("{} x {}", count, name);
  }
  return text;
}

}  // namespace lockstep
