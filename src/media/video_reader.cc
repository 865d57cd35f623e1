// SPDX-License-Identifier: BSD-2-Clause-Patent
// Chooses the reader for an input.
#include "media/video_reader.h"

#include <algorithm>
#include <cctype>
#include <new>
#include <string_view>
#include <utility>

#include "media/byte_source.h"
#include "media/ffmpeg_library.h"
#include "media/y4m_reader.h"
#include "media/yuv_reader.h"

namespace lockstep {
namespace {

bool EndsInYuv(std::string_view path) {
  constexpr std::string_view kExtension = ".yuv";
  if (path.size() < kExtension.size()) return false;
  const std::string_view end = path.substr(path.size() - kExtension.size());
  return std::equal(end.begin(), end.end(), kExtension.begin(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

Result<std::unique_ptr<VideoReader>> Open(const std::string& path, const OpenOptions& options) {
  Result<std::unique_ptr<ByteSource>> source = OpenByteSource(path, options.stop);
  if (!source) return std::move(source).error();
  Result<std::span<const std::byte>> first = (*source)->Peek(1);
  if (!first) return std::move(first).error();
  if (first->empty()) return Error{ErrorCode::kInputOutput, "is empty", path, {}, {}};
  Result<bool> is_y4m = IsY4m(**source);
  if (!is_y4m) return std::move(is_y4m).error();
  if (options.raw && *is_y4m) {
    return Error{ErrorCode::kInvalidArgument,
                 "is a y4m file, not raw video; leave out width, height, pixel format and bit depth",
                 path,
                 {},
                 {}};
  }
  if (options.raw) return OpenYuv(std::move(*source), options);
  if (*is_y4m) return OpenY4m(std::move(*source), options);
  if (EndsInYuv(path)) return RawFormatMissing(path);
  Result<const FfmpegLibrary*> library = LoadFfmpegLibrary();
  if (!library) {
    Error error = std::move(library).error();
    error.file = path;
    return error;
  }
  return (*library)->open(std::move(*source), options);
}

}  // namespace

Error RawFormatMissing(const std::string& path) {
  return Error{ErrorCode::kInvalidArgument,
               "is raw video, which needs width, height, pixel format and bit depth to be given",
               path,
               {},
               {}};
}

Result<std::int64_t> VideoReader::Skip(std::int64_t count) {
  Frame scratch;
  for (std::int64_t done = 0; done < count; ++done) {
    Result<bool> read = Read(scratch);
    if (!read) return std::move(read).error();
    if (!*read) return done;
  }
  return count;
}

Result<std::unique_ptr<VideoReader>> OpenVideo(const std::string& path, const OpenOptions& options) {
  try {
    return Open(path, options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to open it", path, {}, {}};
  }
}

}  // namespace lockstep
