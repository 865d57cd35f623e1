// SPDX-License-Identifier: BSD-2-Clause-Patent
// The value-or-error type that every fallible call of Lockstep returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

enum class ErrorCode {
  kInvalidArgument,  // a caller's or user's value is outside what is accepted
  kNotFound,         // a file, model, feature, option or device does not exist
  kInputOutput,      // the operating system refused a read or write
  kFormat,           // a file's content does not follow its format
  kTruncated,        // a file ends inside a frame
  kUnsupported,      // well-formed, but not something this build can do
  kCancelled,        // the caller asked to stop
  kOutOfMemory,
  kInternal,
};

/// What went wrong, and where. `message` says what was found and what was expected;
/// file, frame and field are empty or absent when they do not apply.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string file;
  std::optional<std::int64_t> frame;
  std::string field;

  /// One line for people: `FILE: frame N: FIELD: MESSAGE`, absent parts left out.
  [[nodiscard]] std::string Describe() const {
    std::string text;
    if (!file.empty()) text += file + ": ";
    if (frame) text += "frame " + std::to_string(*frame) + ": ";
    if (!field.empty()) text += field + ": ";
    return text + message;
  }

  Error&& WithFile(std::string name) && {
    file = std::move(name);
    return std::move(*this);
  }
  Error&& WithFrame(std::int64_t number) && {
    frame = number;
    return std::move(*this);
  }
  Error&& WithField(std::string name) && {
    field = std::move(name);
    return std::move(*this);
  }
};

/// Either a T or an Error. Reading the wrong side is a programming error and throws std::bad_variant_access
/// inside the library; nothing crosses the C boundary.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  Error& error() & { return error_.value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace lockstep
