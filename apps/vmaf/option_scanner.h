// SPDX-License-Identifier: BSD-2-Clause-Patent
// Walks over a command line with the rules of getopt_long: clusters, attached values, prefixes, "--", any order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/result.h"

namespace lockstep {

struct OptionName {
  std::string_view long_name;  // without dashes; empty where there is only a short one
  char short_name = 0;         // 0 where there is only a long one
  bool takes_value = false;
  /// libvmaf has it too. A prefix that is unambiguous among these means what it means there, whatever else begins
  /// alike.
  bool in_libvmaf = true;
};

struct ScannedOption {
  const OptionName* name = nullptr;
  std::string spelling;  // "--width" or "-w", for messages
  std::string value;
};

/// Unlike the C library's function it has no global state, and an unknown option is an error instead of a message.
class OptionScanner {
 public:
  /// `arguments` without the program's name.
  OptionScanner(std::span<const OptionName> names, std::vector<std::string> arguments)
      : names_(names), arguments_(std::move(arguments)) {}

  /// The next option, or nothing at the end.
  /// errors  kInvalidArgument: unknown or ambiguous option, value missing or superfluous, an argument that is no option
  [[nodiscard]] Result<std::optional<ScannedOption>> Next();

 private:
  [[nodiscard]] Result<const OptionName*> FindLong(std::string_view text) const;
  [[nodiscard]] Result<std::optional<ScannedOption>> Long(std::string_view text);
  [[nodiscard]] Result<std::optional<ScannedOption>> Short();

  std::span<const OptionName> names_;
  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
  std::string cluster_;  // short options of one argument that are still to come
};

}  // namespace lockstep
