// SPDX-License-Identifier: BSD-2-Clause-Patent
// Buffering on top of POSIX descriptors; descriptors that may block are polled together with a wake-up pipe.
#include "media/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

namespace lockstep {
namespace {

// Rows of one readv: at most IOV_MAX.
constexpr std::size_t kRowsPerFetch = 1024;

Error SystemError(const std::string& path, const std::string& what, int error_number) {
  const ErrorCode code =
      error_number == ENOENT || error_number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kInputOutput;
  return Error{code, what + ": " + std::system_category().message(error_number), path, {}, {}};
}

// The rows of a plane from byte `done` on as pieces of memory: all of it in one where rows follow each other without
// a gap, else a piece a row.
std::span<const iovec> PiecesOf(const MutablePlaneView& plane, std::size_t row_bytes, std::size_t done,
                                std::array<iovec, kRowsPerFetch>& pieces) {
  const auto first_row = static_cast<int>(done / row_bytes);
  const std::size_t column = done % row_bytes;
  const std::size_t rows = static_cast<std::size_t>(plane.height - first_row);
  if (plane.stride_bytes == static_cast<std::ptrdiff_t>(row_bytes)) {
    pieces[0] = {plane.row<std::byte>(first_row) + column, row_bytes * rows - column};
    return {pieces.data(), 1};
  }
  const std::size_t count = std::min(kRowsPerFetch, rows);
  for (std::size_t i = 0; i < count; ++i)
    pieces[i] = {plane.row<std::byte>(first_row + static_cast<int>(i)), row_bytes};
  pieces[0] = {plane.row<std::byte>(first_row) + column, row_bytes - column};
  return {pieces.data(), count};
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

class FileSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<ByteSource>> Create(std::string path, Descriptor file, const std::stop_token& stop) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return SystemError(path, "cannot be examined", errno);
    if (S_ISDIR(status.st_mode))
      return Error{ErrorCode::kInputOutput, "is a directory, not a video file", path, {}, {}};

    auto source = std::unique_ptr<FileSource>(new FileSource(std::move(path), std::move(file)));
    source->may_block_ = !S_ISREG(status.st_mode);
    if (source->may_block_) {
      std::array<int, 2> ends{};
      if (::pipe(ends.data()) != 0) return SystemError(source->path(), "no descriptors left", errno);
      source->wake_read_ = Descriptor(ends[0]);
      source->wake_write_ = Descriptor(ends[1]);
      for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#ifdef F_SETPIPE_SZ
      // The default of 64 KiB costs a task switch every few rows of a large frame. Failing is harmless.
      if (S_ISFIFO(status.st_mode)) ::fcntl(source->file_.get(), F_SETPIPE_SZ, 1 << 20);
#endif
    } else {
      const off_t start = ::lseek(source->file_.get(), 0, SEEK_CUR);
      if (start >= 0) {
        source->start_ = start;
        source->SetSeekable();
        // Files of /proc and the like report size 0 and still have content.
        if (status.st_size > 0) source->SetSize(std::max<std::int64_t>(status.st_size - start, 0));
      }
#ifdef POSIX_FADV_SEQUENTIAL
      ::posix_fadvise(source->file_.get(), start, 0, POSIX_FADV_SEQUENTIAL);
#endif
    }
    if (stop.stop_possible()) source->stop_.emplace(stop, [raw = source.get()] { raw->Cancel(); });
    return std::unique_ptr<ByteSource>(std::move(source));
  }

  void Cancel() override {
    cancelled_.store(true);
    if (may_block_) {
      // Never drained, so that every later poll() returns at once as well.
      const char byte = 0;
      while (::write(wake_write_.get(), &byte, 1) < 0 && errno == EINTR) {
      }
    }
  }

 protected:
  Result<std::size_t> Fetch(std::span<const iovec> pieces) override {
    while (true) {
      if (may_block_) {
        std::array<pollfd, 2> waits{pollfd{file_.get(), POLLIN, 0}, pollfd{wake_read_.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), -1) < 0) {
          if (errno == EINTR) continue;
          return SystemError(path(), "cannot be waited for", errno);
        }
        if (waits[0].revents == 0 && !cancelled_.load()) continue;
      }
      if (cancelled_.load()) return Error{ErrorCode::kCancelled, "reading was cancelled", path(), {}, {}};
      const ssize_t count = ::readv(file_.get(), pieces.data(), static_cast<int>(pieces.size()));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return SystemError(path(), "read failed", errno);
    }
  }

