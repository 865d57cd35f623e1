// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds and loads plugins.
#include "base/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace lockstep {
namespace {

std::vector<std::filesystem::path> Folders() {
  namespace fs = std::filesystem;
  const char* const chosen = std::getenv("LOCKSTEP_PLUGINS");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  if (chosen != nullptr && *chosen != '\0') return {fs::path(chosen)};
  std::vector<fs::path> folders;
  std::error_code error;
  const auto add = [&](const fs::path& object) {
    if (!error && object.has_parent_path()) folders.push_back(object.parent_path().parent_path() / "lib" / "lockstep");
  };
  add(fs::read_symlink("/proc/self/exe", error));
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&LoadPlugin), &info) != 0 && info.dli_fname != nullptr) {
    error.clear();
    add(fs::canonical(info.dli_fname, error));
  }
  return folders;
}

}  // namespace

PluginEntry LoadPlugin(const std::string& file_name, const char* entry) {
  PluginEntry found;
  for (const std::filesystem::path& folder : Folders()) {
    const std::filesystem::path path = folder / file_name;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      if (found.reason.empty()) {
        found.path = path.string();
        found.reason = found.path + " is missing";
      }
      continue;
    }
    found.path = path.string();
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one thread at a time
      found.reason = reason != nullptr ? reason : found.path;
      return found;
    }
    found.address = ::dlsym(handle, entry);
    found.reason = found.address != nullptr ? "" : found.path + " is no plugin of this kind";
    return found;
  }
  return found;
}

}  // namespace lockstep
