// SPDX-License-Identifier: BSD-2-Clause-Patent
// Puts a report where the user wants it: whole or not at all.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "lockstep/report.h"
#include "report/text_file.h"

namespace lockstep {
namespace {

std::string SystemMessage(int error) { return std::generic_category().message(error); }

Error FileError(ErrorCode code, std::string message, const std::string& path) {
  return Error{code, std::move(message), path, std::nullopt, {}};
}

Error SystemError(std::string_view what, int error, const std::string& path) {
  return FileError(ErrorCode::kInputOutput, std::string(what) + ": " + SystemMessage(error), path);
}

/// Owns a file descriptor. Close() reports what the destructor cannot.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  /// out     0 or an errno value
  [[nodiscard]] int Close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

/// A descriptor that the process already has open. Opening its name again would start at the file's beginning and
/// truncate what a shell redirection has put there.
std::optional<int> OpenDescriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
}

struct Target {
  enum class Kind { kDescriptor, kDirect, kReplace };
  Kind kind = Kind::kReplace;
  int descriptor = -1;         // kDescriptor
  std::string path;            // kDirect, kReplace: with links resolved, so that a link stays one
  std::string folder;          // kReplace
  std::optional<mode_t> mode;  // kReplace: permissions of the file that is there
};

std::string_view ParentFolder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

Result<Target> FindTarget(const std::string& path) {
  Target target;
  if (path.empty()) return FileError(ErrorCode::kInputOutput, "the path of the report is empty", path);
  if (const std::optional<int> descriptor = OpenDescriptor(path)) {
    target.kind = Target::Kind::kDescriptor;
    target.descriptor = *descriptor;
    const int flags = ::fcntl(*descriptor, F_GETFL);
    if (flags < 0) return SystemError("cannot write the report", errno, path);
    if ((flags & O_ACCMODE) == O_RDONLY) {
      return FileError(ErrorCode::kInputOutput, "cannot write the report: open for reading only", path);
    }
    return target;
  }

  target.path = path;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return FileError(ErrorCode::kInputOutput, "is a directory; expected the path of a file", path);
    }
    if (::access(path.c_str(), W_OK) != 0) return SystemError("cannot write the report", errno, path);
    if (!S_ISREG(status.st_mode)) {
      target.kind = Target::Kind::kDirect;
      return target;
    }
    target.mode = status.st_mode & 07777U;
    std::array<char, PATH_MAX> resolved{};
    if (::realpath(path.c_str(), resolved.data()) == nullptr) {
      return SystemError("cannot write the report", errno, path);
    }
    target.path = resolved.data();
  } else if (errno != ENOENT) {
    return SystemError("cannot write the report", errno, path);
  }

  target.folder = std::string(ParentFolder(target.path));
  if (::stat(target.folder.c_str(), &status) != 0) {
    const int error = errno;
    if (error == ENOENT) {
      return FileError(ErrorCode::kNotFound, "cannot write the report: there is no folder " + target.folder, path);
    }
    return SystemError("cannot write the report: folder " + target.folder, error, path);
  }
  if (!S_ISDIR(status.st_mode)) {
    return FileError(ErrorCode::kInputOutput, "cannot write the report: " + target.folder + " is not a folder", path);
  }
  if (target.path.ends_with('/')) {
    return FileError(ErrorCode::kInputOutput, "names a folder; expected the path of a file", path);
  }
  return target;
}

/// A new file beside the target; removed again unless it was renamed. Its name does not depend on the target's, which
/// may already be as long as a name can be.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder) : descriptor_(Create(folder)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] Descriptor& descriptor() { return descriptor_; }
  /// out     0 or an errno value
  [[nodiscard]] int RenameTo(const std::string& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  static constexpr int kAttempts = 100;

  int Create(const std::string& folder) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      // Uniqueness comes from O_EXCL; process and time only make the first attempt likely to succeed.
      const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
      name_ = folder + "/.lockstep-report-" + std::to_string(::getpid()) + "-" + std::to_string(now) + ".tmp";
      const int number = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (number >= 0) return number;
      error_ = errno;
      name_.clear();
      if (error_ != EEXIST && error_ != EINTR) break;
    }
    return -1;
  }

  std::string name_;
  int error_ = 0;
  Descriptor descriptor_;
};

/// out     0 or an errno value
int WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        // A pipe that its other end made non-blocking: wait until it takes more.
        struct pollfd writable {
          descriptor, POLLOUT, 0
        };
        ::poll(&writable, 1, -1);
        continue;
      }
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Status Replace(const Target& target, std::string_view text, const std::string& path) {
  TemporaryFile file(target.folder);
  if (!file.descriptor().valid()) return SystemError("cannot write the report", file.error(), path);
  int error = WriteAll(file.descriptor().number(), text);
  if (error == 0 && target.mode && ::fchmod(file.descriptor().number(), *target.mode) != 0) error = errno;
  // Some file systems cannot flush a single file; the rename is still atomic for every reader.
  if (error == 0 && ::fsync(file.descriptor().number()) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (const int close_error = file.descriptor().Close(); error == 0) error = close_error;
  if (error == 0) error = file.RenameTo(target.path);
  if (error != 0) return SystemError("cannot write the report", error, path);
  return {};
}

Status WriteText(std::string_view text, const std::string& path) {
  const Result<Target> target = FindTarget(path);
  if (!target) return target.error();
  switch (target->kind) {
    case Target::Kind::kDescriptor: {
      // What the program has printed so far comes first.
      std::fflush(target->descriptor == STDERR_FILENO ? stderr : stdout);
      const int error = WriteAll(target->descriptor, text);
      if (error != 0) return SystemError("cannot write the report", error, path);
      return {};
    }
    case Target::Kind::kDirect: {
      Descriptor file(::open(target->path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      if (!file.valid()) return SystemError("cannot write the report", errno, path);
      int error = WriteAll(file.number(), text);
      if (const int close_error = file.Close(); error == 0) error = close_error;
      if (error != 0) return SystemError("cannot write the report", error, path);
      return {};
    }
    case Target::Kind::kReplace:
      return Replace(*target, text, path);
  }
  return {};
}

Error OutOfMemory(const std::string& path) {
  return FileError(ErrorCode::kOutOfMemory, "not enough memory for the report", path);
}

}  // namespace

Status WriteTextFile(std::string_view text, const std::string& path) {
  try {
    return WriteText(text, path);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(path);
  }
}

Status WriteReport(const Report& report, ReportFormat format, const NumberFormat& numbers, const std::string& path) {
  try {
    return WriteText(FormatReport(report, format, numbers), path);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(path);
  }
}

Status CheckReportPath(const std::string& path) {
  try {
    const Result<Target> target = FindTarget(path);
    if (!target) return target.error();
    if (target->kind == Target::Kind::kReplace) {
      // Permission bits do not tell about read-only file systems and privileged users; creating a file does.
      Status probe = [&]() -> Status {
        TemporaryFile file(target->folder);
        if (!file.descriptor().valid()) return SystemError("cannot write the report", file.error(), path);
        return {};
      }();
      if (!probe) return probe;
    }
    return {};
  } catch (const std::bad_alloc&) {
    return OutOfMemory(path);
  }
}

}  // namespace lockstep
