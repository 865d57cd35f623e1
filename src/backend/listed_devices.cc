// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which of the devices that a backend lists a user means.
#include "backend/listed_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool IsNumber(const std::string& text) {
  // More digits than any list of devices needs would not fit an int.
  constexpr std::size_t kMaxDigits = 6;
  return !text.empty() && text.size() <= kMaxDigits &&
         std::all_of(text.begin(), text.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::string Names(std::span<const ListedDevice> listed) {
  std::vector<std::string> names;
  for (const ListedDevice& one : listed) names.push_back(fmt::format("{} ({})", one.info.index, one.info.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<std::size_t> ChooseListedDevice(std::span<const ListedDevice> listed, const std::string& text,
                                       std::string_view backend) {
  const std::string part = LowerCase(text);
  std::optional<std::size_t> first;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const DeviceInfo& info = listed[i].info;
    const bool fits =
        IsNumber(text) ? info.index == std::stoi(text) : LowerCase(info.name).find(part) != std::string::npos;
    if (!fits) continue;
    if (!first) first = i;
    if (info.unusable.empty() && (!best || listed[i].rank > listed[*best].rank)) best = i;
  }
  if (best) return *best;
  if (!first) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no {} device '{}'; there are: {}", backend, text, Names(listed)),
                 {},
                 {},
                 {}};
  }
  const DeviceInfo& info = listed[*first].info;
  return Error{ErrorCode::kUnsupported,
               fmt::format("the {} device {} ({}) cannot be used: {}", backend, info.index, info.name, info.unusable),
               {},
               {},
               {}};
}

DeviceInfo NoDevice(std::string backend, std::string reason) {
  DeviceInfo none;
  none.backend = std::move(backend);
  none.unusable = std::move(reason);
  return none;
}

}  // namespace lockstep
