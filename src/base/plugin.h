// SPDX-License-Identifier: BSD-2-Clause-Patent
// Libraries that are loaded when something needs them: where they lie, and their one entry.
#pragma once

#include <string>

namespace lockstep {

/// The entry of a loaded plugin; without an address, why there is none.
struct PluginEntry {
  void* address = nullptr;
  std::string path;    // of the library, or where it was looked for first
  std::string reason;  // that it is missing, or the loader's words
};

/// Looked for in the folder that LOCKSTEP_PLUGINS names, else in ../lib/lockstep beside the program's folder and
/// beside the library that holds this code. Stays loaded to the end. Thread safe.
/// in    file_name as in "liblockstep_ffmpeg.so"; entry a symbol of it
[[nodiscard]] PluginEntry LoadPlugin(const std::string& file_name, const char* entry);

}  // namespace lockstep
