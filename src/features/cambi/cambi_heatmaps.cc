// SPDX-License-Identifier: BSD-2-Clause-Patent
// Files of cambi's heat maps: raw 16-bit planes of all frames, or PNG pictures without compression.
#include "features/cambi/cambi_heatmaps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace lockstep {
namespace {

constexpr const char* kUnfinished = ".unfinished";

Error HeatmapError(std::string message, std::string path) {
  return {ErrorCode::kInputOutput, std::move(message), std::move(path), {}, "heatmaps_path"};
}

Error SystemError(int error, const std::string& path) {
  return HeatmapError("cannot write the heat map: " + std::generic_category().message(error), path);
}

/// out     0 or an errno value
int WriteAt(int file, std::span<const std::byte> bytes, std::int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
  return 0;
}

// ---- PNG: chunks of a length, a type, data and a CRC of both; pixels as blocks of zlib that are only stored.

constexpr std::size_t kChunkFrame = 12;       // length, type and CRC of a chunk
constexpr std::size_t kLargestBlock = 65535;  // bytes of a stored block
constexpr std::size_t kBlockHeader = 5;
constexpr std::size_t kZlibHeader = 2;
constexpr std::size_t kZlibTrailer = 4;

constexpr std::array<u32, 256> MakeCrcTable() {
  std::array<u32, 256> table{};
  for (u32 byte = 0; byte < 256; ++byte) {
    u32 crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<u32, 256> kCrcTable = MakeCrcTable();

u32 CrcOf(std::span<const std::byte> bytes) {
  u32 crc = 0xffffffffu;
  for (const std::byte byte : bytes) crc = kCrcTable[(crc ^ static_cast<u32>(byte)) & 255] ^ (crc >> 8);
  return ~crc;
}

/// Adler-32 of what has been added.
class Checksum {
 public:
  void Add(std::span<const std::byte> bytes) {
    constexpr u32 kPrime = 65521;
    constexpr std::size_t kBlock = 4096;  // bytes until the sums could leave 32 bits
    while (!bytes.empty()) {
      const std::span<const std::byte> block = bytes.first(std::min(bytes.size(), kBlock));
      bytes = bytes.subspan(block.size());
      for (const std::byte byte : block) {
        low_ += static_cast<u32>(byte);
        high_ += low_;
      }
      low_ %= kPrime;
      high_ %= kPrime;
    }
  }
  [[nodiscard]] u32 value() const { return high_ << 16 | low_; }

 private:
  u32 low_ = 1;
  u32 high_ = 0;
};

/// Writes numbers and bytes one after the other into memory that is large enough.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> memory) : memory_(memory) {}
  void Put8(u32 value) { memory_[used_++] = static_cast<std::byte>(value); }
  void Put16(u32 value) {
    Put8(value >> 8);
    Put8(value);
  }
  void Put32(u32 value) {
    Put16(value >> 16);
    Put16(value);
  }
  void Put16LowFirst(u32 value) {
    Put8(value);
    Put8(value >> 8);
  }
  void PutText(std::string_view text) {
    for (const char letter : text) Put8(static_cast<unsigned char>(letter));
  }
  /// `data` writes the content of a chunk.
  template <class Data>
  void PutChunk(std::string_view type, const Data& data) {
    const std::size_t start = used_;
    Put32(0);
    PutText(type);
    data();
    const std::span<std::byte> whole = memory_.first(used_);
    ByteWriter(whole.subspan(start)).Put32(static_cast<u32>(used_ - start - 8));
    Put32(CrcOf(whole.subspan(start + 4)));
  }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::span<const std::byte> written() const { return memory_.first(used_); }
  void Clear() { used_ = 0; }

 private:
  std::span<std::byte> memory_;
  std::size_t used_ = 0;
};

std::size_t PngRowBytes(PlaneSize size) { return 1 + 2 * static_cast<std::size_t>(size.width); }

// A row before it becomes blocks, and the largest chunk.
std::size_t PngScratchBytes(PlaneSize size) {
  const std::size_t row = PngRowBytes(size);
  const std::size_t blocks = row / kLargestBlock + 1;
  return 2 * row + blocks * kBlockHeader + kZlibHeader + kZlibTrailer + 4 * kChunkFrame;
}

void PutStored(std::span<const std::byte> bytes, bool is_last, ByteWriter& out) {
  while (!bytes.empty()) {
    const std::span<const std::byte> block = bytes.first(std::min(bytes.size(), kLargestBlock));
    bytes = bytes.subspan(block.size());
    const auto size = static_cast<u32>(block.size());
    out.Put8(is_last && bytes.empty() ? 1 : 0);
    out.Put16LowFirst(size);
    out.Put16LowFirst(~size & 0xffffu);
    for (const std::byte byte : block) out.Put8(static_cast<u32>(byte));
  }
}

/// Appends to a file; remembers the first error.
class FileWriter {
 public:
  FileWriter(int folder, const char* name)
      : file_(::openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)), error_(file_ < 0 ? errno : 0) {}
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() { Close(); }
  void Append(std::span<const std::byte> bytes) {
    if (error_ == 0) error_ = WriteAt(file_, bytes, offset_);
    offset_ += static_cast<std::int64_t>(bytes.size());
  }
  /// out     0 or an errno value of anything since the file was opened
  int Close() {
    if (file_ >= 0 && ::close(file_) != 0 && error_ == 0) error_ = errno;
    file_ = -1;
    return error_;
  }

 private:
  int file_;
  int error_;
  std::int64_t offset_ = 0;
};

}  // namespace

