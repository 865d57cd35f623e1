// SPDX-License-Identifier: BSD-2-Clause-Patent
// The first failure of a stream, which it keeps.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "lockstep/result.h"

namespace lockstep {

/// Thread safe: a runtime may report what fails later from threads of its own.
class FirstFailure {
 public:
  void Keep(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  [[nodiscard]] Status status() const {
    const std::lock_guard lock(mutex_);
    if (error_) return *error_;
    return {};
  }
  [[nodiscard]] bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return error_.has_value();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace lockstep
