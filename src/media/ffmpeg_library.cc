// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds and loads the plugin.
#include "media/ffmpeg_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr std::string_view kFileName = "liblockstep_ffmpeg.so";
constexpr const char* kEntry = "LockstepFfmpegLibrary";

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
  if (::dladdr(reinterpret_cast<const void*>(&LoadFfmpegLibrary), &info) != 0 && info.dli_fname != nullptr) {
    error.clear();
    add(fs::canonical(info.dli_fname, error));
  }
  return folders;
}

struct Loaded {
  const FfmpegLibrary* library = nullptr;
  std::string reason;
};

Loaded Load() {
  Loaded loaded;
  for (const std::filesystem::path& folder : Folders()) {
    const std::filesystem::path path = folder / kFileName;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      if (loaded.reason.empty()) loaded.reason = fmt::format("{} is missing", path.string());
      continue;
    }
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): the caller's lock is held
      loaded.reason = reason != nullptr ? reason : path.string();
      return loaded;
    }
    const auto entry = reinterpret_cast<const FfmpegLibrary* (*)()>(::dlsym(handle, kEntry));
    const FfmpegLibrary* const library = entry != nullptr ? entry() : nullptr;
    if (library == nullptr || library->version == nullptr || std::string_view(library->version) != LOCKSTEP_VERSION) {
      loaded.reason = fmt::format("{} belongs to another version", path.string());
      return loaded;
    }
    loaded.library = library;
    return loaded;
  }
  return loaded;
}

}  // namespace

Result<const FfmpegLibrary*> LoadFfmpegLibrary() {
  static const Loaded loaded = Load();
  if (loaded.library != nullptr) return loaded.library;
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("needs FFmpeg's libraries, which cannot be used: {}; y4m and raw video need none", loaded.reason),
      {},
      {},
      {}};
}

Result<std::unique_ptr<FrameScaler>> FrameScaler::Create(const VideoFormat& from, const VideoFormat& to) {
  Result<const FfmpegLibrary*> library = LoadFfmpegLibrary();
  if (!library) {
    Error error = std::move(library).error();
    error.message = "scaling " + error.message;
    return error;
  }
  return (*library)->make_scaler(from, to);
}

}  // namespace lockstep