u16 CambiHeatmapSample(float contrast, double unit) {
  const double sample = unit * static_cast<double>(contrast);
  return sample < 65535.0 ? static_cast<u16>(sample) : u16{65535};
}

double CambiHeatmapUnit(i32 window, i32 contrasts) {
  // Weights do not fall from one contrast to the next.
  const i32 greatest = CambiContrastWeight(contrasts) * window * window / 4;
  return 65535.0 / greatest;
}

CambiHeatmaps::CambiHeatmaps(std::string path, int folder, CambiHeatmapFormat format, const CambiHeatmapSizes& sizes,
                             double unit)
    : path_(std::move(path)), folder_(folder), format_(format), sizes_(sizes), unit_(unit) {
  files_.fill(-1);
}

CambiHeatmaps::~CambiHeatmaps() {
  for (int scale = 0; scale < kCambiScales; ++scale) {
    const int file = files_[static_cast<std::size_t>(scale)];
    if (file < 0) continue;
    ::unlinkat(folder_, NameOf(scale, 0, kUnfinished).data(), 0);
    ::close(file);
  }
  ::close(folder_);
}

Result<std::unique_ptr<CambiHeatmaps>> CambiHeatmaps::Create(const std::string& folder, CambiHeatmapFormat format,
                                                             const CambiHeatmapSizes& sizes, double unit) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return HeatmapError("cannot create the folder: " + error.message(), folder);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return SystemError(errno, folder);
  std::unique_ptr<CambiHeatmaps> heatmaps(new CambiHeatmaps(folder, descriptor, format, sizes, unit));
  if (::faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) != 0) return SystemError(errno, folder);
  if (format == CambiHeatmapFormat::kGray) {
    if (Status status = heatmaps->OpenFiles(); !status) return std::move(status).error();
  }
  return heatmaps;
}

CambiHeatmaps::Name CambiHeatmaps::NameOf(int scale, std::int64_t frame, const char* ending) const {
  const PlaneSize size = sizes_.named[static_cast<std::size_t>(scale)];
  Name name{};
  char* end =
      fmt::format_to_n(name.data(), name.size() - 1, "cambi_heatmap_scale_{}_{}x{}_", scale, size.width, size.height)
          .out;
  const auto room = static_cast<std::size_t>(name.data() + name.size() - 1 - end);
  if (format_ == CambiHeatmapFormat::kGray) {
    fmt::format_to_n(end, room, "16b.gray{}", ending);
  } else {
    fmt::format_to_n(end, room, "{:06}.png{}", frame, ending);
  }
  return name;
}

std::string CambiHeatmaps::PathOf(int scale, std::int64_t frame) const {
  return path_ + "/" + NameOf(scale, frame, "").data();
}

Status CambiHeatmaps::OpenFiles() {
  for (int scale = 0; scale < kCambiScales; ++scale) {
    const int file = ::openat(folder_, NameOf(scale, 0, kUnfinished).data(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return SystemError(errno, PathOf(scale, 0));
    // A lock, and not the file itself, says that somebody writes: what a run that died has left is in nobody's way.
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      ::close(file);
      return HeatmapError("another run writes this heat map; choose another folder", PathOf(scale, 0));
    }
    files_[static_cast<std::size_t>(scale)] = file;
    if (::ftruncate(file, 0) != 0) return SystemError(errno, PathOf(scale, 0));
  }
  return {};
}

std::size_t CambiHeatmaps::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const PlaneSize& size : sizes_.drawn) bytes = std::max(bytes, PngScratchBytes(size));
  return bytes;
}

