// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds and loads the plugin.
#include "media/ffmpeg_library.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/plugin.h"

namespace lockstep {
namespace {

constexpr const char* kFileName = "liblockstep_ffmpeg.so";
constexpr const char* kEntry = "LockstepFfmpegLibrary";

struct Loaded {
  const FfmpegLibrary* library = nullptr;
  std::string reason;
};

Loaded Load() {
  Loaded loaded;
  const PluginEntry plugin = LoadPlugin(kFileName, kEntry);
  if (plugin.address == nullptr) {
    loaded.reason = plugin.reason;
    return loaded;
  }
  const FfmpegLibrary* const library = reinterpret_cast<const FfmpegLibrary* (*)()>(plugin.address)();
  if (library == nullptr || library->version == nullptr || std::string_view(library->version) != LOCKSTEP_VERSION) {
    loaded.reason = fmt::format("{} belongs to another version", plugin.path);
    return loaded;
  }
  loaded.library = library;
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
