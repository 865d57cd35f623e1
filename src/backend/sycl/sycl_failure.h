// SPDX-License-Identifier: BSD-2-Clause-Patent
// SYCL's exceptions as errors.
#pragma once

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <sycl/sycl.hpp>

#include "lockstep/result.h"

namespace lockstep {

/// Must be called while an exception is handled.
[[nodiscard]] inline Error CurrentSyclError(const std::string& device) {
  try {
    throw;
  } catch (const sycl::exception& exception) {
    const auto code = exception.code();
    ErrorCode own = ErrorCode::kInternal;
    if (code == sycl::errc::memory_allocation) own = ErrorCode::kOutOfMemory;
    if (code == sycl::errc::feature_not_supported) own = ErrorCode::kUnsupported;
    // The runtime's texts have several lines; an error is one.
    std::string text = exception.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return Error{own, device + ": " + text, {}, {}, {}};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, device + ": the host's memory is exhausted", {}, {}, {}};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, device + ": " + exception.what(), {}, {}, {}};
  } catch (...) {
    return Error{ErrorCode::kInternal, device + ": an exception of unknown kind", {}, {}, {}};
  }
}

}  // namespace lockstep