  Status Reposition(std::int64_t position) override {
    if (::lseek(file_.get(), start_ + position, SEEK_SET) < 0) return SystemError(path(), "seek failed", errno);
    return {};
  }

  std::size_t FetchAt(std::int64_t position, std::span<const iovec> pieces) const override {
    while (!cancelled_.load()) {
      const ssize_t count =
          ::preadv(file_.get(), pieces.data(), static_cast<int>(pieces.size()), static_cast<off_t>(start_ + position));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) break;
    }
    return 0;
  }

 private:
  FileSource(std::string path, Descriptor file) : ByteSource(std::move(path)), file_(std::move(file)) {}

  Descriptor file_;
  Descriptor wake_read_;
  Descriptor wake_write_;
  bool may_block_ = false;
  off_t start_ = 0;
  std::atomic<bool> cancelled_{false};
  std::optional<std::stop_callback<std::function<void()>>> stop_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes) : ByteSource(std::move(name)), bytes_(bytes) {
    SetSize(static_cast<std::int64_t>(bytes.size()));
    SetSeekable();
  }

 protected:
  Result<std::size_t> Fetch(std::span<const iovec> pieces) override {
    const std::size_t total = FetchAt(static_cast<std::int64_t>(next_), pieces);
    next_ += total;
    return total;
  }

  std::size_t FetchAt(std::int64_t position, std::span<const iovec> pieces) const override {
    const std::span<const std::byte> rest = bytes_.subspan(std::min(static_cast<std::size_t>(position), bytes_.size()));
    std::size_t total = 0;
    for (const iovec& piece : pieces) {
      const std::size_t count = std::min(piece.iov_len, rest.size() - total);
      if (count > 0) std::memcpy(piece.iov_base, rest.data() + total, count);
      total += count;
    }
    return total;
  }

  Status Reposition(std::int64_t position) override {
    next_ = std::min(static_cast<std::size_t>(position), bytes_.size());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
};

// The descriptor that a path like "-" stands for; -1 for any other path.
int NamedDescriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdin") return 0;
  constexpr std::string_view kFolder = "/dev/fd/";
  if (!path.starts_with(kFolder)) return -1;
  int fd = -1;
  const char* end = path.data() + path.size();
  const auto [stop, error] = std::from_chars(path.data() + kFolder.size(), end, fd);
  return error == std::errc() && stop == end && fd >= 0 ? fd : -1;
}

}  // namespace

std::size_t ByteSource::TakeBuffered(std::span<std::byte> out) {
  const std::size_t count = std::min(out.size(), buffered());
  if (count > 0) std::memcpy(out.data(), buffer_.get() + buffer_begin_, count);
  buffer_begin_ += count;
  position_ += static_cast<std::int64_t>(count);
  return count;
}

// Adds bytes behind those still buffered.
Result<std::size_t> ByteSource::Refill() {
  if (!buffer_) buffer_ = std::make_unique<std::byte[]>(kBufferBytes);
  if (buffer_begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + buffer_begin_, buffered());
    buffer_end_ -= buffer_begin_;
    buffer_begin_ = 0;
  }
  const iovec piece{buffer_.get() + buffer_end_, kBufferBytes - buffer_end_};
  Result<std::size_t> count = Fetch({&piece, 1});
  if (count) buffer_end_ += *count;
  return count;
}

Result<std::span<const std::byte>> ByteSource::Peek(std::size_t count) {
  count = std::min(count, kBufferBytes);
  while (buffered() < count) {
    Result<std::size_t> added = Refill();
    if (!added) return std::move(added).error();
    if (*added == 0) break;
  }
  return std::span<const std::byte>(buffer_.get() + buffer_begin_, std::min(count, buffered()));
}

Result<std::size_t> ByteSource::ReadSome(std::span<std::byte> out) {
  if (out.empty()) return std::size_t{0};
  if (buffered() == 0) {
    if (out.size() >= kBufferBytes) {
      const iovec piece{out.data(), out.size()};
      Result<std::size_t> count = Fetch({&piece, 1});
      if (count) position_ += static_cast<std::int64_t>(*count);
      return count;
    }
    Result<std::size_t> added = Refill();
    if (!added) return added;
  }
  return TakeBuffered(out);
}

Result<std::size_t> ByteSource::Read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    Result<std::size_t> count = ReadSome(out.subspan(done));
    if (!count) return count;
    if (*count == 0) break;
    done += *count;
  }
  return done;
}