void CambiHeatmaps::Write(int scale, std::int64_t frame, const CambiContrastPlane& contrasts,
                          std::span<std::byte> scratch) {
  if (has_failed_) return;
  const int error = format_ == CambiHeatmapFormat::kGray ? WriteGray(scale, frame, contrasts, scratch)
                                                         : WritePng(scale, frame, contrasts, scratch);
  if (error == 0) return;
  const std::scoped_lock lock(mutex_);
  if (!has_failed_) failure_ = {error, scale, frame};
  has_failed_ = true;
}

int CambiHeatmaps::WriteGray(int scale, std::int64_t frame, const CambiContrastPlane& contrasts,
                             std::span<std::byte> scratch) const {
  const std::size_t row_bytes = 2 * static_cast<std::size_t>(contrasts.width);
  for (i32 y = 0; y < contrasts.height; ++y) {
    const float* const row = contrasts.Row(y);
    for (i32 x = 0; x < contrasts.width; ++x) {
      const u16 sample = CambiHeatmapSample(row[x], unit_);
      std::memcpy(scratch.data() + 2 * static_cast<std::size_t>(x), &sample, sizeof(sample));
    }
    const std::int64_t offset = (frame * contrasts.height + y) * static_cast<std::int64_t>(row_bytes);
    const int error = WriteAt(files_[static_cast<std::size_t>(scale)], scratch.first(row_bytes), offset);
    if (error != 0) return error;
  }
  return 0;
}

int CambiHeatmaps::WritePng(int scale, std::int64_t frame, const CambiContrastPlane& contrasts,
                            std::span<std::byte> scratch) const {
  const PlaneSize size = {contrasts.width, contrasts.height};
  const Name unfinished = NameOf(scale, frame, kUnfinished);
  FileWriter file(folder_, unfinished.data());
  ByteWriter pixels(scratch.first(PngRowBytes(size)));
  ByteWriter out(scratch.subspan(PngRowBytes(size)));
  out.PutText("\x89PNG\r\n\x1a\n");
  out.PutChunk("IHDR", [&] {
    out.Put32(static_cast<u32>(size.width));
    out.Put32(static_cast<u32>(size.height));
    out.Put8(16);  // bits; then: grey, the only compression and filter methods, not interlaced
    for (int i = 0; i < 4; ++i) out.Put8(0);
  });
  Checksum checksum;
  for (i32 y = 0; y < size.height; ++y) {
    const float* const row = contrasts.Row(y);
    pixels.Clear();
    pixels.Put8(0);  // not filtered
    for (i32 x = 0; x < size.width; ++x) pixels.Put16(CambiHeatmapSample(row[x], unit_));
    checksum.Add(pixels.written());
    file.Append(out.written());
    out.Clear();
    out.PutChunk("IDAT", [&] {
      if (y == 0) out.Put16(0x7801);  // deflate, 32 KiB, no dictionary
      const bool is_last = y == size.height - 1;
      PutStored(pixels.written(), is_last, out);
      if (is_last) out.Put32(checksum.value());
    });
  }
  out.PutChunk("IEND", [] {});
  file.Append(out.written());
  int error = file.Close();
  if (error == 0 && ::renameat(folder_, unfinished.data(), folder_, NameOf(scale, frame, "").data()) != 0) {
    error = errno;
  }
  if (error != 0) ::unlinkat(folder_, unfinished.data(), 0);
  return error;
}

Status CambiHeatmaps::Finish() {
  if (has_failed_) {
    const std::scoped_lock lock(mutex_);
    return SystemError(failure_.error, PathOf(failure_.scale, failure_.frame)).WithFrame(failure_.frame);
  }
  for (int scale = 0; scale < kCambiScales; ++scale) {
    int& file = files_[static_cast<std::size_t>(scale)];
    if (file < 0) continue;
    // What the system has taken but cannot store is known now. Some file systems cannot flush a single file.
    if (::fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP) return SystemError(errno, PathOf(scale, 0));
    if (::renameat(folder_, NameOf(scale, 0, kUnfinished).data(), folder_, NameOf(scale, 0, "").data()) != 0) {
      return SystemError(errno, PathOf(scale, 0));
    }
    ::close(std::exchange(file, -1));
  }
  return {};
}

}  // namespace lockstep
