// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sequential bytes from a file, a pipe, a descriptor or memory, with reads that another thread can interrupt.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/frame.h"
#include "lockstep/result.h"

namespace lockstep {

/// Bytes read front to back. Not thread safe except for Cancel(). Errors name the path.
class ByteSource {
 public:
  /// Requests below this go through the buffer, larger ones straight to their destination.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Bytes from the first one that Read() can deliver to the end; known for regular files and memory only.
  [[nodiscard]] std::optional<std::int64_t> size() const { return size_; }

  /// Bytes consumed so far.
  [[nodiscard]] std::int64_t position() const { return position_; }

  /// The next `count` bytes (at most kBufferBytes) without consuming them; fewer only at the end of the stream.
  [[nodiscard]] Result<std::span<const std::byte>> Peek(std::size_t count);

  /// Fills `out`; returns how many bytes there were, fewer than asked only at the end of the stream.
  [[nodiscard]] Result<std::size_t> Read(std::span<std::byte> out);

  /// Returns as soon as it has at least one byte; 0 at the end of the stream.
  [[nodiscard]] Result<std::size_t> ReadSome(std::span<std::byte> out);

  /// Fills the first `row_bytes` of every row of `plane`; returns the number of bytes there were.
  [[nodiscard]] Result<std::size_t> ReadRows(const MutablePlaneView& plane, std::size_t row_bytes);

  /// Fills the first `row_bytes` of every row of `plane` with the bytes from `position` on, whatever has been consumed,
  /// which stays as it is. Needs seekable(). Any number of threads at once.
  /// out     false: not all of these bytes are there, the system refused, or reading was cancelled
  [[nodiscard]] bool ReadRowsAt(std::int64_t position, const MutablePlaneView& plane, std::size_t row_bytes) const;

  /// Consumes up to `count` bytes; returns how many there were.
  [[nodiscard]] Result<std::int64_t> Skip(std::int64_t count);

  enum class LineEnd { kNewline, kStreamEnd, kTooLong };

  /// Consumes up to and including the next LF. The line without its LF is appended to `line`, unless that is null.
  /// kTooLong: no LF in the first `limit` bytes, which are consumed.
  [[nodiscard]] Result<LineEnd> ReadLine(std::string* line, std::size_t limit);

  /// Regular files and memory can be repositioned; streams cannot.
  [[nodiscard]] bool seekable() const { return seekable_; }
  [[nodiscard]] Status Seek(std::int64_t position);

  /// From any thread: a read in progress and all later ones fail with kCancelled.
  virtual void Cancel() {}

 protected:
  explicit ByteSource(std::string path) : path_(std::move(path)) {}
  void SetSize(std::int64_t size) { size_ = size; }
  void SetSeekable() { seekable_ = true; }

  /// Reads into the pieces in order; returns at least one byte unless the stream has ended.
  [[nodiscard]] virtual Result<std::size_t> Fetch(std::span<const iovec> pieces) = 0;
  [[nodiscard]] virtual Status Reposition(std::int64_t position) = 0;

  /// Fetch() from `position` on, for any number of threads at once; 0 when there is nothing or an error.
  [[nodiscard]] virtual std::size_t FetchAt(std::int64_t position, std::span<const iovec> pieces) const = 0;

 private:
  [[nodiscard]] std::size_t buffered() const { return buffer_end_ - buffer_begin_; }
  std::size_t TakeBuffered(std::span<std::byte> out);
  [[nodiscard]] Result<std::size_t> Refill();

  std::string path_;
  std::optional<std::int64_t> size_;
  bool seekable_ = false;
  std::int64_t position_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
};

/// Opens a file, FIFO or device. "-", "/dev/stdin" and "/dev/fd/N" are the descriptors of this process, read from where
/// they stand. A FIFO does not block here but in the first read. A requested stop acts like Cancel().
/// errors  kNotFound, kInputOutput (directory, no permission)
[[nodiscard]] Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                                 const std::stop_token& stop = {});

/// Bytes in memory, which must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> MemoryByteSource(std::string name, std::span<const std::byte> bytes);

}  // namespace lockstep