Result<std::size_t> ByteSource::ReadRows(const MutablePlaneView& plane, std::size_t row_bytes) {
  const std::size_t total = row_bytes * static_cast<std::size_t>(plane.height);
  std::array<iovec, kRowsPerFetch> pieces;
  std::size_t done = 0;
  while (done < total) {
    const std::size_t column = done % row_bytes;
    const std::span<std::byte> rest(plane.row<std::byte>(static_cast<int>(done / row_bytes)) + column,
                                    row_bytes - column);
    if (buffered() > 0) {
      done += TakeBuffered(rest);
      continue;
    }
    if (total - done < kBufferBytes) {
      Result<std::size_t> count = ReadSome(rest);
      if (!count) return count;
      if (*count == 0) break;
      done += *count;
      continue;
    }
    Result<std::size_t> count = Fetch(PiecesOf(plane, row_bytes, done, pieces));
    if (!count) return count;
    if (*count == 0) break;
    position_ += static_cast<std::int64_t>(*count);
    done += *count;
  }
  return done;
}

bool ByteSource::ReadRowsAt(std::int64_t position, const MutablePlaneView& plane, std::size_t row_bytes) const {
  const std::size_t total = row_bytes * static_cast<std::size_t>(plane.height);
  std::array<iovec, kRowsPerFetch> pieces;
  std::size_t done = 0;
  while (done < total) {
    const std::size_t count =
        FetchAt(position + static_cast<std::int64_t>(done), PiecesOf(plane, row_bytes, done, pieces));
    if (count == 0) return false;
    done += count;
  }
  return true;
}

Result<std::int64_t> ByteSource::Skip(std::int64_t count) {
  if (seekable() && size()) {
    const std::int64_t step = std::clamp(*size() - position(), std::int64_t{0}, count);
    if (Status status = Seek(position() + step); !status) return std::move(status).error();
    return step;
  }
  std::int64_t done = 0;
  while (done < count) {
    if (buffered() == 0) {
      Result<std::size_t> added = Refill();
      if (!added) return std::move(added).error();
      if (*added == 0) break;
    }
    const std::int64_t step = std::min(count - done, static_cast<std::int64_t>(buffered()));
    buffer_begin_ += static_cast<std::size_t>(step);
    position_ += step;
    done += step;
  }
  return done;
}

Result<ByteSource::LineEnd> ByteSource::ReadLine(std::string* line, std::size_t limit) {
  std::size_t done = 0;
  while (done < limit) {
    if (buffered() == 0) {
      Result<std::size_t> added = Refill();
      if (!added) return std::move(added).error();
      if (*added == 0) return LineEnd::kStreamEnd;
    }
    const std::byte* begin = buffer_.get() + buffer_begin_;
    const std::size_t available = std::min(buffered(), limit - done);
    const void* newline = std::memchr(begin, '\n', available);
    const std::size_t length =
        newline != nullptr ? static_cast<std::size_t>(static_cast<const std::byte*>(newline) - begin) : available;
    if (line != nullptr) line->append(reinterpret_cast<const char*>(begin), length);
    const std::size_t consumed = length + (newline != nullptr ? 1 : 0);
    buffer_begin_ += consumed;
    position_ += static_cast<std::int64_t>(consumed);
    done += consumed;
    if (newline != nullptr) return LineEnd::kNewline;
  }
  return LineEnd::kTooLong;
}

Status ByteSource::Seek(std::int64_t position) {
  if (!seekable() || position < 0)
    return Error{ErrorCode::kInputOutput, "cannot be repositioned: it is a stream", path_, {}, {}};
  // Peeked bytes make short forward steps free.
  const std::int64_t ahead = position - position_;
  if (ahead >= 0 && ahead <= static_cast<std::int64_t>(buffered())) {
    buffer_begin_ += static_cast<std::size_t>(ahead);
  } else {
    if (Status status = Reposition(position); !status) return status;
    buffer_begin_ = buffer_end_ = 0;
  }
  position_ = position;
  return {};
}

Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path, const std::stop_token& stop) {
  if (const int named = NamedDescriptor(path); named >= 0) {
    Descriptor copy(::fcntl(named, F_DUPFD_CLOEXEC, 0));
    if (copy.get() < 0) return SystemError(path, "is not an open descriptor", errno);
    return FileSource::Create(path, std::move(copy), stop);
  }
  // Without O_NONBLOCK, opening a FIFO that has no writer yet could not be cancelled. Reads wait in poll(), which on a
  // FIFO returns only once a writer has been there.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, "cannot be opened", errno);
  return FileSource::Create(path, std::move(file), stop);
}

std::unique_ptr<ByteSource> MemoryByteSource(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

}  // namespace lockstep
